"""Candidates of a search: distances with the strengths to try, the simplest first."""

import warnings
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from nearkind import optimizations
from nearkind.baselines import Discriminant, Euclidean, ForestNeighbors, Hamming
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import Distance
from nearkind.estimators.cpml import CPML
from nearkind.estimators.distance_names import distance_of
from nearkind.estimators.spec import is_convex
from nearkind.projections.onehot import LONG
from nearkind.solvers.solution import Stop
from nearkind.validation.parameters import wrong

Limits = dict[str, int]
"""What ``fit_path`` is told beside strengths."""
CLOSELY: dict[str, Any] = {"tol": 1e-3, "max_iter": 40, "warm_start": True}
"""How a fit in a search ends: tighter ones do not classify better."""
MAX_INDICATORS = 1_000
"""Indicators up to which soft neighbours are learned in seconds."""
MANY_VALUES = 20
"""Values of a column from which some are rare."""
MAX_NUMBERS = 60_000_000
"""Indicators of all rows up to which they are held in memory."""
MAX_CROSSED_INDICATORS = 3_000
"""The same where pairs of columns have indicators too."""
MANY_ROWS = 6_000
"""Rows beyond which there are enough for pairs of columns. Soft neighbours then learn
in minibatches until rows of their own say stop: one strength is enough."""
FINE_ROWS = 3_000
"""Rows beyond which fewer strengths are tried: the optimum is flat."""
MOST_FOREST_ROWS = 4_000
"""Rows up to which the neighbours in a forest are tried: they take as long as a forest,
and answer at its speed."""
ROUGH_ROWS = 2_000
"""Rows that soft neighbours compare at a time in fits that only rank candidates."""
DECADES = ("10%", "3%", "1%", "0.3%", "0.1%", "0.01%")
COARSE = ("10%", "1%", "0.1%")
WIDE = 2_000_000
"""Rows x columns x classes beyond which fewer strengths are tried."""
WEAK = ("0.1%",)
ROWS_WORTH = (100.0, 10.0, 1.0, 0.1)
"""Strengths of a discriminant, as of so many rows."""


