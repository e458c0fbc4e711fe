"""DILCA: worked figures, and the formula as a plain loop."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import nearkind as nk
from helpers.baseline_oracles import (
    entropy,
    occupation_distances,
    value_shares,
    values_of,
)
from helpers.six_persons import PERSONS, rows_of
from helpers.strategies import tables
from nearkind.baselines.contingency import contingency
from nearkind.baselines.dilca import symmetric_uncertainty

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
DILCA = nk.baselines.DILCA


def test_symmetric_uncertainty_of_six_persons():
    codes = np.array([np.unique(PERSONS[c], return_inverse=True)[1] for c in PERSONS])
    counts = contingency(codes.T.astype(np.int32), [3, 4, 2], np.ones(6))
    found = symmetric_uncertainty(counts.information)
    expected = [[1, 2 / 3, 0.515804], [2 / 3, 1, 0.387363], [0.515804, 0.387363, 1]]
    np.testing.assert_allclose(found, expected, atol=5.1e-7)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"sigma": 1.0}, [math.sqrt((1 + 1 / 9) / 4), 0.881917, 0.781736]),
        ({"sigma": 0.5}, [0.471405, 0.745356, 0.745356]),
        ({"context": "rr"}, [0.471405, 0.745356, 0.745356]),
    ],
)
def test_dilca_of_six_persons(choice, expected):
    np.testing.assert_allclose(
        occupation_distances(DILCA(**choice)), expected, atol=5.1e-7
    )


def test_contexts_of_six_persons():
    assert DILCA(sigma=1).fit(PERSONS).contexts_["Occupation"] == ["Education"]
    assert DILCA(context="rr").fit(PERSONS).contexts_ == {
        "Occupation": ["Education", "Marital"],
        "Education": ["Occupation"],
        "Marital": ["Occupation"],
    }


@pytest.mark.parametrize("context", ["mean", "rr"])
@given(table=tables())
def test_dilca_is_the_formula_on_its_contexts(context, table):
    train, rows = rows_of(table.repeated().codes), rows_of(table.codes)
    model = DILCA(context).fit(rows, sample_weight=table.weights)
    names = list(model.contexts_)

    def squared(i, u, v):
        others = [names.index(name) for name in model.contexts_[names[i]]]
        if not others:
            return float(u != v)
        cells = [(j, x) for j in others for x in values_of(train, j)]
        steps = [value_shares(train, i, j, x) for j, x in cells]
        return float(sum((p[u] - p[v]) ** 2 for p in steps) / len(cells))

    D = range(len(rows[0]))
    expected = [[sum(squared(i, x[i], y[i]) for i in D) for y in rows] for x in rows]
    found = model.pairwise_distances(rows, squared=True)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(table=tables())
def test_method_m_takes_what_is_relevant_enough(table):
    rows = rows_of(table.repeated().codes)
    D = len(rows[0])

    def relevance(i, j):
        H = [entropy(Counter(row[d] for row in rows)) for d in (i, j)]
        both = entropy(Counter((row[i], row[j]) for row in rows))
        return 2 * (sum(H) - both) / sum(H) if sum(H) > 0 else 0.0

    contexts = DILCA(sigma=0.8).fit(rows).contexts_
    for i, chosen in enumerate(contexts.values()):
        others = [j for j in range(D) if j != i]
        own = {j: relevance(i, j) for j in others}
        least = 0.8 * sum(own.values()) / max(len(own), 1)
        assert chosen == [f"x{j}" for j in others if own[j] >= least - 1e-9]


def test_without_any_relevance_all_other_features_are_the_context():
    contexts = DILCA(context="rr").fit(list(product("ab", "xyz", "01"))).contexts_
    assert contexts["x0"] == ["x1", "x2"]


def test_dilca_is_no_wider_than_its_values():
    assert DILCA().fit(PERSONS).transform(PERSONS).shape[1] <= 3 + 4 + 2


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DILCA(context="all"), "'context' parameter of DILCA .* got 'all'"),
        (DILCA(sigma=1.5), r"'sigma' .* a number in \[0, 1\]; got 1.5"),
        (DILCA(sigma="0.5"), r"'sigma' .* got '0.5'"),
    ],
    ids=repr,
)
def test_wrong_settings_are_named_before_any_data_are_read(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(None)
