"""Files of data sets: NAME.csv.gz in NEARKIND_DATA, or in the cache.

UTF-8, comma separated, a header, the label in the last column ``class``, an empty field
for a missing value. Fields are kept as they are written, blanks included.
"""

import gzip
import hashlib
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from nearkind.datasets.dataset import Dataset
from nearkind.io.csv_text import parse_rows, same_width, write_delimited
from nearkind.io.lines import file_errors, numbered_lines
from nearkind.io.schema import refuse_duplicates

VARIABLE = "NEARKIND_DATA"
SUFFIX = ".csv.gz"
TARGET = "class"
_NAME = re.compile(r"\w[\w.-]*")  # no separator and no leading dot: no way out
_CACHES = {
    "win32": ("LOCALAPPDATA", "~/AppData/Local"),
    "darwin": ("XDG_CACHE_HOME", "~/Library/Caches"),
}


def check_name(name: str) -> str:
    """Return the name of a set if it can only be a file inside a folder.

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


def cache() -> Path:
    """Return the user's cache folder of nearkind, where downloads are kept.

    Returns
    -------
    Path
        The folder need not exist.

    Examples
    --------
    >>> cache().name
    'nearkind'
    """
    variable, default = _CACHES.get(sys.platform, ("XDG_CACHE_HOME", "~/.cache"))
    return Path(os.environ.get(variable) or default).expanduser() / "nearkind"


def names_in(home: Path | None) -> list[str]:
    """Return the names of the sets in a folder, sorted.

    Parameters
    ----------
    home : Path or None

    Returns
    -------
    list of str

    Examples
    --------
    >>> names_in(None)
    []
    """
    paths = home.glob(f"*{SUFFIX}") if home else []
    names = (path.name.removesuffix(SUFFIX) for path in paths if path.is_file())
    return sorted(name for name in names if _NAME.fullmatch(name))


def file_in(home: Path | None, name: str) -> Path | None:
    """Return the file of a set in a folder, or None where there is none.

    Parameters
    ----------
    home : Path or None
    name : str

    Returns
    -------
    Path or None

    Examples
    --------
    >>> file_in(None, "adult") is None
    True
    """
    path = home / f"{check_name(name)}{SUFFIX}" if home else None
    return path if path and path.is_file() else None


class ChangedDataWarning(UserWarning):
    """A known set is not, letter for letter, the copy that nearkind was tested with."""


class _DigestedGzip(gzip.GzipFile):
    """A compressed file that knows the checksum of what was read of it."""

    def __init__(self, path: Path):
        super().__init__(path)
        self.digest = hashlib.sha256()

    def read1(self, size: int = -1) -> bytes:
        data = super().read1(size)
        self.digest.update(data)
        return data


def read(path: Path, sha256: str | None = None, advice: str | None = None) -> Dataset:
    """Return the data set of a file.

    Equal values become one string in memory; without that a set of 300,000 rows and
    42 columns takes three times the memory and longer.

    Parameters
    ----------
    path : Path
        A file NAME.csv.gz.
    sha256 : str or None, default=None
        What the checksum of the text should be.
    advice : str or None, default=None
        What to do about another checksum, which is refused; None: it is a warning.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the file is damaged or not of this form; names the file and the line. If
        its checksum is refused.

    Examples
    --------
    >>> import gzip, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.csv.gz"
    >>> _ = path.write_bytes(gzip.compress(b"colour,class\\nred,a\\n,b\\n"))
    >>> read(path).X.tolist()
    [['red'], [None]]
    """
    with (
        file_errors(path.name),
        _DigestedGzip(path) as file,
        numbered_lines(cast(BinaryIO, file), "utf-8-sig") as lines,
    ):
        data = _dataset(parse_rows(lines, ","))
    check_digest(path.name, sha256, file.digest.hexdigest(), advice)
    return data


def _dataset(rows: Iterator[list[str]]) -> Dataset:
    header = next(rows, [])
    _check_header(header)
    cells = np.array(list(_shared(same_width(rows, len(header)))), dtype=object)
    if not len(cells):
        raise ValueError("expected rows after the header, found none")
    # Copies, so that X does not keep the labels in memory, nor lie strided in it.
    return Dataset(header[:-1], TARGET, cells[:, :-1].copy(), cells[:, -1].copy())


def _check_header(header: list[str]) -> None:
    if not header:
        raise ValueError("expected a header, but the file is empty")
    if header[-1] != TARGET:
        wanted = f"the last column must be the label, named {TARGET!r}"
        raise ValueError(f"{wanted}, got {header[-1]!r}")
    if len(header) == 1:
        raise ValueError("expected at least one column besides the label")
    refuse_duplicates(header)


def _shared(rows: Iterable[list[str]]) -> Iterator[list[str | None]]:
    """Yield rows, each distinct value as one object and the empty one as None."""
    known: dict[str, str | None] = {"": None}
    share = known.setdefault
    for row in rows:
        yield list(map(share, row, row))


def check_digest(
    what: str, expected: str | None, digest: str, advice: str | None = None
) -> None:
    """Refuse a checksum that is not the expected one, or warn of it.

    Parameters
    ----------
    what : str
        The file or set, for the message.
    expected : str or None
        None: nothing is expected.
    digest : str
    advice : str or None, default=None
        What to do about another checksum; None: warn, and use what there is.

    Raises
    ------
    ValueError
        If the checksum is another, and there is advice.

    Examples
    --------
    >>> check_digest("adult.csv.gz", None, "1234")
    """
    if expected in (None, digest):
        return
    sentence = (
        f"{what} is not the copy that nearkind was tested with: sha256 of its text "
        f"should be {expected} and is {digest}."
    )
    if advice is not None:
        raise ValueError(f"{sentence} {advice}")
    warnings.warn(
        f"{sentence} It is used as it is; figures may differ from published ones.",
        ChangedDataWarning,
        stacklevel=2,
    )


def text_digest(data: Dataset) -> str:
    """Return the sha256 of the text of a set's file, in hexadecimal digits.

    Examples
    --------
    >>> cells = np.array([["red"]], dtype=object)
    >>> text_digest(Dataset(["colour"], "class", cells, cells[0]))[:8]
    'be780621'
    """
    sha256 = hashlib.sha256()
    write_delimited(data.columns(), lambda line: sha256.update(line.encode()))
    return sha256.hexdigest()
