"""The design of an experiment: what is common to the trials of all methods."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

SHARES = tuple(10.0**-power for power in (0.5, 1.0, 1.5, 2.0, 3.0))
"""Strengths as shares of ``strength_max_``, from which on nothing is learned."""
DECADES = tuple(10.0**power for power in range(4, -5, -1))
"""The paper's strengths, 10^4, ..., 10^-4; many are beyond ``strength_max_``."""
STRENGTHS: dict[str, Callable[[float], Sequence[float]]] = {
    "shares": lambda strength_max: [share * strength_max for share in SHARES],
    "paper": lambda strength_max: DECADES,
}
"""Functions from ``strength_max_`` to the strengths to try, strongest first."""
CHOOSE = "choose"
NEIGHBORS = (1, 3, 5, 9, 15)


@dataclass(frozen=True)
class Design:
    """What is searched on the validation part, and how much of a set is used.

    Parameters
    ----------
    strengths : {"shares", "paper"}, default="shares"
        Strengths to try: five shares of ``strength_max_``, from 10^-0.5 to 10^-3, or
        the paper's 10^4, ..., 10^-4.
    n_neighbors : int or "choose", default=1
        Number of neighbours that vote. The paper has 1; "choose" tries 1, 3, 5, 9
        and 15.
    rows : int or None, default=None
        Use a stratified sample of so many rows of a larger set; None uses all.
    numbers : bool, default=False
        Keep columns of numbers, which the paper leaves out.

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
        if self.n_neighbors != CHOOSE and not is_count(self.n_neighbors, 1):
            raise self._wrong("n_neighbors", f"a whole number >= 1 or {CHOOSE!r}")
        if self.rows is not None and not is_count(self.rows, 10):
            raise self._wrong("rows", "None or a whole number >= 10")

    @property
    def label(self) -> str:
        """Name of the design, which is part of the key of its rows."""
        cut = "" if self.rows is None else f", {self.rows} rows"
        numbers = ", numbers" if self.numbers else ""
        return f"{self.strengths}, k={self.n_neighbors}{cut}{numbers}"

    @property
    def neighbors(self) -> tuple[int, ...]:
        """Numbers of neighbours to try."""
        return NEIGHBORS if self.n_neighbors == CHOOSE else (int(self.n_neighbors),)

    def path(self, strength_max: float) -> list[float]:
        """Return the strengths to try, strongest first, each once."""
        return list(dict.fromkeys(STRENGTHS[self.strengths](strength_max)))

    def _wrong(self, name: str, wanted: str) -> ValueError:
        return ValueError(
            f"The {name!r} parameter of Design must be {wanted}; "
            f"got {getattr(self, name)!r}."
        )


def is_count(value: Any, least: int = 1) -> bool:
    """Return whether a value is a whole number of at least ``least``."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and value >= least
