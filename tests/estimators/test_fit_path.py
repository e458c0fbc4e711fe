"""A path of strengths: one model after the other, the table read once."""

import numpy as np
import pytest

import nearkind as nk

data = nk.datasets.load("balance", as_frame=False)
X, y = data.X[::3], data.y[::3]
STRENGTHS = ["30%", "3%", 0.001]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("constraints", ["triplets", "neighbors"])
def test_each_is_what_a_warm_start_from_the_last_gives(constraints):
    settings = {"constraints": constraints, "max_iter": 20, "tol": 1e-3}
    one, other = (nk.CPML(**settings, warm_start=w) for w in (False, True))
    for strength, along in zip(STRENGTHS, one.fit_path(X, y, STRENGTHS), strict=True):
        other.set_params(strength=strength).fit(X, y)
        assert along is one
        assert along.strength == strength
        assert along.strength_ == pytest.approx(other.strength_)
        largest = np.abs(other.metric_).max()  # both end within tol of the optimum
        np.testing.assert_allclose(along.metric_, other.metric_, atol=2e-4 * largest)
        np.testing.assert_allclose(
            along.feature_relevance_, other.feature_relevance_, atol=1e-4
        )


def test_weights_count_rows():
    weights = np.arange(len(y)) % 3
    whole = nk.CPML(tol=0.1).fit_path(X, y, ["10%", "1%"], sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    again = nk.CPML(tol=0.1).fit_path(X[rows], y[rows], ["10%", "1%"])
    for a, b in zip(whole, again, strict=True):
        np.testing.assert_allclose(a.metric_, b.metric_, atol=1e-8)


def test_a_wrong_strength_is_refused_when_its_turn_comes():
    path = nk.CPML(tol=0.1).fit_path(X, y, ["1%", "much"])
    assert next(path).rank_ > 0
    with pytest.raises(ValueError, match=r"'strength' .* a number >= 0"):
        next(path)


def test_no_strength_no_fit():
    model = nk.CPML()
    assert list(model.fit_path(X, y, [])) == []
    assert not hasattr(model, "metric_")


def test_partitions_are_refused():
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(nk.datasets.load("monks1").X, npartitions=2)
    with pytest.raises(ValueError, match="fit_path reads a table whole"):
        next(nk.CPML().fit_path(table, None, ["1%"]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_sample_learns_and_all_rows_are_counted():
    settings = {"constraints": "neighbors", "max_iter": 5, "tol": 1e-2}
    rough, whole = (
        next(nk.CPML(**settings).fit_path(X, y, ["1%"], max_rows=most))
        for most in (40, len(y))
    )
    exact = next(nk.CPML(**settings).fit_path(X, y, ["1%"]))
    np.testing.assert_array_equal(whole.metric_, exact.metric_)
    assert not np.array_equal(rough.metric_, exact.metric_)
    for few, all_ in zip(
        rough.projection_.tables, exact.projection_.tables, strict=True
    ):
        np.testing.assert_array_equal(few, all_)
