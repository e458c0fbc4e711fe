"""Levels: one code per distinct value."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from nearkind.protocols import Array, Codes
from nearkind.tables import Column, parse_number


class Levels:
    """Every distinct value is a code.

    A text that is no level, but writes a number that is one, has the code of that
    number; and a number that is no level has the code of the only text that writes it.

    Parameters
    ----------
    name : object
        The column's name.
    levels : sequence
        Distinct plain values in code order.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> levels = Levels("size", ["large", "small"], has_missing=True)
    >>> levels.encode(read_table([["small"], [None], ["huge"]]).column(0)).tolist()
    [1, 2, -1]
    >>> Levels("size", [1, 2], has_missing=False).code("2")
    1
    """

    positions: Array | None = None
    lowest_code = -1

    def __init__(
        self, name: object, levels: Sequence[object], has_missing: bool
    ) -> None:
        self.name = name
        self.n_values = len(levels) + has_missing
        self.missing_code = len(levels) if has_missing else -1
        self.code_of = {level: code for code, level in enumerate(levels)}

    @property
    def n_ordered(self) -> int:
        """How many values are in order: none."""
        return 0

    @property
    def values(self) -> list[Any]:
        """Display values in code order."""
        return [*self.code_of, *([None] if self.missing_code >= 0 else [])]

    def encode(self, column: Column) -> Codes:
        """Return codes (n,), -1 where there is no code."""
        table = self._table(column.values)
        indices = column.indices
        if _is_identity(table) and (table[-1] == -1 or indices.min() >= 0):
            return indices.astype(np.int32)
        return table.take(indices, mode="wrap")  # half the time of table[indices]

    def code(self, value: object) -> int:
        """Return the code of one value, -1 where there is none."""
        code = self.code_of.get(value, -1)
        if code >= 0:
            return code
        is_missing = value is None or value != value
        return self.missing_code if is_missing else self._code_by_numeral(value)

    def unseen_values(self, column: Column) -> list[Any]:
        """Return the values of the column that have no code."""
        unknown = (self._table(column.values)[:-1] < 0) & column.occurs
        return [column.values[i] for i in np.flatnonzero(unknown)]

    def _table(self, values: list[Any]) -> Codes:
        """Return the code of each value, and of missing, where index -1 finds it."""
        codes = [self.code_of.get(value, -1) for value in values]
        table = np.array([*codes, self.missing_code], np.int32)
        for i in np.flatnonzero(table[:-1] < 0).tolist():
            table[i] = self._code_by_numeral(values[i])
        return table

    def _code_by_numeral(self, value: object) -> int:
        """Return the code of the number that a text writes, or of its text; else -1."""
        if isinstance(value, str):
            number = parse_number(value)
            return -1 if number is None else self.code_of.get(number, -1)
        is_number = isinstance(value, int | float | Decimal)
        return self._code_of_number.get(value, -1) if is_number else -1

    @cached_property
    def _code_of_number(self) -> dict[Any, int]:
        """The codes of texts by the number that they write, if no other writes it."""
        code_of: dict[Any, int] = {}
        for level, code in self.code_of.items():
            number = parse_number(level) if isinstance(level, str) else None
            if number is not None:
                code_of[number] = -1 if number in code_of else code
        return code_of


def _is_identity(table: Codes) -> bool:
    return bool((table[:-1] == np.arange(len(table) - 1)).all())
