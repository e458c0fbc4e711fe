"""Infinite distances are farther than all others, and tied among themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers import oracles
from helpers.strategies import integers, labelled_distances, weights
from nearkind.neighbors import KNearest, RowGroups, ranks
from nearkind.scoring import triplet_accuracy_by

BINARY = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
LABELS = ["up", "up", "down", "left"]


@st.composite
def with_infinities(draw):
    """Return (distances (b, m), weights (m,), k), some distances infinite."""
    b, m = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    d = draw(integers((b, m), 0, 3))
    return (
        np.where(d == 3.0, np.inf, d / 4.0),
        draw(weights(m)),
        draw(st.integers(1, 9)),
    )


@given(case=with_infinities())
def test_votes_are_those_of_sorting_every_row(case):
    distances, w, k = case
    near = KNearest(w).near(distances, k)
    votes = np.zeros(distances.shape)
    np.add.at(votes, (near.query, near.unique_row), near.votes)
    expected = [oracles.neighbor_votes(d, w, k) for d in distances]
    np.testing.assert_allclose(votes, expected, atol=1e-12)


def test_an_infinity_does_not_make_finite_distances_tie():
    near = KNearest(np.ones(3)).near(np.array([[1.0, 1.1, np.inf]]), 1)
    assert near.unique_row.tolist() == [0]


def test_infinite_distances_share_the_last_rank():
    found = ranks(np.array([np.inf, 0.5, np.inf, 0.25]), 1e-9)
    assert found.tolist() == [2, 1, 2, 0]
    assert ranks(np.full(2, np.inf), 0.0).tolist() == [0, 0]


def test_nearest_rows_with_infinite_distances_are_by_number():
    rows = RowGroups.of(np.array([0, 1, 2]), np.arange(3))
    near = rows.k_nearest.near(np.array([[np.inf, 1.0, np.inf]]), 3)
    distances, found = rows.nearest(near, 3, np.array([-1]))
    assert found.tolist() == [[1, 0, 2]]
    assert distances.tolist() == [[1.0, np.inf, np.inf]]


@given(case=labelled_distances(), high=st.integers(4, 13))
def test_triplet_accuracy_is_the_triple_loop(case, high):
    d, y, _ = case
    d = np.where(d >= high / 4.0, np.inf, d)
    rows = np.arange(len(y))[:, None]
    found = triplet_accuracy_by(lambda a, b: d[a[:, 0]][:, b[:, 0]], rows, y)
    np.testing.assert_allclose(found, oracles.triplet_accuracy(d, y), rtol=1e-12)


def test_copies_of_a_row_keep_their_distance_from_it():
    rows, y = np.array([[0], [0], [1]]), [0, 0, 1]
    near, far = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[3.0, 2.0], [2.0, 3.0]])
    for d, expected in (near, 1.0), (far, 0.0):
        found = triplet_accuracy_by(lambda a, b, d=d: d[a, b.T], rows, y)
        assert found == pytest.approx(expected)


def test_labels_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"got shapes \(4, 2\) and \(2,\)"):
        nk.baselines.Lin().fit(BINARY).triplet_accuracy(BINARY, [0, 1])


@pytest.mark.parametrize("votes", ["uniform", "distance"])
def test_rows_infinitely_far_vote_equally(votes):
    train = [["a", "x"], ["a", "x"], ["b", "y"]]
    model = nk.CPMLClassifier(nk.baselines.Lin(), n_neighbors=2, weights=votes)
    model.fit([*train, ["b", "y"]], ["up", "left", "down", "down"])
    assert model.distance_.pairwise_distances([["a", "x"]], [["b", "y"]]) == np.inf
    np.testing.assert_allclose(model.predict_proba([["a", "x"]]), [[0, 0.5, 0.5]])
    three = model.set_params(n_neighbors=4).predict_proba([["a", "x"]])
    expected = {"uniform": [[0.5, 0.25, 0.25]], "distance": [[0, 0.5, 0.5]]}
    np.testing.assert_allclose(three, expected[votes])


def test_all_rows_infinitely_far_vote_equally_by_distance():
    model = nk.CPMLClassifier(nk.baselines.Lin(), n_neighbors=3, weights="distance")
    model.fit([["a"], ["b"], ["b"], ["b"]], ["up", "down", "down", "left"])
    only = model.predict_proba([["a"]])
    np.testing.assert_allclose(only, [[0, 0, 1]])  # itself, at distance zero
    far = model.set_params(weights=lambda d: np.where(d > 0, 1 / np.maximum(d, 1), 0))
    np.testing.assert_allclose(far.predict_proba([["a"]]), [[4 / 9, 2 / 9, 1 / 3]])
