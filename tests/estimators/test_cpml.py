"""CPML: what it learns and what it tells."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers.estimator_tables import labelled_table

STRUCTURES = ["single", "multi", "diagonal", "full"]
PROJECTIONS = ["vdm", "onehot", "vdm+onehot", "cooccurrence", "vdm+cooccurrence"]
CONSTRAINTS = ["triplets", "pairs", "quadruplets"]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def quick(**settings):
    return nk.CPML(**{"max_iter": 8, **settings})


@pytest.fixture(scope="module")
def table():
    return labelled_table()


@pytest.mark.parametrize("constraints", CONSTRAINTS)
@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_combination_learns_a_metric(table, structure, projection, constraints):
    X, y = table
    model = quick(
        structure=structure, projection=projection, constraints=constraints, max_iter=4
    ).fit(X, y)
    D = model.pairwise_distances(X)
    assert np.isfinite(D).all()
    assert (D >= 0.0).all()
    np.testing.assert_array_equal(D, D.T)
    assert (np.diag(D) == 0.0).all()
    assert np.linalg.eigvalsh(model.metric_).min() >= -1e-12


@pytest.mark.parametrize("structure", STRUCTURES)
def test_distances_obey_the_triangle_inequality_only_without_squares(table, structure):
    X, y = table
    D = quick(structure=structure).fit(X, y).pairwise_distances(X)
    detour = (D[:, :, None] + D[None, :, :]).min(axis=1)
    assert (detour >= D - 1e-9).all()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@given(
    seed=st.integers(0, 50),
    p=st.sampled_from([1.0, 1.5, 2.0, np.inf]),
    structure=st.sampled_from(STRUCTURES),
    projection=st.sampled_from(PROJECTIONS),
)
def test_metric_laws_on_random_tables(seed, p, structure, projection):
    X, y = labelled_table(20, seed)
    settings = {"p": p, "structure": structure, "projection": projection}
    model = quick(max_iter=2, **settings).fit(X, y)
    rows = pd.concat([X, labelled_table(7, seed + 1)[0]], ignore_index=True)
    D, U = model.pairwise_distances(rows), model.transform(rows)
    np.testing.assert_allclose(
        D, np.linalg.norm(U[:, None] - U[None], axis=2), atol=1e-7
    )
    assert (np.diag(D) == 0.0).all()
    np.testing.assert_array_equal(D, D.T)
    assert ((D[:, :, None] + D[None, :, :]).min(axis=1) >= D - 1e-7).all()


def test_equal_rows_are_at_distance_zero_exactly(table):
    X, y = table
    model = quick().fit(X, y)
    twice = pd.concat([X, X])
    D = model.pairwise_distances(twice)
    assert (np.diag(D[: len(X), len(X) :]) == 0.0).all()


def test_squared_is_the_square_of_the_root(table):
    X, y = table
    model = quick().fit(X, y)
    squared = model.pairwise_distances(X, squared=True)
    np.testing.assert_allclose(model.pairwise_distances(X) ** 2, squared)


def test_contributions_add_up_and_name_the_values(table):
    X, y = table
    model = quick(structure="multi").fit(X, y)
    parts = model.explain(X.iloc[0], X.iloc[1])
    d2 = model.pairwise_distances(X.iloc[[0]], X.iloc[[1]], squared=True)[0, 0]
    assert parts["contribution"].sum() == pytest.approx(d2, abs=1e-12)
    assert sorted(parts["feature"]) == sorted(X.columns)
    shown = dict(zip(parts["feature"], parts["a"], strict=True))
    assert shown == {name: X.iloc[0][name] for name in X.columns}
    assert (np.diff(parts["contribution"].abs()) <= 0.0).all()


def test_explain_takes_rows_of_every_kind(table):
    X, y = table
    model = quick().fit(X, y)
    wanted = model.explain(X.iloc[0], X.iloc[5])
    for a, b in [
        (X.iloc[[0]], X.iloc[[5]]),
        (X.iloc[0].to_dict(), X.iloc[5].to_dict()),
        (X.iloc[0].tolist(), X.iloc[5].tolist()),
    ]:
        pd.testing.assert_frame_equal(model.explain(a, b), wanted)
    found = model.explain(pl.from_pandas(X.astype("str"))[0], X.iloc[5])
    assert isinstance(found, pl.DataFrame)
    assert found.to_dict(as_series=False) == wanted.to_dict("list")
    with pytest.raises(ValueError, match="Expected one row, got a table of 60"):
        model.explain(X, X.iloc[0])


def test_value_distances_are_those_of_rows_that_differ_in_one_value(table):
    X, y = table
    model = quick().fit(X, y)
    apart = model.value_distances("shape")
    assert list(apart.index) == list(apart.columns) == ["flat", "round", "square"]
    rows = pd.concat([X.iloc[[0]]] * 3, ignore_index=True)
    rows["shape"] = list(apart.index)
    np.testing.assert_allclose(apart, model.pairwise_distances(rows), atol=1e-9)
    with pytest.raises(ValueError, match="no column 'shapes' in fit"):
        model.value_distances("shapes")


def test_a_row_is_the_sum_of_the_vectors_of_its_values(table):
    X, y = table
    model = quick().fit(X, y)
    total = 0.0
    for name in X.columns:
        place = model.categories_[name].index(X.iloc[3][name])
        total = total + model.value_vectors_[name][place]
    np.testing.assert_allclose(model.transform(X.iloc[[3]])[0], total)


def test_relevance_finds_the_noise():
    X, y = labelled_table(200)
    model = nk.CPML(cross_fit=True, max_iter=100).fit(X, y)
    relevance = dict(zip(X.columns, model.feature_relevance_, strict=True))
    assert sum(relevance.values()) == pytest.approx(1.0)
    assert min(relevance, key=relevance.get) == "noise"


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
def test_cross_fitted_relevance_is_that_of_rows_without_their_label():
    X, y = labelled_table(300, seed=1)
    X = X.assign(id=np.random.default_rng(7).integers(0, 330, 300).astype(str))
    as_counted, crossed = (
        quick(cross_fit=c, max_iter=60).fit(X, y).feature_relevance_[-1]
        for c in (False, True)
    )
    assert as_counted > 0.3
    assert abs(crossed) < 0.01


def test_threads_and_seeds_do_not_change_a_bit(table):
    X, y = table
    one, two = (quick(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.metric_, two.metric_)
    draws = [quick(scope=300, random_state=seed).fit(X, y) for seed in (7, 7, 8)]
    np.testing.assert_array_equal(draws[0].metric_, draws[1].metric_)
    assert (draws[0].metric_ != draws[2].metric_).any()


def test_warm_start_goes_on_where_it_stopped(table):
    X, y = table
    long = nk.CPML(max_iter=400, tol=1e-3).fit(X, y)
    model = nk.CPML(max_iter=400, tol=1e-3, warm_start=True).fit(X, y)
    first = model.n_iter_
    model.fit(X, y)
    assert model.n_iter_ <= first
    assert model.objective_ <= long.objective_ * 1.001


def test_strength_auto_is_one_percent_of_the_largest_useful(table):
    X, y = table
    model = quick().fit(X, y)
    assert model.strength_ == pytest.approx(0.01 * model.strength_max_)
    with pytest.warns(UserWarning, match="all distances: strength="):
        zero = nk.CPML(strength=1.01 * model.strength_max_, max_iter=500).fit(X, y)
    assert zero.rank_ == 0
    assert (zero.pairwise_distances(X) == 0.0).all()
    assert zero.transform(X).shape == (len(y), 1)


def test_triplet_accuracy_of_the_six_persons_without_learning():
    data = nk.datasets.load("credit_risk")
    accuracy = (
        nk.baselines.Euclidean().fit(data.X, data.y).triplet_accuracy(data.X, data.y)
    )
    assert accuracy == pytest.approx(16 / 24)


def test_fit_never_changes_its_input(table):
    X, y = table
    kept, labels, weights = X.copy(), y.copy(), np.ones(len(y))
    quick().fit(X, y, sample_weight=weights)
    pd.testing.assert_frame_equal(X, kept)
    np.testing.assert_array_equal(y, labels)
    np.testing.assert_array_equal(weights, 1.0)


def test_verbose_prints_and_silence_does_not(table, capsys):
    X, y = table
    quick(verbose=1, max_iter=10).fit(X, y)
    assert "objective" in capsys.readouterr().out
    quick(max_iter=10).fit(X, y)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_a_column_that_is_the_class_is_learned_within_the_tolerance(structure):
    X, y = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 5, ["a", "b"] * 10
    model = nk.CPML(structure, tol=1e-3).fit(X, y)
    assert model.stop_reason_ == "TOLERANCE"
    assert model.gap_ <= 1e-3 * model.objective_
