"""A file in batches holds what the whole file holds."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

import nearkind as nk
from helpers.table_files import written
from nearkind.io import Batches, LabelledSource, ReadingWarning
from nearkind.tables import read_table

ROWS = [
    {"n": "1", "zip": "12", "f": "1", "w": " red ", "gap": "?", "kind": "cat"},
    {"n": "2", "zip": "3", "f": "2", "w": "NA", "gap": "", "kind": "dog"},
    {"n": "-3", "zip": "12", "f": "2", "w": "blue", "gap": "nan", "kind": "cat"},
    {"n": "NA", "zip": "007", "f": "2.5", "w": "", "gap": "NULL", "kind": "?"},
    {"n": "20", "zip": "12", "f": "1e3", "w": "red", "gap": "N/A", "kind": "dog"},
]


def lines(rows, delimiter=","):
    cells = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(delimiter.join(row) + "\n" for row in cells)


def cells(X):
    """Return the plain values of a table, column by column."""
    table = read_table(X)
    columns = {name: table.column(d) for d, name in enumerate(table.names)}
    return {
        name: [None if i < 0 else column.values[i] for i in column.indices]
        for name, column in columns.items()
    }


def gathered(batches):
    """Return the cells of all batches one below the other, and the labels."""
    columns, labels = {}, []
    for X, y in batches:
        for name, part in cells(X).items():
            columns.setdefault(name, []).extend(part)
        labels += y if isinstance(y, list) else y.to_pylist()
    return columns, labels


def of_file(path, batch_rows, **wanted):
    return Batches(LabelledSource(str(path), "kind", **wanted), batch_rows)


def arrow_table(rows=ROWS):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    coded = pa.array(columns["w"]).dictionary_encode()
    more = {"whole": [1, None, 3, 4, 5], "yes": [True, False, None, True, True]}
    return pa.table({**columns, "w": coded, **more, "x": [0.5, np.nan, None, 2.0, 3.0]})


def write_parquet(path):
    parquet.write_table(arrow_table(), path, row_group_size=3)


def write_arrow(path):
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_file(file, arrow_table().schema) as out,
    ):
        out.write_table(arrow_table(), max_chunksize=2)


def write_stream(path):
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_stream(file, arrow_table().schema) as out,
    ):
        out.write_table(arrow_table())


WRITERS = {
    "a.csv": lambda path: path.write_text(lines(ROWS)),
    "a.tsv": lambda path: path.write_text(lines(ROWS, "\t")),
    "b.csv": lambda path: path.write_text(lines(ROWS, ";")),
    "a.csv.gz": lambda path: written(path.parent, path.name, lines(ROWS)),
    "latin.csv": lambda path: path.write_bytes(
        lines(ROWS).replace("blue", "bläu").encode("latin-1")
    ),
    "a.jsonl": lambda path: path.write_text(
        "".join(
            json.dumps(row) + "\n"
            for row in [*ROWS, {"n": 4, "kind": 1}, {"new": 1.5, "kind": "cat"}]
        )
    ),
    "a.parquet": write_parquet,
    "a.arrow": write_arrow,
    "b.arrow": write_stream,
    "a.feather": lambda path: feather.write_feather(arrow_table(), str(path)),
}


@pytest.mark.filterwarnings("ignore::nearkind.io.ReadingWarning")
@pytest.mark.parametrize("batch_rows", [1, 2, 100])
@pytest.mark.parametrize("name", WRITERS)
def test_cells_and_labels_are_those_of_the_whole(tmp_path, name, batch_rows):
    path = tmp_path / name
    WRITERS[name](path)
    source = LabelledSource(str(path), "kind", drop=("zip",) if batch_rows == 2 else ())
    table = source.read()
    batches = Batches(source, batch_rows)
    for _ in range(2):
        found, labels = gathered(batches)
        assert found == cells(table.X)
        assert labels == table.y
    assert (batches.n_rows, batches.names) == (len(table.y), list(table.X))
    assert all(len(part) <= batch_rows for _, part in batches)


@pytest.mark.filterwarnings("ignore::nearkind.io.ReadingWarning")
def test_text_stays_text(tmp_path):
    for name in ("a.csv", "a.parquet"):
        WRITERS[name](tmp_path / name)
        source = LabelledSource(str(tmp_path / name), "kind", text=("n", "w"))
        assert gathered(Batches(source, 2))[0] == cells(source.read().X)


def test_rows_without_label_are_said_once(tmp_path):
    path = written(tmp_path, "a.csv", lines(ROWS))
    batches = of_file(path, 2)
    with pytest.warns(ReadingWarning, match=r"a\.csv: 1 of 5 rows have no 'kind'"):
        assert batches.n_rows == 4
    assert len(gathered(batches)[1]) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no column 'kind' in a.csv"),
        ("kind\nx\ny\n", "no column beside 'kind'"),
        ("a,kind\n1,x\n2,x\n", "holds 1 class"),
        ("a,kind\n1,x\n2,y,3\n", "a.csv, line 3: 2 cells in the header, 3 cells here"),
        ("", "the file is empty"),
        ("a,kind\n", "expected rows after the header"),
    ],
)
def test_bad_files_are_told(tmp_path, text, words):
    path = written(tmp_path, "a.csv", text)
    with pytest.raises(ValueError, match=r"a\.csv") as error:
        list(of_file(path, 1))
    assert words in str(error.value)


def test_what_cannot_be_read_twice_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be read in batches"):
        nk.batches("-", target="kind")
    with pytest.raises(ValueError, match="batch_rows must be at least 1; got 0"):
        nk.batches("a.csv", target="kind", batch_rows=0)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        list(nk.batches(tmp_path / "none.csv", target="kind"))


@pytest.mark.filterwarnings("ignore::nearkind.io.ReadingWarning")
def test_a_fit_to_batches_of_a_file(tmp_path):
    path = tmp_path / "a.parquet"
    WRITERS["a.parquet"](path)
    table = LabelledSource(str(path), "kind").read()
    found = nk.CPML(tol=0.1).fit_batches(nk.batches(path, target="kind", batch_rows=2))
    wanted = nk.CPML(tol=0.1).fit(table.X, table.y)
    assert found.categories_ == wanted.categories_
    np.testing.assert_array_equal(found.metric_, wanted.metric_)


def test_lists_in_a_column_of_text_are_text(tmp_path):
    rows = [{"a": [1, 2], "kind": "cat"}, {"a": 3, "kind": "dog"}]
    path = written(tmp_path, "a.jsonl", "".join(f"{json.dumps(r)}\n" for r in rows))
    columns, labels = gathered(of_file(path, 1, text=("a",)))
    assert (columns, labels) == ({"a": ["[1, 2]", "3"]}, ["cat", "dog"])
