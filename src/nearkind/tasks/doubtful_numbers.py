"""Numbers far outside what neighbouring rows predict, by cross-validation."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.protocols import Array
from nearkind.search.regressor_cv import CPMLRegressorCV
from nearkind.tasks.audited_rows import AuditedRows

FENCE = 3.0
"""Interquartile ranges beyond the quartiles of all errors, outside which one is far."""
FEWEST = 20
"""Rows held out below which nothing is doubted."""
N_FOLDS = 5


@dataclass(frozen=True)
class DoubtfulNumber:
    """A row whose number is far from those of its neighbours.

    Attributes
    ----------
    row : int
        Row number.
    number, predicted : float
        Number of the row, and its prediction from other rows.
    low, high : float
        Ends of the interval outside which a number is doubtful.
    neighbors : list of int
        The nearest rows.
    """

    row: int
    number: float
    predicted: float
    low: float
    high: float
    neighbors: list[int]

    def in_words(self) -> tuple[str, str]:
        """Return what this is about, and what is odd about it."""
        return (
            f"row {self.row}",
            f"has {self.number:.6g}, its neighbours predict {self.predicted:.6g} "
            f"({self.low:.6g} to {self.high:.6g}), such as rows "
            f"{', '.join(map(str, self.neighbors))}",
        )


@dataclass(frozen=True)
class NumberJudgement:
    """What the other rows say of the number of each row.

    Attributes
    ----------
    model : CPMLRegressorCV
        Learned from all rows that have a number.
    doubtful : list of DoubtfulNumber
        The farthest first.
    n_judged : int
        Rows that were held out.
    """

    model: CPMLRegressorCV
    doubtful: list[DoubtfulNumber]
    n_judged: int


def judge_numbers(
    rows: AuditedRows,
    y: Array,
    metric: object = None,
    n_neighbors: int = 5,
    random_state: object = 0,
    verbose: int = 0,
) -> NumberJudgement:
    """Let the other rows of a table predict the number of each.

    An error, in units of the spread of the neighbours' numbers, is far if it is outside
    Tukey's outer fences of all errors: three interquartile ranges beyond the quartiles.

    Parameters
    ----------
    rows : AuditedRows
    y : ndarray (n,)
        Numbers, NaN where there is none.
    metric : distance or str, default=None
        Learned anew without the held-out rows; None: those of CPMLRegressorCV.
    n_neighbors : int, default=5
        Rows to name for each.
    random_state : int, RandomState or None, default=0
        None means 0.
    verbose : int, default=0
    """
    known = np.isfinite(y)
    metrics = None if metric is None else [metric]
    seed = 0 if random_state is None else random_state
    settings: Any = {"random_state": seed, "verbose": verbose, "cv": N_FOLDS}
    model = CPMLRegressorCV(metrics, n_neighbors=n_neighbors + 1, **settings)
    with warnings.catch_warnings(action="ignore"):  # of new values and the like
        model.fit(rows.table, np.where(known, y, 0.0), known.astype(float))
    held, predicted, spread = (
        model.held_rows_,
        model.held_predictions_,
        model.held_spread_,
    )
    if len(held) < FEWEST:
        return NumberJudgement(model, [], len(held))
    scale = model.committee_.scale
    said = scale.apply(predicted)
    errors = (scale.apply(y[held]) - said) / spread
    first, third = np.quantile(errors, [0.25, 0.75])
    reach = FENCE * (third - first)
    beyond = np.maximum(errors - third, first - errors)
    places = np.flatnonzero(beyond > max(reach, 1e-6))
    places = places[np.lexsort((held[places], -beyond[places]))]
    if not len(places):
        return NumberJudgement(model, [], len(held))
    with warnings.catch_warnings(action="ignore"):
        near = model.kneighbors(rows.table.take(held[places]), return_distance=False)
    low, high = (
        scale.invert(said + spread * e) for e in (first - reach, third + reach)
    )
    found = [
        DoubtfulNumber(
            row=int(rows.numbers[held[at]]),
            number=float(y[held[at]]),
            predicted=float(predicted[at]),
            low=float(low[at]),
            high=float(high[at]),
            neighbors=rows.numbers[others[others != held[at]][:n_neighbors]].tolist(),
        )
        for at, others in zip(places, near, strict=True)
    ]
    return NumberJudgement(model, found, len(held))
