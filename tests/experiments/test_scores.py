"""Scores of predictions, and tables of scores."""

import numpy as np
import pytest

from nearkind.experiments import Row, score_table
from nearkind.experiments.scores import (
    balanced_accuracy,
    has_triplets,
    majority_share,
    pair_accuracy,
)

ROW = Row("zoo", "lmnn", 3, "shares, k=1", seed=7, accuracy=0.1 + 0.2, rank=2)


def test_what_always_answering_one_class_is_worth():
    assert majority_share(np.array(list("aab")), np.array(list("abbb"))) == 0.25


def test_classes_count_alike_in_the_balanced_accuracy():
    y = np.array(list("aaab"))
    assert balanced_accuracy(np.array(list("aaaa")), y) == 0.5
    assert balanced_accuracy(y, y) == 1.0
    assert balanced_accuracy(np.array(list("baac")), y) == pytest.approx(1 / 3)


def pairs_by_trying(d_valid, y_valid, d_test, y_test):
    """The best of all thresholds between two distances of validation rows."""

    def right(d, y, threshold):
        pairs = [(i, j) for i in range(len(y)) for j in range(i)]
        return np.mean([(d[p] <= threshold) == (y[p[0]] == y[p[1]]) for p in pairs])

    ends = np.unique(d_valid[~np.eye(len(d_valid), dtype=bool)])
    limits = [-np.inf, *(ends[:-1] + np.diff(ends) / 2), np.inf]
    best = max(limits, key=lambda limit: right(d_valid, y_valid, limit))
    return right(d_test, y_test, best)


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_told_by_the_best_of_all_thresholds(seed):
    rng = np.random.default_rng(seed)
    sides = []
    for n in (9, 7):
        d = rng.integers(0, 4 + 4 * seed, (n, n)).astype(float)  # with ties
        sides += [d + d.T, rng.integers(0, 1 + seed, n)]
    assert pair_accuracy(*sides) == pytest.approx(pairs_by_trying(*sides))


@pytest.mark.parametrize(
    ("y", "some"), [("ab", False), ("aaa", False), ("aab", True), ("abc", False)]
)
def test_a_test_part_may_have_no_triplet(y, some):
    assert has_triplets(np.array(list(y))) is some


def rows_of(*cells):
    return [
        Row(dataset, method, r, "k=1", 0, accuracy=score, status=status)
        for dataset, method, r, score, status in cells
    ]


def test_scores_are_means_over_what_is_done():
    rows = rows_of(
        ("zoo", "a", 0, 0.5, "done"),
        ("zoo", "a", 1, 0.7, "done"),
        ("zoo", "b", 0, 0.4, "done"),
        ("car", "a", 0, 0.9, "done"),
        ("car", "b", 0, None, "timed out"),
    )
    table = score_table(rows)
    assert (table.datasets, table.methods) == (["zoo", "car"], ["a", "b"])
    np.testing.assert_allclose(table.mean, [[0.6, 0.4], [0.9, np.nan]])
    np.testing.assert_allclose(table.deviation, [[0.02**0.5, 0.0], [0.0, np.nan]])
    assert table.n_repetitions.tolist() == [[2, 1], [1, 0]]
    whole = table.complete()
    assert whole.datasets == ["zoo"]
    np.testing.assert_allclose(whole.mean, [[0.6, 0.4]])


def test_names_may_be_chosen_and_ordered():
    rows = rows_of(("zoo", "a", 0, 0.5, "done"), ("zoo", "b", 0, 0.4, "done"))
    table = score_table(rows, datasets=["zoo"], methods=["b", "a"])
    assert table.mean.tolist() == [[0.4, 0.5]]


def test_rows_of_two_designs_are_not_mixed():
    with pytest.raises(ValueError, match="2 designs"):
        score_table([ROW, ROW._replace(design="paper, k=1")])
