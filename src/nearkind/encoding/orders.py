"""Ordered columns: the values in ascending order."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from nearkind.encoding.levels import Levels
from nearkind.errors import nearest_names, require_known
from nearkind.protocols import Codes
from nearkind.tables import Column, plain

Orders = tuple[tuple[Any, tuple[Any, ...]], ...]
"""Names of columns, and the values of each in order."""


class Ordinal(Levels):
    """Every value of a stated order is a code, in that order; others are refused.

    Parameters
    ----------
    name : object
        The column's name.
    levels : sequence
        Distinct plain values, lowest first; not all need occur.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> size = Ordinal("size", ["S", "M", "L"], has_missing=False)
    >>> size.encode(read_table([["L"], ["S"]]).column(0)).tolist()
    [2, 0]
    """

    @property
    def n_ordered(self) -> int:
        """How many values are in order: all but a missing one."""
        return len(self.code_of)

    def encode(self, column: Column) -> Codes:
        """Return codes (n,); values that are not in the order are refused."""
        codes = super().encode(column)
        if len(codes) and codes.min() < 0 and (strange := self.unseen_values(column)):
            value, levels = strange[0], list(self.code_of)
            near = nearest_names(value, levels, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            shown = ", ".join(map(repr, levels[:5])) + ", ..." * (len(levels) > 5)
            raise ValueError(
                f"Column {self.name!r} has the value {value!r}{hint}, which is not in "
                f"its order {shown}. Name every value where it belongs, lowest first: "
                f"ordered={{{self.name!r}: [...]}}."
            )
        return codes


def as_orders(ordered: object) -> Orders:
    """Return the orders of columns as a dict or None states them, or raise.

    Examples
    --------
    >>> as_orders({"size": ["S", "M", "L"]})
    (('size', ('S', 'M', 'L')),)
    """
    if ordered is None:
        return ()
    if not isinstance(ordered, Mapping):
        raise ValueError(
            "The 'ordered' parameter must be None or a dict of columns and their "
            "values, lowest first, such as {'size': ['S', 'M', 'L']}; got "
            f"{ordered!r:.60}."
        )
    return tuple((name, _as_order(name, values)) for name, values in ordered.items())


def check_ordered(orders: Orders, names: list[Any]) -> None:
    """Raise if there is an order of a column that there is not."""
    for name, _ in orders:
        require_known(name, names, f"'ordered' names {name!r}, which is not a column.")


def _as_order(name: object, values: object) -> tuple[Any, ...]:
    start = f"The order of column {name!r} in 'ordered' "
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{start}must be a list of values; got {values!r:.60}.")
    order = tuple(map(plain, values))
    if not order:
        raise ValueError(f"{start}is empty. List its values, lowest first.")
    if any(value is None for value in order):
        raise ValueError(
            f"{start}holds a missing value, which cannot be part of an order; leave "
            "it out."
        )
    twice = [value for value, count in Counter(order).items() if count > 1]
    if twice:
        raise ValueError(f"{start}names {twice[0]!r} more than once.")
    return order
