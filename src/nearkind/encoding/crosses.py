"""Crosses: pairs of columns as one feature."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.features import Feature
from nearkind.errors import did_you_mean
from nearkind.protocols import Codes

Pair = tuple[int, int]
"""Numbers of two features."""
Setting = int | str | tuple[tuple[Any, Any], ...]
"""What ``crosses`` may be: how many pairs, "auto", or which by the names of columns."""

MAX_LEVELS = 100_000
"""Pairs of values of one cross; more of them identify rows."""
WANTED = (
    "a number of pairs >= 0, 'auto' or a list of pairs of columns such as "
    "[('colour', 'size')]"
)


class ValuePair(tuple[Any, ...]):
    """Two values as a value of a cross: a tuple, which as text has an x in it.

    Examples
    --------
    >>> ValuePair(("red", None)), str(ValuePair(("red", None)))
    (('red', None), 'red x missing')
    """

    __slots__ = ()

    def __str__(self) -> str:
        return " x ".join("missing" if part is None else str(part) for part in self)


class Cross:
    """Every pair of values of two features that fit saw is a code.

    A pair that it did not see has code -1, and so has one with a part of code -1.

    Parameters
    ----------
    name : str
        Names of the parts with an x between them.
    parts : (int, int)
        Numbers of the two features.
    levels : array of int (n_values, 2)
        Codes of the two values, in rising order.

    Examples
    --------
    >>> rows = np.array([[0, 1], [1, 0], [0, 1]])
    >>> cross = Cross.learned("colour x size", (0, 1), rows)
    >>> cross.levels.tolist(), cross.encode(np.array([[1, 0], [1, 1]])).tolist()
    ([[0, 1], [1, 0]], [1, -1])
    """

    def __init__(self, name: str, parts: Pair, levels: Any) -> None:
        self.name, self.parts = name, parts
        self.levels: NDArray[np.intp] = np.reshape(levels, (-1, 2)).astype(np.intp)
        self.n_values = len(self.levels)
        self._keys = _keys(self.levels[:, 0], self.levels[:, 1])
        self._key_of_code = np.append(self._keys, _NO_KEY)

    @classmethod
    def learned(cls, name: str, parts: Pair, codes: NDArray[np.integer]) -> "Cross":
        """Return the cross of two features, with the pairs that some rows have.

        Parameters
        ----------
        name, parts
            As above.
        codes : ndarray of int (n, D)
            Codes of the rows.
        """
        keys = np.unique(_keys(codes[:, parts[0]], codes[:, parts[1]]))
        keys = keys[keys >= 0]
        return cls(name, parts, np.column_stack([keys >> _HALF, keys & _LOW]))

    @cached_property
    def _code_of(self) -> dict[Pair, int]:
        return {(a, b): code for code, (a, b) in enumerate(self.levels.tolist())}

    def code(self, a: int, b: int) -> int:
        """Return the code of one pair of codes, as ``encode`` does."""
        return self._code_of.get((a, b), -1)

    def encode(self, codes: NDArray[np.integer]) -> Codes:
        """Return the code of each row (n,) from those of the features (n, D)."""
        return self.encode_pairs(codes[:, self.parts])

    def encode_pairs(self, pairs: NDArray[np.integer]) -> Codes:
        """Return the code of each pair of codes (n, 2)."""
        keys = _keys(pairs[:, 0], pairs[:, 1])
        found = np.searchsorted(self._keys, keys)
        return np.where(self._key_of_code[found] == keys, found, -1).astype(np.int32)


_HALF = 32
_LOW = (1 << _HALF) - 1
_NO_KEY = -2  # no pair has it: keys are >= 0, or -1, or far below


def _keys(a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return one number for each pair of codes, below zero if one of them is."""
    return (a.astype(np.int64) << _HALF) | b.astype(np.int64)


def as_setting(value: object) -> Setting | None:
    """Return ``crosses`` as a value that can be hashed; None if it is none.

    Examples
    --------
    >>> as_setting([["colour", "size"]]), as_setting(True), as_setting("all")
    ((('colour', 'size'),), None, None)
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value) if int(value) >= 0 else None
    if isinstance(value, str):
        return value if value == "auto" else None
    if not isinstance(value, list | tuple):
        return None
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        return None
    return tuple((a, b) for a, b in value)


def cross_name(names: Sequence[object], pair: Pair) -> str:
    """Return the name of a cross of two columns.

    Examples
    --------
    >>> cross_name(["colour", "size"], (0, 1))
    'colour x size'
    """
    return f"{names[pair[0]]} x {names[pair[1]]}"


def named_pairs(
    pairs: Iterable[tuple[object, object]],
    names: Sequence[object],
    named: bool,
    features: Sequence[Feature],
) -> list[Pair]:
    """Return the numbers of the features in pairs of names, each pair once.

    Parameters
    ----------
    pairs : iterable of (object, object)
        Names of columns; numbers of them, from 0, if the user gave them no names.
    names, named
        As in ``Table``.
    features : sequence of Feature
        One per column.
    """
    found: dict[frozenset[int], Pair] = {}
    for pair in pairs:
        a, b = (_place(name, names, named) for name in pair)
        if a == b:
            raise ValueError(
                f"crosses pairs the column {names[a]!r} with itself. Name two "
                "different columns."
            )
        for d in (a, b):
            if features[d].positions is not None:
                raise ValueError(
                    f"crosses pairs the column {names[d]!r}, whose numbers are places "
                    "on an axis under numeric='scale', and only values and bins make "
                    "pairs. Take numeric='bin', or leave the column out of crosses."
                )
        found.setdefault(frozenset((a, b)), (a, b))
    return list(found.values())


def _place(name: Any, names: Sequence[object], named: bool) -> int:
    if name in names:
        return names.index(name)
    is_number = isinstance(name, Integral) and not isinstance(name, bool)
    if not named and is_number and 0 <= int(name) < len(names):
        return int(name)
    raise ValueError(
        f"crosses pairs a column {name!r}, which does not exist. "
        f"{did_you_mean(name, names)}"
    )


def cross_features(
    pairs: Iterable[Pair], names: Sequence[object], codes: NDArray[np.integer]
) -> list[Cross]:
    """Return the cross of each pair, with the pairs of values that some rows have.

    Parameters
    ----------
    pairs : iterable of (int, int)
    names : sequence
        Of the columns; none may be that of a cross.
    codes : ndarray of int (n, D)
        Codes of the rows.
    """
    crosses: list[Cross] = []
    taken = {str(name) for name in names}
    for a, b in pairs:
        name = cross_name(names, (a, b))
        if name in taken:
            raise ValueError(
                f"The columns {names[a]!r} and {names[b]!r} cannot be crossed, because "
                f"another column has the name {name!r} already. Rename one of them."
            )
        taken.add(name)
        crosses.append(Cross.learned(name, (a, b), codes))
        if crosses[-1].n_values > MAX_LEVELS:
            raise ValueError(
                f"The columns {names[a]!r} and {names[b]!r} have "
                f"{crosses[-1].n_values:,} different pairs of values, and at most "
                f"{MAX_LEVELS:,} can be crossed. Coarsen one of them, or leave the "
                "pair out of crosses."
            )
    return crosses
