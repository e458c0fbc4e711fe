"""Columns that say nothing, name rows or give the label away."""

from collections import Counter

import numpy as np
import pytest

from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.odd_columns import left_out_accuracy, odd_columns


def kinds(X, y):
    found = odd_columns(AuditedRows.of(X, y))
    return [(each.column, each.what) for each in found]


def row_by_row(values, y):
    """Return the share of labels that a column tells, one row after the other."""
    largest = Counter(y).most_common(1)[0][0]
    right = 0
    for i, (value, label) in enumerate(zip(values, y, strict=True)):
        others = [c for j, c in enumerate(y) if j != i and values[j] == value]
        counts = Counter(others)
        own = counts.pop(label, 0)
        most = max(counts.values(), default=0)
        right += label == largest if own == most else own > most
    return right / len(y)


@pytest.mark.parametrize("n_values", [2, 5, 40])
def test_leaving_one_out_is_that_of_row_by_row(n_values):
    rng = np.random.default_rng(n_values)
    values = [f"v{i}" for i in rng.integers(0, n_values, 80)]
    y = np.sort(rng.integers(0, 4, 80))
    y[:30] = 0  # the largest, by far
    rows = AuditedRows.of({"a": values}, y)
    found = left_out_accuracy(rows.table.columns[0], rows.table.codes[:, 0], rows.y, 4)
    assert found == pytest.approx(row_by_row(values, y.tolist()))


def test_identifiers_are_no_leaks_and_copies_of_the_label_are():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 200)
    copy = np.where(rng.random(200) < 0.02, "?", y)
    X = {
        "key": [f"k{i}" for i in range(200)],
        "number": np.arange(200),
        "copy": copy,
        "length": rng.normal(size=200),
        "unit": ["kg"] * 200,
        "empty": [None] * 200,
        "hint": np.where(rng.random(200) < 0.2, "?", y),
    }
    assert kinds(X, y) == [
        ("key", "identifier"),
        ("number", "identifier"),
        ("copy", "leak"),
        ("unit", "constant"),
        ("empty", "constant"),
    ]


def test_a_number_beyond_a_threshold_gives_the_label_away():
    x = np.random.default_rng(0).normal(size=300)
    (found,) = odd_columns(AuditedRows.of({"score": x}, x > 0.3))
    assert found.what == "leak"
    assert found.accuracy > 0.98


def test_row_numbers_of_a_sorted_table_are_odd_twice():
    y = np.repeat(["a", "b"], 50)
    found = kinds({"number": np.arange(100)}, y)
    assert found == [("number", "identifier"), ("number", "leak")]


def test_gaps_may_give_the_label_away():
    y = np.tile(["no", "yes"], 50)
    assert kinds({"paid": np.where(y == "yes", "x", None)}, y) == [("paid", "leak")]


def test_few_rows_prove_nothing():
    assert kinds({"copy": ["a", "a", "b", "b"]}, ["a", "a", "b", "b"]) == []


def test_without_two_classes_nothing_leaks():
    assert kinds({"a": ["x", "y"] * 30}, ["one"] * 60) == []
