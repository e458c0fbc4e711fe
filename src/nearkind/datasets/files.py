"""Sets kept as files: NAME.csv.gz in the folder that NEARKIND_DATA names."""

import csv
import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.datasets.catalogue import Table

VARIABLE = "NEARKIND_DATA"
SUFFIX = ".csv.gz"
TARGET = "class"
_NAME = re.compile(r"\w[\w.-]*")  # no separator and no leading dot: no way out


def check_name(name: str) -> str:
    """Return ``name`` if it can only be a file inside the folder.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    Examples
    --------
    >>> check_name("adult")
    'adult'
    """
    if not isinstance(name, str):
        raise TypeError(f"The name of a data set is a string, got {name!r}.")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"The name of a data set has only letters, digits, '_', '-' and '.', "
            f"got {name!r}; to read from another folder, set {VARIABLE} to it."
        )
    return name


def folder() -> Path | None:
    """Return the folder that NEARKIND_DATA names now, or None.

    Returns
    -------
    Path or None
        The folder need not exist.

    Examples
    --------
    >>> folder() is None or isinstance(folder(), Path)
    True
    """
    value = os.environ.get(VARIABLE)
    return Path(value).expanduser() if value else None


def found() -> list[str]:
    """Return the names of the sets in the folder, sorted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> found() == sorted(found())
    True
    """
    home = folder()
    paths = home.glob(f"*{SUFFIX}") if home else []
    names = (path.name.removesuffix(SUFFIX) for path in paths if path.is_file())
    return sorted(name for name in names if _NAME.fullmatch(name))


def locate(name: str) -> Path | None:
    """Return the file of a set, or None where there is none.

    Parameters
    ----------
    name : str

    Returns
    -------
    Path or None

    Examples
    --------
    >>> locate("no_such_set") is None
    True
    """
    home = folder()
    path = home / f"{check_name(name)}{SUFFIX}" if home else None
    return path if path and path.is_file() else None


def read(path: Path) -> Table:
    """Read one file: UTF-8, comma separated, a header, the label last.

    Equal values become one string in memory; without that a set of 300,000 rows and
    42 columns takes three times the memory and longer.

    Parameters
    ----------
    path : Path
        A file NAME.csv.gz; an empty field is a missing value.

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
    with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            return _table(reader)
        except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
            where = f"{path.name} is damaged after line {reader.line_num}"
            raise ValueError(f"{where} ({error}); copy it again.") from error
        except (csv.Error, ValueError) as error:
            where = f"{path.name}, line {max(reader.line_num, 1)}"
            raise ValueError(f"{where}: {error}.") from error


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
