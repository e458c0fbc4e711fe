"""The stochastic solver against the exact one; Ctrl-C keeps what was found."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.metrics.spectrum import identity
from nearkind.metrics.structures import Single
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Stop
from nearkind.solvers.stochastic import Stochastic
from nearkind.solvers.subgradient import Subgradient


def problem(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, 3, n_rows))
    lean = np.eye(3)[y][:, None, :] * rng.random(5)[:, None]
    phi = rng.dirichlet(np.ones(3), size=(n_rows, 5)) + 0.3 * lean
    bound = AllTriplets().bind(WeightedLabels(y, np.ones(n_rows)))
    return Objective(
        np.ascontiguousarray(Single().blocks(phi)), bound, Schatten(1.0), 0.01
    )


def test_stochastic_comes_near_the_optimum_without_claiming_a_proof():
    objective, start = problem(), identity(1, 5)
    exact = Proximal(max_iter=500, tol=1e-3).solve(objective, start)
    found = Stochastic(batch_rows=100, held_rows=300).solve(objective, start)
    assert objective.value(found.point) <= 1.02 * exact.value
    assert np.isnan(found.gap)
    assert found.value == pytest.approx(objective.value(found.point), rel=0.1)
    assert found.reason in (Stop.SETTLED, Stop.MAX_ITER)


def test_stochastic_repeats_itself_under_a_seed():
    runs = [
        Stochastic(rng=np.random.default_rng(seed), batch_rows=50, held_rows=100).solve(
            problem(), identity(1, 5)
        )
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(runs[0].point.matrix, runs[1].point.matrix)
    assert (runs[0].point.matrix != runs[2].point.matrix).any()


def test_auto_takes_large_tables_by_samples(monkeypatch):
    monkeypatch.setattr("nearkind.estimators.spec.EXACT_DISTANCES", 1_000**2)
    data = nk.datasets.make_synthetic(1_500, 6, 3, 0.5, random_state=0, n_values=9)
    model = nk.CPML(random_state=0).fit(data.X, data.y)
    assert model.stop_reason_ == "SETTLED"
    assert np.isnan(model.gap_)
    assert model.rank_ > 0
    assert np.isfinite(model.transform(data.X[:500])).all()


@pytest.mark.parametrize("solver", [Proximal(check_every=1), Subgradient()])
def test_an_interrupt_keeps_the_best_so_far(solver):
    def stop_at_third(record):
        if record.iteration >= 3:
            raise KeyboardInterrupt

    objective, start = problem(60), identity(1, 5)
    found = solver.solve(objective, start, callback=stop_at_third)
    assert found.reason is Stop.INTERRUPTED
    assert found.value == pytest.approx(objective.value(found.point))
    assert found.value <= objective.value(start)


def test_stochastic_is_no_worse_than_its_start():
    objective = problem()
    best = Proximal(max_iter=500, tol=1e-3).solve(objective, identity(1, 5))
    found = Stochastic(batch_rows=60, held_rows=400).solve(objective, best.point)
    assert objective.value(found.point) <= best.value * (1.0 + 1e-9)


def test_stochastic_stops_when_not_finite():
    objective = problem()
    objective.Z[0, 0, 0, 0] = np.inf
    with np.errstate(all="ignore"):
        found = Stochastic(held_rows=400).solve(objective, identity(1, 5))
    assert found.reason is Stop.NOT_FINITE


@pytest.mark.parametrize("solver", [Proximal(warm_rows=100), Stochastic(batch_rows=50)])
def test_an_interrupt_while_warming_up_keeps_the_start(solver, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Proximal, "descend", interrupted)
    found = solver.solve(problem(), start := identity(1, 5))
    assert found.reason is Stop.INTERRUPTED
    assert found.point is start
    assert np.isfinite(found.value)


def test_an_interrupted_fit_is_usable_and_warned_of(monkeypatch):
    def interrupted(self, hinge):
        raise KeyboardInterrupt

    monkeypatch.setattr("nearkind.solvers.proximal.State.step", interrupted)
    data = nk.datasets.load("monks1", as_frame=False)
    with pytest.warns(ConvergenceWarning, match="Interrupted"):
        model = nk.CPML().fit(data.X, data.y)
    assert model.stop_reason_ == "INTERRUPTED"
    assert np.isfinite(model.transform(data.X)).all()
