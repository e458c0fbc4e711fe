"""Which pairs say more of the class than their parts do, against a slow version."""

from itertools import combinations
from math import log
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given

from helpers import strategies
from nearkind.encoding import interactions as module
from nearkind.encoding.interactions import (
    DRAWS,
    LEAST,
    ROUNDS,
    PairCounts,
    chosen_pairs,
    informative_columns,
    interaction,
    interactions,
)


def slow_gain(rows):
    """Return the mean gain of rows (a, b, y), a row at a time."""
    known = [row for row in rows if min(row[:2]) >= 0]
    labels = sorted({y for *_, y in known})

    def count(**wanted):
        places = {"a": 0, "b": 1, "y": 2}
        return sum(all(r[places[k]] == v for k, v in wanted.items()) for r in known)

    cells = sorted({(a, b) for a, b, _ in known})
    q = {
        (a, b, y): count(a=a, y=y) * count(b=b, y=y) / count(y=y)
        for a, b in cells
        for y in labels
    }

    def normalise():
        for a, b in cells:
            total = sum(q[a, b, y] for y in labels)
            for y in labels:
                q[a, b, y] /= total

    def scale(side, value, y):
        there = [cell for cell in cells if cell[side] == value]
        fitted = sum(q[a, b, y] * count(a=a, b=b) for a, b in there)
        for a, b in there:
            q[a, b, y] *= count(**{"ab"[side]: value}, y=y) / fitted if fitted else 0.0

    normalise()
    for _ in range(ROUNDS):
        for side in (0, 1):
            for value in {cell[side] for cell in cells}:
                for y in labels:
                    scale(side, value, y)
        normalise()
    gains = np.zeros(len(DRAWS))
    for a, b, y in known:
        odds = q[a, b, y] * (1 - 1 / count(a=a, y=y)) * (1 - 1 / count(b=b, y=y))
        if count(y=y) > 1:
            odds /= 1 - 1 / count(y=y)
        without = max(odds / (1.0 - q[a, b, y] + max(odds, LEAST)), LEAST)
        for place, m in enumerate(DRAWS):
            crossed = (count(a=a, b=b, y=y) - 1 + m * without) / without
            gains[place] += log(crossed / (count(a=a, b=b) - 1 + m))
    return gains.max() / len(rows)


@given(strategies.tables(min_rows=5, max_rows=12, unseen=True))
def test_the_gain_is_that_of_one_row_after_the_other(table):
    repeated = table.repeated()
    n_classes = int(table.y.max()) + 1
    for pair in combinations(range(len(table.n_values)), 2):
        rows = np.column_stack([repeated.codes[:, pair], repeated.y]).tolist()
        given_rows = table.codes.astype(np.intp), pair, table.y, table.weights
        found = interaction(*given_rows, n_classes)
        assert found.gain == pytest.approx(slow_gain(rows), abs=1e-12)
        again = interaction(
            repeated.codes.astype(np.intp),
            pair,
            repeated.y,
            repeated.weights,
            n_classes,
        )
        assert (again.gain, again.error) == (found.gain, found.error)


