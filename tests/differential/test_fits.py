"""Ways to the same fit, on drawn tables: each against all others."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from joblib import Parallel, delayed

import nearkind as nk
from helpers.strategies import examples, tables
from nearkind.losses import hinge
from nearkind.losses.compiled_sums import CompiledSums
from nearkind.losses.pair_sums import NumpySums

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.RememberedRowsWarning"),
    pytest.mark.filterwarnings("ignore:.*learned metric is zero"),
    pytest.mark.filterwarnings("ignore:.*have one row"),
]
FEW = examples(6, suppress_health_check=[HealthCheck.too_slow])
STRUCTURES = st.sampled_from(["single", "multi", "diagonal", "full"])
CONSTRAINTS = st.sampled_from(["triplets", "pairs", "quadruplets"])
EXPONENTS = st.sampled_from([1.0, 1.5, 2.0, np.inf])


@st.composite
def problems(draw):
    """A table of words with its labels, and settings of CPML."""
    table = draw(tables(min_rows=6, max_rows=9).filter(has_constraints))
    names = [f"c{d}" for d in range(table.codes.shape[1])]
    X = pd.DataFrame(table.codes.astype(str).astype(object), columns=names)
    chosen = {
        "structure": draw(STRUCTURES),
        "constraints": draw(CONSTRAINTS),
        "p": draw(EXPONENTS),
        "projection": draw(st.sampled_from(["vdm", "onehot"])),
        "strength": draw(st.sampled_from(["1%", "10%", "50%"])),
    }
    return X, np.array(["egg", "ham", "jam"])[table.y], chosen


def has_constraints(table):
    """Return whether two classes have two rows, so that all kinds are implied."""
    return (np.bincount(table.y) > 1).sum() > 1


ROUNDING = 1e-7
"""A bound is a proof up to rounding; by 2e-9 of the objective one has been too high."""

# --- solvers --------------------------------------------------------------------------

SOLVERS = {
    "proximal": {"max_iter": 500, "tol": 1e-3},
    "subgradient": {"max_iter": 1000},
    "stochastic": {"max_iter": 100, "random_state": 0},
}


@FEW
@given(problems())
@pytest.mark.slow
def test_no_solver_gets_below_what_another_has_proven(problem):
    X, y, chosen = problem
    fits = [
        nk.CPML(solver=solver, n_jobs=1, **limits, **chosen).fit(X, y)
        for solver, limits in SOLVERS.items()
    ]
    values = [model.objective_ for model in fits]
    bounds = [model.objective_ - model.gap_ for model in fits]
    assert np.nanmax(bounds) <= min(values) * (1.0 + ROUNDING)  # NaN: no claim
    certified = fits[0]
    assert certified.gap_ <= 1e-3 * certified.objective_ + 1e-9
    for value in values[1:]:
        assert value <= 1.1 * certified.objective_ + 1e-3


# --- where and how it is computed -----------------------------------------------------


def by_joblib(function, *parts):
    return Parallel(n_jobs=2, prefer="threads")(
        delayed(function)(*each) for each in zip(*parts, strict=True)
    )


def batches(X, y):
    return [(X[i : i + 3], y[i : i + 3]) for i in range(0, len(X), 3)]


def on_dask(model, X, y):
    with dask.config.set(scheduler="synchronous"):
        table = dd.from_pandas(X.assign(kind=y), npartitions=3)
        return model.fit(table.drop(columns="kind"), table["kind"])


WAYS = {
    "two threads": lambda m, X, y: m.set_params(n_jobs=2).fit(X, y),
    "batches": lambda m, X, y: m.fit_batches(batches(X, y)),
    "joblib": lambda m, X, y: m.fit_batches(batches(X, y), map=by_joblib),
    "dask": on_dask,
    "polars": lambda m, X, y: m.fit(pl.DataFrame(X.to_dict("list")), y),
    "arrow": lambda m, X, y: m.fit(pa.table(X.to_dict("list")), pa.array(y)),
    "array": lambda m, X, y: m.fit(X.to_numpy(), y),
    "dicts": lambda m, X, y: m.fit(X.to_dict("records"), [*y]),
    "categories": lambda m, X, y: m.fit(X.astype("category"), pd.Series(y)),
    "weights": lambda m, X, y: m.fit(X, y, sample_weight=np.ones(len(y))),
}


@FEW
@given(problems())
def test_every_way_to_fit_gives_the_same_bits(problem):
    X, y, chosen = problem
    quick = {"max_iter": 5, "random_state": 0, **chosen}
    wanted = nk.CPML(**quick).fit(X, y)
    for name, fit in WAYS.items():
        found = fit(nk.CPML(**quick), X, y)
        np.testing.assert_array_equal(found.metric_, wanted.metric_, err_msg=name)
        assert found.objective_ == wanted.objective_, name


@FEW
@given(problems())
def test_compiled_and_plain_sums_give_the_same_fit(problem):
    X, y, chosen = problem
    fits = []
    for sums in (NumpySums(), CompiledSums()):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hinge, "engine", lambda n, sums=sums: sums)
            fits.append(nk.CPML(max_iter=5, n_jobs=1, **chosen).fit(X, y))
    plain, compiled = fits
    assert compiled.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    np.testing.assert_allclose(
        compiled.pairwise_distances(X), plain.pairwise_distances(X), atol=1e-4
    )
