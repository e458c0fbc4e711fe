"""Shares of the mean squared distance, against pairs of rows one by one."""

import numpy as np
import pytest
from hypothesis import given

import nearkind as nk
from helpers.pictures import small
from helpers.strategies import tables
from nearkind.metrics.value_tables import ValueTables
from nearkind.plot.feature_relevance import FeatureProducts


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
    found = FeatureProducts.of(vectors, table.codes).shares(table.weights)
    expected = slowly(vectors, table.codes, table.weights)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_on_the_rows_of_fit_they_are_the_models_own(structure):
    case = small(structure=structure)
    codes = case.model.codebook_.encode(case.X)
    found = FeatureProducts.of(case.model.value_tables_.vectors, codes).shares(
        np.ones(60)
    )
    np.testing.assert_allclose(found, case.model.feature_relevance_, atol=1e-9)


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
    assert "3 resamples of them, class by class; the metric is not learned" in note
