"""Target neighbours: samples of rows, and the certificate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.convex_reference import Penalty, Problem
from helpers.local_problems import (
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
from helpers.solver_problems import random_rows, unit
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import decompose, identity
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.stochastic import Stochastic

LOSSES = {Hinge(): 0.0, SmoothedHinge(0.5): 0.5}
REGULARIZERS = [Schatten(1.0), Schatten(2.0), Schatten(np.inf), SchattenPower(2.0)]
every_structure = pytest.mark.parametrize("structure", STRUCTURES)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_regularizer = pytest.mark.parametrize("regularizer", REGULARIZERS, ids=repr)


# Samples


def test_samples_estimate_loss_and_gradient():
    objective = problem()
    rng, start = np.random.default_rng(2), identity(1, 4)
    exact = objective.linearize(start)
    draws = [objective.sample(30, rng).linearize(start) for _ in range(300)]
    losses = np.array([draw.loss for draw in draws])
    error = losses.std() / len(losses) ** 0.5
    assert abs(losses.mean() - exact.loss) < 4.0 * error + 0.01 * exact.loss
    gradient = np.mean([draw.gradient for draw in draws], axis=0)
    spread = np.std([draw.gradient for draw in draws], axis=0) / len(draws) ** 0.5
    assert (np.abs(gradient - exact.gradient) < 4.0 * spread + 0.01).all()


def test_a_sample_of_all_rows_is_the_whole():
    objective, start = problem(), random_metric(problem(), 1)
    whole_slope = objective.linearize(start)
    sampled = objective.sample(1000, np.random.default_rng(0)).linearize(start)
    assert sampled.loss == pytest.approx(whole_slope.loss, rel=1e-12)
    np.testing.assert_allclose(sampled.gradient, whole_slope.gradient, atol=1e-12)


@pytest.mark.parametrize("searched", [False, True])
def test_sampled_targets_are_those_of_the_whole(searched):
    bound = problem().constraints
    expected = square(problem().constraints)
    if searched:
        bound.chunks()
    rows, sample = bound.sample(20, np.random.default_rng(4))
    np.testing.assert_array_equal(sample.labels.y, Y[rows])
    drawn = np.flatnonzero(sample.labels.weights)
    assert 10 <= len(drawn) < len(rows)
    np.testing.assert_array_equal(
        square(sample)[drawn], expected[np.ix_(rows[drawn], rows)]
    )


def test_a_sample_keeps_the_weight_of_each_class():
    _, sample = problem().constraints.sample(20, np.random.default_rng(4))
    np.testing.assert_allclose(sample.labels.class_weights, WEIGHTED.class_weights)


def test_a_target_that_was_not_drawn_is_no_anchor_and_no_impostor():
    objective = problem().sample(20, np.random.default_rng(5))
    labelled = objective.constraints.labels
    undrawn = np.flatnonzero(labelled.weights == 0.0)
    assert len(undrawn) >= 5
    d2 = np.zeros((len(labelled.y),) * 2)  # where every triplet is violated
    slopes = np.zeros_like(d2)
    for part in objective.constraints.chunks():
        assert not np.isin(part.edges.anchors, undrawn).any()
        pull = part.gradient(d2[part.edges.anchors], Hinge())
        slopes[part.edges.anchors] += pull.weights
    pushed = (slopes < 0.0).any(axis=0)
    assert not pushed[undrawn].any()
    assert np.delete(pushed, undrawn).all()


def test_a_sample_of_a_sample_has_the_same_targets():
    bound, rng = problem().constraints, np.random.default_rng(6)
    rows, sample = bound.sample(30, rng)
    again, smaller = sample.sample(12, rng)
    drawn = np.flatnonzero(smaller.labels.weights)
    expected = square(bound)[np.ix_(rows[again][drawn], rows[again])]
    np.testing.assert_array_equal(square(smaller)[drawn], expected)


def test_steps_on_samples_come_near_the_optimum():
    objective, start = problem(), identity(1, 4)
    exact = Proximal(max_iter=200, tol=1e-3).solve(objective, start)
    found = Stochastic(batch_rows=20, held_rows=60).solve(objective, start)
    assert objective.value(start) > 1.1 * exact.value
    assert objective.value(found.point) <= 1.05 * exact.value


# The certificate: the pull is not scaled with the multipliers, but is never negative


@every_structure
@every_regularizer
def test_lower_bound_is_below_the_objective_everywhere(regularizer, structure):
    objective = problem(structure, regularizer)
    near_best = Proximal(max_iter=100, tol=1e-2).solve(objective, unit(objective)).point
    points = [objective.zero, unit(objective), near_best]
    for scale in (0.1, 1.0, 10.0):
        points += [random_metric(objective, seed, scale) for seed in range(3)]
    lowest = min(objective.value(point) for point in points)
    bounds = []
    for point in points:
        for width in (0.01, 0.3, 3.0):
            at = objective.with_loss(SmoothedHinge(width)).linearize(point)
            bounds.append(objective.lower_bound(at.gradient, at.intercept))
    assert max(bounds) <= lowest * (1.0 + 1e-9)
    assert max(bounds) >= 0.8 * lowest


@every_loss
@given(case=cases(), data=st.data())
def test_linear_lower_bound_holds_for_the_hinge_under_any_metric(loss, case, data):
    Z, M, d2, y, w = case
    bound = bound_at(Z, decompose(M), WeightedLabels(y, w), 0.7)
    _, _, W, intercept = whole(bound, d2, loss)
    elsewhere = d2[np.ix_(order := data.draw(st.permutations(range(len(y)))), order)]
    value, *_ = whole(bound, elsewhere, Hinge())
    assert value >= intercept + np.vdot(W, elsewhere) - 1e-9


# Against an interior-point solver


def literal(phi, y, structure, penalty, strength, n_targets):
    """Return the problem with fixed targets, and what its objective is multiplied by.

    On the cone a pull is a hinge without a margin, [d2_ij]_+.
    """
    A = oracles.difference_matrices(phi, structure)
    d2 = oracles.squared_distances(A, np.array([np.eye(A.shape[-1])] * A.shape[2]))
    found = oracles.local_targets(d2, y, np.ones(len(y)), n_targets)
    pulls = [A[i, j] for i, near in found for j in near]
    pushes = [
        A[i, j] - A[i, k]
        for i, near in found
        for j in near
        for k in range(len(y))
        if y[k] != y[i]
    ]
    offsets = np.r_[np.ones(len(pushes)), np.zeros(len(pulls))]
    share = len(pushes) / len(offsets)  # its mean is over all, ours over the pushes
    H = np.array(pushes + pulls)
    return Problem(offsets, H, penalty, share * strength), share


PENALTIES = [Penalty(1.0), Penalty(2.0), Penalty(np.inf), Penalty(2.0, powered=True)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize(
    ("structure", "n_targets"),
    [("single", 1), ("single", 2), ("multi", 2), ("diagonal", 2), ("full", 1)],
)
def test_near_the_optimum_of_a_convex_solver_and_gap_a_proof(
    structure, penalty, n_targets
):
    phi, y = random_rows(1)
    reference, share = literal(phi, y, structure, penalty, 0.05, n_targets)
    best = reference.solve()
    assert best.value - best.bound <= 1e-6
    Z = np.ascontiguousarray(STRUCTURES[structure].blocks(phi))
    regularizer = (SchattenPower if penalty.powered else Schatten)(penalty.p)
    start = identity(Z.shape[0], Z.shape[3])
    bound = bound_at(Z, start, WeightedLabels(y, np.ones(len(y))), n_targets=n_targets)
    objective, records = Objective(Z, bound, regularizer, 0.05), []
    solution = Proximal(max_iter=2000, tol=1e-3).solve(
        objective, start, callback=records.append
    )
    low, high = (best.bound - 1e-6) / share, best.value / share
    assert low <= solution.value <= 1.002 * high
    assert max(record.value - record.gap for record in records) <= high + 1e-6
    assert solution.gap <= 2e-3 * solution.value
    at = reference.value(solution.point.matrix) / share
    assert solution.value == pytest.approx(at, rel=1e-6)
