"""Reading a set from a file: UTF-8, comma separated, a header, the label last."""

import csv
import gzip
import hashlib
import io
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.datasets.table import Table

TARGET = "class"


class ChangedDataWarning(UserWarning):
    """A known set is not, letter for letter, the copy that nearkind was tested with."""


class _Digested(gzip.GzipFile):
    """A compressed file that knows the checksum of what was read of it."""

    def __init__(self, path: Path):
        super().__init__(path)
        self.digest = hashlib.sha256()

    def read1(self, size: int = -1) -> bytes:
        data = super().read1(size)
        self.digest.update(data)
        return data


def read(path: Path, sha256: str | None = None) -> Table:
    """Read one file.

    Equal values become one string in memory; without that a set of 300,000 rows and
    42 columns takes three times the memory and longer.

    Parameters
    ----------
    path : Path
        A file NAME.csv.gz; an empty field is a missing value.
    sha256 : str or None
        What the checksum of the text should be; another one is a warning.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If the file is damaged or not of this form; names the file and the line.

    Examples
    --------
    >>> import gzip, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.csv.gz"
    >>> _ = path.write_bytes(gzip.compress(b"colour,class\\nred,a\\n,b\\n"))
    >>> read(path).X.tolist()
    [['red'], [None]]
    """
    with _Digested(path) as data:
        stream = io.TextIOWrapper(data, encoding="utf-8-sig", newline="")
        reader = csv.reader(stream, strict=True)
        try:
            table = _table(reader)
        except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
            where = f"{path.name} is damaged after line {reader.line_num}"
            raise ValueError(f"{where} ({error}); copy it again.") from error
        except (csv.Error, ValueError) as error:
            where = f"{path.name}, line {max(reader.line_num, 1)}"
            raise ValueError(f"{where}: {error}.") from error
    compare(path.name, sha256, data.digest.hexdigest())
    return table


def compare(what: str, expected: str | None, got: str) -> None:
    """Warn if a checksum is not the expected one.

    Parameters
    ----------
    what : str
        The file or set, for the warning.
    expected : str or None
        None: nothing is expected.
    got : str

    Examples
    --------
    >>> compare("adult.csv.gz", None, "1234")
    """
    if expected not in (None, got):
        warnings.warn(
            f"{what} is not the copy that nearkind was tested with: sha256 of its text "
            f"should be {expected} and is {got}. It is used as it is; figures may "
            "differ from published ones.",
            ChangedDataWarning,
            stacklevel=2,
        )


def _table(reader: Any) -> Table:
    """Read header and rows."""
    header = _header(reader)
    cells = np.array(list(_rows(reader, len(header))), dtype=object)  # (n, D + 1)
    if not len(cells):
        raise ValueError("rows were expected after the header and none came")
    # Copies, so that X does not keep the labels in memory, nor lie strided in it.
    return Table(header[:-1], TARGET, cells[:, :-1].copy(), cells[:, -1].copy())


def _header(reader: Any) -> list[str]:
    """Return the column names, the label last."""
    header = next(reader, None)
    if not header:
        raise ValueError("a header was expected and the file is empty")
    if header[-1] != TARGET:
        wanted = f"the last column must be the label, named {TARGET!r}"
        raise ValueError(f"{wanted}, got {header[-1]!r}")
    if len(header) == 1:
        raise ValueError("at least one column was expected beside the label")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise ValueError(f"column {twice!r} occurs more than once")
    return header


def _rows(reader: Any, width: int) -> Iterator[list[str | None]]:
    """Yield rows, every distinct value as one object and the empty one as None."""
    known: dict[str, str | None] = {"": None}
    share = known.setdefault
    for row in reader:
        if len(row) != width:
            raise ValueError(f"{width} fields were expected, got {len(row)}")
        yield list(map(share, row, row))
