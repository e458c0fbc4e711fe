"""Soft neighbours: chances as a double loop gives them, at any distance and weight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from helpers import oracles
from helpers.strategies import (
    examples,
    labelled_distances,
    labels,
    metrics,
    phis,
    weights,
)
from nearkind.constraints.soft_neighbors import (
    OneClass,
    ScorePoints,
    SeveralClasses,
    SoftNeighbors,
)
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge
from nearkind.metrics.metric import Embedding
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
margins = st.sampled_from([0.5, 1.0, 3.0])
LONELY = np.array([0, 0, 1])
NEAR_AND_FAR = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]])


def bound(y, w=None, margin=1.0, **options):
    w = np.ones(len(y)) if w is None else w
    return SoftNeighbors(margin, **options).bind(WeightedLabels(y, w))


def total(constraints, d2):
    """Return loss, slope on every ordered pair (n, n) and intercept of all parts."""
    loss, W, intercept = 0.0, np.zeros(d2.shape), 0.0
    for part in constraints.chunks():
        pull = part.gradient(d2[part.edges.anchors], Hinge())
        assert part.value(d2[part.edges.anchors], Hinge()) == pull.loss
        loss, intercept = loss + pull.loss, intercept + pull.intercept
        W[part.edges.anchors] += pull.weights
    return loss, W, intercept


def test_two_alike_rows_and_a_stranger():
    loss, W, _ = total(bound(LONELY), NEAR_AND_FAR)
    assert loss == pytest.approx(np.log(1.0 + np.exp(-2.0)))
    chance = np.exp(-2.0) / (1.0 + np.exp(-2.0))  # of the stranger
    half = chance / 2.0  # two rows draw
    np.testing.assert_allclose(
        W, [[0.0, half, -half], [half, 0.0, -half], [0.0, 0.0, 0.0]], atol=1e-15
    )


@given(case=labelled_distances(), margin=margins)
def test_loss_is_that_of_a_double_loop(case, margin):
    d2, y, w = case
    loss, _, _ = total(bound(y, w, margin), d2)
    assert loss == pytest.approx(oracles.soft_neighbors(d2, y, w, margin), rel=1e-9)


@given(case=labelled_distances(max_rows=5), margin=margins)
@examples(15)
def test_weights_are_the_slope_of_the_double_loop(case, margin):
    d2, y, w = case
    _, W, _ = total(bound(y, w, margin), d2)
    step = 1e-5
    for i, j in zip(*np.triu_indices(len(y), 1), strict=True):
        up, down = d2.copy(), d2.copy()
        up[[i, j], [j, i]] += step
        down[[i, j], [j, i]] -= step
        rise = oracles.soft_neighbors(up, y, w, margin)
        rise -= oracles.soft_neighbors(down, y, w, margin)
        assert W[i, j] + W[j, i] == pytest.approx(rise / (2 * step), abs=1e-7)


@given(case=labelled_distances())
def test_a_weight_is_so_many_rows_at_one_place(case):
    d2, y, w = case
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    loss, W, _ = total(bound(y, w), d2)
    apart, by_row, _ = total(bound(y[rows]), d2[np.ix_(rows, rows)])
    assert loss == pytest.approx(apart, rel=1e-9)
    gathered = np.zeros_like(W)
    np.add.at(gathered, np.ix_(rows, rows), by_row)
    np.fill_diagonal(gathered, np.diag(W))  # copies stay at distance zero
    np.testing.assert_allclose(W, gathered, atol=1e-12)


def test_a_weight_below_one_has_no_copy_to_draw():
    y, d2 = np.array([0, 0, 1, 1]), 1.0 - np.eye(4)
    loss, _, _ = total(bound(y, np.full(4, 0.5)), d2)
    assert loss == pytest.approx(np.log(3.0))


def test_a_row_alone_in_its_class_is_drawn_but_draws_not():
    d2 = np.ones((4, 4)) - np.eye(4)
    loss, W, _ = total(bound(np.array([0, 0, 1, 2])), d2)
    assert loss == pytest.approx(np.log(3.0))  # of two rows, each sees one in three
    assert (W[2:] == 0.0).all()
    assert (W[:2, 2:] < 0.0).all()


@pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 2], [0]])
def test_labels_without_partner_or_stranger_are_refused(y):
    with pytest.raises(ValueError, match="imply no neighbours: they need a class"):
        bound(np.array(y))


@given(case=labelled_distances(), at_once=st.integers(1, 40))
def test_parts_add_up_whatever_is_held_at_once(case, at_once):
    d2, y, w = case
    parts = bound(y, w, at_once=at_once)
    whole = total(bound(y, w), d2)
    assert max(len(part.edges.anchors) for part in parts.chunks()) <= max(
        1, at_once // len(y)
    )
    for ours, theirs in zip(total(parts, d2), whole, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("structure", STRUCTURES)
@given(data=st.data(), margin=margins)
@examples(10)
def test_slope_at_zero_is_the_gradient_there(structure, data, margin):
    phi = data.draw(phis(6))
    y, w = data.draw(labels(6)), data.draw(weights(6))
    Z = np.ascontiguousarray(STRUCTURES[structure].blocks(phi))
    objective = Objective(Z, bound(y, w, margin), Schatten(), 0.0)
    gradient = objective.linearize(objective.zero).gradient
    np.testing.assert_allclose(
        objective.constraints.gradient_at_zero(Z), gradient, atol=1e-12
    )


@pytest.mark.parametrize("structure", STRUCTURES)
@given(data=st.data())
@examples(5)
def test_gradient_is_the_rise_of_the_double_loop(structure, data):
    phi, M = data.draw(metrics(STRUCTURES[structure], max_rows=5))
    y, w = data.draw(labels(len(phi))), data.draw(weights(len(phi)))
    A = oracles.difference_matrices(phi, structure)
    objective = Objective(STRUCTURES[structure].blocks(phi), bound(y, w), Schatten(), 0)
    gradient = objective.linearize(decompose(M)).gradient
    for at in np.ndindex(M.shape):
        up, down = M.copy(), M.copy()
        up[at] += 1e-5
        down[at] -= 1e-5
        rise = oracles.soft_neighbors(oracles.squared_distances(A, up), y, w)
        rise -= oracles.soft_neighbors(oracles.squared_distances(A, down), y, w)
        assert gradient[at] == pytest.approx(rise / 2e-5, abs=1e-6)


@given(case=labelled_distances())
def test_single_precision_is_right_to_its_last_digits(case):
    d2, y, w = case
    for part in bound(y, w).chunks():
        at = d2[part.edges.anchors]
        fine, rough = (part.gradient(d, Hinge()) for d in (at, at.astype(np.float32)))
        assert rough.weights.dtype == np.float32
        assert rough.loss == pytest.approx(fine.loss, abs=1e-5)
        np.testing.assert_allclose(rough.weights, fine.weights, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("far", [1e4, 1e8])
def test_far_rows_leave_every_number_finite(far, dtype):
    """The row itself, which may not be drawn, is nearer than any by ``far``."""
    y, d2 = np.array([0, 0, 1, 1]), np.full((4, 4), far, dtype)
    np.fill_diagonal(d2, 0.0)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        loss, W, _ = total(bound(y), d2)
    assert loss == pytest.approx(np.log(3.0))
    np.testing.assert_allclose(W[0], np.array([0.0, 2.0, -1.0, -1.0]) / 12.0, atol=1e-7)


def test_a_stranger_at_hand_costs_how_much_farther_the_class_is():
    y, d2 = np.array([0, 0, 1, 1]), np.full((4, 4), 1e4)
    d2[[0, 1, 2, 3], [2, 3, 0, 1]] = 0.0
    loss, W, intercept = total(bound(y), d2)
    assert loss == pytest.approx(1e4)
    assert intercept == pytest.approx(0.0, abs=1e-9)  # a loss that is linear here
    assert np.isfinite(W).all()


def test_samples_come_nearer_the_more_rows_they_have():
    """Of a class of which m rows are drawn, a row misses about one partner in m."""
    rng = np.random.default_rng(0)
    y, points = np.arange(90) % 3, rng.normal(size=(90, 1, 2))
    objective = Objective(Single().blocks(points), bound(y), Schatten(), 0.0)
    start = decompose(np.eye(1)[None])
    exact = objective.value(start)
    off = [
        np.mean([objective.sample(size, rng).value(start) for _ in range(100)]) / exact
        for size in (15, 30, 60)
    ]
    assert 1.5 > off[0] > off[1] > off[2] > 1.0
    assert off[2] < 1.1


def embedded(n_rows, n_classes, scale, dtype, seed=0, shuffled=False):
    """Return rows of several classes in three dimensions, weights and constraints."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(n_classes, size=n_rows))
    y = rng.permutation(y) if shuffled else y
    weights = rng.integers(1, 4, n_rows).astype(float)
    U = (scale * (rng.normal(size=(n_rows, 3)) + y[:, None])).astype(dtype)
    return Embedding(U, U), y, weights


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [0.1, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("n_classes", "at_once"), [(2, 2_000), (3, 1 << 21), (12, 900)]
)
def test_products_give_the_laplacian_of_the_plain_gradient(
    n_classes, at_once, shuffled, scale, dtype
):
    rows, y, weights = embedded(90, n_classes, scale, dtype, shuffled=shuffled)
    constraints = bound(y, weights, margin=0.7, at_once=at_once)
    loss, LU = constraints.laplacian(rows, map)
    exact = Embedding(rows.U.astype(float), rows.U.astype(float))
    plain_loss, plain = 0.0, np.zeros(rows.U.shape)
    for part in constraints.chunks():
        at = part.gradient(part.edges.squared_distances(exact), Hinge())
        plain_loss += at.loss
        plain += part.edges.apply_laplacian(exact.U, at.weights)
    rel = 1e-9 if dtype == np.float64 else 3e-4
    assert loss == pytest.approx(plain_loss, rel=rel)
    np.testing.assert_allclose(LU, plain, atol=rel * np.abs(plain).max())


