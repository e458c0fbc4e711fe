import inspect

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table

X, Y = labelled_table(40, seed=11)
WEIGHTED = {
    name: kind
    for name, kind in nk.baselines.all().items()
    if "weights" in inspect.signature(kind).parameters
}
every_distance = pytest.mark.parametrize("name", WEIGHTED)
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


def distances(name, table=X, **settings):
    return WEIGHTED[name](**settings).fit(table, Y).pairwise_distances(table)


def test_only_learned_distances_take_none():
    for name, kind in nk.baselines.all().items():
        assert (name in WEIGHTED) != kind._is_learned, name


@every_distance
def test_one_is_the_weight_of_columns_that_are_not_named(name):
    ones = dict.fromkeys(X.columns, 1.0)
    np.testing.assert_array_equal(distances(name, weights=ones), distances(name))


@every_distance
def test_a_weight_changes_distances_and_keeps_their_laws(name):
    D = distances(name, weights={X.columns[0]: 5.0})
    np.testing.assert_array_equal(D, D.T)
    assert not np.isnan(D).any()
    assert (distances(name) != D).any()


CONTEXTUAL = {"association", "dilca", "dm3", "ocl"}
"""Distances in which a column also bears on the distances in other columns."""


@pytest.mark.parametrize("name", sorted(set(WEIGHTED) - CONTEXTUAL))
def test_a_column_of_weight_zero_is_left_out(name):
    # Some measures divide by the values of all columns, and one column has two halves.
    kept = X.columns[1:]
    D = distances(name, weights={X.columns[0]: 0.0})
    np.testing.assert_allclose(D, distances(name, X[kept]), atol=1e-12)


@pytest.mark.parametrize("name", ["hamming", "unbiased", "eskin", "anderberg"])
def test_two_copies_of_a_column_are_one_of_weight_two(name):
    twice = X.assign(copy=X[X.columns[0]])
    D = distances(name, weights={X.columns[0]: 2.0})
    np.testing.assert_allclose(D, distances(name, twice), atol=1e-12)


@every_distance
def test_odd_weights_are_refused_by_name(name):
    for weights, match in [
        ({"shape": -1.0}, r"weight of column 'shape' .* to 1e\+100; got -1.0"),
        (
            {"shape": 1e308},
            "weight of column 'shape' must be 0 or a number from 1e-100",
        ),
        ({"shape": 5e-324}, "got 5e-324"),
        ({"shap": 1.0}, r"'shap', which is not a column"),
        (dict.fromkeys(X.columns, 0.0), "weights of all columns are zero"),
    ]:
        with pytest.raises(ValueError, match=match):
            distances(name, weights=weights)
