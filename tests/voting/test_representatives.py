"""Representatives vote for the rows near them, if held-out rows lose nothing by it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
from nearkind.metrics.value_tables import ValueTables
from nearkind.voting import SoftRule
from nearkind.voting.representatives import (
    NARROW,
    TOLERANCE,
    cells,
    enough_representatives,
    in_fewer_directions,
    representatives,
)


@given(st.integers(1, 40), st.data())
def test_cells_share_all_rows_evenly(m, data):
    n_cells, q = data.draw(st.integers(1, m)), data.draw(st.integers(1, 3))
    vectors = np.random.default_rng(m).integers(0, 3, size=(m, q)).astype(float)
    found = cells(vectors, n_cells)
    assert sorted(np.concatenate(found).tolist()) == list(range(m))
    sizes = [len(numbers) for numbers in found]
    assert len(found) == n_cells
    assert min(sizes) >= 1
    assert max(sizes) <= 2 * m / n_cells


def voter_of(table, y, metric="euclidean", temperature=1.0, weights=None):
    model = nk.CPMLClassifier(metric, weights="soft", temperature=temperature)
    (voter,) = model.fit(table, y, weights).committee_.voters
    return voter


def rule_of_two(n, seed=0):
    """A rule on two of five columns, with every tenth label wrong."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, size=(n, 5))
    is_wrong = rng.random(n) < 0.1
    y = ((codes[:, 0] + codes[:, 1]) % 3 == 0) ^ is_wrong
    return codes.astype(str), np.where(y, "yes", "no")


@pytest.mark.parametrize("metric", ["euclidean", "hamming"])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_rows", [1, 2, 37, 200, 10_000])
def test_representatives_are_rows_that_vote_with_all_counts(
    metric, is_weighted, n_rows
):
    X, y = rule_of_two(400)
    weights = np.random.default_rng(0).choice([0.5, 1e-200, 3.0], 400)
    voter = voter_of(X, y, metric, weights=weights if is_weighted else None)
    rows, found = voter.rows, representatives(voter, n_rows)
    voter.with_rows(found).check()
    assert len(found) == min(n_rows, len(rows))
    known = {tuple(codes) for codes in rows.codes}
    assert all(tuple(codes) in known for codes in found.codes)
    np.testing.assert_allclose(found.counts.sum(axis=0), rows.counts.sum(axis=0))


@pytest.mark.parametrize("temperature", [1e-4, 0.1, 1.0, 1e4])
def test_directions_that_hardly_differ_change_no_share_by_much(temperature):
    X, y = rule_of_two(600)
    metric = nk.CPML(structure="full", projection="onehot", strength="1%", max_iter=9)
    with pytest.warns(ConvergenceWarning):
        voter = voter_of(X, y, metric, temperature=temperature)
    few = in_fewer_directions(voter, fewest=100)
    few.check()
    assert few.distance.size <= voter.distance.size
    assert (few.distance.size == 1) == (temperature == 1e4)
    codes = voter.rows.codes
    np.testing.assert_allclose(few.shares(codes), voter.shares(codes), atol=NARROW)


def test_few_rows_and_other_votes_keep_their_directions():
    X, y = rule_of_two(600)
    soft, hamming = voter_of(X, y), voter_of(X, y, "hamming")
    (plain,) = nk.CPMLClassifier("euclidean").fit(X, y).committee_.voters
    assert in_fewer_directions(soft, fewest=600) is soft
    assert in_fewer_directions(hamming, fewest=5) is hamming
    assert in_fewer_directions(plain, fewest=5) is plain


def test_two_heaps_of_vectors_are_two_representatives():
    X, y = [["a"]] * 3 + [["b"]] * 2, [0, 0, 1, 1, 1]
    rows = representatives(voter_of(X, y), 2)
    assert rows.codes.tolist() == [[0], [1]]
    assert rows.counts.tolist() == [[2.0, 1.0], [0.0, 2.0]]


def log_loss(voter, X, y):
    shares = voter.shares(voter.encode(X))
    truth = (y == "yes").astype(int)
    return -np.log(0.99 * shares[np.arange(len(y)), truth] + 0.005).mean()


