"""Bytes -> lines of text: which encoding, and no line without end."""

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, TypeVar
from warnings import warn

from nearkind.io.asked import ReadingWarning

LONGEST = 1 << 24
"""Letters of a line; longer ones are no table."""
LAST_RESORT = "latin-1"
BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which starts the same
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
Result = TypeVar("Result")


class Lines:
    """Lines of a stream with their number, each refused if it is not text.

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
        while line := self._text.readline(LONGEST):
            self.number += 1
            if len(line) == LONGEST:
                raise ValueError(f"it is longer than {LONGEST:,} letters: no table")
            if "\0" in line:
                raise ValueError(
                    "it holds a NUL byte, so this is no text; if it is UTF-16, give "
                    "that encoding"
                )
            yield line

    def release(self) -> None:
        """Let go of the stream, which stays open."""
        self._text.detach()


def decoded(
    stream: BinaryIO, encoding: str | None, parse: Callable[[Lines], Result]
) -> Result:
    """Parse a stream as text: of the given encoding, of its mark, UTF-8, or Latin-1."""
    asked = encoding or marked(stream)
    if asked is not None:
        return _parsed(stream, asked, parse)
    try:
        return _parsed(stream, "utf-8", parse)
    except UnicodeDecodeError as error:
        stream.seek(0)
        found = _parsed(stream, LAST_RESORT, parse)
        byte = error.object[error.start]
        warn(
            f"The text is not UTF-8 (byte {byte:#04x}), so it is read as Latin-1; if "
            "letters look wrong, give its encoding.",
            ReadingWarning,
            stacklevel=2,
        )
        return found


def marked(stream: BinaryIO) -> str | None:
    """Return the encoding that a byte-order mark says, None without one."""
    head = stream.read(4)
    stream.seek(0)
    return next((name for bom, name in BOMS.items() if head.startswith(bom)), None)


def _parsed(
    stream: BinaryIO, encoding: str, parse: Callable[[Lines], Result]
) -> Result:
    with numbered_lines(stream, encoding) as lines:
        return parse(lines)


@contextmanager
def numbered_lines(stream: BinaryIO, encoding: str) -> Iterator[Lines]:
    """Give lines of an encoding; complaints begin with the number of the line."""
    lines = Lines(stream, encoding)
    try:
        yield lines
    except UnicodeDecodeError as error:
        if encoding == "utf-8":
            raise  # Latin-1 may do
        raise _at(lines.number + 1, f"it is not {encoding} ({error.reason})") from None
    except UnicodeError as error:
        raise _at(lines.number + 1, f"it is not {encoding} ({error})") from None
    except ValueError as error:
        raise _at(max(lines.number, 1), str(error)) from None
    finally:
        lines.release()


def _at(number: int, complaint: str) -> ValueError:
    return ValueError(f"line {number}: {complaint.rstrip('.')}.")
