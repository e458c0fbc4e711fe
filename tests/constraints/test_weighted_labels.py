"""The gradient at M = 0 in closed form; samples of rows as estimates of the whole."""

import numpy as np
import pytest

from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.sampled import (
    SampledPairs,
    SampledQuadruplets,
    SampledTriplets,
)
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels, sample_rows
from nearkind.encoding.rows import unique_rows
from nearkind.losses.hinge import Hinge
from nearkind.metrics.metric import embed
from nearkind.metrics.spectrum import identity
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective

RNG = np.random.default_rng(0)
Y = np.sort(RNG.choice(3, size=60, p=[0.6, 0.3, 0.1]))
PHI = RNG.dirichlet(np.ones(3), size=(60, 4))
WEIGHTED = WeightedLabels(Y, RNG.integers(1, 4, 60).astype(float))
RULES = {
    "triplets": AllTriplets(),
    "pairs": AllPairs(),
    "pairs above one": AllPairs(1.5),
    "quadruplets": AllQuadruplets(),
    "sampled triplets": SampledTriplets(400, np.random.default_rng(1)),
    "sampled pairs": SampledPairs(400, np.random.default_rng(1)),
    "sampled quadruplets": SampledQuadruplets(400, np.random.default_rng(1)),
}
AT_ZERO = RULES | {"soft neighbors": SoftNeighbors()}
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())


@pytest.mark.parametrize("rule", AT_ZERO.values(), ids=AT_ZERO.keys())
@pytest.mark.parametrize("structure", [Single(), Multi(), Diagonal(), Full()])
def test_slope_at_zero_is_the_pull_back_just_above_zero(rule, structure):
    Z = np.ascontiguousarray(structure.blocks(PHI))
    bound = rule.bind(WEIGHTED)
    objective = Objective(Z, bound, Schatten(1.0), 0.0)
    B, _, _, W = Z.shape
    rows = embed(Z, objective.zero)
    slow = np.zeros((B, W, W))
    for part in bound.chunks():
        just_above = part.edges.squared_distances(rows) + 1e-6
        slow += part.edges.adjoint(Z, part.gradient(just_above, Hinge()).weights)
    np.testing.assert_allclose(bound.gradient_at_zero(Z), slow, atol=1e-12)


@every_rule
def test_samples_estimate_loss_and_gradient(rule):
    objective = Objective(Single().blocks(PHI), rule.bind(WEIGHTED), Schatten(1.0), 0.0)
    rng, start = np.random.default_rng(2), identity(1, 4)
    exact = objective.linearize(start)
    draws = [objective.sample(30, rng).linearize(start) for _ in range(300)]
    losses = np.array([draw.loss for draw in draws])
    error = losses.std() / len(losses) ** 0.5
    assert abs(losses.mean() - exact.loss) < 4.0 * error + 0.01 * exact.loss
    gradient = np.mean([draw.gradient for draw in draws], axis=0)
    spread = np.std([draw.gradient for draw in draws], axis=0) / len(draws) ** 0.5
    assert (np.abs(gradient - exact.gradient) < 4.0 * spread + 0.01).all()


def test_a_sample_keeps_the_weight_of_each_class_and_starves_none():
    rare = WeightedLabels(np.r_[np.zeros(500, int), [1, 1, 1]], np.ones(503))
    rows, drawn = rare.sample(40, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.class_weights, rare.class_weights)
    assert (np.bincount(drawn.y) >= [20, 3]).all()
    np.testing.assert_array_equal(rare.y[rows], drawn.y)
    assert (drawn.own[drawn.y == 0] == 0.0).all()


def test_copies_inside_heavy_cells_are_not_lost():
    rng = np.random.default_rng(3)
    y, points = np.arange(60) % 3, rng.normal(size=(60, 1, 2))
    heavy = WeightedLabels(y, np.where(rng.random(60) < 0.2, 20.0, 1.0))
    bound = AllTriplets().bind(heavy)
    objective = Objective(Single().blocks(points), bound, Schatten(1.0), 0.0)
    exact = objective.linearize(identity(1, 1)).loss
    losses = [
        objective.sample(30, rng).linearize(identity(1, 1)).loss for _ in range(400)
    ]
    error = np.std(losses) / 20.0
    assert abs(np.mean(losses) - exact) < 4.0 * error + 0.02 * exact


def test_prox_at_a_step_below_rounding_moves_nothing():
    v = np.array([3.0, 1.0])
    np.testing.assert_allclose(Schatten(np.inf).prox(v, 1e-17), v)


def test_rows_are_drawn_by_weight():
    labels = WeightedLabels(np.zeros(50, int), np.arange(1.0, 51.0))
    rng = np.random.default_rng(0)
    hits = np.zeros(50)
    for _ in range(400):
        hits += np.bincount(labels.sample(10, rng)[0], minlength=50)
    np.testing.assert_allclose(hits / 4000, labels.weights / 1275, atol=0.006)


def test_rows_drawn_are_those_of_the_labels_drawn():
    rng = np.random.default_rng(3)
    codes, y = rng.integers(0, 9, (60, 2), dtype=np.int32), rng.integers(0, 3, 60)
    rows = unique_rows(codes, y, rng.integers(1, 4, 60).astype(float))
    assert sample_rows(rows, len(rows), rng) is rows
    drawn = sample_rows(rows, 20, np.random.default_rng(0))
    kept, labels = WeightedLabels(rows.y, rows.weights).sample(
        20, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(drawn.codes, rows.codes[kept])
    np.testing.assert_array_equal(drawn.weights, labels.weights)
    np.testing.assert_array_equal(drawn.own, labels.own)
    for label in range(3):
        assert drawn.weights[drawn.y == label].sum() == pytest.approx(
            rows.weights[rows.y == label].sum()
        )
