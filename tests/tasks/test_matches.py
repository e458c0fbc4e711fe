"""Pairs of rows of two tables: an optimal assignment, within calipers."""

from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import nearkind as nk
from nearkind.tasks.matches import PairCandidates

PEOPLE = pd.DataFrame({"name": ["ada", "bob", "eve"], "age": [36, 41, 20]})
OTHERS = pd.DataFrame({"name": ["bob", "eve", "ada"], "age": [40, 41, 36]})


@st.composite
def two_tables(draw):
    """Return two tables of two columns of words and one of numbers."""
    row = st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 9))
    sides = [draw(st.lists(row, min_size=1, max_size=7)) for _ in "AB"]
    return [pd.DataFrame(rows, columns=["one", "two", "n"]) for rows in sides]


def cheapest(d, allowed):
    """Return how many pairs there are at most, and the least sum of distances."""
    cost = np.where(allowed, d, 100.0)
    a, b = linear_sum_assignment(cost)
    kept = allowed[a, b]
    return kept.sum(), d[a, b][kept].sum()


@given(tables=two_tables(), caliper=st.sampled_from([None, 0.0, 0.2, 0.5]))
def test_one_to_one_pairs_are_an_optimal_assignment(tables, caliper):
    A, B = tables
    limits = {None: np.inf if caliper is None else caliper, "n": 4}
    pairs = nk.match(A, B, caliper=limits, exact=["one"])
    form = nk.baselines.Gower().fit(pd.concat(tables))
    d = form.pairwise_distances(A, B)
    allowed = d <= limits[None] + 1e-9
    allowed &= A["one"].to_numpy()[:, None] == B["one"].to_numpy()
    allowed &= np.abs(np.subtract.outer(A["n"].to_numpy(), B["n"].to_numpy())) <= 4
    a, b = pairs["a"].to_numpy(), pairs["b"].to_numpy()
    assert len(set(a)) == len(a)
    assert len(set(b)) == len(b)
    assert allowed[a, b].all()
    np.testing.assert_allclose(pairs["distance"], d[a, b], atol=1e-12)
    n_pairs, total = cheapest(d, allowed)
    assert (len(a), pairs["distance"].sum()) == (n_pairs, pytest.approx(total))


@given(tables=two_tables(), k=st.integers(1, 3))
def test_one_to_many_pairs_are_the_nearest_rows(tables, k):
    A, B = tables
    pairs = nk.match(A, B, one_to_one=False, n_neighbors=k)
    d = nk.baselines.Gower().fit(pd.concat(tables)).pairwise_distances(A, B)
    expected = np.sort(d, axis=1)[:, :k]
    np.testing.assert_allclose(pairs["distance"], expected.ravel(), atol=1e-12)
    assert pairs["a"].tolist() == np.repeat(range(len(A)), expected.shape[1]).tolist()


def test_many_rows_are_matched_among_the_nearest_in_rounds():
    X = np.random.default_rng(0).integers(0, 4, (150, 5)).astype(str)
    form = nk.baselines.Hamming().fit(X).distance_
    a, b = np.split(form.encode(X), [80])
    whole = PairCandidates(form, a, b, np.inf, [])
    rows = np.arange(80), np.arange(70)
    best = whole.assigned(*rows)
    found = replace(whole, n_whole=500, n_nearest=4).assigned(*rows)
    assert len(set(found.a)) == len(set(found.b)) == len(best.a) == 70
    assert best.distance.sum() <= found.distance.sum() + 1e-9
    assert found.distance.sum() <= 1.25 * best.distance.sum()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas])
def test_each_pair_has_a_reason_in_the_users_kind_of_table(kind):
    pairs = nk.match(kind(PEOPLE), OTHERS.to_dict("list"), caliper=0.2)
    assert type(pairs) is type(kind(PEOPLE))
    assert list(pairs["a"]) == [0, 1]
    assert list(pairs["b"]) == [2, 0]
    assert list(pairs["reason"]) == ["equal", "age: 41, 40"]


def test_columns_are_found_by_name_and_some_may_be_left_out():
    wide = OTHERS.assign(town="Rome")[["town", "age", "name"]]
    pairs = nk.match(PEOPLE, wide, "hamming", columns=["name"])
    assert pairs["b"].tolist() == [2, 0, 1]
    assert pairs["distance"].tolist() == [0.0, 0.0, 0.0]
    metric = nk.baselines.Gower().fit(PEOPLE)
    assert nk.match(PEOPLE, wide, metric, columns=["name", "age"])["b"][0] == 2


def test_missing_cells_are_equal_to_nothing_and_within_any_caliper():
    A = pd.DataFrame({"key": [None, "k"], "n": [None, 1.0]})
    B = pd.DataFrame({"key": [None, "k"], "n": [5.0, 9.0]})
    assert nk.match(A, B, exact="key")["a"].tolist() == [1]
    assert nk.match(A, B, caliper={"n": 1})["a"].tolist() == [0]


def test_no_pair_at_all_is_an_empty_table():
    for settings in ({"exact": ["name"], "caliper": {"age": 0}}, {"caliper": 0}):
        pairs = nk.match(PEOPLE[:1], OTHERS[:1], **settings)
        assert list(pairs.columns) == ["a", "b", "distance", "reason"]
        assert len(pairs) == 0


@pytest.mark.parametrize(
    ("changed", "settings", "words"),
    [
        ({"town": "Rome"}, {}, r"B has columns that A lacks: 'town'.*columns=\["),
        ({}, {"columns": ["nane"]}, "A has no column 'nane'.*'name'"),
        ({}, {"exact": ["agee"]}, "A has no column 'agee'.*'age'"),
        ({}, {"caliper": -1}, "caliper must be a number >= 0; got -1"),
        ({}, {"caliper": {"age": float("nan")}}, "caliper of column 'age'"),
        ({}, {"caliper": "1"}, "caliper must be a number"),
        ({}, {"caliper": {"name": 1}}, r"'name', which holds no numbers.*exact="),
        ({}, {"caliper": {"agee": 1}}, "no column 'agee'"),
        ({}, {"n_neighbors": 0}, "n_neighbors"),
        ({"age": date(2020, 1, 2)}, {}, "^Column 'age' holds dates, such as"),
        ({"age": "old"}, {}, "Column 'age' holds numbers in one table.*'old'"),
        ({"age": np.inf}, {}, "'age' holds an infinite number"),
        ({}, {"metric": "vdm"}, "learns from labels"),
    ],
)
def test_bad_input_is_one_sentence(changed, settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        nk.match(PEOPLE, OTHERS.assign(**changed), **settings)


def test_infinite_numbers_are_within_any_caliper_of_themselves():
    A, B = [["a", 10**400], ["b", 1]], [["a", 10**400], ["b", -(10**400)]]
    pairs = nk.match(A, B, metric="hamming", caliper={"x1": 1})
    assert [(a, b) for a, b, *_ in pairs.itertuples(index=False)] == [(0, 0)]
