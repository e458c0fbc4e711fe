"""The gradient at M = 0 in closed form; samples of rows as estimates of the whole."""

import numpy as np
import pytest

from nearkind.baselines.mcml import ClassCollapse
from nearkind.constraints.local import LocalTriplets
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


def many_classes(seed):
    """Return 40 classes, one of them large and some of one row, and their points."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.concatenate([np.arange(40), np.arange(30), [0] * 30]))
    labels = WeightedLabels(y, rng.integers(1, 3, len(y)).astype(float))
    centres = rng.normal(size=(40, 1, 2))
    return labels, centres[y] + 0.5 * rng.normal(size=(len(y), 1, 2))


LARGE_SAMPLE_RULES = {
    "triplets": AllTriplets(),
    "pairs": AllPairs(),
    "quadruplets": AllQuadruplets(),
    "local": LocalTriplets(),
    "soft neighbors": SoftNeighbors(),
    "collapse": ClassCollapse(),
}


@pytest.mark.parametrize(
    "rule", LARGE_SAMPLE_RULES.values(), ids=LARGE_SAMPLE_RULES.keys()
)
def test_samples_of_some_classes_estimate_the_loss_of_all(rule):
    labels, points = many_classes(5)
    start, rng = identity(1, 1), np.random.default_rng(1)
    objective = Objective(Single().blocks(points), rule.bind(labels), Schatten(1.0), 0)
    objective = objective.renewed(start)
    exact = objective.linearize(start)
    draws = [objective.sample(60, rng).linearize(start) for _ in range(400)]
    for name in ("loss", "gradient"):
        found = np.array([getattr(draw, name) for draw in draws])
        whole, error = getattr(exact, name), found.std(axis=0) / len(draws) ** 0.5
        bias = np.abs(found.mean(axis=0) - whole)
        # sums over a sample, divided by its own mass: a bias of order 1 / classes
        assert (bias < 4.0 * error + 0.04 * np.abs(whole)).all(), name


def test_sums_over_samples_of_some_classes_are_unbiased():
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(60), 2)  # two rows: a class is drawn whole or not at all
    labels = WeightedLabels(y, rng.integers(1, 9, len(y)).astype(float))
    points = rng.normal(size=(len(y), 2))
    d2 = ((points[:, None] - points) ** 2).sum(axis=2)

    def sums(labels, d2):
        """Return sums over pairs and over triplets, written out."""
        rows = np.arange(len(d2))
        partners, alike = labels.partners(rows, rows), labels.y[:, None] == labels.y
        near, far = np.where(alike, partners, 0.0), np.where(alike, 0.0, partners)
        near_sums, far_sums = (near * d2).sum(axis=1), (far * d2).sum(axis=1)
        by_anchor = [near.sum(axis=1), far.sum(axis=1), near_sums, far_sums]
        by_anchor += [near_sums * far.sum(axis=1), near.sum(axis=1) * far_sums]
        return np.array(by_anchor) @ labels.anchor_weights

    draws = []
    for _ in range(2000):
        rows, drawn = labels.sample(60, rng)
        draws.append(sums(drawn, d2[np.ix_(rows, rows)]))
    error = np.std(draws, axis=0) / len(draws) ** 0.5
    assert (np.abs(np.mean(draws, axis=0) - sums(labels, d2)) < 4.0 * error).all()


@pytest.mark.parametrize("n_classes", [20, 30, 31, 59, 60, 61, 200, 1000])
def test_every_class_with_anchors_has_two_rows(n_classes):
    y = np.repeat(np.arange(n_classes), 5)
    labels = WeightedLabels(y, np.ones(len(y)))
    rows, drawn = labels.sample(60, np.random.default_rng(0))
    np.testing.assert_array_equal(y[rows], drawn.y)
    assert len(rows) <= 90
    assert (np.bincount(drawn.y)[drawn.y[drawn.anchoring > 0.0]] >= 2).all()
    assert (drawn.same[drawn.anchoring == 0.0] == 0.0).all()
    assert drawn.weights.sum() == pytest.approx(len(y))
    AllTriplets().bind(drawn)