def noise(seed, n=300, n_columns=8, n_values=3):
    """Return codes that say nothing of y."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_values, (n, n_columns)), rng.integers(0, 2, n)


@pytest.mark.parametrize("seed", range(5))
def test_the_pair_that_makes_the_class_is_chosen_alone(seed):
    codes, _ = noise(seed)
    y = (codes[:, 2] + codes[:, 5]) % 2
    ones = np.ones(len(y))
    assert chosen_pairs(codes, y, ones, "auto") == [(2, 5)]
    assert chosen_pairs(codes, y, ones, 1) == [(2, 5)]
    assert chosen_pairs(codes, y, ones, 9)[0] == (2, 5)


def test_nothing_is_chosen_from_noise():
    taken = [chosen_pairs(*noise(seed), np.ones(300), "auto") for seed in range(20)]
    assert sum(map(bool, taken)) <= 1


def test_parts_that_add_up_make_no_pair():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (3_000, 4))
    codes[:, 3] = codes[:, 2]  # says the same again
    odds = codes[:, 0] + codes[:, 1] - 2.0 * codes[:, 2]
    y = (rng.random(3_000) < 1.0 / (1.0 + np.exp(-odds))).astype(int)
    assert chosen_pairs(codes, y, np.ones(3_000), "auto") == []


def test_names_of_values_and_orders_of_rows_and_columns_do_not_matter():
    codes, _ = noise(1, n=2_000, n_columns=5)
    y = (codes[:, 0] * codes[:, 3] + (codes[:, 1] == codes[:, 2])) % 2
    wanted = interactions(codes, y, np.ones(2_000))
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(2_000), rng.permutation(5)
    renamed = np.array([2, 0, 1])[codes]
    found = interactions(renamed[rows][:, columns], y[rows], np.ones(2_000))
    pairs = [{columns[a], columns[b]} for (a, b), *_ in found]
    assert pairs == [set(each.pair) for each in wanted]
    gains = [each.gain for each in found]
    np.testing.assert_allclose(gains, [each.gain for each in wanted], atol=1e-6)


def test_rows_without_a_label_are_left_out():
    codes, _ = noise(0)
    y = (codes[:, 0] + codes[:, 1]) % 2
    hidden = np.where(np.arange(300) < 100, -1, y)
    found = interactions(codes, hidden, np.ones(300))
    assert found == interactions(codes[100:], y[100:], np.ones(200))


def test_the_additive_model_of_extreme_weights_is_finite():
    a, b, y = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])
    weights = np.array([5e-324, 1e-300, 1e-200, 1.0])
    assert np.isfinite(PairCounts(a, b, y, weights, 2).additive()).all()


def test_the_additive_model_has_the_counts_of_its_parts():
    codes, y = noise(3, n=500, n_values=4)
    table = PairCounts(codes[:, 0], codes[:, 1], y, np.ones(500), 2)
    fitted = table.additive() * table.counts.sum(axis=1, keepdims=True)
    for side in (table.a, table.b):
        for value in range(4):
            wanted = table.counts[side == value].sum(axis=0)
            np.testing.assert_allclose(fitted[side == value].sum(axis=0), wanted)


def test_ids_gain_nothing_and_make_no_large_table():
    rng = np.random.default_rng(0)
    ids = np.column_stack([rng.permutation(20_000), rng.permutation(20_000)])
    y = rng.integers(0, 2, 20_000)
    assert interactions(ids, y, np.ones(20_000)) == []


def test_of_many_columns_the_informative_ones_are_paired():
    codes, y = noise(4, n_columns=12)
    codes[:, 7] = y
    codes[:, 2] = np.where(np.arange(300) % 3, y, codes[:, 2])
    codes[:, 5] = 1
    asked = codes, y, np.ones(300), 2
    assert informative_columns(*asked) == [d for d in range(12) if d != 5]
    with patch.object(module, "MAX_COLUMNS", 2):
        assert informative_columns(*asked) == [2, 7]


def test_automatic_pairs_are_few_and_have_few_values():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (4_000, 6))
    y = (codes[:, 0] + codes[:, 1]) % 2 + 2 * ((codes[:, 2] + codes[:, 3]) % 2)
    y = y + 4 * ((codes[:, 4] + codes[:, 5]) % 2)
    asked = codes, y, np.ones(4_000)
    pairs = {(0, 1), (2, 3), (4, 5)}
    assert set(chosen_pairs(*asked, "auto")) == pairs
    with patch.object(module, "MAX_PAIRS", 2):
        assert len(chosen_pairs(*asked, "auto")) == 2
    with patch.object(module, "MAX_PAIR_VALUES", 9):
        assert len(chosen_pairs(*asked, "auto")) == 2
