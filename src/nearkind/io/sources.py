"""Where a table comes from: a path, or standard input."""

import gzip
import os
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from nearkind.errors import did_you_mean, nearest_names
from nearkind.io.cells import cells_of_lists
from nearkind.io.formats import FORMATS, GZIP_MAGIC, HEAD, Format, detect_format
from nearkind.io.lines import file_errors
from nearkind.io.options import Columns, ReadingWarning, ReadOptions
from nearkind.io.schema import ColumnRoles, Schema

STANDARD_INPUT = "-"
IN_MEMORY = 1 << 26
"""Bytes of standard input; more go to a temporary file."""


def read_columns(
    data: str,
    options: ReadOptions = ReadOptions(),  # noqa: B008 - a tuple
) -> Columns:
    """Return the columns of a table in a file.

    Parameters
    ----------
    data : str
        A path, or "-" for standard input.
    options : ReadOptions, default=ReadOptions()
        How to read the file.

    Returns
    -------
    dict of str to list
        Cells of text files as text, empty ones as None; of others as they are.

    Raises
    ------
    ValueError, OSError
        If the file is no table; the message names it, and the line or column.
    """
    options = options.validated()
    with prefix_warnings(short_name(data)), open_table(data, options) as table:
        stream, form = table
        return form.read(stream, options)


@contextmanager
def open_table(data: str, options: ReadOptions) -> Iterator[tuple[BinaryIO, Format]]:
    """Give the bytes of a file, unpacked, and its format; errors name the file."""
    name = short_name(data)
    with open_bytes(data) as stream, _unpack(stream) as plain, file_errors(name):
        head = plain.read(HEAD)
        plain.seek(0)
        given = options.format
        yield plain, FORMATS[given] if given else detect_format(head, name)


def short_name(data: str) -> str:
    """Return what to call a source in a message.

    Examples
    --------
    >>> short_name("-"), short_name("folder/a.csv"), short_name("/dev/fd/63")
    ('standard input', 'a.csv', '/dev/fd/63')
    """
    if data == STANDARD_INPUT:
        return "standard input"
    return data if data.startswith("/dev/") else Path(data).name


@contextmanager
def prefix_warnings(name: str) -> Iterator[None]:
    """Begin each ``ReadingWarning`` of the block with the name of the file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        ours = issubclass(warning.category, ReadingWarning)
        text = f"{name}: {warning.message}" if ours else warning.message
        warnings.warn(text, warning.category, stacklevel=2)


def can_be_read_once(data: str) -> bool:
    """Return whether a source is standard input or a pipe, gone once it is read.

    Examples
    --------
    >>> can_be_read_once("-"), can_be_read_once("no_such.csv")
    (True, False)
    """
    path = Path(data)
    return data == STANDARD_INPUT or path.is_fifo() or path.is_socket()


@contextmanager
def open_bytes(data: str) -> Iterator[BinaryIO]:
    """Open a source that can be read again from its start."""
    if data == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError("Standard input is closed, so DATA cannot be read from it.")
        with _seekable_copy(sys.stdin.buffer) as copy:
            yield copy
        return
    with _open_file(data) as stream:
        if stream.seekable():
            with refuse_changes(stream, data):
                yield stream
        else:
            with _seekable_copy(stream) as copy:
                yield copy


@contextmanager
def _seekable_copy(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Give what is left of a stream, in memory or in a temporary file."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as copy:
        shutil.copyfileobj(stream, cast(Any, copy))
        copy.seek(0)
        yield cast(BinaryIO, copy)


@contextmanager
def refuse_changes(stream: BinaryIO, data: str) -> Iterator[None]:
    """Raise ``ValueError`` after the block if the file was written to meanwhile."""
    before = signature(stream.fileno())
    try:
        yield
    except ValueError:
        check_unchanged(stream.fileno(), before, data)
        raise
    check_unchanged(stream.fileno(), before, data)


def signature(file: int | str) -> tuple[int, int] | None:
    """Return size and time of the last change of a file; None for pipes and devices."""
    found = os.stat(file)
    is_regular = stat.S_ISREG(found.st_mode)
    return (found.st_size, found.st_mtime_ns) if is_regular else None


def check_unchanged(file: int | str, before: tuple[int, int] | None, data: str) -> None:
    """Raise ``ValueError`` if a file has not the signature that it had."""
    if signature(file) != before:
        raise ValueError(
            f"{short_name(data)} was changed while it was read. Run it again when "
            "nothing writes to the file."
        )


def _open_file(data: str) -> BinaryIO:
    try:
        return Path(data).open("rb")
    except IsADirectoryError:
        raise IsADirectoryError(
            f"{data!r} is a folder; DATA is one file, - or a built-in set."
        ) from None
    except FileNotFoundError:
        raise FileNotFoundError(missing_file(data)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OSError(f"Cannot read {data!r}: {reason}.") from None


def missing_file(data: str, sets: Iterable[str] = ()) -> str:
    """Return the message for a file that is not there.

    Parameters
    ----------
    data : str
        The path that was asked for.
    sets : iterable of str, default=()
        Names of built-in sets that could have been meant too.
    """
    path, sets = Path(data), list(sets)
    what = "file or built-in set" if sets else "file"
    files = [each.name for each in path.parent.glob("*") if each.is_file()]
    near = nearest_names(path.name, [*files, *sets])
    if near:
        hint = did_you_mean(path.name, near)
    else:
        hint = "`nearkind datasets` lists the sets." if sets else "Check the path."
    return f"There is no {what} {data!r}. {hint}"


@contextmanager
def _unpack(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Give what is inside, if it is compressed by gzip."""
    packed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    stream.seek(0)
    if not packed:
        yield stream
        return
    with gzip.GzipFile(mode="rb", fileobj=stream) as inside:
        yield cast(BinaryIO, inside)


