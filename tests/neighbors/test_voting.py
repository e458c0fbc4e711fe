"""Shares of votes are those of a loop; one ranking has those of every k."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.strategies import integers, weights
from nearkind.neighbors import (
    VOTE_WEIGHTS,
    WEIGHTS,
    KNearest,
    RankedNear,
    is_soft,
    most_votes,
    near_votes,
    vote_shares,
    vote_shares_by_k,
    weigher,
)

WEIGH = {
    **VOTE_WEIGHTS,
    "none": np.zeros_like,
    "only the near": lambda distances: (distances < 0.6).astype(float),
}


@st.composite
def votes(draw):
    """Return (distances (b, m), weights (m,), classes (m, C)), many of them 0."""
    b, m = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    distances = draw(integers((b, m), 0, 3)) / 2.0
    distances[draw(hnp.arrays(bool, (b, m)))] = draw(st.sampled_from([1.0, np.inf]))
    counts = draw(integers((m, 3), 0, 2)) + np.eye(3)[np.arange(m) % 3]
    return distances, draw(weights(m)), counts / counts.sum(axis=1, keepdims=True)


def by_loop(near, weigh, n_queries):
    """Return the weighted vote of each place of the list, query by query."""
    found = np.empty(len(near.query))
    for query in range(n_queries):
        mine = np.flatnonzero(near.query == query)
        weight = weigh(near.distance[mine])
        if np.isinf(weight).any():
            weight = np.isinf(weight).astype(float)
        if not weight.any():
            weight = np.ones(len(mine))
        found[mine] = near.votes[mine] * weight
    return found


def shares_by_loop(near, weigh, classes, n_queries):
    total = np.zeros((n_queries, classes.shape[1]))
    found = by_loop(near, weigh, n_queries)
    for query, row, vote in zip(near.query, near.unique_row, found, strict=True):
        total[query] += vote * classes[row]
    return total / total.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", WEIGH)
@given(case=votes(), k=st.integers(1, 9))
def test_votes_and_shares_are_those_of_a_loop(name, case, k):
    distances, w, classes = case
    near, n = KNearest(w).near(distances, k), len(distances)
    found = near_votes(near, WEIGH[name], n)
    np.testing.assert_allclose(found, by_loop(near, WEIGH[name], n))
    shares = vote_shares(near, WEIGH[name], classes, n)
    np.testing.assert_allclose(
        shares, shares_by_loop(near, WEIGH[name], classes, n), atol=1e-12
    )


@pytest.mark.parametrize("name", WEIGH)
@given(case=votes(), largest=st.integers(1, 9))
def test_one_ranking_has_the_shares_of_every_k(name, case, largest):
    distances, w, classes = case
    k_nearest, ks = KNearest(w), [0.5, *range(1, largest + 1)]
    near = k_nearest.near(distances, largest)
    ranked = RankedNear.of(near, w[near.unique_row])
    found = vote_shares_by_k(ranked, WEIGH[name], classes, ks)
    assert found.shape == (len(ks), len(distances), 3)
    for k, shares in zip(ks, found, strict=True):
        near = k_nearest.near(distances, k)
        expected = shares_by_loop(near, WEIGH[name], classes, len(distances))
        np.testing.assert_allclose(shares, expected, atol=1e-12)


def test_the_class_of_most_votes_is_the_first_of_those_that_tie():
    shares = [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.45, 0.45], [0.5, 0.2, 0.3]]
    assert most_votes(np.array(shares)).tolist() == [1, 0, 1, 0]
    for less, winner in [(0.9e-9, 0), (1.1e-9, 1)]:
        assert most_votes(np.array([[0.5 - less, 0.5]])).tolist() == [winner]


def test_weights_have_a_name_or_are_a_function():
    assert WEIGHTS == ("uniform", "distance", "soft")
    assert [is_soft(name) for name in WEIGHTS] == [False, False, True]
    assert not is_soft(np.sqrt)
    distances = np.array([0.0, 0.5, 2.0, np.inf])
    assert weigher("uniform")(distances).tolist() == [1.0] * 4
    assert weigher("distance")(distances).tolist() == [np.inf, 2.0, 0.5, 0.0]
    assert weigher(np.sqrt) is np.sqrt
