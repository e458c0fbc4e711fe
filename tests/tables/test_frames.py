"""What only data frames have: categories, names, nanoseconds, laziness to load."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from helpers.table_cells import cells
from nearkind.tables import frame, read_table, readers


def printed(code):
    """Return what a fresh interpreter prints."""
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return out.stdout.strip()


def test_reading_loads_no_library():
    code = (
        "import sys, nearkind.tables as t; t.read_table([[1, 'a']]).column(0).values;"
        "print([m for m in ('pandas', 'polars', 'pyarrow') if m in sys.modules])"
    )
    assert printed(code) == "[]"


NO_PANDAS = """
import sys
import pyarrow as pa

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
from nearkind.tables import read_table

kinds = pa.timestamp("ns"), pa.duration("ns")
arrays = [pa.array([1_000_000_001], type=kind) for kind in kinds]
X = pa.table([array.dictionary_encode() for array in arrays], names="ab")
print([read_table(X).column(d).values for d in range(2)])
"""


def test_arrow_nanoseconds_without_pandas():
    assert printed(NO_PANDAS) == "[['1970-01-01T00:00:01'], ['0:00:01']]"


def test_arrow_nanoseconds_are_rounded_down():
    ns = [1_000_000_001, None]
    stamps = pa.array(ns, type=pa.timestamp("ns"))
    spans = pa.array(ns, type=pa.duration("ns"))
    X = pa.table({"a": stamps.dictionary_encode(), "b": spans.dictionary_encode()})
    assert cells(X, 0) == ["1970-01-01T00:00:01", None]
    assert cells(X, 1) == ["0:00:01", None]


def test_declared_categories_are_no_numbers():
    assert (
        read_table(pd.DataFrame({"a": pd.Categorical([1, 2])})).column(0).numeric
        is None
    )
    dictionary = pa.table({"a": pa.array([1, 2]).dictionary_encode()})
    assert read_table(dictionary).column(0).numeric is None


def test_few_rows_of_many_categories():
    X = pd.DataFrame({"a": pd.Categorical(["c", None], list("abcdef"))})
    assert read_table(X).column(0).values == ["c"]
    assert cells(X) == ["c", None]


def test_integer_names_are_kept():
    table = read_table(pd.DataFrame([[1, 2]], columns=[7, 3]))
    assert (table.names, table.named) == ([7, 3], True)


TEXT = ["b", None, "a", "", "b"]


def test_other_frames_go_through_narwhals(monkeypatch):
    monkeypatch.setattr(readers, "_READERS", [])
    X = pd.DataFrame({"a": TEXT, "b": range(5)})
    table = read_table(X)
    assert (table.names, table.n_rows, table.named) == (["a", "b"], 5, True)
    assert cells(X, 0) == TEXT
    assert table.column(1).numeric.tolist() == [0, 1, 2, 3, 4]


def test_polars_objects():
    X = pl.DataFrame({"a": pl.Series([Fraction(1, 2), None], dtype=pl.Object)})
    assert cells(X) == [Fraction(1, 2), None]


def test_frame(monkeypatch):
    made = frame({"a": [1, 2]}, index=["x", "y"])
    pd.testing.assert_frame_equal(made, pd.DataFrame({"a": [1, 2]}, index=["x", "y"]))
    monkeypatch.setitem(sys.modules, "pandas", None)
    made = frame({"a": [1, 2]}, index=["x", "y"])
    assert made == {"a": [1, 2]}
    assert made.index == ["x", "y"]
    assert cells([[None], ["a"]]) == [None, "a"]


def test_tables_know_their_library():
    frames = {
        "pandas": pd.DataFrame({"a": ["x", "y"]}),
        "polars": pl.DataFrame({"a": ["x", "y"]}),
        "pyarrow": pa.table({"a": ["x", "y"]}),
        None: {"a": ["x", "y"]},
    }
    for library, table in frames.items():
        read = read_table(table)
        assert read.library == library
        assert read.take(np.array([1])).library == library
        assert read.factorize().take(np.array([0])).library == library


def test_frames_of_other_libraries_have_labels_as_a_column():
    mixed = np.array([1, "b", None], dtype=object)
    columns = {1: mixed, "n": np.array([0.5, 1.0, 2.0])}
    made = frame(columns, ["n", "o", None], "polars", name="n")
    assert isinstance(made, pl.DataFrame)
    assert made.to_dict(as_series=False) == {
        "n_": ["n", "o", None],
        "1": ["1", "b", None],
        "n": [0.5, 1.0, 2.0],
    }
    arrow = frame({"a": [True, None]}, library="pyarrow")
    assert isinstance(arrow, pa.Table)
    assert arrow.to_pydict() == {"a": [True, None]}
