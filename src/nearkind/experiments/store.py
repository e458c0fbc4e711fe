"""Results on disk: one line of JSON a row, written so that a kill loses one at most."""

import errno
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from nearkind.experiments.rows import Key, Row

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None


class Contents(NamedTuple):
    """The rows of a file, the last of each key, and the bytes they take."""

    rows: dict[Key, Row]
    n_bytes: int


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Return the rows of a results file, the last one of each key.

    A last line that a killed run left torn is left out, with a warning.

    Raises
    ------
    ValueError
        If any other line is damaged; names the file and the line.
    """
    place = Path(path)
    try:
        return list(_contents(place, place.read_bytes()).rows.values())
    except OSError as error:
        raise _cannot("read", place, error, "Run the experiments first.") from None


class Store:
    """A results file that this process alone may write; made by ``opened``."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._file = path, descriptor
        with open(descriptor, "rb", closefd=False) as stream:
            found = _contents(path, stream.read())
        self.rows = found.rows
        self._size = found.n_bytes
        os.ftruncate(descriptor, self._size)  # a torn line ends here

    def append(self, row: Row) -> None:
        """Write one row through to the disk, or leave the file as it was."""
        line = row.line().encode()
        try:
            written = os.write(self._file, line)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            advice = "All rows before this one are kept: make room and run again."
            raise _cannot("write", self._path, error, advice) from None
        self._size += len(line)
        self.rows[row.key] = row


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Store]:
    """Open a results file for one run, new or to be continued.

    Raises
    ------
    OSError
        If it cannot be written, or if another run holds it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> with opened(path) as store:
    ...     store.append(Row("monks1", "lmnn", 0, "shares, k=1", seed=7))
    >>> read_rows(path)[0].method
    'lmnn'
    """
    place = Path(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(place, flags, 0o666)
    except OSError as error:
        advice = "Name a file in a folder that exists and may be written."
        raise _cannot("write", place, error, advice) from None
    try:
        _lock(place, descriptor)
        yield Store(place, descriptor)
    finally:
        os.close(descriptor)  # and with it the lock


def _lock(place: Path, descriptor: int) -> None:
    """Hold the file until it is closed, by death too; where there are no locks, not."""
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BlockingIOError(
            f"Another run is writing {place.name}. Wait until it ends, or give this "
            "run a results file of its own."
        ) from None


def _contents(place: Path, data: bytes) -> Contents:
    """Read all lines; the last may be torn."""
    lines = data.splitlines(keepends=True)
    rows: dict[Key, Row] = {}
    n_bytes = 0
    for number, line in enumerate(lines, start=1):
        row = _row(line)
        if row is not None:
            rows[row.key] = row
            n_bytes += len(line)
        elif number == len(lines):
            warnings.warn(
                f"{place.name} ends in a torn line of {len(line)} bytes: a run was "
                "killed as it wrote. It is left out; running again makes that row.",
                UserWarning,
                stacklevel=3,
            )
        else:
            raise ValueError(
                f"{place.name}, line {number}: this is no row of results. Restore the "
                "file, or delete that line and run again."
            )
    return Contents(rows, n_bytes)


def _row(line: bytes) -> Row | None:
    """Return the row of a whole line, None if it is torn or none."""
    if not line.endswith(b"\n"):
        return None
    try:
        return Row.from_line(line)
    except (ValueError, TypeError):
        return None


def _cannot(verb: str, place: Path, error: OSError, advice: str) -> OSError:
    reason = error.strerror or str(error)
    return type(error)(f"Cannot {verb} {str(place)!r}: {reason}. {advice}")
