"""Target neighbours against impostors: what enumeration says, and what must hold."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.local_problems import (
    PHI,
    STRUCTURES,
    WEIGHTED,
    Y,
    bound_at,
    cases,
    problem,
    random_metric,
    square,
    whole,
)
from helpers.strategies import examples, labels, metrics, weights
from nearkind.constraints import local
from nearkind.constraints.local import LocalTriplets, Targets, shared_places
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.metric import embed
from nearkind.metrics.spectrum import decompose, identity
from nearkind.metrics.structures import Single
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.objective import Objective

LOSSES = {Hinge(): 0.0, SmoothedHinge(0.5): 0.5}
REGULARIZERS = [Schatten(1.0), Schatten(2.0), Schatten(np.inf), SchattenPower(2.0)]
every_structure = pytest.mark.parametrize("structure", STRUCTURES)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_regularizer = pytest.mark.parametrize("regularizer", REGULARIZERS, ids=repr)


def on_a_line(places, y, w=None, n_targets=3, **settings):
    """Bind rows at these places of a line."""
    Z = np.asarray(places, dtype=float).reshape(1, -1, 1, 1)
    w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    labelled = WeightedLabels(np.array(y), w)
    return bound_at(Z, identity(1, 1), labelled, n_targets=n_targets, **settings)


def counted(found, n):
    """Return the oracle's targets of one row of each cell (n, n)."""
    targets = dict(found)
    return np.array([[targets[i].get(j, 0.0) for j in range(n)] for i in range(n)])


# The loss, and what it says of each distance


