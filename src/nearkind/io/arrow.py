"""Files of Apache Arrow: Parquet, and Arrow itself, which Feather is. Needs pyarrow."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any, BinaryIO

import numpy as np

from nearkind.io.cells import is_arrow_text
from nearkind.io.csv_text import MAX_CELLS
from nearkind.io.options import Columns, ReadOptions
from nearkind.io.schema import column_names

MAX_BYTES = 1 << 34
"""Bytes of a table unpacked; a small file may claim any number."""


def read_parquet(stream: BinaryIO, options: ReadOptions) -> Columns:
    """Return the columns of a Parquet file."""
    parquet = _library("pyarrow.parquet")

    def read() -> Any:
        file = parquet.ParquetFile(stream)
        claims = file.metadata
        groups = (claims.row_group(i) for i in range(claims.num_row_groups))
        _check_size(claims.num_rows, claims.num_columns)
        n_bytes = sum(max(group.total_byte_size, 0) for group in groups)
        if n_bytes > MAX_BYTES:
            raise ValueError(
                f"it claims {n_bytes:,} bytes; split it into smaller files."
            )
        return file.read()

    return _columns(read)


def read_arrow(stream: BinaryIO, options: ReadOptions) -> Columns:
    """Return the columns of an Arrow file or stream, or of Feather 1 or 2."""
    ipc, feather = _library("pyarrow.ipc"), _library("pyarrow.feather")
    head = stream.read(6)
    stream.seek(0)

    def read() -> Any:
        if head.startswith(b"FEA1"):
            return feather.read_table(stream)
        opened = ipc.open_file if head == b"ARROW1" else ipc.open_stream
        return opened(stream).read_all()

    return _columns(read)


def parquet_chunks(stream: BinaryIO, options: ReadOptions, size: int) -> Iterator[Any]:
    """Yield tables of ``size`` rows of a Parquet file; text is dictionary-encoded."""
    parquet = _library("pyarrow.parquet")

    def batches() -> Iterator[Any]:
        schema = parquet.read_schema(stream)
        texts = [field.name for field in schema if is_arrow_text(field.type)]
        file = parquet.ParquetFile(stream, read_dictionary=texts, pre_buffer=False)
        yield from file.iter_batches(batch_size=size)

    return _sliced(batches, size)


def arrow_chunks(stream: BinaryIO, options: ReadOptions, size: int) -> Iterator[Any]:
    """Yield tables of at most ``size`` rows of an Arrow file or stream, or Feather."""
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

    return _sliced(batches, size)


def _sliced(read: Callable[[], Iterator[Any]], size: int) -> Iterator[Any]:
    """Yield tables of at most ``size`` rows of the batches of a file."""
    pa = _library("pyarrow")
    names = None
    with _arrow_errors():
        for batch in read():
            table = pa.Table.from_batches([batch])
            names = names or column_names(table.column_names)
            table = table.rename_columns(names)
            for at in range(0, table.num_rows, size):
                yield table.slice(at, size)


def cells_of_table(table: Any) -> Columns:
    """Return the columns of a table of pyarrow as lists; equal texts are one object."""
    pa = _library("pyarrow")

    def cells(column: Any) -> list[Any]:
        kind = column.type
        if pa.types.is_dictionary(kind) and is_arrow_text(kind.value_type):
            return _decoded(pa, column)
        return list(column.to_pylist())

    return {
        name: cells(column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _decoded(pa: Any, column: Any) -> list[str | None]:
    """Return the cells of a dictionary-encoded column of text."""
    cells: list[str | None] = []
    for chunk in column.chunks:
        texts = np.array([*chunk.dictionary.to_pylist(), None], dtype=object)
        indices = chunk.indices.cast(pa.int64()).fill_null(-1)  # -1 reaches the last
        cells += texts[indices.to_numpy()].tolist()
    return cells


def _columns(read: Callable[[], Any]) -> Columns:
    with _arrow_errors():
        table = read()
        _check_size(table.num_rows, table.num_columns)
        names = column_names(table.column_names)
        if not table.num_rows or not names:
            raise ValueError("it has no rows." if names else "it has no columns.")
        return dict(zip(names, (c.to_pylist() for c in table.columns), strict=True))


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Turn errors of pyarrow into a ``ValueError`` of one sentence."""
    pa = _library("pyarrow")
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"it cannot be read ({reason}); write it again.") from None


def _check_size(n_rows: int, n_columns: int) -> None:
    if n_rows * n_columns > MAX_CELLS:
        raise ValueError(
            f"it claims {n_rows:,} rows of {n_columns:,} cells, more than "
            f"{MAX_CELLS:,} in total; split it into smaller files."
        )


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            'Parquet and Arrow files need pyarrow: run `pip install "nearkind[arrow]"`.'
        ) from None


@contextmanager
def parquet_writer(file: IO[bytes]) -> Iterator[Callable[[Columns], None]]:
    """Give a function that adds rows to a Parquet file.

    A column of cells of several types becomes text, one without any cell too. The first
    rows decide the types.
    """
    pa, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    with ExitStack() as stack:
        writer: Any = None

        def write(columns: Columns) -> None:
            nonlocal writer
            table = pa.table(
                {name: _array(pa, cells) for name, cells in columns.items()}
            )
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(file, table.schema))
            with _arrow_errors():
                writer.write_table(table.cast(writer.schema))

        yield write


def _array(pa: Any, cells: list[Any]) -> Any:
    try:
        array = pa.array(cells)
    except pa.ArrowException:
        return pa.array([None if cell is None else str(cell) for cell in cells])
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array
