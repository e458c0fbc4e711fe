"""A labelled table in a file, some rows at a time, as often as it is asked for."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO
from warnings import catch_warnings, simplefilter

from nearkind.io.arrow import cells_of_table
from nearkind.io.cells import arrow_table, cells_of_arrow, cells_of_lists
from nearkind.io.csv_text import can_use_arrow
from nearkind.io.formats import FORMATS, Format
from nearkind.io.lines import Lines, marked_encoding, numbered_lines, parse_text
from nearkind.io.options import Columns, ReadingWarning, ReadOptions
from nearkind.io.schema import Schema
from nearkind.io.sources import (
    LabelledSource,
    can_be_read_once,
    check_unchanged,
    open_table,
    prefix_warnings,
    short_name,
    signature,
)

BATCH_ROWS = 1 << 18


def batches(
    path: str | PathLike[str],
    target: str,
    *,
    drop: Iterable[str] = (),
    text: Iterable[str] = (),
    batch_rows: int = BATCH_ROWS,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> "Batches":
    """Return the batches (X, y) of a file, for ``fit_batches``.

    Parameters
    ----------
    path : path-like
        A file of csv, tsv, json lines, parquet, arrow or feather; text also in .gz.
    target : str
        Column of labels; rows without one are left out.
    drop : iterable of str, default=()
        Columns to leave out.
    text : iterable of str, default=()
        Columns in which numbers are names.
    batch_rows : int, default=262144
        Rows of a batch at most.
    format, delimiter, encoding : str or None, default=None
        How to read the file; None: find out.

    Returns
    -------
    Batches
        An iterable of (X, y) that can be read again and again.

    Examples
    --------
    >>> import nearkind as nk, tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "pets.csv")
    >>> _ = path.write_text("legs,kind\\n4,cat\\n2,bird\\n4,dog\\n")
    >>> [len(y) for X, y in nk.batches(path, target="kind", batch_rows=2)]
    [2, 1]
    >>> folder.cleanup()
    """
    options = ReadOptions(format, delimiter, encoding)
    source = LabelledSource(fspath(path), target, tuple(drop), tuple(text), options)
    return Batches(source, batch_rows)


class Batches:
    """Batches (X, y) of a file, the same each time they are read.

    A first reading of the file, which keeps no row, finds its ``Schema``: which columns
    there are, which of them hold numbers, the encoding. So the cells of a batch are
    what a reading of the whole file would give.

    Parameters
    ----------
    source : LabelledSource
    batch_rows : int, default=262144
        Rows of a batch at most.
    """

    def __init__(self, source: LabelledSource, batch_rows: int = BATCH_ROWS) -> None:
        self.source = replace(source, options=source.options.validated())
        self.where, self.batch_rows = source.where, batch_rows
        self._by_arrow = False
        self._signature: tuple[int, int] | None = None
        if batch_rows < 1:
            raise ValueError(f"batch_rows must be at least 1; got {batch_rows!r}.")
        if can_be_read_once(source.data):
            raise ValueError(
                f"{self.where} cannot be read in batches, which are read more than "
                "once. Write it to a file first."
            )

    def __repr__(self) -> str:
        return f"<Batches of {self.where}, target={self.source.target!r}>"

    @property
    def n_rows(self) -> int:
        """Number of rows that have a label."""
        return self._schema.n_rows

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return self._schema.feature_names

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield tables with their labels."""
        schema, source = self._schema, self.source
        check_unchanged(source.data, self._signature, source.data)
        with open_table(source.data, source.options) as (stream, form):
            by_arrow = self._reads_by_arrow(form)
            for part in _silence_header(self._parts(stream, form, schema.encoding)):
                X, y = schema.labelled_values(part)
                if len(y):
                    yield (arrow_table(X) if by_arrow else X), y

    @cached_property
    def _schema(self) -> Schema:
        """What the whole file decides, found by pyarrow where it can read the file."""
        data, options = self.source.data, self.source.options
        self._signature = signature(data) if Path(data).exists() else None
        with prefix_warnings(self.where), open_table(data, options) as (stream, form):
            schema = None
            if form.is_text and form.arrow_chunks and can_use_arrow(stream, options):
                schema = self._try_arrow(stream, form)
                stream.seek(0)
            if schema is None:
                schema = self._find_schema(stream, form)
            return schema.check()

    def _try_arrow(self, stream: BinaryIO, form: Format) -> Schema | None:
        """Return the schema if pyarrow reads all of a text file, else None."""
        self._by_arrow = True
        try:
            with catch_warnings():
                simplefilter("error")
                return self._new_schema().update(self._parts(stream, form))
        except (ValueError, UnicodeError, Warning):  # the csv module says what is wrong
            self._by_arrow = False
            return None

    def _find_schema(self, stream: BinaryIO, form: Format) -> Schema:
        if not form.is_text:
            return self._new_schema().update(self._parts(stream, form))
        parse = partial(self._schema_of_lines, form)
        return parse_text(stream, self.source.options.encoding, parse)

    def _schema_of_lines(self, form: Format, lines: Lines) -> Schema:
        return self._new_schema(lines.encoding).update(self._text_parts(lines, form))

    def _new_schema(self, encoding: str = "utf-8") -> Schema:
        dates = self.source.options.dates
        return Schema(self.source.roles, self.where, encoding, dates)

    def _reads_by_arrow(self, form: Format) -> bool:
        return self._by_arrow or not form.is_text

    def _parts(
        self, stream: BinaryIO, form: Format, encoding: str = ""
    ) -> Iterator[Any]:
        """Yield the cells of some rows at a time, column by column."""
        if self._reads_by_arrow(form):
            assert form.arrow_chunks is not None
            tables = form.arrow_chunks(stream, self.source.options, self.batch_rows)
            yield from map(cells_of_arrow, tables)
            return
        with numbered_lines(stream, encoding) as lines:
            yield from self._text_parts(lines, form)

    def _text_parts(self, lines: Lines, form: Format) -> Iterator[Any]:
        assert form.text_chunks is not None
        columns = form.text_chunks(lines, self.source.options, self.batch_rows)
        return map(cells_of_lists, columns)


