"""Quick votes on changed rows are those of the model, and bounds hold."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from nearkind.tasks.alternatives import Alternatives
from nearkind.tasks.voter_votes import (
    OverlapVotes,
    VectorVotes,
    VoterVotes,
    share_bounds,
    voter_votes,
)

KINDS = {"hamming": OverlapVotes, "euclidean": VectorVotes, "diagonal": VectorVotes}


def fitted(name, seed, temperature="auto"):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, [3, 4, 2, 3, 2], (50, 5))
    y = (X[:, 0] + X[:, 1] + (rng.random(50) < 0.2)) % 3
    model = nk.CPMLClassifier(
        name, n_neighbors=5, weights="soft", temperature=temperature
    )
    model.fit(X.astype(str), y, rng.integers(1, 4, 50))
    return model.committee_.voters[0]


def pair(name, seed, temperature="auto"):
    voter = fitted(name, seed, temperature)
    codes, book = voter.rows.codes, voter.distance.codebook
    alternatives = Alternatives.of([book], [codes[seed % len(codes)]])
    votes = voter_votes(voter, alternatives, 0)
    return votes, VoterVotes(voter, alternatives, 0), alternatives


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("temperature", ["auto", 1e-5, 0.05, 10.0])
def test_quick_shares_are_those_of_the_model(name, temperature):
    votes, plain, alternatives = pair(name, 3, temperature)
    assert isinstance(votes, KINDS[name])
    chosen = np.array([[0, -1], [0, 2], [-1, -1]])
    codes = alternatives.codes_of(chosen)[0]
    start = int(alternatives.later[2])
    np.testing.assert_allclose(
        votes.shares(codes, start), plain.shares(codes, start), atol=2e-6
    )


@given(st.sampled_from([*KINDS]), st.integers(0, 10**6), st.integers(1, 3))
def test_bounds_hold_for_all_rows_with_more_changes(name, seed, n_more):
    votes, plain, alternatives = pair(name, seed)
    start = int(alternatives.later[0])
    codes = alternatives.codes_of(np.array([[0]]))[0]
    low, high = votes.bounds(codes, start, n_more)
    rng = np.random.default_rng(seed)
    columns = np.unique(alternatives.column[start:])
    for _ in range(30):
        taken = rng.choice(columns, min(n_more, len(columns)), replace=False)
        more = [rng.choice(np.flatnonzero(alternatives.column == d)) for d in taken]
        rows = alternatives.codes_of(np.array([[0, *more]]))[0]
        shares = plain.voter.shares(rows)
        assert (shares >= low - 1e-6).all()
        assert (shares <= high + 1e-6).all()


@pytest.mark.parametrize(
    "model",
    [
        nk.CPMLClassifier("hamming", n_neighbors=3),
        nk.CPMLClassifier("lin", weights="soft"),
        nk.CPMLClassifier(nk.CPML(crosses=[("x0", "x1")], max_iter=2), weights="soft"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_votes_are_plain_and_without_bounds(model):
    X = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]]
    model.fit(X, [0, 1, 1, 1])
    voter = model.committee_.voters[0]
    rows = voter.rows.codes
    alternatives = Alternatives.of([voter.distance.codebook], [rows[0]])
    votes = voter_votes(voter, alternatives, 0)
    assert type(votes) is VoterVotes
    low, high = votes.bounds(rows[:1], 0, 1)
    assert (low == 0.0).all()
    assert (high == 1.0).all()


def test_unequal_weights_of_columns_are_plain():
    voter = fitted("hamming", 0)
    weights = voter.distance.weights * [2.0, 0.5, 0.5, 1.0, 1.0]
    uneven = replace(voter, distance=replace(voter.distance, weights=weights))
    book, rows = voter.distance.codebook, voter.rows.codes
    alternatives = Alternatives.of([book], [rows[0]])
    assert type(voter_votes(uneven, alternatives, 0)) is VoterVotes


def test_bounds_keep_classes_of_tiny_votes():
    low, high = np.array([[-50.0, -100.0]]), np.array([[0.0, -45.0]])
    below, above = share_bounds(low, high, np.eye(2))
    np.testing.assert_allclose(below[0, 0], 1.0 / (1.0 + np.exp(5.0)))
    np.testing.assert_allclose(above[0, 1], 1.0 / (1.0 + np.exp(-5.0)))
