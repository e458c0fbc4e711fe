"""A minimal data frame for results where pandas is not installed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

MOST_ROWS = 60
"""Maximum number of rows shown whole; longer tables show the first and last few."""
AT_THE_ENDS = 5
MOST_DECIMALS = 6


class PlainTable(dict[Any, Any]):
    """Columns by their names, which print as a table.

    Parameters
    ----------
    columns : mapping of name to sequence
        Columns of one length.
    index : sequence, default=None
        Row labels; None: numbers from 0.

    Examples
    --------
    >>> table = PlainTable({"feature": ["tone", "size"], "share": [0.75, 0.25]})
    >>> table.round(1)
      feature  share
    0    tone    0.8
    1    size    0.2
    >>> table["feature"][0]
    'tone'
    """

    def __init__(
        self, columns: Mapping[Any, Any], index: Sequence[Any] | None = None
    ) -> None:
        super().__init__(columns)
        n_rows = len(next(iter(self.values()), ()))
        self.index = list(range(n_rows) if index is None else index)

    def round(self, decimals: int = 0) -> "PlainTable":
        """Return the same table, its floating-point numbers rounded."""
        rounded = {
            name: np.round(cells, decimals) if _is_floating(cells) else cells
            for name, cells in self.items()
        }
        return PlainTable(rounded, self.index)

    def __repr__(self) -> str:
        n_rows = len(self.index)
        places = [*range(n_rows)]
        if n_rows > MOST_ROWS:
            places = places[:AT_THE_ENDS] + places[-AT_THE_ENDS:]
        labels = ["", *(str(self.index[i]) for i in places)]
        shown = [_column(name, cells, places) for name, cells in self.items()]
        columns = [_aligned(labels, str.ljust), *(_aligned(c) for c in shown)]
        lines = [" ".join(line).rstrip() for line in zip(*columns, strict=True)]
        if len(places) < n_rows:
            lines.insert(1 + AT_THE_ENDS, "...")
            lines.append(f"({n_rows:,} rows)")
        return "\n".join(lines)


def _column(name: Any, cells: Any, places: list[int]) -> list[str]:
    """Return the texts of a column; pandas leaves no space before names of words."""
    is_number = np.asarray(cells).dtype.kind in "iuf"
    head = f" {name}" if is_number else str(name)
    return [head, *(f" {text}" for text in _texts(cells, places))]


def _aligned(texts: list[str], justify: Any = str.rjust) -> Iterator[str]:
    width = max(map(len, texts))
    return (justify(text, width) for text in texts)


def _is_floating(cells: Any) -> bool:
    return np.asarray(cells).dtype.kind == "f"


def _texts(cells: Any, places: list[int]) -> list[str]:
    """Return some cells as text, numbers with as many decimals as the longest needs."""
    some = [cells[i] for i in places]
    if not _is_floating(cells):
        return [str(cell) for cell in some]
    for decimals in range(1, MOST_DECIMALS):
        if np.allclose(np.round(some, decimals), some, rtol=0, atol=1e-9):
            break
    else:
        decimals = MOST_DECIMALS
    return [f"{cell:.{decimals}f}" for cell in some]
