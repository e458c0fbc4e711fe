"""Rows arranged: sets down, methods across."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.experiments.rows import Row
from nearkind.protocols import Array


class Scores(NamedTuple):
    """One score of every method on every set, over repetitions.

    Attributes
    ----------
    datasets, methods : names of the N sets and the k methods
    mean, deviation : (N, k), NaN where nothing is done; of one repetition, zero
    n_repetitions : (N, k), how many are done
    """

    datasets: list[str]
    methods: list[str]
    mean: Array
    deviation: Array
    n_repetitions: NDArray[np.intp]

    def complete(self) -> "Scores":
        """Return only the sets on which every method has a score."""
        kept = np.flatnonzero(~np.isnan(self.mean).any(axis=1))
        return Scores(
            [self.datasets[i] for i in kept],
            self.methods,
            self.mean[kept],
            self.deviation[kept],
            self.n_repetitions[kept],
        )


def score_table(
    rows: Iterable[Row],
    score: str = "accuracy",
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> Scores:
    """Return means and deviations of one score.

    Parameters
    ----------
    rows : of one design
    score : a field of the rows that is a number
    datasets, methods : names to show, in this order; None: all, in order of the rows

    Examples
    --------
    >>> rows = [Row("zoo", "lmnn", r, "k=1", 7, accuracy=float(r)) for r in (0, 1)]
    >>> score_table(rows).mean
    array([[0.5]])
    """
    rows = list(rows)
    _check_one_design(rows)
    found = defaultdict(list)
    for row in rows:
        if row.is_done and getattr(row, score) is not None:
            found[row.dataset, row.method].append(getattr(row, score))
    down = list(
        dict.fromkeys(row.dataset for row in rows) if datasets is None else datasets
    )
    across = list(
        dict.fromkeys(row.method for row in rows) if methods is None else methods
    )
    cells = [found.get(cell, []) for cell in product(down, across)]
    shape = len(down), len(across)
    return Scores(
        down,
        across,
        np.array([_mean(cell) for cell in cells]).reshape(shape),
        np.array([_deviation(cell) for cell in cells]).reshape(shape),
        np.array([len(cell) for cell in cells], dtype=np.intp).reshape(shape),
    )


def _mean(cell: Sequence[float]) -> float:
    return float(np.mean(cell)) if cell else np.nan


def _deviation(cell: Sequence[float]) -> float:
    if not cell:
        return np.nan
    return float(np.std(cell, ddof=1)) if len(cell) > 1 else 0.0


def _check_one_design(rows: Sequence[Row]) -> None:
    designs = sorted({row.design for row in rows})
    if len(designs) > 1:
        raise ValueError(
            f"Rows of {len(designs)} designs have no common table: "
            f"{'; '.join(designs)}. Keep those of one."
        )
