"""Prototypes cover rows greedily, stand for all of them, and are judged on others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nearkind as nk
from helpers.strategies import integers, tables
from nearkind.neighbors import condensation
from nearkind.neighbors.condensation import (
    Condensation,
    cover_order,
    fold_counts,
    nearest_counts,
)


def greedy_cover(d, target, weights):
    """The slow oracle: the whole table of who covers whom, and every gain anew."""
    m = len(d)
    covers = np.zeros((m, m), dtype=bool)  # (i, j): row j covers row i
    for i in range(m):
        others = d[i][target != target[i]]
        nearest = others.min() if len(others) else np.inf
        for j in range(m):
            same = target[i] == target[j]
            covers[i, j] = i == j or (same and d[i, j] < nearest - 1e-7 * d[i].max())

    def best(candidates, uncovered):
        gains = [(weights * uncovered) @ covers[:, j] for j in candidates]
        return candidates[int(np.argmax(gains))], max(gains)

    def all_rows():
        return np.ones(m, dtype=bool)

    first = [best(np.flatnonzero(target == c), all_rows()) for c in np.unique(target)]
    order = [j for j, gain in sorted(first, key=lambda found: -found[1])]
    uncovered = ~covers[:, order].any(axis=1)
    while len(order) < m:
        left = np.setdiff1d(np.arange(m), order)
        j, gain = best(left, uncovered)
        if gain == 0.0:
            uncovered = all_rows()
        else:
            order.append(j)
            uncovered &= ~covers[:, j]
    return [int(j) for j in order]


def coded(table):
    """Return a Hamming distance and unique rows with targets and weights."""
    rows = [[f"v{code}" for code in row] for row in table.codes]
    model = nk.CPMLClassifier("hamming", n_neighbors=1)
    return model.fit(rows, table.y, sample_weight=table.weights)


@settings(max_examples=50, deadline=None)
@given(table=tables(max_rows=12), at_once=st.sampled_from([1, 7, 1_000]))
def test_the_order_is_that_of_the_slow_greedy_algorithm(table, at_once):
    model = coded(table)
    voters, metric = model.training_rows_, model.distance_
    rows, target = metric.represent(voters.codes), voters.counts.argmax(axis=1)
    order = cover_order(metric, rows, target, voters.weights, at_once)
    d = metric.compare(rows, rows)
    assert list(order) == greedy_cover(d, target, voters.weights)


def test_rows_that_cover_all_classify_all_rightly():
    data = nk.datasets.load("monks1", as_frame=False)
    model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(data.X, data.y)
    voters, metric = model.training_rows_, model.distance_
    rows, target = metric.represent(voters.codes), voters.counts.argmax(axis=1)
    order = cover_order(metric, rows, target, voters.weights, 10_000)
    kept, d = [], metric.compare(rows, rows)
    others = np.where(target[:, None] != target, d, np.inf).min(axis=1)
    covers = (target[:, None] == target) & (d < others[:, None])
    while not covers[:, kept].any(axis=1).all():
        kept.append(next(order))
    assert len(kept) < len(rows)
    assert (target[kept][d[:, kept].argmin(axis=1)] == target).all()


@settings(max_examples=50, deadline=None)
@given(table=tables(max_rows=12), data=st.data())
def test_each_row_counts_for_the_nearest_kept_ones(table, data):
    model = coded(table)
    voters, metric = model.training_rows_, model.distance_
    m = len(voters)
    n = data.draw(st.integers(1, m))
    kept = np.sort(data.draw(st.permutations(range(m)))[:n])
    rows = metric.represent(voters.codes)
    found = nearest_counts(metric, rows, voters.counts, kept, 5)
    wanted = voters.counts[kept].copy()
    for i in set(range(m)) - set(kept.tolist()):
        d = metric.compare(rows[[i]], rows[kept])[0]
        near = np.flatnonzero(np.isclose(d, d.min()))
        wanted[near] += voters.counts[i] / len(near)
    np.testing.assert_allclose(found, wanted)


counts = st.tuples(st.integers(1, 9), st.integers(2, 3)).flatmap(
    lambda shape: integers(shape, 0, 4)
)


@given(counts=counts, n_folds=st.integers(2, 5))
def test_every_row_is_held_out_once_and_classes_are_spread(counts, n_folds):
    parts = [fold_counts(counts, n_folds, fold) for fold in range(n_folds)]
    np.testing.assert_array_equal(sum(parts), counts)
    held = np.array([part.sum(axis=0) for part in parts])  # (n_folds, C)
    assert np.ptp(held, axis=0).max() <= 1.0
    assert all((part == np.rint(part)).all() for part in parts)


@given(weights=hnp.arrays(float, 6, elements=st.floats(0.1, 3.0)))
def test_weights_that_are_not_whole_are_held_out_in_parts(weights):
    counts = weights.reshape(3, 2)
    parts = [fold_counts(counts, 3, fold) for fold in range(3)]
    np.testing.assert_allclose(sum(parts), counts, atol=1e-9)
    assert all((part >= 0.0).all() for part in parts)


def test_scores_are_those_of_models_without_the_rows_held_out():
    data = nk.datasets.load("monks3", as_frame=False)
    X, y = data.X[::3], data.y[::3]
    model = nk.CPMLClassifier("hamming", n_neighbors=3).fit(X, y)
    found, voters = model.condensation(), model.training_rows_
    n_right = n_right_of_all = 0.0
    for fold in range(condensation.N_FOLDS):
        held = fold_counts(voters.counts, condensation.N_FOLDS, fold)
        out = held.any(axis=1)
        first = voters.groups.first_rows
        others = [X[i] for i in first[~out]]
        labels = voters.classes[voters.counts[~out].argmax(axis=1)]
        without = nk.CPMLClassifier("hamming", n_neighbors=3)
        without.fit_over(model.distance_, others, labels)
        rows = [X[i] for i in first[out]]
        truth = voters.classes[held[out].argmax(axis=1)]
        n_right_of_all += (without.predict(rows) == truth).sum()
        n_right += (without.condensed(n_rows=8).predict(rows) == truth).sum()
    assert found.full_score == pytest.approx(n_right_of_all / len(X))
    assert found.score(8) == pytest.approx(n_right / len(X))


def test_many_rows_are_chosen_among_some_and_all_are_ordered(monkeypatch):
    data = nk.datasets.load("monks1", as_frame=False)
    model = nk.CPMLClassifier("hamming").fit(data.X, data.y)
    monkeypatch.setattr(condensation, "MOST_ROWS", 50)
    found = model.condensation()
    assert isinstance(found, Condensation)
    assert len(found.condensed(300)) == 300
    assert 0.0 < found.score(20) <= 1.0
