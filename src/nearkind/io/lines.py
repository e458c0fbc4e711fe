"""Bytes -> numbered lines of text: the encoding, and what is wrong in which line."""

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, TypeVar
from warnings import warn

from nearkind.io.options import ReadingWarning

MAX_LENGTH = 1 << 24
"""Characters of a line; a longer one is not part of a table."""
FALLBACK = "latin-1"
BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which starts the same
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
UNPACK_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
"""What gzip raises if a file is cut short or changed."""
Result = TypeVar("Result")


class DamagedFileError(ValueError):
    """A compressed file is cut short or changed; the message lacks its name."""


class Lines:
    """Lines of a binary stream, counted.

    Parameters
    ----------
    stream : binary stream
        Stays open.
    encoding : str

    Attributes
    ----------
    number : int
        Lines read so far.

    Examples
    --------
    >>> lines = Lines(io.BytesIO(b"a\\r\\nb"), "utf-8")
    >>> list(lines), lines.number
    (['a\\r\\n', 'b'], 2)
    """

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self.encoding = encoding
        self._text = io.TextIOWrapper(stream, encoding, newline="")
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(MAX_LENGTH):
            self.number += 1
            if len(line) == MAX_LENGTH:
                raise ValueError(
                    f"it is longer than {MAX_LENGTH:,} characters, so this is not "
                    "a table"
                )
            yield line

    def release(self) -> None:
        """Detach from the stream, which stays open."""
        self._text.detach()


def without_nul(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, and raise ``ValueError`` at one that holds a NUL byte."""
    for line in lines:
        if "\0" in line:
            raise ValueError(
                "it has a NUL byte, so this is not text; if it is UTF-16, pass "
                "that encoding"
            )
        yield line


def parse_text(
    stream: BinaryIO, encoding: str | None, parse: Callable[[Lines], Result]
) -> Result:
    """Return what ``parse`` makes of the lines of a stream.

    The encoding is the one given, the one of the byte-order mark, UTF-8, or Latin-1
    with a warning if the text is not UTF-8.
    """
    known = encoding or marked_encoding(stream)
    if known is not None:
        return _parse(stream, known, parse)
    try:
        return _parse(stream, "utf-8", parse)
    except UnicodeDecodeError as error:
        stream.seek(0)
        result = _parse(stream, FALLBACK, parse)
        byte = error.object[error.start]
        warn(
            f"The text is not UTF-8 (byte {byte:#04x}), so it is read as Latin-1; "
            "if characters look wrong, pass its encoding.",
            ReadingWarning,
            stacklevel=2,
        )
        return result


def marked_encoding(stream: BinaryIO) -> str | None:
    """Return the encoding that the byte-order mark says, None without one."""
    head = stream.read(4)
    stream.seek(0)
    return next((name for bom, name in BOMS.items() if head.startswith(bom)), None)


def _parse(stream: BinaryIO, encoding: str, parse: Callable[[Lines], Result]) -> Result:
    with numbered_lines(stream, encoding) as lines:
        return parse(lines)


@contextmanager
def numbered_lines(stream: BinaryIO, encoding: str) -> Iterator[Lines]:
    """Give the lines of a stream; errors of the block name the line that was read."""
    lines = Lines(stream, encoding)
    try:
        yield lines
    except UnicodeDecodeError as error:
        if encoding == "utf-8":
            raise  # the caller may try Latin-1
        # ``error.object`` begins in the line after the last one that was read
        number = lines.number + 1 + error.object.count(b"\n", 0, error.start)
        name = encoding.removesuffix("-sig")
        raise _at(number, f"it is not {name} ({error.reason})") from None
    except UnicodeError as error:
        raise _at(lines.number + 1, f"it is not {encoding} ({error})") from None
    except ValueError as error:
        raise _at(max(lines.number, 1), str(error)) from None
    except UNPACK_ERRORS as error:
        where = f"after line {lines.number}"
        raise DamagedFileError(
            f"is damaged {where} ({error}); copy it again."
        ) from None
    finally:
        lines.release()


def _at(number: int, message: str) -> ValueError:
    return ValueError(f"line {number}: {message.rstrip('.')}.")


@contextmanager
def file_errors(name: str) -> Iterator[None]:
    """Begin the message of an error of the block with the name of the file."""
    try:
        yield
    except DamagedFileError as error:
        raise ValueError(f"{name} {error}") from None
    except UNPACK_ERRORS as error:
        raise ValueError(f"{name} is damaged ({error}); copy it again.") from None
    except ValueError as error:
        joint = ", " if str(error).startswith("line ") else ": "
        raise ValueError(f"{name}{joint}{error}") from None
