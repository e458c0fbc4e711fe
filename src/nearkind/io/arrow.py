"""Files of Apache Arrow: Parquet, and Arrow itself, which Feather is. Needs pyarrow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO

from nearkind.io.asked import Asked, Columns
from nearkind.io.columns import named
from nearkind.io.delimited import MOST_CELLS

MOST_BYTES = 1 << 34
"""Of a table unpacked; a small file may claim any number."""


def read_parquet(stream: BinaryIO, asked: Asked) -> Columns:
    """Read a Parquet file."""
    parquet = _library("pyarrow.parquet")

    def table() -> Any:
        file = parquet.ParquetFile(stream)
        claims = file.metadata
        groups = (claims.row_group(i) for i in range(claims.num_row_groups))
        _check_size(claims.num_rows, claims.num_columns)
        n_bytes = sum(max(group.total_byte_size, 0) for group in groups)
        if n_bytes > MOST_BYTES:
            raise ValueError(f"it claims {n_bytes:,} bytes; cut it into smaller files.")
        return file.read()

    return _columns(table)


def read_arrow(stream: BinaryIO, asked: Asked) -> Columns:
    """Read an Arrow file or stream, or Feather of either version."""
    ipc, feather = _library("pyarrow.ipc"), _library("pyarrow.feather")
    head = stream.read(6)
    stream.seek(0)

    def table() -> Any:
        if head.startswith(b"FEA1"):
            return feather.read_table(stream)
        opened = ipc.open_file if head == b"ARROW1" else ipc.open_stream
        return opened(stream).read_all()

    return _columns(table)


def scan_parquet(stream: BinaryIO, asked: Asked, size: int) -> Iterator[Any]:
    """Yield tables of so many rows of a Parquet file, text in dictionaries."""
    parquet = _library("pyarrow.parquet")

    def batches() -> Iterator[Any]:
        schema = parquet.read_schema(stream)
        texts = [field.name for field in schema if _is_text(field.type)]
        file = parquet.ParquetFile(stream, read_dictionary=texts, pre_buffer=False)
        yield from file.iter_batches(batch_size=size)

    return _scanned(batches, size)


def _is_text(kind: Any) -> bool:
    types = _library("pyarrow").types
    return types.is_string(kind) or types.is_large_string(kind)


def scan_arrow(stream: BinaryIO, asked: Asked, size: int) -> Iterator[Any]:
    """Yield tables of at most so many rows of an Arrow file or stream, or Feather."""
    ipc, feather = _library("pyarrow.ipc"), _library("pyarrow.feather")
    head = stream.read(6)
    stream.seek(0)

    def batches() -> Iterator[Any]:
        if head.startswith(b"FEA1"):  # the first version has no batches
            yield from feather.read_table(stream).to_batches(max_chunksize=size)
        elif head == b"ARROW1":
            file = ipc.open_file(stream)
            yield from map(file.get_batch, range(file.num_record_batches))
        else:
            yield from ipc.open_stream(stream)

    return _scanned(batches, size)


def _scanned(read: Callable[[], Iterator[Any]], size: int) -> Iterator[Any]:
    """Yield batches as tables, large ones in parts."""
    pa = _library("pyarrow")
    names = None
    with _told_plainly():
        for batch in read():
            table = pa.Table.from_batches([batch])
            names = names or named(table.column_names)
            table = table.rename_columns(names)
            for at in range(0, table.num_rows, size):
                yield table.slice(at, size)


def _columns(read: Any) -> Columns:
    with _told_plainly():
        table = read()
        _check_size(table.num_rows, table.num_columns)
        names = named(table.column_names)
        if not table.num_rows or not names:
            raise ValueError("it has no rows." if names else "it has no columns.")
        return dict(zip(names, (c.to_pylist() for c in table.columns), strict=True))


@contextmanager
def _told_plainly() -> Iterator[None]:
    """Say in one sentence that a file cannot be read."""
    pa = _library("pyarrow")
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"it cannot be read ({reason}); write it again.") from None


def _check_size(n_rows: int, n_columns: int) -> None:
    if n_rows * n_columns > MOST_CELLS:
        raise ValueError(
            f"it claims {n_rows:,} rows of {n_columns:,} cells, more than "
            f"{MOST_CELLS:,} in all; cut it into smaller files."
        )


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            'Parquet and Arrow files need pyarrow: run `pip install "nearkind[arrow]"`.'
        ) from None


def write_parquet(columns: Columns, file: IO[bytes]) -> None:
    """Write a Parquet file; a column of cells of several types becomes text."""
    pa, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    arrays = {name: _array(pa, cells) for name, cells in columns.items()}
    parquet.write_table(pa.table(arrays), file)


def _array(pa: Any, cells: list[Any]) -> Any:
    try:
        return pa.array(cells)
    except pa.ArrowException:
        return pa.array([None if cell is None else str(cell) for cell in cells])
