"""Formats of files: found by the first bytes, by the ending of the name, or given."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, repeat
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from nearkind.io import arrow, csv_text, json_lines
from nearkind.io.atomic_write import atomic_write, text_writer
from nearkind.io.lines import Lines
from nearkind.io.options import Columns, ReadOptions
from nearkind.io.schema import refuse_halves


class Format(NamedTuple):
    """How files of one format are named and read.

    Attributes
    ----------
    endings : tuple of str
        Of the names of files.
    read : callable
        (stream, options) -> columns of the whole file.
    text_chunks : callable or None, default=None
        (lines, options, size) -> columns, ``size`` rows at a time; None if the format
        is not text.
    arrow_chunks : callable or None, default=None
        (stream, options, size) -> tables of pyarrow. Of a text format, it may fail
        where ``text_chunks`` does not.
    magic : tuple of bytes, default=()
        First bytes by which a file is known whatever its name.
    """

    endings: tuple[str, ...]
    read: Callable[[BinaryIO, ReadOptions], Columns]
    text_chunks: Callable[[Lines, ReadOptions, int], Iterator[Columns]] | None = None
    arrow_chunks: Callable[[BinaryIO, ReadOptions, int], Iterator[Any]] | None = None
    magic: tuple[bytes, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether files are lines of text."""
        return self.text_chunks is not None


FORMATS = {
    "csv": Format((".csv",), csv_text.read, csv_text.chunks, csv_text.arrow_chunks),
    "tsv": Format(
        (".tsv", ".tab"),
        partial(csv_text.read, delimiter="\t"),
        partial(csv_text.chunks, delimiter="\t"),
        partial(csv_text.arrow_chunks, delimiter="\t"),
    ),
    "jsonl": Format((".jsonl", ".ndjson", ".json"), json_lines.read, json_lines.chunks),
    "parquet": Format(
        (".parquet", ".pq"),
        arrow.read_parquet,
        arrow_chunks=arrow.parquet_chunks,
        magic=(b"PAR1",),
    ),
    "arrow": Format(
        (".arrow", ".feather", ".ipc"),
        arrow.read_arrow,
        arrow_chunks=arrow.arrow_chunks,
        magic=(b"ARROW1", b"FEA1"),
    ),
}
"""Formats that can be read, by name."""
NOT_TABLES = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; save the table as CSV",
    b"%PDF": "a PDF document; save the table as CSV",
    b"BZh": "compressed by bzip2; unpack it, or compress it by gzip",
    b"\xfd7zXZ": "compressed by xz; unpack it, or compress it by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it, or compress it by gzip",
    b"SQLite format 3": "a database; export the table as CSV",
    b"\x89HDF": "an HDF5 file; export the table as CSV",
    b"\x89nearkind": "a model of nearkind; DATA is a table of rows",
}
"""First bytes of files that people give by mistake, and what to do."""
GZIP_MAGIC = b"\x1f\x8b"
HEAD = 1 << 16
"""Bytes of a file to look at."""


def detect_format(head: bytes, name: str) -> Format:
    """Return the format of a file by its first bytes and its name.

    Raises
    ------
    ValueError
        If the file is known not to be a table.

    Examples
    --------
    >>> detect_format(b'{"a": 1}', "rows.txt") is FORMATS["jsonl"]
    True
    >>> detect_format(b"a b", "rows.tsv.gz") is FORMATS["tsv"]
    True
    """
    for known in FORMATS.values():
        if known.magic and head.startswith(known.magic):
            return known
    for start, what in NOT_TABLES.items():
        if head.startswith(start):
            raise ValueError(f"this is {what}.")
    is_object = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return format_by_name(name) or FORMATS["jsonl" if is_object else "csv"]


def format_by_name(name: str) -> Format | None:
    """Return the format that the ending of a file's name says; None if none.

    Examples
    --------
    >>> format_by_name("A.CSV.gz") is FORMATS["csv"]
    True
    """
    known = FORMATS.values()
    return next((each for each in known if find_ending(name, each.endings)), None)


def find_ending(name: str, endings: Iterable[str]) -> str | None:
    """Return which of some endings a name has, .gz left aside; None if none.

    Examples
    --------
    >>> find_ending("A.CSV.gz", [".csv"])
    '.csv'
    """
    plain = name.lower().removesuffix(".gz")
    return next((ending for ending in endings if plain.endswith(ending)), None)


TEXT_WRITERS: dict[str, Callable[..., None]] = {
    ".csv": csv_text.write_delimited,
    ".tsv": partial(csv_text.write_delimited, delimiter="\t"),
    ".jsonl": lambda *parts, header=True: json_lines.write_json_lines(*parts),
    ".ndjson": lambda *parts, header=True: json_lines.write_json_lines(*parts),
}
"""Ending of a file to the function that writes a table as text."""
PARQUET = ".parquet"


def check_ending(path: str | PathLike[str]) -> str:
    """Return the ending of a file's name, .gz aside, if that can be written.

    Raises
    ------
    ValueError
        If it cannot be; the message lists the endings that can.

    Examples
    --------
    >>> check_ending("out.csv.gz")
    '.csv'
    """
    name = Path(path).name
    ending = find_ending(name, [*TEXT_WRITERS, PARQUET])
    if ending is None or name.lower().endswith(f"{PARQUET}.gz"):
        endings = ", ".join([*TEXT_WRITERS, PARQUET])
        raise ValueError(
            f"The file to write must end in {endings} (text also in .gz), got {name!r}."
        )
    return ending


def write_columns(columns: Columns, path: str | PathLike[str]) -> None:
    """Write a table in the format that the ending of its name says.

    The file is written whole or not at all, and the same table gives the same bytes.

    Parameters
    ----------
    columns : dict of str to list
    path : path-like
        What was there is replaced.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.tsv"
    >>> write_columns({"size": [1], "colour": ["red"]}, path)
    >>> path.read_text()
    'size\\tcolour\\n1\\tred\\n'
    """
    with table_writer(path) as write:
        write(columns)


@contextmanager
def table_writer(path: str | PathLike[str]) -> Iterator[Callable[[Columns], None]]:
    """Give a function that adds rows to a table, written as ``write_columns`` does."""
    ending, packed = check_ending(path), Path(path).name.lower().endswith(".gz")
    with atomic_write(path) as file:
        if ending == PARQUET:
            with arrow.parquet_writer(file) as write_rows:

                def write_checked(columns: Columns) -> None:
                    refuse_halves(columns)
                    write_rows(columns)

                yield write_checked
            return
        with text_writer(file, packed) as write:
            yield text_rows_writer(write, ending)


def text_rows_writer(
    write: Callable[[str], object],
    ending: str = ".csv",
    check: Callable[[Columns], None] = refuse_halves,
) -> Callable[[Columns], None]:
    """Return a function that writes rows as text, the header before the first."""
    headers = chain([True], repeat(False))

    def write_rows(columns: Columns) -> None:
        check(columns)
        TEXT_WRITERS[ending](columns, write, header=next(headers))

    return write_rows
