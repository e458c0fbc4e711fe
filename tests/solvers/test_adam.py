"""Adam over minibatches: its estimates are of the whole, and every row teaches."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from helpers.solver_problems import STRUCTURES, random_rows, unit, zero
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.adam import Adam
from nearkind.solvers.lbfgs import LBFGS
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Deadline, Solution, Stop

SMALL = Adam(max_iter=30, tol=1e-3, margin=0.2, rows=120, anchors=40)


def posed(n_rows=300, structure="full", strength=1e-3, seed=1):
    phi, y = random_rows(seed, n_rows)
    bound = SoftNeighbors(0.2).bind(WeightedLabels(y, np.ones(n_rows)))
    Z = np.ascontiguousarray(STRUCTURES[structure]().blocks(phi))
    Z = Z - Z.mean(axis=1, keepdims=True)
    return Objective(Z, bound, Schatten(1.0), strength)


def a_factor(problem, rank=2, seed=0):
    B, _, _, W = problem.Z.shape
    return np.random.default_rng(seed).normal(size=(B, rank, W))


def test_draws_of_all_rows_among_all_are_the_whole():
    problem, F = posed(50), a_factor(posed(50))
    everyone = np.ones(50, dtype=bool)
    drawn = problem.sample_draws(1_000, np.random.default_rng(0), everyone)
    loss, G = problem.factor_gradient(F)
    drawn_loss, drawn_G = drawn.factor_gradient(F)
    assert drawn_loss == pytest.approx(loss)
    np.testing.assert_allclose(drawn_G, G, rtol=1e-9, atol=1e-12)


def test_the_draws_of_two_halves_have_the_draws_of_all_as_their_mean():
    problem, F = posed(50), a_factor(posed(50))
    first = np.random.default_rng(3).random(50) < 0.4
    parts = [
        problem.sample_draws(1_000, np.random.default_rng(0), half).factor_gradient(F)
        for half in (first, ~first)
    ]
    share = first.mean()  # every row draws: random_rows leaves no class of one row
    mean = share * parts[0][1] + (1.0 - share) * parts[1][1]
    np.testing.assert_allclose(mean, problem.factor_gradient(F)[1], rtol=1e-9, atol=0)


def test_only_rows_that_may_draw_do_and_no_more_than_asked():
    problem, rng = posed(200), np.random.default_rng(0)
    may_draw = np.arange(200) % 2 == 0
    for most, at_most in ((7, 7), (None, 100)):
        rows, drawn = problem.constraints.sample_draws(80, rng, may_draw, most)
        anchors = np.concatenate([chunk.edges.anchors for chunk in drawn.chunks()])
        assert len(anchors) == len(set(anchors)) <= at_most
        assert may_draw[rows[anchors]].all()


@pytest.mark.parametrize("structure", STRUCTURES)
def test_it_ends_not_above_its_start_and_within_the_cone(structure):
    problem = posed(structure=structure)
    found = SMALL.solve(problem, unit(problem))
    assert found.value < found.history[0].value
    assert (found.point.values >= 0.0).all()
    assert np.isnan(found.gap)


def test_it_comes_near_to_what_all_rows_at_once_give():
    problem = posed(600)
    whole = LBFGS(100, 1e-4).solve(problem, unit(problem))
    found = Adam(60, 1e-4, margin=0.2, rows=300, anchors=150).solve(
        problem, unit(problem)
    )
    at_start = problem.value(unit(problem))
    gained = (at_start - problem.value(found.point)) / (at_start - whole.value)
    assert gained > 0.9


def test_same_seed_same_bits_whoever_computes():
    problem = posed()
    solver = replace(SMALL, max_iter=4)

    def metric(seed, run=map):
        some = replace(solver, rng=np.random.default_rng(seed))
        return some.solve(replace(problem, map=run), unit(problem)).point.matrix

    same, again, other = metric(0), metric(0), metric(1)
    np.testing.assert_array_equal(same, again)
    assert (same != other).any()
    with ThreadPoolExecutor(3) as pool:
        np.testing.assert_array_equal(metric(0, pool.map), same)


def test_a_good_start_is_made_better_still():
    problem = posed(600, strength=1e-2)
    first = SMALL.solve(problem, unit(problem)).point
    weaker = problem.with_strength(1e-4)
    found = SMALL.solve(weaker, first)
    assert weaker.value(found.point) < weaker.value(first)


def test_it_starts_in_few_directions():
    problem = posed()
    found = replace(SMALL, max_rank=2).solve(problem, unit(problem))
    assert found.point.rank <= 2


def test_a_metric_of_zero_stays_and_few_rows_all_estimate():
    problem = posed(30)
    assert SMALL.solve(problem, zero(problem)).point.rank == 0
    found = SMALL.solve(problem, unit(problem))  # too few to hold some out
    assert found.value < found.history[0].value


def test_it_steps_on_batches_first():
    problem, seen = posed(), []

    def batches(like):
        for seed in range(3):
            seen.append(like.strength)
            yield replace(posed(80, seed=seed), Z=posed(80, seed=seed).Z)

    found = replace(SMALL, max_iter=2, batches=batches).solve(problem, unit(problem))
    assert len(seen) == 3
    alone = replace(SMALL, max_iter=2).solve(problem, unit(problem))
    assert (found.point.matrix != alone.point.matrix).any()


def test_ctrl_c_and_a_deadline_keep_the_best_so_far():
    problem = posed()

    def interrupt(record):
        if record.iteration == 2:
            raise KeyboardInterrupt

    found = SMALL.solve(problem, unit(problem), callback=interrupt)
    assert found.reason is Stop.INTERRUPTED
    deadline = Deadline()

    def end(record):
        if record.iteration == 2:
            deadline.end()

    with deadline.limit():
        found = SMALL.solve(problem, unit(problem), callback=end)
    assert found.reason is Stop.OUT_OF_TIME
    assert found.value < found.history[0].value


def test_ctrl_c_before_the_first_step_is_not_lost(monkeypatch):
    problem = posed()

    def interrupted(self, objective, start, *, callback=None):
        return Solution(start, 0.0, np.nan, [], Stop.INTERRUPTED)

    monkeypatch.setattr(LBFGS, "solve", interrupted)
    found = replace(SMALL, max_rank=1).solve(problem, unit(problem))
    assert (found.reason, found.n_iter) == (Stop.INTERRUPTED, 0)


def test_numbers_that_are_not_finite_are_told():
    problem = posed()
    broken = replace(problem, Z=np.full_like(problem.Z, np.nan))
    assert SMALL.solve(broken, unit(problem)).reason is Stop.NOT_FINITE
