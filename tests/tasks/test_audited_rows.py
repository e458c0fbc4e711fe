"""Rows under audit: read once, with labels and numbers as the user has them."""

import numpy as np
import pytest

from nearkind.tasks.audited_rows import AuditedRows


def test_some_columns_are_left_out():
    rows = AuditedRows.of({"a": [1, 2], "b": [3, 4]}, ["x", "y"])
    assert rows.without(["a"]).table.names == ["b"]
    assert rows.without([]) is rows
    assert rows.without(["a", "b"]) is rows


def test_rows_keep_their_numbers():
    rows = AuditedRows.of([["a"], ["b"], ["c"]], ["x", None, "y"], [5, 7, 9])
    assert rows.labelled.numbers.tolist() == [5, 9]
    assert rows.take(np.array([1])).y.tolist() == [-1]


@pytest.mark.parametrize("numbers", [[1], [0.5, 1.5], "ab", [[0, 1]]])
def test_other_numbers_are_refused(numbers):
    with pytest.raises(
        ValueError, match=r"row_numbers.*one whole number for each of 2"
    ):
        AuditedRows.of([["a"], ["b"]], ["x", "y"], numbers)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y"),
        ([None, None], "no label at all"),
        (["a"], "inconsistent numbers"),
        ([0.25, 1.75], "regression"),
    ],
)
def test_labels_that_are_none_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        AuditedRows.of([["a"], ["b"]], y)


@pytest.mark.parametrize("label", [["a", "b"], {"a": 1}, {1}])
def test_labels_of_several_values_are_refused(label):
    with pytest.raises(TypeError, match=r"Row 1 of y holds a .* must be one value"):
        AuditedRows.of([["a"], ["b"]], ["x", label])
