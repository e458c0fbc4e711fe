"""Quick votes on changed rows are those of the model, and bounds hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearkind as nk
from nearkind.tasks.alternatives import Alternatives
from nearkind.tasks.member_votes import (
    OverlapVotes,
    PlainVotes,
    VectorVotes,
    member_votes,
)

KINDS = {"hamming": OverlapVotes, "euclidean": VectorVotes, "diagonal": VectorVotes}


def fitted(name, seed, temperature="auto"):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, [3, 4, 2, 3, 2], (50, 5))
    y = (X[:, 0] + X[:, 1] + (rng.random(50) < 0.2)) % 3
    model = nk.CPMLClassifier(name, 5, "soft", temperature=temperature)
    return model.fit(X.astype(str), y, rng.integers(1, 4, 50))


def pair(name, seed, temperature="auto"):
    member = fitted(name, seed, temperature)
    codes = member.training_rows_.codes
    alternatives = Alternatives.of([member.codebook_], [codes[seed % len(codes)]])
    votes = member_votes(member, alternatives, 0)
    return votes, PlainVotes(member, alternatives, 0), alternatives


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
@settings(max_examples=25)
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
        shares = plain.member.shares_of_codes(rows)
        assert (shares >= low - 1e-6).all()
        assert (shares <= high + 1e-6).all()


@pytest.mark.parametrize(
    "model",
    [
        nk.CPMLClassifier("hamming", 3),
        nk.CPMLClassifier("lin", weights="soft"),
        nk.CPMLClassifier(nk.CPML(crosses=[("x0", "x1")], max_iter=2), weights="soft"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_votes_are_plain_and_without_bounds(model):
    X = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]]
    model.fit(X, [0, 1, 1, 1])
    rows = model.training_rows_.codes
    alternatives = Alternatives.of([model.codebook_], [rows[0]])
    votes = member_votes(model, alternatives, 0)
    assert isinstance(votes, PlainVotes)
    low, high = votes.bounds(rows[:1], 0, 1)
    assert (low == 0.0).all()
    assert (high == 1.0).all()
