"""Folds: every row is held once, classes are dealt evenly, all can be learned from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from nearkind.search.folds import (
    FEW_FOLDS,
    MANY_FOLDS,
    MOST_COPIES,
    MOST_HELD,
    SMALL,
    Fold,
    can_judge,
    copies_together,
    deal,
    deal_by_class,
    deal_by_size,
    limit_training,
    n_folds_for,
    repeats_itself,
)
from nearkind.search.folds import split_by as given_folds

labels = st.lists(st.integers(0, 3), min_size=4, max_size=60).map(
    lambda y: np.array([0, 0, 1, 1, *y])  # two classes at least, with two rows each
)
seeds = st.integers(0, 99)


def dealt(y, n_folds, seed=0, by=deal_by_class, **options):
    return list(by(np.asarray(y), n_folds, np.random.default_rng(seed), **options))


@pytest.mark.parametrize("by", [deal, deal_by_class])
@given(y=labels, n_folds=st.integers(2, 8), seed=seeds)
def test_every_row_is_held_once_and_learned_from_otherwise(by, y, n_folds, seed):
    folds = dealt(y, n_folds, seed, by)
    assert len(folds) == n_folds
    held = np.concatenate([fold.held for fold in folds])
    assert sorted(held) == list(range(len(y)))
    for fold in folds:
        both = np.concatenate([fold.train, fold.held])
        assert sorted(both) == list(range(len(y)))


@given(labels, st.integers(2, 8), seeds)
def test_classes_are_dealt_evenly(y, n_folds, seed):
    counts = [
        np.bincount(y[fold.held], minlength=4) for fold in dealt(y, n_folds, seed)
    ]
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(np.sum(counts, axis=1)) <= 1


@given(labels, st.integers(2, 8), seeds)
def test_rows_of_one_group_share_a_fold_and_folds_are_of_one_size(groups, n, seed):
    folds = dealt(groups, n, seed, deal)
    for number in np.unique(groups):
        assert sum(number in groups[fold.held] for fold in folds) == 1
    largest = np.bincount(groups).max()
    assert all(len(fold.held) < len(groups) / n + largest + 1 for fold in folds)
    sizes = [len(fold.held) for fold in dealt(np.arange(len(groups)), n, seed, deal)]
    assert np.ptp(sizes) <= 1


def test_which_rows_are_held_is_uniform_whatever_their_labels():
    """Each of the 10 pairs of 5 rows is held by the first of 2 folds equally often.

    Chi squared with 9 degrees of freedom: a right dealer fails once in a million seeds.
    """
    rng, n = np.random.default_rng(0), 4_000
    held = [next(deal(np.arange(5), 2, rng)).held for _ in range(n)]
    _, times = np.unique(held, axis=0, return_counts=True)
    assert len(times) == 10  # the first fold holds 3 of 5
    assert chi2.sf(((times - n / 10) ** 2 / (n / 10)).sum(), 9) > 1e-6


@given(st.integers(6, 60), st.integers(2, 12), seeds)
def test_copies_of_a_table_given_several_times_stay_together(n, n_times, seed):
    of_row = np.random.default_rng(seed).permutation(np.tile(np.arange(n), n_times))
    groups = copies_together(np.column_stack([of_row % 7, of_row // 7]))
    if n_times <= max(2, min(MOST_COPIES, n * n_times / 10)):
        expected = np.unique(of_row, return_inverse=True)[1]
    else:  # new rows will equal them, too
        expected = np.arange(n * n_times)
    same = groups[:, None] == groups
    np.testing.assert_array_equal(same, expected[:, None] == expected)


def test_a_table_given_twice_with_some_rows_more_repeats_itself():
    sizes = np.repeat([1, 2, 4], [10, 90, 2])
    assert repeats_itself(sizes)


@pytest.mark.parametrize("n_values", [30, 100, 243, 5_000])
def test_copies_by_chance_are_dealt_as_any_rows(n_values):
    """At most 1 in 20 tables of 300 independent rows is taken to repeat itself.

    About 1 in 100 is, by simulation; more than 30 of 300, were it 1 in 20, has a
    probability of 1e-4 in each of four cases, with seeds that are fixed.
    """
    rng = np.random.default_rng(n_values)
    tables = [np.unique(rng.integers(0, n_values, 300), return_counts=True)[1]
              for _ in range(300)]  # fmt: skip
    assert sum(map(repeats_itself, tables)) <= 30
    assert all(repeats_itself(2 * sizes) for sizes in tables[:50] if n_values > 50)


@pytest.mark.parametrize("by", [deal, deal_by_class])
def test_a_seed_deals_the_same_and_another_differently(by):
    y = np.arange(40) % 2 if by is deal_by_class else np.arange(40)
    first, again, other = (dealt(y, 4, seed, by) for seed in (0, 0, 1))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.held, b.held)
    assert any((a.held != b.held).any() for a, b in zip(first, other, strict=True))


def test_of_many_rows_some_are_held_and_none_of_them_is_learned_from():
    folds = dealt(np.arange(100) % 2, 4, most=40)
    assert [len(fold.held) for fold in folds] == [10] * 4
    assert [len(fold.train) for fold in folds] == [75] * 4
    for fold in folds:
        assert not set(fold.held) & set(fold.train)
        assert fold.held.tolist() == sorted(fold.held)


def test_some_row_is_held_however_many_the_folds():
    assert [len(fold.held) for fold in dealt(np.arange(20) % 2, 20, most=5)] == [1] * 20


def test_a_fold_that_leaves_one_class_judges_nothing():
    y = np.array([0] * 9 + [1])
    folds = dealt(y, 5)
    assert [can_judge(fold, y) for fold in folds] == [9 not in f.held for f in folds]
    assert not any(can_judge(fold, y[-2:]) for fold in dealt(y[-2:], 2))
    assert not can_judge(Fold(np.array([0, 9]), np.array([], int)), y)


def test_folds_may_be_given_by_row_number():
    pairs = [(np.array([0, 1, 4]), np.array([2, 3])), ([2, 3], [0, 1, 4])]
    rows = np.array([0, 2, 3, 4])  # row 1 has no weight
    first, second = given_folds(pairs, rows, np.array([*"ababa"]))
    assert (first.train.tolist(), first.held.tolist()) == ([0, 3], [1, 2])
    assert (second.train.tolist(), second.held.tolist()) == ([1, 2], [0, 3])


def test_a_splitter_of_scikit_learn_may_be_given():
    y, everyone = np.array([*"ab"] * 6), np.arange(12)
    for splitter in (KFold(3), StratifiedKFold(3), ShuffleSplit(2, random_state=0)):
        ours = list(given_folds(splitter, everyone, y))
        theirs = list(splitter.split(np.zeros((12, 1)), y))
        for fold, (train, held) in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(fold.train, train)
            np.testing.assert_array_equal(fold.held, held)


def test_a_class_of_one_row_among_several_is_held_too():
    folds = dealt([0] * 5 + [1] * 5 + [2], 3)
    assert len(folds) == 3
    assert sum(10 in fold.held for fold in folds) == 1


@pytest.mark.parametrize(
    ("n_rows", "n_folds"),
    [(3, 3), (5, 5), (SMALL, MANY_FOLDS), (SMALL + 1, FEW_FOLDS)],
)
def test_there_are_no_more_folds_than_rows_and_fewer_of_many(n_rows, n_folds):
    assert n_folds_for(n_rows) == n_folds


def test_few_rows_all_take_part():
    fold = Fold(np.array([1, 3, 4]), np.array([0]))
    rng = np.random.default_rng(0)
    assert limit_training(fold, np.zeros(5, dtype=int), rng, most=3) is fold


def test_of_many_rows_some_take_part_and_no_class_is_lost():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1_000)
    y[[17, 400]] = [3, 4]
    train = np.sort(rng.permutation(1_000)[:900])
    train = np.union1d(train, [17, 400])
    held = np.setdiff1d(np.arange(1_000), train)
    some = limit_training(Fold(train, held), y, rng, most=100)
    assert some.held is held
    assert np.isin(some.train, train).all()
    assert len(np.unique(some.train)) == len(some.train) <= 100 + 5
    assert set(y[some.train]) == set(y[train])


def test_rows_left_out_follow_no_pattern():
    values = np.arange(1_000) % 2  # a table sorted by a column of two values
    y, rng = np.zeros(1_000, dtype=int), np.random.default_rng(0)
    some = limit_training(Fold(np.arange(1_000), np.array([0])), y, rng, most=500)
    assert 0.4 < values[some.train].mean() < 0.6


@pytest.mark.parametrize(
    ("n_rows", "n_folds", "n_held"),
    [
        (4, 4, 4),
        (1_000, 5, 1_000),
        (1_001, 3, 1_001),
        (8_999, 3, MOST_HELD),
        (9_000, 1, 3_000),
        (13_500, 1, MOST_HELD),
    ],
)
def test_many_rows_are_judged_by_one_fold(n_rows, n_folds, n_held):
    folds = deal_by_size(np.arange(n_rows), np.random.default_rng(0))
    assert len(folds) == n_folds
    assert sum(len(fold.held) for fold in folds) == n_held
    for fold in folds:
        assert not np.isin(fold.held, fold.train).any()
        assert len(fold.train) >= n_rows // 2