@dataclass(frozen=True)
class LabelledTable:
    """Rows that have a label.

    Attributes
    ----------
    X : dict of list
        Features.
    y : list
        Labels.
    target : str
        Name of the column that the labels are of.
    rows : list of int
        Numbers of the rows in the file.
    n_given : int
        Rows of the file, with and without a label.
    """

    X: Columns
    y: list[Any]
    target: str
    rows: list[int]
    n_given: int

    def with_gaps(self) -> tuple[Columns, list[Any], list[float] | None]:
        """Return features, labels and weights of all rows of the file, for ``fit``.

        A row without a label is empty and has weight zero, so that it is left out and
        the others keep their numbers. Weights are None if there is no such row.

        Examples
        --------
        >>> legs = {"legs": [4, 2]}
        >>> LabelledTable(legs, ["cat", "bird"], "kind", [0, 2], 3).with_gaps()
        ({'legs': [4, None, 2]}, ['cat', 'cat', 'bird'], [1.0, 0.0, 1.0])
        """
        if len(self.rows) == self.n_given:
            return self.X, self.y, None
        X: Columns = {name: [None] * self.n_given for name in self.X}
        y, weights = [self.y[0]] * self.n_given, [0.0] * self.n_given
        for place, row in enumerate(self.rows):
            y[row], weights[row] = self.y[place], 1.0
            for name, cells in self.X.items():
                X[name][row] = cells[place]
        return X, y, weights


@dataclass(frozen=True)
class LabelledSource:
    """Where a labelled table is, how to read it, and what its columns are for.

    Attributes
    ----------
    data : str
        A path, or "-" for standard input.
    target : str
        Column of labels.
    drop : tuple of str, default=()
        Columns to leave out.
    text : tuple of str, default=()
        Columns to take as text, numbers and words for missing cells included.
    options : ReadOptions, default=ReadOptions()
        How to read the file.

    Examples
    --------
    >>> source = LabelledSource("pets.csv", "kind", drop=("id",))
    >>> columns = {"id": ["1", "2"], "legs": ["4", "2"], "kind": ["cat", "bird"]}
    >>> table = source.select(columns)
    >>> table.X, table.y
    ({'legs': [4, 2]}, ['cat', 'bird'])
    """

    data: str
    target: str
    drop: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    options: ReadOptions = field(default_factory=ReadOptions)

    @property
    def where(self) -> str:
        """What to call it in a message."""
        return short_name(self.data)

    @property
    def roles(self) -> ColumnRoles:
        """What the columns are for."""
        return ColumnRoles(self.target, self.drop, self.text)

    def read(self) -> LabelledTable:
        """Return the table; rows without a label are left out with a warning."""
        return self.select(read_columns(self.data, self.options))

    def select(self, columns: Columns) -> LabelledTable:
        """Return the table of the columns that ``data`` has."""
        cells = cells_of_lists(columns)
        with prefix_warnings(self.where):
            schema = Schema(self.roles, self.where, dates=self.options.dates)
            schema.update([cells]).check()
        X, y = schema.labelled_values(cells)
        kept = np.flatnonzero(cells[self.target].present()).tolist()
        return LabelledTable(X, y, self.target, kept, len(columns[self.target]))
