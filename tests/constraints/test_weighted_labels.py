"""The gradient at M = 0 in closed form; samples of rows as estimates of the whole."""

import numpy as np
import pytest

from nearkind.baselines.mcml import ClassCollapse
from nearkind.constraints.local import LocalTriplets
from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.samples import (
    SampledPairs,
    SampledQuadruplets,
    SampledTriplets,
)
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import (
    WeightedLabels,
    allot,
    chunk_rows,
    require_constraints,
    rows_at_once,
    sample_rows,
)
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
    assert (drawn.self_weights[drawn.y == 0] == 0.0).all()


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
    np.testing.assert_array_equal(drawn.self_weights, labels.self_weights)
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


# Worked by hand


def test_weights_of_partners_and_strangers():
    labels = WeightedLabels(np.array([0, 2, 0, 2]), np.array([3.0, 0.5, 1.0, 2.0]))
    assert labels.n_classes == 3
    np.testing.assert_array_equal(labels.self_weights, [2.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(labels.class_weights, [4.0, 0.0, 2.5])
    np.testing.assert_array_equal(labels.same, [3.0, 2.0, 3.0, 1.5])
    np.testing.assert_array_equal(labels.other, [2.5, 4.0, 2.5, 4.0])
    np.testing.assert_array_equal(labels.anchor_weights, labels.weights)
    np.testing.assert_array_equal(labels.rows_of(2), [1, 3])
    np.testing.assert_array_equal(labels.rows_outside(2), [0, 2])
    partners = labels.partners(np.array([2, 0]), np.array([0, 2]))
    np.testing.assert_array_equal(partners, [[3.0, 0.0], [2.0, 1.0]])


def test_anchors_count_as_they_are_told():
    y, twice = np.array([0, 0, 1]), np.array([2.0, 0.0, 1.0])
    labels = WeightedLabels(y, np.array([3.0, 1.0, 1.0]), np.zeros(3), twice)
    np.testing.assert_array_equal(labels.anchor_weights, [6.0, 0.0, 1.0])
    np.testing.assert_array_equal(labels.same, [1.0, 3.0, 0.0])


def test_contrast_is_a_double_loop():
    rng = np.random.default_rng(4)
    labels = WeightedLabels(np.array([0, 1, 0, 2, 1]), rng.uniform(0.5, 3.0, 5))
    Z = rng.normal(size=(2, 5, 3, 4))
    within, between = rng.normal(size=(2, 5))
    expected = np.zeros((2, 4, 4))
    for i in range(5):
        for j in range(5):
            step = Z[:, i] - Z[:, j]
            share = within[i] if labels.y[i] == labels.y[j] else -between[i]
            both = labels.weights[i] * labels.weights[j] * share
            expected += both * np.einsum("bkv,bkw->bvw", step, step)
    found = labels.contrast(Z, within, between)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(found, found.swapaxes(1, 2))


@pytest.mark.parametrize(
    ("n_columns", "at_once", "enough", "n_rows"),
    [
        (10, 1000, 40, 4),  # enough distances
        (10, 30, 40, 3),  # no more than are held at once
        (10, 9, 40, 1),  # at least one row
        (320, 1 << 20, 40, 20),  # a sixteenth of all
        (320, 320 * 19, 40, 19),
        (10, 1000, 0, 1),
    ],
)
def test_rows_of_a_chunk(n_columns, at_once, enough, n_rows):
    assert rows_at_once(n_columns, at_once, enough) == n_rows
    rows = np.arange(3, 3 + 2 * n_rows + 1)
    parts = chunk_rows(rows, n_columns, at_once, enough)
    assert [len(part) for part in parts] == [n_rows, n_rows, 1]
    np.testing.assert_array_equal(np.concatenate(parts), rows)
    assert chunk_rows(rows[:0], n_columns, at_once, enough) == []


@pytest.mark.parametrize(
    ("shares", "size", "expected"),
    [
        ([0.5, 0.5], 10, [5, 5]),
        ([0.9, 0.1], 10, [7, 3]),
        ([1.0, 0.0], 7, [7, 0]),
        ([0.999, 0.001], 1, [1, 1]),
        ([0.5, 0.25, 0.25, 0.0], 24, [10, 7, 7, 0]),
    ],
)
def test_draws_are_allotted_half_by_share_half_evenly(shares, size, expected):
    assert allot(np.array(shares), size).tolist() == expected


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("triplets", "they need a class of at least two rows and a row of another"),
        ("neighbours", "they need a class of at least two rows and a row of another"),
        ("quadruplets", "they need two rows of one class and two rows of different"),
        ("pairs", "there is only one row"),
    ],
)
def test_what_constraints_need_is_told(kind, why):
    require_constraints(1e-300, kind)
    for mass in (0.0, -1.0):
        with pytest.raises(ValueError, match=f"The labels imply no {kind}: {why}"):
            require_constraints(mass, kind)


# Samples of rows


def sampled(y, weights=None, size=60, seed=0):
    weights = np.ones(len(y)) if weights is None else weights
    return WeightedLabels(y, weights).sample(size, np.random.default_rng(seed))