def test_fewer_rows_vote_where_new_rows_lose_nothing():
    X, y = rule_of_two(2_500)
    voter = voter_of(X, y)
    found = enough_representatives(voter, many=1_000, fewest=100)
    assert 100 <= len(found) < len(voter.rows) / 2
    new = rule_of_two(2_000, seed=1)
    rise = log_loss(voter.with_rows(found), *new) - log_loss(voter, *new)
    assert rise < 5.0 * TOLERANCE


def test_all_rows_vote_where_none_may_be_spared():
    X, _ = rule_of_two(1_000)
    X = np.unique(X, axis=0)
    y = np.random.default_rng(0).choice(["no", "yes"], len(X))
    voter = voter_of(np.repeat(X, 3, axis=0), np.repeat(y, 3), temperature=1e-6)
    assert enough_representatives(voter, many=500, fewest=10) is voter.rows


def test_all_rows_vote_if_few_or_not_softly_or_without_vectors():
    X, y = rule_of_two(2_000)
    for metric, many in [("euclidean", 2_000), ("hamming", 10)]:
        voter = voter_of(X, y, metric)
        assert enough_representatives(voter, many=many, fewest=5) is voter.rows
    (voter,) = nk.CPMLClassifier("euclidean").fit(X, y).committee_.voters
    assert enough_representatives(voter, many=10, fewest=5) is voter.rows


@pytest.mark.parametrize("weights", ["soft", "uniform"])
def test_a_search_remembers_as_many_rows_as_told(weights):
    X, y = rule_of_two(400)
    few = nk.CPMLClassifierCV(["hamming", "euclidean"], weights=weights, cv=2)
    whole = few.set_params(n_remembered="all").fit(X, y)
    n_all = [len(voter.rows) for voter in whole.committee_.voters]
    assert n_all == [len(np.unique(X, axis=0))] * len(n_all)
    few.set_params(n_remembered=50).fit(X, y)
    assert {len(voter.rows) for voter in few.committee_.voters} == {50}
    np.testing.assert_allclose(few.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.slow
def test_a_search_over_many_rows_remembers_fewer():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 8, size=(25_000, 8))
    X, y = codes.astype(str), codes[:, 0] > rng.integers(0, 8, 25_000)
    model = nk.CPMLClassifierCV(["euclidean"]).fit(X, y)
    (voter,) = model.committee_.voters
    assert len(voter.rows) == 5_000


@pytest.mark.parametrize("factor", [2.0**-400, 2.0**400])
def test_the_unit_of_vectors_does_not_count(factor):
    X, y = rule_of_two(600)
    voter = voter_of(X, y, temperature=0.1)
    tables = [factor * table for table in voter.distance.tables.vectors]
    form = replace(voter.distance, tables=ValueTables(tables))
    scaled = replace(voter, distance=form, rule=SoftRule(0.1 * factor**2))
    narrow = [in_fewer_directions(each, fewest=10) for each in (voter, scaled)]
    rows = [enough_representatives(each, many=100, fewest=20) for each in narrow]
    assert narrow[0].distance.size == narrow[1].distance.size
    np.testing.assert_array_equal(rows[0].codes, rows[1].codes)


@pytest.mark.parametrize("temperature", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("is_one_place", [False, True])
def test_any_temperature_and_rows_at_one_place(temperature, is_one_place):
    X, y = rule_of_two(600)
    y = np.resize(["no", "yes"], 600) if is_one_place else y
    voter = voter_of(X, y, temperature=temperature)
    if is_one_place:
        tables = [np.zeros_like(table) for table in voter.distance.tables.vectors]
        form = replace(voter.distance, tables=ValueTables(tables))
        voter = replace(voter, distance=form)
    few = in_fewer_directions(voter, fewest=10)
    few = few.with_rows(enough_representatives(few, many=100, fewest=10))
    unseen = np.full((3, X.shape[1]), -1, dtype=np.int32)
    for codes in (voter.rows.codes[:9], unseen, unseen[:0]):
        found = few.shares(codes)
        assert found.shape == (len(codes), 2)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
    if is_one_place:
        assert (few.distance.size, len(few.rows)) == (1, 10)
        np.testing.assert_allclose(few.shares(unseen), 0.5)
