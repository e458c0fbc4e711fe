"""Who is elected: the simplest of the best, and others only if the mean is better."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.search.ensemble import (
    Member,
    likeliest_weights,
    select_members,
    stacked_members,
)
from nearkind.search.scoring import Accuracy

TRUTH = np.array([0, 0, 0, 0, 1, 1, 1, 1])
ONES = np.ones(8)
ALIVE = np.array([True])


def sure(answers, chance=0.9):
    """Return a table (1, n, 2) of one way to vote that gives these answers."""
    answers = np.asarray(answers)
    shares = np.full((len(answers), 2), 1.0 - chance)
    shares[np.arange(len(answers)), answers] = chance
    return shares[None]


def flipped(*rows):
    """Return the truth, wrong in these rows."""
    answers = TRUTH.copy()
    answers[list(rows)] = 1 - answers[list(rows)]
    return answers


def elected(tables, most=3, alive=None, weights=ONES):
    alive = (
        [np.ones(len(table), dtype=bool) for table in tables]
        if alive is None
        else alive
    )
    return select_members(tables, alive, TRUTH, weights, most)


def test_the_best_is_elected():
    tables = [sure(flipped(0, 1)), sure(flipped(2)), sure(flipped(0, 1, 2))]
    assert elected(tables, most=1) == [Member(1, 0)]


def test_the_simpler_wins_a_tie():
    assert elected([sure(TRUTH), sure(TRUTH)], most=1) == [Member(0, 0)]
    nearly = sure(TRUTH, 0.9 - 1e-4)
    assert elected([nearly, sure(TRUTH)], most=1) == [Member(0, 0)]
    assert elected([sure(TRUTH, 0.7), sure(TRUTH)], most=1) == [Member(1, 0)]


def test_a_second_is_added_where_the_mean_is_better():
    first, second = sure(flipped(0), 0.9), sure(flipped(1), 0.95)
    second[0, 1] = [0.4, 0.6]
    assert elected([first, second]) == [Member(1, 0), Member(0, 0)]
    assert (np.mean([first, second], axis=0)[0].argmax(axis=1) == TRUTH).all()


def test_none_is_added_where_the_mean_is_not():
    assert elected([sure(TRUTH), sure(TRUTH), sure(flipped(0))]) == [Member(0, 0)]


def test_none_is_added_because_another_would_have_been_better(monkeypatch):
    """The simpler of two is taken only if it betters what is there by itself."""
    known = {1.0: 0.9, 2.0: 0.5, 4.0: 0.5, 1.5: 0.8995, 2.5: 0.9009}

    def looked_up(tables, truth, weights):
        return np.array([known.get(float(t[0, 0]), 0.0) for t in tables])

    monkeypatch.setattr(Accuracy, "quality", staticmethod(looked_up))
    tables = [np.full((1, 10_000, 1), value) for value in (1.0, 2.0, 4.0)]
    many = np.zeros(10_000, dtype=int)
    seats = select_members(tables, [ALIVE] * 3, many, np.ones(10_000), 2)
    assert seats == [Member(0, 0), Member(2, 0)]


def test_no_metric_is_taken_twice():
    ways = np.concatenate([sure(flipped(0), 0.7), sure(flipped(1)), sure(flipped(2))])
    assert len(elected([ways])) == 1


def test_ways_that_are_out_of_the_race_are_not_taken():
    ways = np.concatenate([sure(TRUTH), sure(flipped(0))])
    assert elected([ways], alive=[np.array([False, True])]) == [Member(0, 1)]


def test_rows_count_by_their_weight():
    tables = [sure(flipped(0)), sure(flipped(1, 2))]
    assert elected(tables, most=1) == [Member(0, 0)]
    heavy = np.where(np.arange(8) == 0, 10.0, 1.0)
    assert elected(tables, most=1, weights=heavy) == [Member(1, 0)]


@pytest.mark.parametrize("most", [1, 2])
def test_there_are_no_more_than_asked_for(most):
    tables = [sure(flipped(row), 0.8) for row in range(4)]
    assert len(elected(tables, most)) == most


def stacked(tables, truth, most=3, scoring=None, families=None):
    """Return what is stacked of votes (n, C), each of its own family."""
    listed = [np.asarray(table)[None] for table in tables]
    alive = [np.ones(1, dtype=bool)] * len(listed)
    families = range(len(listed)) if families is None else families
    ones = np.ones(len(truth))
    return stacked_members(
        listed, alive, families, truth, ones, most, scoring or Accuracy()
    )


def noisy(rng, truth, strength):
    """Return votes that lean to the truth, with noise of their own."""
    logits = rng.normal(size=(len(truth), 3)) + strength * np.eye(3)[truth]
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


@given(st.integers(0, 200), st.integers(1, 4))
def test_stacked_weights_are_shares_that_fall(seed, most):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 50)
    tables = [noisy(rng, truth, strength) for strength in (0.5, 1.0, 1.0, 2.0)]
    members, weights = stacked(tables, truth, most)
    assert 1 <= len(members) == len(weights) <= most
    assert len({member.contender for member in members}) == len(members)
    assert abs(weights.sum() - 1.0) < 1e-12
    assert (np.diff(weights) <= 0.0).all()
    assert (weights > 0.0).all()


def test_members_whose_errors_differ_are_stacked_and_copies_are_not():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 400)
    one, other = noisy(rng, truth, 1.5), noisy(rng, truth, 1.5)
    members, weights = stacked([one, other], truth)
    assert len(members) == 2
    np.testing.assert_allclose(weights, 0.5, atol=0.1)
    assert len(stacked([one, one], truth)[0]) == 1


def test_of_a_family_the_likeliest_strength_takes_part():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 400)
    tables = [noisy(rng, truth, s) for s in (1.0, 1.6, 1.5)]
    members, _ = stacked(tables, truth, families=[0, 0, 1])
    assert sorted(member.contender for member in members) == [1, 2]


def test_weights_are_those_of_the_largest_likelihood():
    """No other convex weights are likelier: the slopes of the likelihood are equal."""
    rng = np.random.default_rng(2)
    chances = rng.random((3, 200))
    weights = likeliest_weights(chances, np.ones(200))
    slopes = (chances / (weights @ chances)).mean(axis=1)
    np.testing.assert_allclose(slopes[weights > 0.05], 1.0, atol=1e-2)
    assert (slopes < 1.05).all()
