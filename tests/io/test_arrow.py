"""Parquet, Arrow and Feather."""

import sys

import pytest

from helpers.table_files import complaint
from nearkind.io import arrow, read_columns, write_columns

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

COLUMNS = {"size": [1, 2, None], "colour": ["red", None, "blue"]}


@pytest.fixture
def table():
    return pa.table(COLUMNS)


def test_parquet_by_name_and_by_its_first_bytes(tmp_path, table):
    for name in ("a.parquet", "a.pq", "a.dat"):
        parquet.write_table(table, tmp_path / name)
        assert read_columns(str(tmp_path / name)) == COLUMNS


@pytest.mark.filterwarnings("ignore:Feather V1")
@pytest.mark.parametrize("version", [1, 2])
def test_feather(tmp_path, table, version):
    path = tmp_path / "a.feather"
    feather.write_feather(table, path, version=version)
    assert read_columns(str(path)) == COLUMNS


def test_arrow_file_and_stream(tmp_path, table):
    for opened in (pa.ipc.new_file, pa.ipc.new_stream):
        path = tmp_path / "a.arrow"
        with opened(str(path), table.schema) as out:
            out.write_table(table)
        assert read_columns(str(path)) == COLUMNS


def test_dictionaries_are_their_values(tmp_path):
    parquet.write_table(
        pa.table({"a": pa.array(["x", "y"]).dictionary_encode()}),
        tmp_path / "a.parquet",
    )
    assert read_columns(str(tmp_path / "a.parquet")) == {"a": ["x", "y"]}


def test_damaged_and_empty_files(tmp_path, table):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    assert "a.parquet: it cannot be read" in complaint(str(path))
    path.write_bytes(b"")
    assert "a.parquet: it cannot be read" in complaint(str(path))
    parquet.write_table(table.slice(0, 0), path)
    assert complaint(str(path)) == "a.parquet: it has no rows."
    (tmp_path / "a.arrow").write_bytes(b"ARROW1\0\0 cut short")
    assert "a.arrow: it cannot be read" in complaint(str(tmp_path / "a.arrow"))


def test_a_large_claim_is_refused_before_it_is_read(tmp_path, table, monkeypatch):
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path)
    monkeypatch.setattr(arrow, "MAX_BYTES", 10)
    assert "bytes; split it into smaller files" in complaint(str(path))
    monkeypatch.setattr(arrow, "MAX_CELLS", 5)
    assert "it claims 3 rows of 2 cells, more than 5" in complaint(str(path))


def test_without_pyarrow_there_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r'pip install "nearkind\[arrow\]"'):
        read_columns(str(tmp_path / "a.parquet"))
    with pytest.raises(ImportError, match="pyarrow"):
        write_columns({"a": [1]}, tmp_path / "b.parquet")
    assert not (tmp_path / "b.parquet").exists()


def test_parquet_is_written(tmp_path):
    path = tmp_path / "a.parquet"
    write_columns({**COLUMNS, "mixed": [1, "x", None]}, path)
    assert read_columns(str(path)) == {**COLUMNS, "mixed": ["1", "x", None]}


def test_cells_of_a_table_are_those_of_its_columns():
    texts = pa.array(["x", None, "y", "x"])
    table = pa.table(
        {
            "plain": texts,
            "coded": pa.chunked_array(
                [texts[:3].dictionary_encode(), texts[3:].dictionary_encode()]
            ),
            "numbers": pa.array([1, 1, 2, None]).dictionary_encode(),
            "many": pa.array([f"t{i}" for i in range(4)])
            .dictionary_encode()
            .cast(pa.dictionary(pa.int8(), pa.string())),
        }
    )
    assert arrow.cells_of_table(table) == table.to_pydict()
    assert arrow.cells_of_table(table.slice(1, 2)) == table.slice(1, 2).to_pydict()
