"""JSON lines: one JSON object per row."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

from nearkind.io.csv_text import MAX_CELLS
from nearkind.io.lines import Lines, parse_text, without_nul
from nearkind.io.options import Columns, ReadOptions

NO_ROWS = "expected rows, one JSON object per line; found none"


def read(stream: BinaryIO, options: ReadOptions) -> Columns:
    """Return columns; a key that a row lacks is a missing cell.

    Examples
    --------
    >>> from io import BytesIO
    >>> read(BytesIO(b'{"size": 1}\\n{"size": 2, "colour": "red"}\\n'), ReadOptions())
    {'size': [1, 2], 'colour': [None, 'red']}
    """
    return parse_text(stream, options.encoding, lambda lines: _columns(_rows(lines)))


def chunks(lines: Lines, options: ReadOptions, size: int) -> Iterator[Columns]:
    """Yield columns, ``size`` rows at a time; each has the keys of its own rows.

    Examples
    --------
    >>> from io import BytesIO
    >>> lines = Lines(BytesIO(b'{"a": 1}\\n{"b": 2}\\n'), "utf-8")
    >>> list(chunks(lines, ReadOptions(), size=1))
    [{'a': [1]}, {'b': [2]}]
    """
    rows, has_rows = _rows(lines), False
    for first in rows:
        has_rows = True
        yield _columns(chain([first], islice(rows, size - 1)))
    if not has_rows:
        raise ValueError(NO_ROWS)


def _rows(lines: Lines) -> Iterator[dict[str, Any]]:
    return (_row(line) for line in without_nul(lines) if line.strip())


def _columns(rows: Iterable[dict[str, Any]]) -> Columns:
    columns: Columns = {}
    for n_rows, row in enumerate(rows):
        for name, cell in row.items():
            if name not in columns:
                columns[name] = [None] * n_rows
            columns[name].append(cell)
        for column in columns.values():
            if len(column) <= n_rows:
                column.append(None)
        if (n_rows + 1) * len(columns) > MAX_CELLS:
            raise ValueError(f"the table has more than {MAX_CELLS:,} cells")
    if not columns:
        raise ValueError(NO_ROWS)
    return columns


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"this is not a JSON object on one line ({error.msg}); an array of objects "
            "is split into lines by `jq -c '.[]'`"
        ) from None
    except RecursionError:
        raise ValueError("this JSON is nested too deeply to be a row") from None
    if not isinstance(row, dict):
        kind = type(row).__name__
        raise ValueError(
            f"expected a JSON object with one value per column, found {kind}"
        )
    return row


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"column {twice!r} occurs more than once")
    return row


def write_json_lines(columns: Columns, write: Callable[[str], object]) -> None:
    """Call ``write`` with one JSON object per row.

    Examples
    --------
    >>> write_json_lines({"size": [1, None]}, lambda line: print(line, end=""))
    {"size": 1}
    {"size": null}
    """
    for cells in zip(*columns.values(), strict=True):
        row = dict(zip(columns, cells, strict=True))
        write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
