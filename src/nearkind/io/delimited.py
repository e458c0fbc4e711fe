"""Lines of cells with a letter between them, the first line their names."""

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

from nearkind.io.asked import DELIMITERS, Asked, Columns
from nearkind.io.columns import named
from nearkind.io.lines import Lines, decoded

LOOKED_AT = 100
"""Lines by which the delimiter is found."""
CHUNK = 4096
MOST_CELLS = 400_000_000
"""Of a table; a small compressed file may claim any number."""
MOST_KNOWN = 1 << 20
"""Distinct cells to keep; in a file beyond memory there may be any number."""
ADVICE = "check the quotes, or give the delimiter"


def read(stream: BinaryIO, asked: Asked) -> Columns:
    """Read columns of text; an empty cell is None, blanks around cells are dropped.

    Examples
    --------
    >>> from io import BytesIO
    >>> read(BytesIO(b"size;colour\\n1;red\\n;blue\\n"), Asked())
    {'size': ['1', None], 'colour': ['red', 'blue']}
    """

    return decoded(stream, asked.encoding, lambda lines: _whole(chunks(lines, asked)))


def chunks(lines: Lines, asked: Asked, size: int = CHUNK) -> Iterator[Columns]:
    """Yield columns of text of so many rows at a time.

    Examples
    --------
    >>> from io import BytesIO
    >>> lines = Lines(BytesIO(b"size\\n1\\n2\\n3\\n"), "utf-8")
    >>> list(chunks(lines, Asked(), size=2))
    [{'size': ['1', '2']}, {'size': ['3']}]
    """
    first = list(islice(lines, LOOKED_AT))
    lines.number = 0  # counted again below
    delimiter = asked.delimiter or found_delimiter(first)
    text = _counted(first, lines)
    rows = _rows(csv.reader(text, delimiter=delimiter, strict=True))
    header = next(rows, None)
    if header is None:
        raise ValueError("the file is empty")
    names = named(header)
    clean, has_rows = _Clean(), False
    for chunk in _chunks(_checked(rows, len(names)), size):
        has_rows = True
        columns = zip(*chunk, strict=True)
        cells = ([clean[cell] for cell in column] for column in columns)
        yield dict(zip(names, cells, strict=True))
        clean.tidy()
    if not has_rows:
        raise ValueError(f"rows were expected after the header ({_count(len(names))})")


def tab_chunks(lines: Lines, asked: Asked, size: int = CHUNK) -> Iterator[Columns]:
    """Yield columns with tabs between them, unless another delimiter is asked for."""
    return chunks(lines, asked._replace(delimiter=asked.delimiter or "\t"), size)


def _whole(parts: Iterable[Columns]) -> Columns:
    """Return all chunks as one table."""
    whole: Columns = {}
    for part in parts:
        for name, cells in part.items():
            whole.setdefault(name, []).extend(cells)
        if sum(map(len, whole.values())) > MOST_CELLS:
            raise ValueError(f"the table has more than {MOST_CELLS:,} cells")
    return whole


def read_tabs(stream: BinaryIO, asked: Asked) -> Columns:
    """Read columns with tabs between them, unless another delimiter is asked for."""
    return read(stream, asked._replace(delimiter=asked.delimiter or "\t"))


def found_delimiter(lines: list[str]) -> str:
    """Return the letter that cuts the most lines into as many cells as the header.

    Examples
    --------
    >>> found_delimiter(["a;b\\n", "1,5;2,5\\n"])
    ';'
    """
    candidates = list(dict.fromkeys(DELIMITERS.values()))
    scores = [_score(lines, delimiter) for delimiter in candidates]
    return candidates[scores.index(max(scores))]


def _score(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Return the share of lines that agree with the header, and its cells."""
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _counted(first: list[str], lines: Lines) -> Iterator[str]:
    """Yield the lines looked at before, counting them, and then the others."""
    for lines.number, line in enumerate(first, start=1):
        yield line
    yield from lines


def _rows(reader: Any) -> Iterator[list[str]]:
    """Yield rows, blank lines left out."""
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        raise ValueError(f"{error}; {ADVICE}") from None


def _checked(rows: Iterable[list[str]], width: int) -> Iterator[list[str]]:
    for row in rows:
        if len(row) != width:
            raise ValueError(
                f"{_count(width)} in the header, {_count(len(row))} here; {ADVICE}"
            )
        yield row


def _count(n: int) -> str:
    return f"{n} cell" if n == 1 else f"{n} cells"


def _chunks(rows: Iterable[list[str]], size: int) -> Iterator[list[list[str]]]:
    for first in rows:
        yield list(chain([first], islice(rows, size - 1)))


class _Clean(dict[str, str | None]):
    """Each distinct cell once in memory, trimmed, None if nothing is left."""

    def __missing__(self, cell: str) -> str | None:
        text = cell.strip()
        self[cell] = value = text or None
        return value

    def tidy(self) -> None:
        """Forget all, if there is too much of it."""
        if len(self) > MOST_KNOWN:
            self.clear()
