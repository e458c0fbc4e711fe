"""Prototypes cover rows greedily, stand for all of them, and are judged on others."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nearkind as nk
from helpers.strategies import integers, tables
from nearkind.voting import condensation
from nearkind.voting.condensation import (
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
        tie = 1e-7 * d[i][np.isfinite(d[i])].max(initial=0.0)
        for j in range(m):
            same = target[i] == target[j]
            covers[i, j] = i == j or (same and d[i, j] < nearest - tie)

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


@given(table=tables(max_rows=12), at_once=st.sampled_from([1, 7, 1_000]))
def test_the_order_is_that_of_the_slow_greedy_algorithm(table, at_once):
    model = coded(table)
    voters, metric = model.committee_.voters[0].rows, model.distance_
    rows, target = metric.represent(voters.codes), voters.counts.argmax(axis=1)
    order = cover_order(metric, rows, target, voters.weights, at_once)
    d = metric.compare(rows, rows)
    assert list(order) == greedy_cover(d, target, voters.weights)


class Listed:
    """A distance between rows that are given by their numbers, written down."""

    def __init__(self, distances):
        self.distances = distances

    def compare(self, a, b):
        return self.distances[np.ix_(a, b)]


@st.composite
def listed(draw):
    """Return (distances (m, m), targets, weights); some zero, some infinite."""
    m = draw(st.integers(1, 8))
    d = draw(integers((m, m), 0, 3))
    d[draw(hnp.arrays(bool, (m, m)))] = draw(st.sampled_from([0.0, 1.0, np.inf]))
    target = draw(hnp.arrays(np.intp, m, elements=st.integers(0, 2)))
    return d, target, draw(integers(m, 1, 3))


@given(case=listed(), at_once=st.sampled_from([1, 20, 1_000]))
def test_under_any_distance_the_order_is_that_of_the_slow_algorithm(case, at_once):
    d, target, w = case
    order = cover_order(Listed(d), np.arange(len(d)), target, w, at_once)
    assert list(order) == greedy_cover(d, target, w)


@given(case=listed(), data=st.data())
def test_weights_of_any_size_keep_no_row_back(case, data):
    d, target, w = case
    w = w * data.draw(
        hnp.arrays(float, len(w), elements=st.sampled_from([1e-12, 1.0, 1e12]))
    )
    order = list(cover_order(Listed(d), np.arange(len(d)), target, w, 100))
    assert sorted(order) == list(range(len(d)))
    classes = np.unique(target)
    assert set(target[order[: len(classes)]]) == set(classes)


def test_rows_that_cover_all_classify_all_rightly():
    data = nk.datasets.load("monks1", as_frame=False)
    model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(data.X, data.y)
    voters, metric = model.committee_.voters[0].rows, model.distance_
    rows, target = metric.represent(voters.codes), voters.counts.argmax(axis=1)
    order = cover_order(metric, rows, target, voters.weights, 10_000)
    kept, d = [], metric.compare(rows, rows)
    others = np.where(target[:, None] != target, d, np.inf).min(axis=1)
    covers = (target[:, None] == target) & (d < others[:, None])
    while not covers[:, kept].any(axis=1).all():
        kept.append(next(order))
    assert len(kept) < len(rows)
    assert (target[kept][d[:, kept].argmin(axis=1)] == target).all()


@given(table=tables(max_rows=12), data=st.data())
def test_each_row_counts_for_the_nearest_kept_ones(table, data):
    model = coded(table)
    voters, metric = model.committee_.voters[0].rows, model.distance_
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
    (voter,) = model.committee_.voters
    found, voters = Condensation(voter), voter.rows
    n_right = n_right_of_all = 0.0
    for fold in range(condensation.N_FOLDS):
        held = fold_counts(voters.counts, condensation.N_FOLDS, fold)
        out = held.any(axis=1)
        first = voters.groups.first_rows
        others = [X[i] for i in first[~out]]
        labels = model.classes_[voters.counts[~out].argmax(axis=1)]
        without = nk.CPMLClassifier("hamming", n_neighbors=3)
        without.fit_over(model.metric_, others, labels)
        rows = [X[i] for i in first[out]]
        truth = model.classes_[held[out].argmax(axis=1)]
        n_right_of_all += (without.predict(rows) == truth).sum()
        n_right += (without.condensed(n_rows=8).predict(rows) == truth).sum()
    assert found.full_score == pytest.approx(n_right_of_all / len(X))
    assert found.score(8) == pytest.approx(n_right / len(X))


def test_many_rows_are_chosen_among_some_and_all_are_ordered(monkeypatch):
    data = nk.datasets.load("monks1", as_frame=False)
    model = nk.CPMLClassifier("hamming").fit(data.X, data.y)
    monkeypatch.setattr(condensation, "MOST_ROWS", 50)
    found = Condensation(model.committee_.voters[0])
    assert isinstance(found, Condensation)
    assert len(found.condensed(300)) == 300
    assert 0.0 < found.score(20) <= 1.0


def split(n_rows=60, **settings):
    """Return the condensation of unique rows of three classes, of several weights."""
    X = np.array([[a, b, c] for a in "abcde" for b in "fghi" for c in "jkl"])[:n_rows]
    rng = np.random.default_rng(0)
    y, weights = np.arange(n_rows) * 3 // n_rows, rng.choice([1.0, 2.0, 5.0], n_rows)
    model = nk.CPMLClassifier("hamming", n_neighbors=1, **settings)
    return Condensation(model.fit(X, y, weights).committee_.voters[0])


class Scored(Condensation):
    """Prototypes whose scores are given, and the numbers of rows that are tried."""

    full_score = 0.75

    def score(self, n_rows):
        self.tried.append(n_rows)
        return self.scores.get(n_rows, 0.0)


def scored(found, scores):
    scored = Scored(found.voter)
    vars(scored).update(tried=[], scores=scores)
    return scored


def test_numbers_of_rows_are_tried_from_the_classes_on_a_quarter_more_each():
    found = scored(split(), {})
    assert found.n_rows(0.25) == 60
    tried = found.tried
    assert tried[:6] == [3, 4, 5, 6, 7, 9]  # 3, 4, 5, 6.25, 7.8125, 9.77
    assert max(tried) < 60 <= 1.25 * (max(tried) + 1)
    assert all(a < b <= max(a + 1, 1.25 * (a + 1)) for a, b in pairwise(tried))


def test_the_first_number_that_scores_well_enough_is_taken():
    assert scored(split(), {5: 0.49, 6: 0.5, 7: 0.9}).n_rows(0.25) == 6
    assert scored(split(), {3: 0.75}).n_rows(0.0) == 3
    assert scored(split(), {3: 0.74}).n_rows(0.0) == 60


def test_as_many_rows_as_there_are_is_all_of_them():
    found = split(10)
    assert found.condensed(10) is found.voting
    assert found.condensed(11) is found.voting
    assert len(found.condensed(9)) == 9


def test_rows_are_the_same_in_whatever_order_numbers_are_asked_for():
    found = split()
    for n in (9, 4, 30, 9):
        a, b = found.condensed(n), split().condensed(n)
        np.testing.assert_array_equal(a.codes, b.codes)
        np.testing.assert_array_equal(a.counts, b.counts)


def row_order(found):
    """Return the numbers of unique rows in the order in which they are kept."""
    order = []
    for n in range(1, len(found.voting)):
        kept = [found.voting.unique_of(row) for row in found.condensed(n).groups.rows]
        (new,) = set(kept) - set(order)
        assert set(order) < set(kept)
        order.append(new)
    return order


def test_rows_not_drawn_come_last_the_heaviest_first(monkeypatch):
    monkeypatch.setattr(condensation, "MOST_ROWS", 6)
    found = split()
    heavy = np.sort(np.argsort(-found.voting.weights, kind="stable")[:6])
    found.voting.weights[heavy] = 1e9  # drawn for sure
    order = row_order(found)
    first = set(heavy) | set(found.voting.counts.argmax(axis=0))
    assert set(order[: len(first)]) == first
    rest = order[len(first) :]
    assert rest == sorted(rest, key=lambda row: (-found.voting.weights[row], row))


def test_of_many_rows_so_many_are_drawn_and_one_of_each_class(monkeypatch):
    monkeypatch.setattr(condensation, "MOST_ROWS", 40)
    chosen_among = []

    def order(metric, rows, *rest):
        chosen_among.append(len(np.unique(rows, axis=0)))
        return cover_order(metric, rows, *rest)

    monkeypatch.setattr(condensation, "cover_order", order)
    assert len(split().condensed(59)) == 59
    assert 40 <= chosen_among[0] <= 43


@pytest.mark.parametrize("most_rows", [1, 5, 1_000])
def test_every_class_keeps_a_row_even_if_no_row_is_given_it(most_rows, monkeypatch):
    monkeypatch.setattr(condensation, "MOST_ROWS", most_rows)
    found = split()

    class FirstClass(Condensation):
        def vote(self, voting, rows):
            return np.eye(3)[np.zeros(len(rows), dtype=int)]

    found = FirstClass(found.voter)
    rows = [found.voting.unique_of(row) for row in found.condensed(3).groups.rows]
    assert set(found.voting.counts[rows].argmax(axis=1)) >= {1, 2}


@pytest.mark.parametrize(("most_rows", "n_parts"), [(59, 1), (60, 5)])
def test_five_parts_are_held_out_and_one_of_many_rows(most_rows, n_parts, monkeypatch):
    monkeypatch.setattr(condensation, "MOST_ROWS", most_rows)
    found, asked = split(), []

    class Counted(Condensation):
        def vote(self, voting, rows):
            asked.append((len(voting), len(rows)))
            return super().vote(voting, rows)

    counted = Counted(found.voter)
    assert 0.0 <= counted.full_score <= 1.0
    assert len(asked) == n_parts
    assert all(n_others <= 60 and n_held < 60 for n_others, n_held in asked)


@pytest.mark.parametrize(("n_rows", "score"), [(3, 2 / 3), (4, 0.0), (5, 3 / 5)])
def test_fewer_rows_than_parts_are_held_out_one_by_one(n_rows, score):
    X, y = [[value] for value in "abcde"[:n_rows]], [0, 1, 0, 1, 0][:n_rows]
    model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(X, y)
    found = Condensation(model.committee_.voters[0])
    # Others are all equally far; if they tie, it is a 0.
    assert found.full_score == pytest.approx(score)
    assert 2 <= len(model.condensed().committee_.voters[0].rows) <= n_rows


@pytest.mark.filterwarnings("ignore::nearkind.errors.SmallWeightWarning")
@pytest.mark.parametrize("weight", [0.5, 2.0**-40])
def test_weights_below_one_hold_out_the_same_rows(weight):
    data = nk.datasets.load("monks3", as_frame=False)
    X, y = data.X[::4], data.y[::4]
    found, expected = (
        Condensation(
            nk.CPMLClassifier("hamming", weights="soft", temperature=0.1)
            .fit(X, y, w)
            .committee_.voters[0]
        )
        for w in (np.full(len(y), weight), None)
    )
    assert found.full_score == pytest.approx(expected.full_score)
    assert found.score(8) == pytest.approx(expected.score(8))
    assert found.n_rows(0.05) == expected.n_rows(0.05)


def test_rows_equally_far_from_all_that_are_kept_are_shared():
    d, counts = np.zeros((4, 4)), np.diag([1.0, 2.0, 3.0, 4.0])
    found = nearest_counts(Listed(d), np.arange(4), counts, np.array([0, 2]), 3)
    np.testing.assert_array_equal(found, [[1, 1, 0, 2], [0, 1, 3, 2]])
