"""No single swap helps where swapping ends; silhouettes count weights."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score

from helpers.strategies import integers
from nearkind.tasks import pam
from nearkind.tasks.pam import Partition, build, silhouette, swap


@st.composite
def problems(draw, max_rows=9):
    """Return distances (m, m) with ties, weights (m,) and a number of medoids."""
    m = draw(st.integers(2, max_rows))
    upper = np.triu(draw(integers((m, m), 0, 6)) / 4.0, 1)
    return upper + upper.T, draw(integers(m, 1, 3)), draw(st.integers(1, m))


def loss(square, weights, medoids):
    """Return the sum of distances to the nearest medoids, as it is defined."""
    return weights @ square[:, list(medoids)].min(axis=1)


@pytest.fixture(params=[1, 16], ids=["all at once", "candidate by candidate"])
def _parts(request, monkeypatch):
    monkeypatch.setattr(pam, "PARTS", request.param)


@pytest.mark.usefixtures("_parts")
@given(problem=problems(), data=st.data())
def test_no_single_swap_helps_in_the_end(problem, data):
    square, weights, k = problem
    start = data.draw(st.permutations(range(len(weights))))[:k]
    end = swap(Partition(square, weights, np.array(start)), 1000)
    medoids = end.partition.medoids.tolist()
    found = loss(square, weights, medoids)
    assert end.is_reached
    assert len(set(medoids)) == k
    assert end.partition.loss == pytest.approx(found)
    assert found <= loss(square, weights, start) + 1e-9
    for place, row in np.ndindex(k, len(weights)):
        others = medoids[:place] + medoids[place + 1 :]
        assert found <= loss(square, weights, [*others, row]) + 1e-9


@given(problem=problems())
def test_changes_are_those_of_swapping(problem):
    square, weights, k = problem
    partition = Partition(square, weights, np.arange(k))
    changes = partition.changes(slice(0, len(weights)))
    for place, row in np.ndindex(k, len(weights)):
        after = partition.swapped(place, row).loss
        assert changes[place, row] == pytest.approx(after - partition.loss)


@given(problem=problems())
def test_each_greedy_medoid_saves_most(problem):
    square, weights, k = problem
    chosen = build(square, weights, k).medoids.tolist()
    for n in range(k):
        least = min(
            loss(square, weights, [*chosen[:n], row])
            for row in set(range(len(weights))) - set(chosen[:n])
        )
        assert loss(square, weights, chosen[: n + 1]) == pytest.approx(least)


@pytest.mark.parametrize("seed", range(20))
def test_some_random_starts_reach_the_best_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    points, weights = rng.integers(0, 5, (10, 3)), rng.integers(1, 4, 10).astype(float)
    square = (points[:, None] != points[None]).mean(axis=2)
    k = int(rng.integers(2, 5))
    best = min(loss(square, weights, few) for few in combinations(range(10), k))
    starts = [rng.choice(10, k, replace=False) for _ in range(10)]
    ends = [swap(Partition(square, weights, start), 100) for start in starts]
    assert min(end.partition.loss for end in ends) == pytest.approx(best)


def line(n):
    """Return the distances between n points on a line."""
    return np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(n))))


def test_too_few_rounds_are_told():
    end = swap(Partition(line(50), np.ones(50), np.arange(5)), 1)
    assert (end.n_iter, end.is_reached) == (1, False)


def test_many_medoids_need_few_rounds():
    end = swap(Partition(line(300), np.ones(300), np.arange(100)), 100)
    assert end.is_reached
    assert end.n_iter < 20


@given(problem=problems(), data=st.data())
def test_silhouettes_are_those_of_repeated_rows(problem, data):
    square, weights, _ = problem
    m = len(weights)
    labels = np.array(
        data.draw(st.permutations([0, 1, *[i % 3 for i in range(m - 2)]]))
    )
    rows = np.repeat(np.arange(m), weights.astype(int))
    repeated, of = square[np.ix_(rows, rows)], labels[rows]
    if 2 <= len(np.unique(of)) <= len(rows) - 1:
        expected = silhouette_score(repeated, of, metric="precomputed")
        assert silhouette(square, weights, labels) == pytest.approx(expected)