def test_with_room_for_two_rows_of_each_class_all_have_anchors():
    _, drawn = sampled(np.repeat(np.arange(30), 5))
    np.testing.assert_array_equal(np.bincount(drawn.y), np.full(30, 2))
    np.testing.assert_array_equal(drawn.anchoring, np.ones(60))
    _, drawn = sampled(np.repeat(np.arange(31), 5))
    assert len(np.unique(drawn.y[drawn.anchoring > 0.0])) == 15


@pytest.mark.parametrize("seed", range(3))
def test_classes_with_anchors_count_for_all_and_others_are_strangers(seed):
    y = np.repeat(np.arange(1000), 2)
    rows, drawn = sampled(y, seed=seed)
    anchors = drawn.anchoring > 0.0
    assert len(np.unique(drawn.y[anchors])) == 15  # a quarter of the rows asked for
    np.testing.assert_allclose(drawn.anchoring[anchors], 1000 / 15)
    np.testing.assert_array_equal(drawn.weights[anchors], 1.0)
    strangers = drawn.y[~anchors]
    assert len(np.unique(strangers)) == len(strangers) <= 30
    assert not np.isin(strangers, drawn.y[anchors]).any()
    times = drawn.weights[~anchors] / (1970 / 30)
    np.testing.assert_allclose(times, np.round(times))
    assert drawn.weights.sum() == pytest.approx(2000.0)
    np.testing.assert_array_equal(y[rows], drawn.y)


def test_a_heavy_class_has_anchors_by_half_its_share():
    y = np.concatenate([np.zeros(40, int), np.repeat(np.arange(1, 81), 2)])
    wish = 0.5 * 40 / 200 + 0.5 / 81
    counts = []
    for seed in range(40):
        _, drawn = sampled(y, size=20, seed=seed)
        heavy = drawn.anchoring[(drawn.y == 0) & (drawn.anchoring > 0.0)]
        np.testing.assert_allclose(heavy, 1.0 / (5 * wish))
        counts.append(len(heavy) > 0)
    assert 0.25 < np.mean(counts) < 0.85  # expected: 0.53


def test_a_class_of_one_row_has_no_anchors():
    y = np.concatenate([np.arange(50), [0, 1, 2]])
    for seed in range(5):
        _, drawn = sampled(y, size=8, seed=seed)
        assert set(drawn.y[drawn.anchoring > 0.0]) <= {0, 1, 2}
        assert len(set(drawn.y[drawn.anchoring > 0.0])) == 2


def test_a_row_without_weight_is_no_stranger():
    y = np.repeat(np.arange(100), 2)
    weights = np.tile([1.0, 0.0], 100)
    weights[:20] = 2.0
    for seed in range(10):
        rows, drawn = sampled(y, weights, size=12, seed=seed)
        assert (weights[rows[drawn.anchoring == 0.0]] > 0.0).all()


def test_a_class_that_is_drawn_whole_stays_as_it_is():
    y, weights = np.repeat([0, 1], 10), np.tile(np.arange(1.0, 11.0), 2)
    rows, drawn = sampled(y, weights, size=20)
    np.testing.assert_array_equal(rows, np.arange(20))
    np.testing.assert_array_equal(drawn.weights, weights)
    np.testing.assert_array_equal(drawn.self_weights, weights - 1.0)


def test_a_row_meets_rows_equal_to_it_as_often_as_in_the_whole():
    weights = np.random.default_rng(7).integers(1, 9, 200).astype(float)
    whole = WeightedLabels(np.repeat([0, 1], 100), weights)
    rows, drawn = whole.sample(60, np.random.default_rng(0))

    def chance(labels):
        """Return how often a partner of a row is one that is equal to it, at odds."""
        return labels.self_weights / (labels.same - labels.self_weights)

    np.testing.assert_allclose(chance(drawn), chance(whole)[rows])
    np.testing.assert_allclose(drawn.class_weights, whole.class_weights)


def test_a_class_whose_weight_is_on_one_row_leaves_every_number_finite():
    weights = np.concatenate([[5.0], np.zeros(5), np.ones(6)])
    rows, drawn = sampled(np.repeat([0, 1], 6), weights, size=4)
    assert rows[drawn.y == 0].tolist() == [0]
    assert drawn.weights[drawn.y == 0].tolist() == [5.0]
    assert np.isfinite(drawn.self_weights).all()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_of_two_classes_both_have_anchors_however_few_rows_are_asked_for(size):
    _, drawn = sampled(np.repeat([0, 1], 5), size=size)
    assert drawn.y.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(drawn.anchoring, np.ones(4))
    np.testing.assert_allclose(drawn.weights, 2.5)


def test_class_numbers_without_rows_take_no_room():
    rows, drawn = sampled(np.repeat(10 * np.arange(10), 5), size=20)
    np.testing.assert_array_equal(drawn.anchoring, np.ones(20))
    assert len(rows) == 20
    assert len(np.unique(drawn.y)) == 10


def test_constraints_of_labels_are_the_same_under_every_metric():
    constraints = AllTriplets().bind(WEIGHTED)
    assert constraints.n_distances == 60**2
    assert constraints.renewed(PHI, identity(1, 4)) is constraints
