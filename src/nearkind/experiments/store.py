"""Results files: a line of JSON for each row.

Each row is on the disk before the next is run, so a killed run loses no row but the
ones that it was making.
"""

import errno
import gzip
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from types import ModuleType

from nearkind.experiments.rows import Key, Row

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None


def read_rows(*paths: str | os.PathLike[str]) -> list[Row]:
    """Return the rows of results files, of each key the last one.

    A file whose name ends in .gz is unpacked. An incomplete last line, left by a run
    that was killed, is left out with a warning.

    Raises
    ------
    ValueError
        If any other line is damaged; the message names file and line.
    """
    rows: dict[Key, Row] = {}
    for place in map(Path, paths):
        with _explained(f"read {str(place)!r}", "Run the experiments first."):
            data = place.read_bytes()
        unpack = gzip.decompress if place.suffix == ".gz" else bytes
        rows |= _contents(place, unpack(data))[0]
    return list(rows.values())


class Store:
    """A results file, open for writing by this process alone; see ``open_store``.

    Attributes
    ----------
    rows : dict of Key to Row
        The last row of each key.
    """

    def __init__(self, path: Path, file: FileIO) -> None:
        self._path, self._file = path, file
        file.seek(0)
        self.rows, self._size = _contents(path, file.readall())
        file.truncate(self._size)  # drops an incomplete last line

    def append(self, row: Row) -> None:
        """Write a row to the disk, or leave the file as it was."""
        line = row.line().encode()
        advice = "All rows before this one are kept; free some space and run again."
        with _explained(f"write {str(self._path)!r}", advice):
            try:
                if self._file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._file)
            except OSError:
                self._file.truncate(self._size)
                raise
        self._size += len(line)
        self.rows[row.key] = row


@contextmanager
def open_store(path: str | os.PathLike[str]) -> Iterator[Store]:
    """Open a results file for one run, new or to be continued, and lock it.

    Raises
    ------
    OSError
        If it cannot be written, or if another run is writing it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> with open_store(path) as store:
    ...     store.append(Row("monks1", "lmnn", 0, "shares, k=1", seed=7))
    >>> read_rows(path)[0].method
    'lmnn'
    """
    place, advice = (
        Path(path),
        "Name a file in a folder that exists and may be written.",
    )
    with _explained(f"write {str(place)!r}", advice):
        file = FileIO(place, "a+")
    with file:  # whose end releases the lock
        _lock(place, file)
        yield Store(place, file)


def _lock(place: Path, file: FileIO) -> None:
    """Lock the file until it is closed, by death too; does nothing without fcntl."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BlockingIOError(
            f"Another run is writing {place.name}. Wait until it ends, or give this "
            "run a results file of its own."
        ) from None


def _contents(place: Path, data: bytes) -> tuple[dict[Key, Row], int]:
    """Return the last row of each key, and the bytes of whole lines.

    The last line may be incomplete.
    """
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
                f"{place.name} ends in an incomplete line of {len(line)} bytes, left "
                "by a run that was killed. It is ignored; run again to make that row.",
                UserWarning,
                stacklevel=3,
            )
        else:
            raise ValueError(
                f"{place.name}, line {number}: this is not a row of results. Restore "
                "the file, or delete that line and run again."
            )
    return rows, n_bytes


def _row(line: bytes) -> Row | None:
    """Return the row of a line, None if the line is incomplete or no row."""
    if not line.endswith(b"\n"):
        return None
    try:
        return Row.from_line(line)
    except (ValueError, TypeError):
        return None


@contextmanager
def _explained(what: str, advice: str) -> Iterator[None]:
    """Say of an error of the system what could not be done, and what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise type(error)(f"Cannot {what}: {reason}. {advice}") from None