@every_loss
@pytest.mark.parametrize("margin", [1.0, 0.7])
@given(case=cases(), n_targets=st.integers(1, 4))
def test_loss_weights_and_intercept_are_those_of_enumeration(
    loss, margin, case, n_targets
):
    Z, M, d2, y, w = case
    bound = bound_at(Z, decompose(M), WeightedLabels(y, w), margin, n_targets)
    found = oracles.local_targets(d2, y, w, n_targets)
    expected = oracles.local_loss(found, d2, y, margin, LOSSES[loss])
    value, *pull = whole(bound, d2, loss)
    np.testing.assert_allclose(value, expected[0], rtol=1e-6, atol=1e-9)
    for ours, theirs in zip(pull, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@given(case=cases(), n_targets=st.integers(1, 3), data=st.data())
def test_targets_stay_while_distances_change(case, n_targets, data):
    Z, M, d2, y, w = case
    bound = bound_at(Z, decompose(M), WeightedLabels(y, w), 0.7, n_targets)
    found = oracles.local_targets(d2, y, w, n_targets)
    elsewhere = d2[np.ix_(order := data.draw(st.permutations(range(len(y)))), order)]
    _, *pull = whole(bound, elsewhere, Hinge())
    expected = oracles.local_loss(found, elsewhere, y, 0.7)
    for ours, theirs in zip(pull, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@every_loss
@given(case=cases(max_rows=8), n_targets=st.integers(1, 3))
def test_parts_add_up_however_blocks_are_split(loss, case, n_targets):
    Z, M, d2, y, w = case
    at = Z, decompose(M), WeightedLabels(y, w), 1.0, n_targets
    together, apart = bound_at(*at), bound_at(*at, at_once=1)
    np.testing.assert_array_equal(square(apart), square(together))
    assert all(len(part.edges.anchors) == 1 for part in apart.chunks())
    assert len(apart.chunks()) == (together.targets.weights.sum(axis=1) > 0.0).sum()
    expected = whole(together, d2, loss)
    for ours, theirs in zip(whole(apart, d2, loss), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("y", "why"), [([0, 0, 0], "one class"), ([0, 1, 2], "every class of one row")]
)
def test_labels_that_imply_no_triplet_are_refused(y, why):
    with pytest.raises(ValueError, match="imply no triplets: they need a class"):
        LocalTriplets().bind(WeightedLabels(np.array(y), np.ones(3)))


# Targets


@given(case=cases(max_rows=8), n_targets=st.integers(1, 5))
def test_targets_are_the_nearest_others_of_the_class(case, n_targets):
    Z, M, d2, y, w = case
    bound = bound_at(Z, decompose(M), WeightedLabels(y, w), n_targets=n_targets)
    found = oracles.local_targets(d2, y, w, n_targets)
    np.testing.assert_array_equal(square(bound), counted(found, len(y)))


@given(
    case=cases(max_rows=8),
    n_targets=st.integers(1, 5),
    scale=st.sampled_from([0.25, 0.3, 1.0, 1.7]),
)
def test_a_row_has_its_number_of_targets_or_all_partners(case, n_targets, scale):
    Z, M, _, y, w = case
    labelled = WeightedLabels(y, scale * w)
    bound = bound_at(Z, decompose(M), labelled, n_targets=n_targets)
    expected = np.minimum(n_targets, labelled.same)
    np.testing.assert_allclose(bound.targets.weights.sum(axis=1), expected)
    assert (y[bound.targets.columns] == y[:, None]).all()
    mass = (labelled.weights * expected * labelled.other).sum()
    assert bound.mass == pytest.approx(mass)


def test_own_copies_are_the_nearest_targets():
    targets = square(on_a_line([0, 1, 5], [0, 0, 1], [3, 2, 1], n_targets=3))
    np.testing.assert_array_equal(targets, [[2, 1, 0], [2, 1, 0], [0, 0, 0]])


def test_a_single_target_is_the_nearest():
    targets = square(on_a_line([0, 2, 3, 9], [0, 0, 0, 1], n_targets=1))
    expected = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(targets, expected)


def test_a_row_nearer_by_the_least_step_counts_whole():
    beyond = np.array([[-1, 0, 0, 1], [-2, -1, 0, 1]])
    shares = shared_places(np.ones((2, 4)), beyond, 2)
    np.testing.assert_array_equal(shares, [[1.0, 0.5, 0.5, 0.0], [1.0, 1.0, 0.0, 0.0]])


def test_cells_equally_near_share_the_last_place():
    places, y = [1, 0, 2, 1, 0, 2, 9], [0, 0, 0, 0, 0, 0, 1]
    targets = square(on_a_line(places, y, n_targets=2))
    np.testing.assert_array_equal(targets[0], [0, 0.25, 0.25, 1, 0.25, 0.25, 0])
    np.testing.assert_array_equal(targets[1], [0.5, 0, 0, 0.5, 1, 0, 0])
    np.testing.assert_array_equal(targets[5], [0.5, 0, 1, 0.5, 0, 0, 0])


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_a_metric_does_not_tell_apart_share_alike(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(1, 12, 1, 3))
    direction = rng.normal(size=3)
    Z[0, :6, 0] -= np.outer(Z[0, :6, 0] @ direction - 1.0, direction) / (
        direction @ direction
    )
    point = decompose(np.outer(direction, direction)[None])
    bound = bound_at(
        Z, point, WeightedLabels(np.repeat([0, 1], 6), np.ones(12)), n_targets=2
    )
    shares = 2.0 / 5.0 * (1.0 - np.eye(6))
    np.testing.assert_allclose(square(bound)[:6, :6], shares, atol=1e-12)


def test_fractions_of_a_row_fill_up_what_is_left():
    y, w = [0, 0, 0, 0, 1], [0.5, 0.7, 1.5, 2.0, 1.0]
    targets = square(on_a_line([0, 1, 3, 7, 9], y, w, n_targets=2))
    expected = [
        [0.0, 0.7, 1.3, 0.0, 0.0],  # below one row, no copy of itself
        [0.5, 0.0, 1.5, 0.0, 0.0],
        [0.5, 0.7, 0.5, 0.3, 0.0],
        [0.0, 0.0, 1.0, 1.0, 0.0],  # one copy of itself
        [0.0, 0.0, 0.0, 0.0, 0.0],
    ]
    np.testing.assert_allclose(targets, expected, atol=1e-12)


def test_many_small_weights_add_up_to_the_number_of_targets():
    places, y = np.arange(200.0), np.repeat([0, 1], 100)
    bound = on_a_line(places, y, np.full(200, 1 / 32), n_targets=1)
    np.testing.assert_allclose(bound.targets.weights.sum(axis=1), 1.0)


def test_more_targets_than_partners_take_the_class_whole():
    y, w = np.array([0, 0, 0, 1, 1, 2]), np.array([1.0, 2.0, 3.0, 1.0, 1.5, 1.0])
    bound = on_a_line([4, 0, 1, 2, 7, 3], y, w, n_targets=1000)
    partners = np.where(y[:, None] == y, w, 0.0)
    np.fill_diagonal(partners, np.maximum(w - 1.0, 0.0))
    np.testing.assert_allclose(square(bound), partners)


def test_with_all_partners_only_the_pull_is_new():
    Z = Single().blocks(PHI)
    everything = Objective(Z, AllTriplets().bind(WEIGHTED), Schatten(1.0), 0.0)
    point = identity(1, 4)
    bound = bound_at(Z, point, WEIGHTED, n_targets=1000)
    near = square(bound) * WEIGHTED.weights[:, None]
    difference = PHI[:, None] - PHI
    d2 = (difference**2).sum(axis=(2, 3))
    pulled = (near * d2).sum() / bound.mass
    loss = replace(everything, constraints=bound).loss_value(point)
    assert loss == pytest.approx(everything.loss_value(point) + pulled, rel=1e-9)
    assert pulled > 1e-3 * loss


def test_of_a_huge_class_cells_are_searched_that_lie_evenly(monkeypatch):
    monkeypatch.setattr(local, "CANDIDATES", 5)
    targets = square(on_a_line(np.arange(40.0), np.repeat([0, 1], 20), n_targets=2))
    columns = np.flatnonzero(targets.any(axis=0))
    np.testing.assert_array_equal(columns, np.arange(0, 40, 4))
    np.testing.assert_array_equal(np.flatnonzero(targets[5]), [4, 8])
    np.testing.assert_array_equal(np.flatnonzero(targets[28]), [24, 32])


def test_own_copies_count_in_a_huge_class_too(monkeypatch):
    monkeypatch.setattr(local, "CANDIDATES", 5)
    y, w = np.repeat([0, 1], 20), np.full(40, 3.0)
    targets = square(on_a_line(np.arange(40.0), y, w, n_targets=2))
    np.testing.assert_array_equal(targets, 2.0 * np.eye(40))


def test_targets_in_a_huge_class_do_not_hang_on_blocks(monkeypatch):
    monkeypatch.setattr(local, "CANDIDATES", 5)
    case = np.arange(40.0), np.repeat([0, 1], 20), np.full(40, 2.0)
    together, apart = (on_a_line(*case, at_once=size) for size in (10_000, 1))
    np.testing.assert_array_equal(square(together), square(apart))


def test_rows_on_both_sides_of_the_origin_are_told_apart():
    targets = square(on_a_line([-1, 0.8, 1, 0.9], [0, 0, 0, 1], n_targets=1))
    np.testing.assert_array_equal(targets[0], [0, 1, 0, 0])


def test_distances_that_differ_by_rounding_are_equal():
    y = [0, 0, 0, 1]
    near = square(on_a_line([0, 1, -1 - 1e-10, 2], y, n_targets=1))
    np.testing.assert_array_equal(near[0], [0, 0.5, 0.5, 0])
    apart = square(on_a_line([0, 1, -1 - 1e-7, 2], y, n_targets=1))
    np.testing.assert_array_equal(apart[0], [0, 1, 0, 0])


@pytest.mark.parametrize("seed", range(2))
def test_many_rows_equally_near_share_alike(seed):
    rng = np.random.default_rng(seed)
    places = np.concatenate(
        [[0.0], rng.permutation(np.repeat([1, 2], [200, 400])), [9]]
    )
    y = np.append(np.zeros(601, int), 1)
    for at_once in (1, 1 << 20):  # each row on its own, or all together
        targets = square(on_a_line(places, y, n_targets=3, at_once=at_once))
        np.testing.assert_allclose(targets[0], np.where(places == 1.0, 3 / 200, 0.0))


def test_of_very_many_rows_equally_near_some_are_targets(monkeypatch):
    y = np.append(np.zeros(60, int), 1)
    for most, n_near in [(0, 32), (61 * 40, 40), (61 * 99, 59)]:
        monkeypatch.setattr(local, "MOST_TARGETS", most)
        weights_ = on_a_line(
            np.append(np.zeros(60), 1.0), y, n_targets=2
        ).targets.weights
        np.testing.assert_array_equal((weights_[:60] > 0.0).sum(axis=1), n_near)
        np.testing.assert_allclose(weights_[:60].sum(axis=1), 2.0)


def test_targets_are_equal_in_whatever_order():
    columns = np.array([[3, 1, 2], [0, 2, 3]])
    weights_ = np.array([[0.5, 1.0, 0.25], [1.0, 1.0, 0.0]])
    some, order = Targets(columns, weights_), [1, 2, 0]
    assert some.equal(Targets(columns[:, order], weights_[:, order]))
    assert not some.equal(Targets(columns[:, order], weights_))
    assert not some.equal(Targets(columns, weights_[:, order]))
    assert not some.equal(Targets(columns[::-1], weights_[::-1]))
    assert not some.equal(some.widened(4))


def test_targets_of_some_anchors_and_more_columns():
    some = Targets(np.array([[3, 1], [0, 2]]), np.array([[0.5, 1.0], [1.0, 0.25]]))
    last = some.of(np.array([1]))
    assert last.equal(Targets(np.array([[0, 2]]), np.array([[1.0, 0.25]])))
    wide = some.widened(4)
    np.testing.assert_array_equal(wide.columns, [[3, 1, 3, 3], [0, 2, 0, 0]])
    np.testing.assert_array_equal(wide.weights, [[0.5, 1, 0, 0], [1, 0.25, 0, 0]])
    assert some.widened(2).equal(some)


# Gradients


@every_structure
def test_gradient_is_the_slope_of_the_loss(structure):
    objective = problem(structure).with_loss(SmoothedHinge(0.5))
    point, step = random_metric(objective, 1), 1e-5
    gradient = objective.linearize(point).gradient
    rng = np.random.default_rng(2)
    for _ in range(5):
        D = rng.normal(size=point.matrix.shape)
        D = D + D.swapaxes(1, 2)
        up, down = (decompose(point.matrix + s * D) for s in (step, -step))
        rise = objective.loss_value(up) - objective.loss_value(down)
        np.testing.assert_allclose(rise / (2 * step), (gradient * D).sum(), rtol=1e-5)


@every_loss
@every_structure
@given(data=st.data())
@examples(8)
def test_gradient_is_the_sum_of_weights_times_stored_matrices(loss, structure, data):
    phi, M = data.draw(metrics(STRUCTURES[structure], max_rows=5))
    y, w = data.draw(labels(len(phi))), data.draw(weights(len(phi)))
    A = oracles.difference_matrices(phi, structure)
    d2 = oracles.squared_distances(A, M)
    found = oracles.local_targets(d2, y, w, 2)
    total, W, intercept = oracles.local_loss(found, d2, y, 0.7, LOSSES[loss])
    Z, point = STRUCTURES[structure].blocks(phi), decompose(M)
    bound = bound_at(Z, point, WeightedLabels(y, w), 0.7, 2)
    slope = Objective(Z, bound, Schatten(), 0.0, loss).linearize(point)
    expected = np.einsum("ij,ijbvw->bvw", W, A)
    np.testing.assert_allclose(slope.loss, total, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(slope.intercept, intercept, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(slope.gradient, expected, rtol=1e-6, atol=1e-7)


@every_structure
def test_slope_at_zero_is_the_pull_back_just_above_zero(structure):
    objective = problem(structure)
    Z, bound = objective.Z, objective.constraints
    rows = embed(Z, objective.zero)
    slow = np.zeros_like(objective.zero.matrix)
    for part in bound.chunks():
        just_above = part.edges.squared_distances(rows) + 1e-6
        slow += part.edges.adjoint(Z, part.gradient(just_above, Hinge()).weights)
    np.testing.assert_allclose(bound.gradient_at_zero(Z), slow, atol=1e-12)


def test_slope_at_zero_of_a_sample_is_its_pull_back_just_above_zero():
    sample = problem().sample(20, np.random.default_rng(3))
    rows, slow = embed(sample.Z, sample.zero), 0.0
    for part in sample.constraints.chunks():
        just_above = part.edges.squared_distances(rows) + 1e-6
        slow += part.edges.adjoint(sample.Z, part.gradient(just_above, Hinge()).weights)
    ours = sample.constraints.gradient_at_zero(sample.Z)
    np.testing.assert_allclose(ours, slow, atol=1e-12)


# Renewing


@every_structure
@pytest.mark.parametrize("seed", range(5))
def test_renewing_never_raises_the_objective_there(structure, seed):
    objective = problem(structure)
    for scale in (0.1, 1.0, 10.0):
        point = random_metric(objective, seed, scale)
        renewed = objective.renewed(point)
        assert renewed.value(point) <= objective.value(point) * (1.0 + 1e-9)
        objective = renewed


@pytest.mark.parametrize("seed", range(5))
def test_renewed_targets_are_the_nearest(seed):
    objective = problem(n_targets=4)
    point = random_metric(objective, seed)
    renewed = objective.renewed(point)
    assert (square(renewed.constraints) != square(objective.constraints)).any()
    A = np.einsum("ijdc,ijec->ijde", D := PHI[:, None] - PHI, D)
    d2 = np.einsum("ijde,de->ij", A, point.matrix[0])
    found = oracles.local_targets(d2, Y, WEIGHTED.weights, 4)
    np.testing.assert_array_equal(square(renewed.constraints), counted(found, 60))


def test_the_same_targets_are_not_renewed():
    objective = problem()
    bound = objective.constraints
    bound.chunks()
    point = identity(1, 4)
    assert bound.renewed(objective.Z, point) is bound
    twice = point.with_values(2.0 * point.values)
    assert bound.renewed(objective.Z, twice) is bound
    assert bound.renewed(objective.Z, random_metric(objective, 0)) is not bound
    assert bound.n_distances == 60**2


def test_of_very_many_rows_the_slope_at_zero_is_an_estimate(monkeypatch):
    rng = np.random.default_rng(1)
    y, phi = np.arange(400) % 2, rng.normal(size=(400, 2, 1))
    phi[:, 0] += y[:, None]
    Z, point = Single().blocks(phi), identity(1, 2)
    labelled = WeightedLabels(y, np.ones(400))
    exact = bound_at(Z, point, labelled).gradient_at_zero(Z)
    monkeypatch.setattr(local, "CANDIDATES", 399)
    bound = bound_at(Z, point, labelled)
    estimate = bound.gradient_at_zero(Z)
    assert 0.0 < np.abs(estimate - exact).max() < 0.3 * np.abs(exact).max()
    again = bound_at(Z, point, labelled).gradient_at_zero(Z)
    np.testing.assert_array_equal(again, estimate)
    bound.chunks()  # all targets are known now
    np.testing.assert_array_equal(bound.gradient_at_zero(Z), exact)
    monkeypatch.setattr(local, "CANDIDATES", 400)
    whole_slope = bound_at(Z, point, labelled).gradient_at_zero(Z)
    np.testing.assert_array_equal(whole_slope, exact)
