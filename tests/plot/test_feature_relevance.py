"""Shares of the mean squared distance, against pairs of rows one by one."""

import numpy as np
import pytest
from hypothesis import given

import nearkind as nk
from helpers.pictures import small
from helpers.strategies import tables
from nearkind.distances import ValueVectors
from nearkind.encoding.codebook import Codebook
from nearkind.metrics.value_tables import ValueTables


def slowly(vectors, codes, weights):
    """Return shares by the contributions of every pair of rows."""
    parts = np.zeros(codes.shape[1])
    for a, m in zip(codes, weights, strict=True):
        for b, k in zip(codes, weights, strict=True):
            parts += m * k * ValueTables(vectors).contributions(a, b)
    return parts / parts.sum() if parts.sum() > 0.0 else np.zeros(len(parts))


@given(tables(unseen=True))
def test_shares_are_what_all_pairs_say(table):
    rng = np.random.default_rng(0)
    vectors = [rng.integers(0, 9, (s + 1, 3)).astype(float) for s in table.n_values]
    form = ValueVectors(Codebook(), ValueTables(vectors))
    found = form.relevance(table.codes, table.weights)
    expected = slowly(vectors, table.codes, table.weights)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_on_the_rows_of_fit_they_are_the_models_own(structure):
    case = small(structure=structure)
    found = lengths(nk.plot.relevance(case.model, case.X))
    shares = 100.0 * case.model.feature_relevance_
    assert found == pytest.approx(dict(zip(case.X, shares, strict=True)))


def lengths(ax):
    """Return the lengths of bars by their names."""
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    return dict(zip(names, (bar.get_width() for bar in ax.patches), strict=True))


def test_bars_are_the_shares_the_largest_first():
    model = small().model
    found = lengths(nk.plot.relevance(model))
    shares = 100.0 * model.feature_relevance_
    assert found == pytest.approx(dict(zip(small().X, shares, strict=True)))
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_whiskers_are_as_many_as_bars_and_need_resamples():
    case = small()
    with_them = nk.plot.relevance(case.model, case.X, case.y, n_resamples=30)
    (whiskers,) = with_them.collections
    assert len(whiskers.get_segments()) == len(with_them.patches) == 4
    assert all(low[0] <= high[0] for low, high in whiskers.get_segments())
    assert not nk.plot.relevance(case.model, case.X).collections


def test_whiskers_shrink_as_rows_repeat():
    case = small()

    def spread(times):
        X = case.X.loc[np.tile(np.arange(60), times)]
        (whiskers,) = nk.plot.relevance(case.model, X, n_resamples=60).collections
        return sum(high[0] - low[0] for low, high in whiskers.get_segments())

    assert spread(25) < 0.5 * spread(1)


def test_resamples_keep_classes_and_say_so():
    case = small()
    ax = nk.plot.relevance(case.model, case.X, case.y, n_resamples=3)
    note = ax.texts[-1].get_text().replace("\n", " ")
    assert "3 resamples of them, class by class; the metric is fixed" in note


@pytest.mark.parametrize("name", ["discriminant", "euclidean", "hamming", "lin"])
def test_a_classifier_over_any_distance(name):
    case = small()
    model = nk.CPMLClassifier(name).fit(case.X, case.y)
    ax = nk.plot.relevance(model)
    shares = 100.0 * model.feature_relevance_
    assert lengths(ax) == pytest.approx(dict(zip(case.X, shares, strict=True)))


def test_a_search_that_chose_another_distance():
    case = small()
    model = nk.CPMLClassifierCV(["hamming"], cv=2).fit(case.X, case.y)
    assert sum(lengths(nk.plot.relevance(model)).values()) == pytest.approx(100.0)


def test_without_vectors_shares_are_said_to_be_of_some_pairs():
    case = small()
    model = nk.baselines.Hamming().fit(case.X, case.y)
    ax = nk.plot.relevance(model, case.X)
    assert ax.get_xlabel() == "share of the mean distance, %"
    assert "Over 400 pairs of the rows given." in ax.texts[-1].get_text()
    codes = model.codebook_.encode(case.X)
    shares = 100.0 * model.distance_.relevance(codes, np.ones(60))
    found = lengths(ax)
    assert [found[name] for name in case.X] == pytest.approx(shares, abs=5.0)


def test_a_distance_alone_needs_rows():
    case = small()
    model = nk.baselines.Euclidean().fit(case.X, case.y)
    with pytest.raises(ValueError, match=r"Euclidean does not store rows.*Pass X"):
        nk.plot.relevance(model)
    nk.plot.relevance(model, case.X, n_resamples=2)


def test_whiskers_need_vectors():
    case = small()
    model = nk.CPMLClassifier("lin").fit(case.X, case.y)
    with pytest.raises(ValueError, match=r"Lin has no value vectors.*Set n_resamp"):
        nk.plot.relevance(model, case.X, n_resamples=2)