def test_classes_that_fill_a_chunk_have_chunks_of_their_own():
    _, y, weights = embedded(90, 2, 1.0, float)
    kinds = {
        at_once: {
            type(part.same) for part in bound(y, weights, at_once=at_once).chunks()
        }
        for at_once in (900, 1 << 21)
    }
    assert kinds == {900: {OneClass}, 1 << 21: {SeveralClasses}}


def test_anchors_with_no_chance_to_draw_their_class_are_told_apart():
    """At a distance of 1,000 margins a chance is nothing in any precision."""
    U = np.array([[0.0], [40.0], [0.1], [0.2]])
    rows, y = Embedding(U, U), np.array([0, 0, 1, 1])
    loss, LU = bound(y).laplacian(rows, map)
    d2 = (U - U.T) ** 2 + np.diag(np.full(4, np.inf))
    alike = np.where(y[:, None] == y, d2, np.inf)
    expected = np.mean(logsumexp(-d2, axis=1) - logsumexp(-alike, axis=1))
    assert loss == pytest.approx(expected)
    assert loss > 400.0
    assert np.isfinite(LU).all()
    assert np.abs(LU).max() > 1.0


MASKS = {
    "first": OneClass(slice(0, 3), 7),
    "last": OneClass(slice(4, 7), 7),
    "middle": OneClass(slice(2, 4), 7),
    "all": OneClass(slice(0, 7), 7),
    "several": SeveralClasses(np.arange(4)[:, None] % 2 == np.arange(7) % 2),
}


