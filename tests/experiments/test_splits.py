"""Splits: shares of every class."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearkind.experiments.splits import Part, split, subsample

labels = st.lists(st.sampled_from("abcd"), min_size=1, max_size=60).map(np.array)
seeds = st.integers(0, 2**31 - 1)


def numbered(y):
    return Part(np.arange(len(y))[:, None], y)


@given(labels, seeds)
def test_parts_are_the_whole_and_share_no_row(y, seed):
    parts = split(numbered(y), seed)
    rows = np.concatenate([part.X[:, 0] for part in parts])
    assert sorted(rows) == list(range(len(y)))
    for part in parts:
        np.testing.assert_array_equal(part.y, y[part.X[:, 0]])


@given(labels, seeds)
def test_every_class_is_shared_out_6_2_2(y, seed):
    parts = split(numbered(y), seed)
    for label in set(y):
        size = (y == label).sum()
        for part, share in zip(parts, (0.6, 0.2, 0.2), strict=True):
            assert abs((part.y == label).sum() - share * size) < 1.0
        assert size < 2 or label in parts.train.y


@given(labels, seeds, st.integers(1, 70))
def test_samples_keep_the_shares_of_classes(y, seed, size):
    some = subsample(numbered(y), size, seed)
    assert len(some.y) == min(size, len(y))
    assert len(set(some.X[:, 0])) == len(some.y)
    for label in set(y):
        expected = (y == label).sum() * len(some.y) / len(y)
        assert abs((some.y == label).sum() - expected) < 1.0 + 1e-9


def test_a_large_set_is_cut_before_it_is_split():
    y = np.repeat(["a", "b"], [300, 100])
    parts = split(numbered(y), 5, n_rows=100)
    assert [len(part.y) for part in parts] == [60, 20, 20]
    assert abs((np.concatenate([part.y for part in parts]) == "a").sum() - 75) <= 1


def test_rows_of_a_rare_class_are_not_always_in_the_same_part():
    whole = numbered(np.array(["a"] * 20 + ["rare"]))
    trained = [bool("rare" in split(whole, seed).train.y) for seed in range(40)]
    assert 10 < sum(trained) < 38
