"""Write a file whole or not at all."""

import errno
import gzip
import io
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from typing import IO, Any, cast

BUFFER = 1 << 16
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors of a disk that has no room, for anybody or for this user."""


@contextmanager
def atomic_write(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary file that replaces ``path`` when the block ends without an error.

    The file is made under a random name in the same folder, and renamed at the end; on
    an error or an interruption it is removed, and what was at ``path`` stays. A file
    that is replaced keeps its mode, and a link stays a link. A pipe or a device is
    written into, as it cannot be replaced.

    Parameters
    ----------
    path : path-like

    Yields
    ------
    binary stream

    Raises
    ------
    OSError
        If nothing can be written there; the message names the path.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic_write(path) as file:
    ...     _ = file.write(b"whole")
    >>> path.read_text()
    'whole'
    """
    mode = _mode(path)
    if _is_special(mode):
        with _full_disk_named(path), _open(path, "wb", path) as file:
            yield file
        return
    target = os.path.realpath(path)
    temporary = _temporary_name(target)
    try:
        with _full_disk_named(path), _open(temporary, "xb", path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    finally:
        _remove(temporary)


def write_text(text: str, path: str | PathLike[str]) -> None:
    """Write a text in UTF-8, whole or not at all."""
    with atomic_write(path) as file:
        file.write(text.encode())


def check_writable(path: str | PathLike[str]) -> None:
    """Raise ``OSError``, before long work, if ``path`` cannot be written."""
    if _is_special(_mode(path)):
        return
    temporary = _temporary_name(os.path.realpath(path))
    try:
        _open(temporary, "xb", path).close()
    finally:
        _remove(temporary)


@contextmanager
def text_writer(file: IO[bytes], packed: bool) -> Iterator[Callable[[str], object]]:
    """Give a function that writes text to a binary stream, in UTF-8.

    Parameters
    ----------
    file : binary stream
        Stays open.
    packed : bool
        Whether to compress by gzip, without a name and a time, so that the same text
        gives the same bytes.
    """
    if not packed:
        yield lambda text: file.write(text.encode())
        return
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as inner:
        buffer = io.BufferedWriter(cast(Any, inner), BUFFER)
        yield lambda text: buffer.write(text.encode())
        buffer.flush()


def _mode(path: str | PathLike[str]) -> int | None:
    """Return the mode of what is at a path; None if there is nothing."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        reason = "is a folder; name a file"
        raise _error(IsADirectoryError, f"{os.fspath(path)!r} {reason}", f"it {reason}")
    return mode


def _is_special(mode: int | None) -> bool:
    """Return whether a mode is that of a pipe, a device or a socket."""
    return mode is not None and not stat.S_ISREG(mode)


def _temporary_name(target: str) -> str:
    name = f".nearkind-{secrets.token_hex(8)}.tmp"
    return os.path.join(os.path.dirname(target), name)


def _remove(place: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(place)


def _open(place: str | PathLike[str], how: str, path: str | PathLike[str]) -> IO[bytes]:
    """Open a file for writing; errors name ``path``."""
    try:
        return open(place, how)
    except OSError as error:
        name = os.fspath(path)
        folder = os.path.dirname(name)
        if folder and not os.path.isdir(folder):
            reason = f"there is no folder {folder!r} to write to"
            raise _error(FileNotFoundError, f"T{reason[1:]}", reason) from None
        reason = error.strerror or str(error)
        raise _error(type(error), f"Cannot write {name!r}: {reason}", reason) from None


@contextmanager
def _full_disk_named(path: str | PathLike[str]) -> Iterator[None]:
    """Name the path, and what to do, where the system only says that there is no room.

    The block may read other files; what goes wrong with these is left as it is.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        reason = f"{error.strerror}; free some, or name a file on another disk"
        sentence = f"Cannot write {os.fspath(path)!r}: {reason}"
        raise _error(type(error), sentence, reason) from None


def _error(kind: type[OSError], sentence: str, reason: str) -> OSError:
    """Return an error that says a sentence, and a reason to callers with their own."""
    error = kind(f"{sentence}.")
    error.strerror = reason
    return error