@pytest.mark.parametrize("kind", MASKS)
def test_products_are_those_of_the_mask(kind):
    same, rng = MASKS[kind], np.random.default_rng(0)
    E, V, A = rng.normal(size=(4, 7)), rng.normal(size=(7, 2)), rng.normal(size=(4, 2))
    within, outside = rng.normal(size=(2, 4))
    mask = np.broadcast_to(same.mask, (4, 7))
    of_class, of_all = same.times(E, V)
    np.testing.assert_allclose(of_class, (E * mask) @ V, atol=1e-12)
    np.testing.assert_allclose(of_all, E @ V, atol=1e-12)
    c = np.where(mask, within[:, None], outside[:, None])
    found = same.transposed_times(E, A, within, outside)
    np.testing.assert_allclose(found, (E * c).T @ A, atol=1e-12)
    some = np.array([3, 1])
    taken = np.broadcast_to(same.take(some).mask, (2, 7))
    np.testing.assert_array_equal(taken, mask[some])


def test_the_mask_of_a_class_is_its_rows():
    assert MASKS["middle"].mask.tolist() == [[0, 0, 1, 1, 0, 0, 0]]


@pytest.mark.parametrize("margin", [0.5, 1.0, 3.0])
def test_scores_are_products_of_points(margin):
    rng = np.random.default_rng(1)
    U, weights_ = rng.normal(size=(6, 3)), rng.uniform(0.5, 3.0, 6)
    points = ScorePoints.of(Embedding(U, U), weights_, margin)
    d2 = ((U[:, None] - U) ** 2).sum(axis=2)
    expected = np.log(weights_) - d2 / margin
    np.testing.assert_allclose(points.left @ points.right.T, expected, atol=1e-12)
    np.testing.assert_array_equal(points.U1, np.column_stack([U, np.ones(6)]))


