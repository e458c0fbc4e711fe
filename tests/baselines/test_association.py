"""Association: worked figures, and the formula as a plain loop."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import nearkind as nk
from helpers.baseline_oracles import (
    distance_of_persons,
    occupation_distances,
    value_shares,
)
from helpers.six_persons import PERSONS, rows_of
from helpers.strategies import tables

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
Association = nk.baselines.Association


@pytest.mark.parametrize(
    ("divergence", "expected", "one_and_two"),
    [
        ("js", [1.245112, 2.622556, 4.0], 2.545157),
        ("kl", [19.931510, 47.828757, 78.726046], 40.196358),
    ],
)
def test_association_of_six_persons(divergence, expected, one_and_two):
    model = Association(divergence)
    np.testing.assert_allclose(occupation_distances(model), expected, atol=5.1e-7)
    np.testing.assert_allclose(
        distance_of_persons(model, 1, 2), one_and_two, atol=5.1e-7
    )


def leaning(p, q):
    """Return one half of Lin's divergence."""
    return sum(float(a) * math.log2(2 * a / (a + b)) for a, b in zip(p, q) if a)  # noqa: B905


def one_way(p, q):
    """Return the Kullback-Leibler divergence, a little added to each share."""
    p, q = ([float(a) + 1e-6 for a in x] for x in (p, q))
    p, q = ([a / sum(x) for a in x] for x in (p, q))
    return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize(("divergence", "half"), [("js", leaning), ("kl", one_way)])
@given(table=tables())
def test_association_is_the_formula(divergence, half, table):
    train, rows = rows_of(table.repeated().codes), rows_of(table.codes)
    D = range(len(rows[0]))

    def phi(i, u, v):
        if len(D) == 1:
            return float(u != v)
        total = 0.0
        for j in (j for j in D if j != i):
            p, q = (value_shares(train, j, i, w).values() for w in (u, v))
            total += half(p, q) + half(q, p)
        return total

    model = Association(divergence).fit(rows, sample_weight=table.weights)
    expected = [[sum(phi(i, x[i], y[i]) for i in D) for y in rows] for x in rows]
    np.testing.assert_allclose(model.pairwise_distances(rows), expected, atol=1e-9)


def test_independent_features_say_nothing_of_each_other():
    rows = list(product("ab", "xyz", "01"))
    for divergence in ("kl", "js"):
        model = Association(divergence).fit(rows)
        assert (model.pairwise_distances(rows) == 0.0).all()


def test_an_unseen_value_is_at_the_mean_distance_of_the_feature():
    model = Association().fit(PERSONS)
    known = model.value_distances("Occupation").loc["Acc"].mean()
    found = model.pairwise_distances([["new", "Mas", "Sin"]], [["Acc", "Mas", "Sin"]])
    np.testing.assert_allclose(found, known)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Association("l2"), "'divergence' .* Association .* 'kl', 'js'; got 'l2'"),
    ],
    ids=repr,
)
def test_wrong_settings_are_named_before_any_data_are_read(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(None)
