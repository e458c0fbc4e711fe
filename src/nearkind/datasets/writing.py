"""Writing a set to a file, in the form in which it is read."""

import csv
import gzip
import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from nearkind.datasets.table import Table

_Opener = Callable[[IO[bytes]], IO[bytes]]


def _packed(stream: IO[bytes]) -> IO[bytes]:
    """Compress what goes into a stream, without a name and a time."""
    file: Any = gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
    return file


OPENERS: dict[str, _Opener] = {".csv.gz": _packed, ".csv": lambda stream: stream}
"""Ending of a file's name to what its bytes go through."""


def check_ending(path: Path) -> str:
    """Return how a file's name ends, if it is an ending that can be written.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str

    Examples
    --------
    >>> check_ending(Path("zoo.csv.gz"))
    '.csv.gz'
    """
    for ending in OPENERS:
        if path.name.endswith(ending):
            return ending
    endings = " or ".join(OPENERS)
    raise ValueError(f"The file to write must end in {endings}, got {path.name!r}.")


def write(table: Table, path: Path) -> None:
    """Write one file, whole or not at all; the same table gives the same bytes.

    It is written beside its place and then renamed.

    Parameters
    ----------
    table : Table
    path : Path
        Ends in .csv or .csv.gz; what was there is replaced.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.csv"
    >>> cells = np.array([["red"]], dtype=object)
    >>> write(Table(["colour"], "class", cells, cells[0]), path)
    >>> path.read_text()
    'colour,class\\nred,red\\n'
    """
    through = OPENERS[check_ending(path)]
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {str(path.parent)!r} to write to.")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with (
            beside.open("wb") as file,
            through(file) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="") as text,
        ):
            _pour(table, text.write)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def digest(table: Table) -> str:
    """Return the checksum of the text that ``write`` would write.

    Parameters
    ----------
    table : Table

    Returns
    -------
    str
        sha256 in hexadecimal digits.

    Examples
    --------
    >>> cells = np.array([["red"]], dtype=object)
    >>> digest(Table(["colour"], "class", cells, cells[0]))[:8]
    'be780621'
    """
    sha256 = hashlib.sha256()
    _pour(table, lambda line: sha256.update(line.encode()))
    return sha256.hexdigest()


class Lines:
    """A stream for the csv module that ends lines in a single character.

    The module quotes a carriage return only if its own line end has one.
    """

    end = "\r\n"

    def __init__(self, take: Callable[[str], object]):
        self.take = take

    def write(self, line: str) -> None:
        """Pass on one line."""
        self.take(line.removesuffix(self.end) + "\n")


def _pour(table: Table, take: Callable[[str], object]) -> None:
    """Hand over header and rows line by line; a missing value is an empty field."""
    writer = csv.writer(Lines(take), lineterminator=Lines.end)
    writer.writerow([*table.feature_names, table.target])
    writer.writerows(np.column_stack([table.X, table.y]))
