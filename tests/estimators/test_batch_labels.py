"""Labels of one batch."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nearkind.estimators.labels import batch_labels


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
@pytest.mark.parametrize("y", [["b", "a", "b"], [2, 1, 2], [True, False, True]])
def test_classes_are_sorted_and_numbers_find_them(make, y):
    classes, numbers = batch_labels(make(y), "Nobody")
    assert classes.tolist() == sorted(set(y))
    assert classes[numbers].tolist() == y


def test_categories_no_row_has_are_no_classes():
    y = pd.Series(["b", "b"], dtype=pd.CategoricalDtype(["a", "b"]))
    assert batch_labels(y, "Nobody")[0].tolist() == ["b"]


def test_a_batch_may_be_empty_or_a_column():
    assert [len(part) for part in batch_labels([], "Nobody")] == [0, 0]
    with pytest.warns(UserWarning, match="column-vector"):
        assert batch_labels(np.array([[1], [2]]), "Nobody")[1].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        (None, ValueError, "requires y to be passed"),
        (["a", None], ValueError, "missing values: 1 of 2, the first in row 1"),
        ([0.5, 1.25], ValueError, "Unknown label type"),
        (["a", 1], TypeError, "mixes labels of types int, str"),
        (np.zeros((2, 2)), ValueError, "1d array"),
    ],
)
def test_what_is_no_label_is_refused(y, error, words):
    with pytest.raises(error, match=words):
        batch_labels(y, "Nobody")
