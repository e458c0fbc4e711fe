"""What only arrays, lists and dicts have: dtypes, keys, the array protocol."""

import numpy as np
import pytest

from helpers.table_cells import cells
from nearkind.tables import read_table


def test_numpy_text_without_missing():
    assert cells(np.array([["b"], ["a"], ["b"]])) == ["b", "a", "b"]
    assert cells(np.array([[b"b"], [b"a"]])) == [b"b", b"a"]
    assert cells(np.array([["b"]], dtype=np.dtypes.StringDType())) == ["b"]


@pytest.mark.parametrize("dtype", [np.float16, np.uint8, np.int64])
def test_numpy_number_types(dtype):
    X = np.array([[3], [1]], dtype=dtype)
    assert cells(X) == [3, 1]
    assert read_table(X).column(0).numeric.tolist() == [3, 1]


def test_records_keep_the_order_of_first_sight():
    X = [{"b": 1}, {"a": 2, "b": 3}, {}]
    assert read_table(X).names == ["b", "a"]
    assert cells(X, 0) == [1, 3, None]
    assert cells(X, 1) == [None, 2, None]


def test_array_protocol():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1, 2]])

    assert read_table(Tensor()).names == ["x0", "x1"]


def test_subclasses_of_arrays():
    assert cells(np.array([[1, 2], [3, 4]]).view(np.matrix), 1) == [2, 4]


def test_read_only_arrays_are_read():
    X = np.array([[1.0], [np.nan]])
    X.flags.writeable = False
    assert cells(X) == [1.0, None]
