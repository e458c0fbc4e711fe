"""Where a table comes from: a path, standard input, or the name of a built-in set."""

import gzip
import shutil
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from nearkind.errors import did_you_mean, nearest_names
from nearkind.io.asked import Asked, Columns, ReadingWarning
from nearkind.io.kinds import HEAD, KINDS, MAGIC_OF_GZIP, check_kind, kind_of

STANDARD_INPUT = "-"
IN_MEMORY = 1 << 26
"""Bytes of standard input; more go to a temporary file."""


def read(data: str, asked: Asked = Asked()) -> Columns:  # noqa: B008 - a tuple
    """Read a table.

    Parameters
    ----------
    data : a path, "-" for standard input, or the name of a built-in set; a file comes
        before a set of the same name
    asked : what is not to be found out

    Returns
    -------
    columns : cells of text files as text, empty ones as None; of others as they are

    Raises
    ------
    ValueError, OSError
        If that is no table, in one sentence that names it, and line or column.

    Examples
    --------
    >>> list(read("credit_risk"))
    ['Occupation', 'Education', 'Marital', 'Risk']
    """
    asked = asked.checked()
    if asked.format is not None:
        check_kind(asked.format)
    if is_set(data):
        return _built_in(data)
    with told_of(short_name(data)), opened(data, asked) as (stream, kind):
        return KINDS[kind](stream, asked)


@contextmanager
def opened(data: str, asked: Asked) -> Iterator[tuple[BinaryIO, str]]:
    """Give the bytes of a file, unpacked, and what kind it is; complaints name it."""
    name = short_name(data)
    with _bytes(data) as stream, _unpacked(stream) as plain, _named(name):
        head = plain.read(HEAD)
        plain.seek(0)
        yield plain, asked.format or kind_of(head, name)


def is_set(data: str) -> bool:
    """Say whether this is the name of a built-in set, and no file."""
    if data == STANDARD_INPUT or Path(data).exists():
        return False
    return data in _set_names()


def short_name(data: str) -> str:
    """Return what to call the source in a sentence.

    Examples
    --------
    >>> short_name("-"), short_name("folder/a.csv")
    ('standard input', 'a.csv')
    """
    return "standard input" if data == STANDARD_INPUT else Path(data).name


def label_of_set(name: str) -> str:
    """Return the column of labels of a built-in set.

    Examples
    --------
    >>> label_of_set("credit_risk")
    'Risk'
    """
    from nearkind.datasets import obtaining

    return obtaining.obtain(name).table.target


def _set_names() -> list[str]:
    from nearkind.datasets import obtaining

    return obtaining.names()


def _built_in(name: str) -> Columns:
    from nearkind.datasets import obtaining

    table = obtaining.obtain(name).table
    columns = dict(zip(table.feature_names, table.X.T.tolist(), strict=True))
    return {**columns, table.target: table.y.tolist()}


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Let complaints begin with the name of the file."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{name} is damaged ({error}); copy it again.") from None
    except ValueError as error:
        joint = ", " if str(error).startswith("line ") else ": "
        raise ValueError(f"{name}{joint}{error}") from None


@contextmanager
def told_of(name: str) -> Iterator[None]:
    """Let warnings begin with the name of the file."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    for warning in said:
        ours = issubclass(warning.category, ReadingWarning)
        text = f"{name}: {warning.message}" if ours else str(warning.message)
        warnings.warn(text, warning.category, stacklevel=2)


@contextmanager
def _bytes(data: str) -> Iterator[BinaryIO]:
    """Open a source that can be read again from its start."""
    if data == STANDARD_INPUT:
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as copy:
            shutil.copyfileobj(sys.stdin.buffer, cast(Any, copy))
            copy.seek(0)
            yield cast(BinaryIO, copy)
        return
    with _opened(data) as stream:
        yield stream


def _opened(data: str) -> BinaryIO:
    path = Path(data)
    try:
        return path.open("rb")
    except IsADirectoryError:
        raise IsADirectoryError(
            f"{data!r} is a folder; DATA is one file, - or a built-in set."
        ) from None
    except FileNotFoundError:
        beside = [each.name for each in path.parent.glob("*") if each.is_file()]
        near = nearest_names(path.name, [*beside, *_set_names()])
        raise FileNotFoundError(
            f"There is no file or built-in set {data!r}. "
            + (
                did_you_mean(path.name, near)
                if near
                else "`nearkind datasets` lists the sets."
            )
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OSError(f"Cannot read {data!r}: {reason}.") from None


@contextmanager
def _unpacked(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Give what is inside, if it is compressed by gzip."""
    packed = stream.read(len(MAGIC_OF_GZIP)) == MAGIC_OF_GZIP
    stream.seek(0)
    if not packed:
        yield stream
        return
    with gzip.GzipFile(mode="rb", fileobj=stream) as inside:
        yield cast(BinaryIO, inside)
