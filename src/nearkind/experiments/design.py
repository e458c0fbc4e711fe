"""How every row of an experiment is made, whatever the method."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

SHARES = tuple(10.0**-power for power in (0.5, 1.0, 1.5, 2.0, 3.0))
"""Of the strength from which on nothing is learned."""
DECADES = tuple(10.0**power for power in range(4, -5, -1))
"""The paper's range, 10^4, ..., 10^-4; much of it is beyond that strength."""
STRENGTHS: dict[str, Callable[[float], Sequence[float]]] = {
    "shares": lambda strength_max: [share * strength_max for share in SHARES],
    "paper": lambda strength_max: DECADES,
}
"""From ``strength_max_`` to the strengths to try, strongest first."""
CHOOSE = "choose"
NEIGHBORS = (1, 3, 5, 9, 15)


@dataclass(frozen=True)
class Design:
    """What is searched on the validation part, and how much of a set is taken.

    Parameters
    ----------
    strengths : "shares" of ``strength_max_``, five from 10^-0.5 to 10^-3, or "paper":
        10^4 to 10^-4
    n_neighbors : how many rows vote; 1 is the paper's, "choose" searches 1, 3, 5, 9, 15
    rows : of a larger set take so many, each class in its share; None: all
    numbers : keep columns that measure or count, which the paper leaves out

    Examples
    --------
    >>> Design(n_neighbors="choose").label
    'shares, k=choose'
    """

    strengths: str = "shares"
    n_neighbors: int | str = 1
    rows: int | None = None
    numbers: bool = False

    def __post_init__(self) -> None:
        if self.strengths not in STRENGTHS:
            raise self._wrong("strengths", f"one of {', '.join(map(repr, STRENGTHS))}")
        if self.n_neighbors != CHOOSE and not _is_count(self.n_neighbors, 1):
            raise self._wrong("n_neighbors", f"a whole number >= 1 or {CHOOSE!r}")
        if self.rows is not None and not _is_count(self.rows, 10):
            raise self._wrong("rows", "None or a whole number >= 10")

    @property
    def label(self) -> str:
        """Name of the design, part of the key of its rows."""
        cut = "" if self.rows is None else f", {self.rows} rows"
        numbers = ", numbers" if self.numbers else ""
        return f"{self.strengths}, k={self.n_neighbors}{cut}{numbers}"

    @property
    def neighbors(self) -> tuple[int, ...]:
        """Numbers of neighbours to try."""
        return NEIGHBORS if self.n_neighbors == CHOOSE else (int(self.n_neighbors),)

    def path(self, strength_max: float) -> list[float]:
        """Return the strengths to try, strongest first, none twice."""
        return list(dict.fromkeys(STRENGTHS[self.strengths](strength_max)))

    def _wrong(self, name: str, wanted: str) -> ValueError:
        return ValueError(
            f"The {name!r} parameter of Design must be {wanted}; "
            f"got {getattr(self, name)!r}."
        )


def _is_count(value: Any, least: int) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and value >= least
