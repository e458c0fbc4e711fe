"""What is no table is refused, with advice."""

from decimal import Decimal
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from nearkind.tables import read_table


def read_all(X):
    table = read_table(X)
    return [table.column(d).values for d in range(len(table.names))]


def bad(X, error, *words):
    with pytest.raises(error) as caught:
        read_all(X)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "X",
    [
        np.arange(3),
        [1, 2, 3],
        ["a", "b"],
        pd.Series([1, 2]),
        pd.Index([1, 2]),
        pl.Series([1, 2]),
        pa.array([1, 2]),
        pa.chunked_array([[1, 2]]),
    ],
    ids=lambda X: type(X).__name__,
)
def test_flat_input(X):
    bad(X, ValueError, "Expected 2D array, got 1D array instead", "Reshape your data")


@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.dok_array])
def test_sparse_input(make):
    bad(make(np.eye(2)), TypeError, "Sparse", "X.toarray()")


@pytest.mark.parametrize("X", [None, "file.csv", b"x", object(), {1, 2}, iter([[1]])])
def test_no_table(X):
    bad(X, TypeError, "X must be a table", "list of dicts")


@pytest.mark.parametrize("X", [3, 2.5, True, np.float64(1)])
def test_scalars(X):
    bad(X, ValueError, "Expected 2D array, got scalar array instead")


def test_lazy_frames():
    lazy = pl.LazyFrame({"a": [1]})
    bad(lazy, TypeError, "X.collect()")
    bad(nw.from_native(lazy), TypeError, "X.collect()")


@pytest.mark.parametrize(
    ("X", "shape"),
    [
        (np.empty((0, 3)), "(0, 3)"),
        (pd.DataFrame({"a": []}), "(0, 1)"),
        (pl.DataFrame({"a": []}), "(0, 1)"),
        (pa.table({"a": []}), "(0, 1)"),
        ([], "(0, 0)"),
        ({"a": []}, "(0, 1)"),
        ({}, "(0, 0)"),
    ],
)
def test_no_rows(X, shape):
    bad(X, ValueError, f"0 sample(s) (shape={shape}) while a minimum of 1 is required.")


@pytest.mark.parametrize(
    "X", [np.empty((2, 0)), pd.DataFrame(index=[0, 1]), [[], []], [{}, {}]]
)
def test_no_columns(X):
    bad(X, ValueError, "0 feature(s) (shape=(2, 0)) while a minimum of 1 is required.")


@pytest.mark.parametrize(
    "X", [np.array([[1j]]), pd.DataFrame({"a": [1j]}), [[1j]], [[np.complex64(1j)]]]
)
def test_complex_numbers(X):
    bad(X, ValueError, "Complex data not supported")


@pytest.mark.parametrize("real", [1, 1.0, True, np.int8(1), Decimal(1), Fraction(1)])
@pytest.mark.parametrize("number", [1 + 0j, np.complex64(1), np.complex128(1)])
@pytest.mark.parametrize("order", [1, -1])
def test_a_complex_number_that_equals_a_real_one(real, number, order):
    cells = [real, number, "red"][::order]
    for X in (
        [[cell] for cell in cells],
        pd.DataFrame({"a": pd.Series(cells, dtype=object)}),
        np.array([*cells, None], dtype=object)[:, None],
        {"a": cells},
        [{"a": cell} for cell in cells],
    ):
        bad(X, ValueError, "Complex data not supported")


def test_wrong_number_of_dimensions():
    bad(np.zeros((2, 2, 2)), ValueError, "Found array with dim 3")
    bad(np.array(5), ValueError, "Found array with dim 0")


def test_structured_array():
    X = np.array([(1, "a")], dtype=[("n", int), ("s", "U1")])
    bad(X, TypeError, "structured", "pandas.DataFrame(X)")


def test_duplicate_names():
    X = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    bad(X, ValueError, "Column names must differ", "'a'")
    bad(pa.table([[1], [2]], names=["a", "a"]), ValueError, "'a'")


def test_mixed_names():
    X = pd.DataFrame([[1, 2]], columns=["a", 0])
    words = "Feature names are only supported if all input features have string names"
    bad(X, TypeError, words, "['int', 'str']")
    bad([{"a": 1, 0: 2}], TypeError, words)


def test_ragged_rows():
    bad([[1, 2], [1, 2], [3]], ValueError, "row 2 has 1 cells", "row 0 has 2 cells")
    bad([[1, 2], "ab"], ValueError, "row 1 has 'ab'")
    bad([{"a": 1}, [2]], TypeError, "row 1 is a list")
    bad({"a": [1], "b": [1, 2]}, ValueError, "{'a': 1, 'b': 2}")
    bad({"a": "text", "b": 1}, TypeError, "'a' holds 'text'", "[X]")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": ["u", ["x"]]}),
        pd.DataFrame(
            {"a": pd.Series([None, ["x"]], dtype=pd.ArrowDtype(pa.list_(pa.string())))}
        ),
        pl.DataFrame({"a": [None, ["x"]]}),
        pa.table({"a": [None, ["x"]]}),
        [{"a": 1}, {"a": ["x"]}],
        {"a": [np.ma.masked, ["x"]]},
    ],
)
def test_cells_that_hold_many_values(X):
    bad(X, TypeError, "Column 'a', row 1 holds a", "'x'", "Join it to text", "explode")


@pytest.mark.parametrize("cell", [{"k": 1}, {1}, np.zeros(2), [1]])
def test_unhashable_cells(cell):
    bad([["a"], [cell]], TypeError, "Column 'x0', row 1", type(cell).__name__)


def test_struct_cells():
    bad(pl.DataFrame({"a": [{"k": 1}]}), TypeError, "Column 'a', row 0 holds a dict")