def test_a_row_without_weight_has_no_chance():
    U, weights_ = np.zeros((2, 1)), np.array([1.0, 0.0])
    points = ScorePoints.of(Embedding(U, U), weights_, 1.0)
    scores = points.left @ points.right.T
    assert np.isfinite(scores).all()
    assert (np.exp(scores[:, 1]) < 1e-30).all()


def test_only_rows_that_may_draw_do():
    rng = np.random.default_rng(2)
    y, points = np.arange(30) % 3, rng.normal(size=(30, 2))
    d2 = ((points[:, None] - points) ** 2).sum(axis=2)
    may_draw = np.arange(30) < 10
    some = SoftNeighbors().bind(WeightedLabels(y, np.ones(30)), may_draw)
    loss, W, _ = total(some, d2)
    assert (W[10:] == 0.0).all()
    assert (W[:10] != 0.0).sum() == 10 * 29
    each = np.exp(-d2) * (1.0 - np.eye(30))
    chance = (each * (y[:, None] == y)).sum(axis=1) / each.sum(axis=1)
    assert loss == pytest.approx(-np.log(chance[:10]).mean())


@pytest.mark.parametrize("most", [None, 7, 20, 21, 60])
def test_so_many_draw_at_most(most):
    y = np.arange(200) % 2
    constraints, may_draw = bound(y), np.arange(200) % 5 == 0
    rows, some = constraints.sample_draws(100, np.random.default_rng(0), may_draw, most)
    anchors = np.concatenate([part.edges.anchors for part in some.chunks()])
    n_able = may_draw[rows].sum()
    assert len(rows) == 100
    assert len(np.unique(anchors)) == len(anchors) == min(n_able, most or n_able)
    assert may_draw[rows[anchors]].all()
    shares = np.concatenate([part.shares for part in some.chunks()])
    assert shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("sizes", "at_once", "kinds"),
    [
        ([50, 50], 100 * 8, [OneClass, OneClass]),
        ([98, 2], 100 * 8, [OneClass, OneClass]),  # two rows are a quarter of eight
        ([98, 2], 100 * 12, [OneClass, SeveralClasses]),
        ([40, 40, 20], 100 * 400, [SeveralClasses] * 3),
    ],
)
def test_a_class_that_fills_a_quarter_of_a_chunk_has_its_own(sizes, at_once, kinds):
    y = np.repeat(np.arange(len(sizes)), sizes)
    found = {}
    for part in bound(y, at_once=at_once).chunks():
        for label in np.unique(y[part.edges.anchors]):
            found[label] = type(part.same)
    assert [found[label] for label in range(len(sizes))] == kinds


def test_scattered_rows_of_a_class_are_several():
    y = np.repeat([0, 1], 50)
    y[[0, 99]] = 1, 0
    kinds = {type(part.same) for part in bound(y, at_once=800).chunks()}
    assert kinds == {SeveralClasses}