def column_batches(
    data: str, options: ReadOptions, size: int = BATCH_ROWS
) -> Iterator[Columns]:
    """Yield the columns of a table in a file, some rows at a time.

    If the file is damaged, the rows before the damage come before the error. JSON lines
    come at once, as their keys may differ from row to row.

    Parameters
    ----------
    data : str
        A path, or "-" for standard input.
    options : ReadOptions
    size : int, default=262144
        Rows at a time.
    """
    options = options.validated()
    with open_table(data, options) as (stream, form), ExitStack() as stack:
        with prefix_warnings(short_name(data)):
            if form is FORMATS["jsonl"]:
                parts = iter([form.read(stream, options)])
            elif form.text_chunks is None:
                assert form.arrow_chunks is not None
                tables = form.arrow_chunks(stream, options, size)
                parts = map(cells_of_table, tables)
            else:
                encoding = _encoding(stream, options)
                lines = stack.enter_context(numbered_lines(stream, encoding))
                parts = form.text_chunks(lines, options, size)
            first = list(islice(parts, 1))
        if not first:
            raise ValueError("it has no rows.")
        yield from chain(first, parts)


def _encoding(stream: BinaryIO, options: ReadOptions) -> str:
    """Return the encoding of a text, read once for it."""

    def last(lines: Lines) -> str:
        deque(lines, maxlen=0)
        return lines.encoding

    try:
        return parse_text(stream, options.encoding, last)
    except ValueError:  # said again in its place
        return options.encoding or marked_encoding(stream) or "utf-8"
    finally:
        stream.seek(0)


def _silence_header(parts: Iterator[Any]) -> Iterator[Any]:
    """Yield parts; warnings of the header were given when the schema was found."""
    with catch_warnings():
        simplefilter("ignore", ReadingWarning)
        first = list(islice(parts, 1))
    yield from chain(first, parts)
