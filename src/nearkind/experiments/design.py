"""The design of an experiment: what is common to the trials of all methods."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nearkind.validation.parameters import (
    choice,
    is_whole,
    number,
    whole_number,
    wrong,
)

SHARES = tuple(10.0**-power for power in (0.5, 1.0, 1.5, 2.0, 3.0))
"""Strengths as shares of ``strength_max_``, from which on nothing is learned."""
DECADES = tuple(10.0**power for power in range(4, -5, -1))
"""The paper's strengths, 10^4, ..., 10^-4; many are beyond ``strength_max_``."""
STRENGTHS: dict[str, Callable[[float], Sequence[float]]] = {
    "shares": lambda strength_max: [share * strength_max for share in SHARES],
    "paper": lambda strength_max: DECADES,
}
"""Functions from ``strength_max_`` to the strengths to try, strongest first."""
CONSTRAINTS = "triplets", "pairs", "quadruplets"
CHOOSE = "choose"
NEIGHBORS = (1, 3, 5, 9, 15)


@dataclass(frozen=True)
class Design:
    """What is searched on the validation part, and how much of a set is used.

    Parameters
    ----------
    strengths : {"shares", "paper"} or tuple of float, default="shares"
        Strengths to try: five shares of ``strength_max_``, from 10^-0.5 to 10^-3, the
        paper's 10^4, ..., 10^-4, or these.
    n_neighbors : int or "choose", default=1
        Number of neighbours that vote. The paper has 1; "choose" tries 1, 3, 5, 9
        and 15.
    rows : int or None, default=None
        Use a stratified sample of so many rows of a larger set; None uses all.
    numbers : bool, default=False
        Keep columns of numbers, which the paper leaves out.
    p : float, default=1.0
        Of CPML's Schatten norm.
    constraints : {"triplets", "pairs", "quadruplets"}, default="triplets"
        Of CPML: all that the labels imply.
    solver : str, default="auto"
        Of CPML.
    tol : float, default=1e-3
        CPML stops when its proven gap is below this share of the objective.
    max_iter : int, default=1000
        Iterations of CPML at most.

    Examples
    --------
    >>> Design(n_neighbors="choose", rows=4000).label
    'shares, k=choose, p=1, triplets, auto, tol=0.001, max_iter=1000, 4000 rows'
    """

    strengths: str | tuple[float, ...] = "shares"
    n_neighbors: int | str = 1
    rows: int | None = None
    numbers: bool = False
    p: float = 1.0
    constraints: str = "triplets"
    solver: str = "auto"
    tol: float = 1e-3
    max_iter: int = 1000

    def __post_init__(self) -> None:
        if isinstance(self.strengths, str):
            if self.strengths not in STRENGTHS:
                names = ", ".join(map(repr, STRENGTHS))
                raise wrong(self, "strengths", f"one of {names}, or numbers > 0")
        elif not self.strengths or not all(s > 0.0 for s in self.strengths):
            raise wrong(self, "strengths", "one or more numbers > 0")
        k, n = self.n_neighbors, self.rows
        if k != CHOOSE and not (is_whole(k) and int(k) >= 1):
            raise wrong(self, "n_neighbors", f"a whole number >= 1 or {CHOOSE!r}")
        if n is not None and not (is_whole(n) and n >= 10):
            raise wrong(self, "rows", "None or a whole number >= 10")
        number(self, "p", "a number >= 1, or inf", low=1.0, finite=False)
        choice(self, "constraints", dict.fromkeys(CONSTRAINTS))
        number(self, "tol", "a number > 0", low=0.0, open_low=True)
        whole_number(self, "max_iter")

    @property
    def label(self) -> str:
        """Name of the design, which is part of the key of its rows."""
        cut = "" if self.rows is None else f", {self.rows} rows"
        numbers = ", numbers" if self.numbers else ""
        strengths = self.strengths
        if not isinstance(strengths, str):
            strengths = " ".join(f"{each:g}" for each in strengths)
        return (
            f"{strengths}, k={self.n_neighbors}, p={self.p:g}, {self.constraints}, "
            f"{self.solver}, tol={self.tol:g}, max_iter={self.max_iter}{cut}{numbers}"
        )

    @property
    def of_cpml(self) -> dict[str, Any]:
        """Parameters of CPML."""
        names = "p", "constraints", "solver", "tol", "max_iter"
        return {name: getattr(self, name) for name in names}

    @property
    def neighbors(self) -> tuple[int, ...]:
        """Numbers of neighbours to try."""
        return NEIGHBORS if self.n_neighbors == CHOOSE else (int(self.n_neighbors),)

    def path(self, strength_max: float) -> list[float]:
        """Return the strengths to try, strongest first, each once."""
        strengths: Sequence[float]
        if isinstance(self.strengths, str):
            strengths = STRENGTHS[self.strengths](strength_max)
        else:
            strengths = sorted(self.strengths, reverse=True)
        return list(dict.fromkeys(strengths))