@dataclass(frozen=True)
class Candidate:
    """A distance, unfitted, and the strengths at which to fit it, strongest first.

    Each fit starts where the last one ended, and directions that a strong penalty took
    away stay away: weak ones give a close fit in few directions.

    Parameters
    ----------
    name : str
        For people.
    metric : Distance
        Unfitted.
    strengths : sequence, default=()
        As CPML takes them; none: the distance is fitted as given.
    stage : int, default=0
        Those of a lower stage are fitted first; others only if time is left and the
        best so far can be beaten.
    max_values : int or None, default=None
        Values in all columns up to which it is fitted; None: any number.
    needs_crosses : bool, default=False
        Whether it is fitted only where some pairs of columns were found worth a column.
    out_of_bag : bool, default=False
        Whether it is fitted to all rows once, and judged by votes of trees that did not
        draw a row, instead of on every fold.
    most_each : int or None, default=None
        Values of a column that count at most, as it pools the others; None: all.
    """

    name: str
    metric: Any
    strengths: Sequence[Any] = ()
    stage: int = 0
    max_values: int | None = None
    needs_crosses: bool = False
    out_of_bag: bool = False
    most_each: int | None = None

    @property
    def settings(self) -> Sequence[Any]:
        """The strengths, or None once."""
        return self.strengths or (None,)

    @property
    def accepting_unseen(self) -> "Candidate":
        """The same, unless it refuses unseen values: held-out rows have some."""
        metric = clone(self.metric)
        if "unseen" not in metric.get_params():
            return self
        return replace(self, metric=metric.set_params(unseen="prior"))

    def check_size(self, book: Codebook, n_rows: int) -> None:
        """Raise if there is no use in fitting it to rows in these codes.

        Parameters
        ----------
        book : Codebook
            Of some rows, to choose by.
        n_rows : int
            All rows, to be learned from if it is chosen.
        """
        n_values = sum(min(size, self.most_each or size) for size in book.n_values)
        if self.needs_crosses and not book.crosses_:
            raise ValueError(
                "No pair of columns is clearly more informative than its two columns."
            )
        if self.max_values is None:
            return
        if n_values > self.max_values:
            raise ValueError(
                "It has one coordinate per value, and the columns have "
                f"{n_values:,} values in total, more than {self.max_values:,}. "
                "Fit without the columns of most values to include it."
            )
        if n_values * n_rows > MAX_NUMBERS:
            raise ValueError(
                f"It has a coordinate for every value, and {n_values:,} of them for "
                f"{n_rows:,} rows are more than {MAX_NUMBERS:,} numbers. Fit "
                "fewer rows, or without the columns of most values, to include it."
            )

    def path(self, rows: CodedRows, last: int) -> Iterator[tuple[int, Any]]:
        """Fit along the strengths; give (number, fitted distance) up to ``last``.

        The distance given is fitted again for the next one: use it at once, or stop.
        """
        return self._along(clone(self.metric), rows, range(last + 1), self._limits)

    def _along(
        self, metric: Any, rows: CodedRows, numbers: Sequence[int], limits: Limits
    ) -> Iterator[tuple[int, Any]]:
        if self.strengths:
            strengths = [self.strengths[number] for number in numbers]
            path = metric.fit_path(rows, None, strengths, **limits)
        else:
            path = [metric.fit(rows)]
        for number, at in zip(numbers, path, strict=True):
            # A solver takes Ctrl-C for its own end; here it is that of all fits.
            if getattr(at, "stop_reason_", None) == Stop.INTERRUPTED.name:
                raise KeyboardInterrupt
            yield number, at

    @property
    def _limits(self) -> Limits:
        """What makes a fit rough that only ranks candidates or leads to others."""
        is_soft = isinstance(self.metric, CPML) and not is_convex(self.metric)
        return {"max_rows": ROUGH_ROWS} if is_soft and optimizations.enabled() else {}

    def fitted(self, rows: CodedRows, wanted: Collection[int]) -> dict[int, Any]:
        """Return the distances at the strengths of these numbers, in one go.

        They were chosen as their limits leave them; ``stop_reason_`` says how they
        ended. Of many rows, the fits that only lead to the first of them are rough.
        """
        metric = clone(self.metric)
        numbers: Sequence[int] = range(max(wanted) + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if self.strengths and self._limits and len(rows) > ROUGH_ROWS:
                for _ in self._along(metric, rows, range(min(wanted)), self._limits):
                    pass  # the next path starts where this one ends
                numbers = sorted(wanted)
            path = self._along(metric, rows, numbers, {})
            return {number: copy(at) for number, at in path if number in wanted}


def default_candidates(
    n_values: Sequence[int] = (),
    n_jobs: int | None = None,
    random_state: Any = 0,
    n_rows: int = 0,
    n_classes: int = 2,
    has_orders: bool = False,
    has_forest: bool = False,
    longest: int = 0,
    **policies: Any,
) -> list[Candidate]:
    """Return the family that is searched by default.

    Small noisy tables want few directions, of class histograms or of a discriminant;
    tables that follow a rule want every value for itself. Where a column has many
    values, most are rare: there histograms are smoothed too, and no row sees its own
    label. A rare value then does no harm, so every number may be one. In columns of
    still more values only the commonest have indicators, and all have smoothed
    histograms. Where there are many rows, pairs of columns that say more than their
    parts are further columns.

    Parameters
    ----------
    n_values : sequence of int, default=()
        Distinct values of each column.
    n_jobs : int, default=None
        Threads of a fit.
    random_state : int or RandomState, default=0
        Seed of the rows that a fit draws where there are many.
    n_rows : int, default=0
        Rows to learn from.
    n_classes : int, default=2
    has_orders : bool, default=False
        Whether the values of some column are in order; then neighbours by cumulative
        indicators are tried too.
    has_forest : bool, default=False
        Whether the neighbours in a forest are tried, up to 4,000 rows.
    longest : int, default=0
        Values of the longest column, numbers read as ``numeric`` says.
    **policies
        unseen, missing, numeric and ordered, as the distances take them.

    Examples
    --------
    Fits on a fold, at most: of few rows, where a column has many values, of many rows,
    and of many columns.

    >>> def n_fits(**table):
    ...     found = default_candidates(**table)
    ...     return sum(len(candidate.settings) for candidate in found)
    >>> n_fits(), n_fits(n_values=[21])
    (18, 24)
    >>> n_fits(n_rows=6_001), n_fits(n_rows=6_001, n_values=[21])
    (9, 11)
    >>> n_fits(n_rows=1_000, n_values=[2] * 2_000)
    12
    """
    has_many = n_rows > MANY_ROWS
    is_wide = n_rows * len(n_values) * n_classes > WIDE
    is_large = is_wide or n_rows > FINE_ROWS
    strengths = WEAK if has_many else COARSE if is_large else DECADES
    common = {**CLOSELY, "n_jobs": n_jobs, "random_state": random_state, **policies}
    make = partial(CPML, structure="full", constraints="neighbors", **common)
    smoothed: dict[str, Any] = {"smoothing": "auto", "cross_fit": True}
    if policies.get("numeric", "auto") == "auto":
        smoothed["numeric"] = "category"
    by_histograms = partial(make, projection="vdm")
    by_values = partial(make, projection="onehot")
    found = [
        Candidate("values", Hamming(**policies)),
        Candidate("histograms", Euclidean(**policies)),
        Candidate("discriminant", Discriminant(**policies), ROWS_WORTH),
        Candidate("neighbors by histograms", by_histograms(), strengths, 1),
    ]
    if has_rare := max(n_values, default=0) > MANY_VALUES:
        name = "neighbors by smoothed histograms"
        found.append(Candidate(name, by_histograms(**smoothed), strengths, 1))
    name = "neighbors by values"
    found.append(Candidate(name, by_values(), strengths, 1, MAX_INDICATORS))
    if longest > LONG:
        pooled = make(projection="pooled", smoothing="auto", cross_fit=True)
        name, most = "neighbors by common values", MAX_INDICATORS
        found[-1] = Candidate(name, pooled, strengths, 1, most, most_each=LONG)
    if has_orders:
        by_order = make(projection="thermometer")
        name = "neighbors by ordered values"
        found.append(Candidate(name, by_order, strengths, 1, MAX_INDICATORS))
    if has_many:
        metric = by_values(crosses="auto")
        name, most = "neighbors by values and pairs", MAX_CROSSED_INDICATORS
        found.append(Candidate(name, metric, strengths, 2, most, True))
    if has_many and has_rare:
        metric = by_histograms(crosses="auto", **smoothed)
        name = "neighbors by smoothed histograms and pairs"
        found.append(Candidate(name, metric, strengths, 2, None, True))
    if has_forest and n_rows <= MOST_FOREST_ROWS:
        exact = {"numeric": "scale"} if policies.get("numeric") == "auto" else {}
        forest = ForestNeighbors(random_state=random_state, **{**policies, **exact})
        found.append(Candidate("forest", forest, out_of_bag=True))
    return found


def candidates_of(
    model: Any,
    n_values: Sequence[int] = (),
    n_rows: int = 0,
    n_classes: int = 2,
    has_orders: bool = False,
    longest: int = 0,
) -> list[Candidate]:
    """Return what ``model.candidates`` stands for, simplest first.

    Parameters
    ----------
    model : CPMLClassifierCV
    n_values : sequence of int, default=()
        Distinct values of each column.
    n_rows : int, default=0
        Rows to learn from.
    n_classes : int, default=2
    has_orders : bool, default=False
        Whether the values of some column are in order.
    longest : int, default=0
        Values of the longest column, numbers read as ``model.numeric`` says.
    """
    listed = model.candidates
    if listed is None:
        policies = {name: getattr(model, name) for name in POLICIES}
        seed = 0 if model.random_state is None else model.random_state
        sizes: dict[str, Any] = {"n_rows": n_rows, "n_classes": n_classes}
        sizes |= {"has_orders": has_orders, "has_forest": model.forest}
        sizes["longest"] = longest
        return default_candidates(n_values, model.n_jobs, seed, **sizes, **policies)
    if not isinstance(listed, list | tuple) or not all(map(_is_distance, listed)):
        wanted = "None or a list of distances, unfitted, or of their names"
        raise wrong(model, "candidates", wanted)
    if not listed:
        raise wrong(model, "candidates", "None or at least one distance, unfitted")
    return [
        distance
        if isinstance(distance, Candidate)
        else as_candidate(distance_of(distance, model, "candidates"))
        for distance in listed
    ]


POLICIES = ("unseen", "missing", "numeric", "ordered")


def as_candidate(distance: Any) -> Candidate:
    """Return a candidate for a distance; a strength left open becomes a path."""
    is_open = getattr(distance, "strength", None) == "auto"
    strengths = DECADES if is_open else ()
    is_forest = isinstance(distance, ForestNeighbors)
    return Candidate(repr(distance), distance, strengths, out_of_bag=is_forest)


def _is_distance(value: Any) -> bool:
    return isinstance(value, Distance | Candidate | str)
