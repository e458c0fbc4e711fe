"""Pairs of labelled rows: enumeration by an oracle, draws by their counts."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from helpers import strategies
from nearkind.baselines.row_pairs import PairSampler

Y = np.array([0, 2, 1, 0, 0, 2, 1, 3, 0])  # class 3 has one row
LABELS = st.integers(4, 12).flatmap(strategies.labels)


def as_set(pairs):
    return {frozenset(pair) for pair in zip(pairs.left, pairs.right, strict=True)}


def oracle(y, alike):
    both = itertools.combinations(range(len(y)), 2)
    return {frozenset((i, j)) for i, j in both if (y[i] == y[j]) == alike}


def draw(kind, y, size, seed=0):
    return getattr(PairSampler(y), kind)(size, np.random.default_rng(seed))


@given(LABELS)
def test_every_pair_once(y):
    pairs = PairSampler(y)
    for found, count, alike in (
        (pairs.alike(), pairs.n_alike, True),
        (pairs.unlike(), pairs.n_unlike, False),
    ):
        assert as_set(found) == oracle(y, alike)
        assert len(found) == count == len(oracle(y, alike))
        assert (found.alike == alike).all()


@given(LABELS, st.integers(1, 80), st.integers(0, 9))
def test_what_is_drawn_is_a_pair_of_its_kind(y, size, seed):
    for kind, alike in ("alike", True), ("unlike", False):
        found = draw(kind, y, size, seed)
        everything = oracle(y, alike)
        assert len(found) == min(size, len(everything))
        assert as_set(found) <= everything


@pytest.mark.parametrize(("kind", "alike"), [("alike", True), ("unlike", False)])
def test_every_pair_is_equally_likely(kind, alike):
    everything = sorted(map(sorted, oracle(Y, alike)))
    seen = dict.fromkeys(map(tuple, everything), 0)
    for seed in range(3000):  # so few at a time that they are drawn, not listed
        found = draw(kind, Y, 3, seed)
        for pair in zip(found.left.tolist(), found.right.tolist(), strict=True):
            seen[tuple(sorted(pair))] += 1
    assert sum(seen.values()) == 9000
    assert chisquare(list(seen.values())).pvalue > 1e-3


def test_either_row_of_a_drawn_pair_may_be_the_left_one():
    found = draw("unlike", np.repeat([0, 1], 50), 2000)
    assert 900 < (found.left < found.right).sum() < 1100


def test_balanced_pairs_are_half_alike_and_in_random_order():
    found = draw("balanced", np.repeat([0, 1, 2], 40), 600)
    assert found.alike.sum() == 300
    assert 120 < found.alike[:300].sum() < 180


def test_balanced_without_a_size_is_every_pair():
    found = draw("balanced", Y, None)
    assert len(found) == 36
    assert as_set(found) == oracle(Y, True) | oracle(Y, False)


def test_uniform_pairs_keep_the_share_of_alike_ones():
    y = np.repeat([0, 1, 2, 3], 25)
    found = draw("uniform", y, 4000)
    share = PairSampler(y).n_alike / (100 * 99 / 2)
    assert len(found) == 4000
    assert found.alike.mean() == pytest.approx(share, abs=0.02)
    np.testing.assert_array_equal(found.alike, y[found.left] == y[found.right])


def test_uniform_is_every_pair_if_there_are_no_more():
    assert as_set(draw("uniform", Y, 36)) == oracle(Y, True) | oracle(Y, False)


def test_the_same_seed_draws_the_same_pairs():
    one, same, other = (draw("balanced", np.arange(90) % 3, 50, s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.left, same.left)
    np.testing.assert_array_equal(one.right, same.right)
    assert (one.left != other.left).any()


def test_classes_of_one_row_have_no_pair_and_that_is_said():
    lonely = PairSampler(np.arange(5))
    assert len(lonely.alike()) == len(draw("alike", np.arange(5), 3)) == 0
    with pytest.raises(
        ValueError, match=r"Me learns .* each of the 5 rows has a class"
    ):
        lonely.check("Me")
    PairSampler(Y).check("Me")


def test_drawing_does_not_enumerate():
    y = np.arange(100_000) % 7
    tracemalloc.start()
    found = draw("balanced", y, 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 1000
    assert peak < 20 * y.nbytes


@given(LABELS, st.integers(0, 9))
def test_partners_are_of_ones_class_and_others_are_not(y, seed):
    pairs, rng = PairSampler(y), np.random.default_rng(seed)
    assert (np.bincount(y)[y[pairs.anchors]] > 1).all()
    rows = np.repeat(pairs.anchors, 5).reshape(-1, 5)
    alike, unlike = pairs.draw_alike(rows, rng), pairs.draw_unlike(rows, rng)
    assert alike.shape == unlike.shape == rows.shape
    assert (alike != rows).all()
    assert (y[alike] == y[rows]).all()
    assert (y[unlike] != y[rows]).all()


def test_every_partner_of_a_row_is_equally_likely():
    pairs, rng, row = PairSampler(Y), np.random.default_rng(0), np.full(3_000, 3)
    for drawn, n_others in (
        (pairs.draw_alike(row, rng), 3),
        (pairs.draw_unlike(row, rng), 5),
    ):
        counts = np.unique(drawn, return_counts=True)[1]
        assert len(counts) == n_others
        assert chisquare(counts).pvalue > 1e-3
