"""Conformal prediction: sets of classes with a given coverage.

Split conformal prediction after Vovk, Gammerman and Shafer, *Algorithmic Learning in a
Random World*, 2005, with the score of Sadinle, Lei and Wasserman, *Least ambiguous
set-valued classifiers with bounded error levels*, JASA 2019: one less the probability
of the true class, which gives the smallest sets on average.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_integers, check_reals
from nearkind.errors import RefusedError
from nearkind.neighbors import most_votes
from nearkind.protocols import Array

TIE = 1e-6
"""Scores closer than this are equal; votes on held rows are in single precision."""
ROUNDING = 1e-9
"""Share by which a sum of weights may miss what it should be."""


@dataclass(frozen=True, eq=False)
class ConformalScores:
    """One less the probability of the true class, on held-out rows.

    Parameters
    ----------
    scores : ndarray (n,)
        Rising.
    truth : ndarray of int (n,)
        Class numbers of the rows.
    weights : ndarray (n,)
        Number of rows that each represents.

    Examples
    --------
    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> held = ConformalScores.of(p, np.array([0, 1, 1]), np.ones(3))
    >>> held.scores.round(3).tolist()
    [0.1, 0.2, 0.6]
    >>> held.sets(np.array([[0.5, 0.5], [0.7, 0.3]]), 0.75).tolist()
    [[True, True], [True, False]]
    """

    scores: Array
    truth: NDArray[np.intp]
    weights: Array

    def check(self) -> None:
        """Raise ``RefusedError`` unless scores are sorted, with class and weight."""
        scores = check_reals(self.scores, "scores", (None,))
        if not len(scores) or (np.diff(scores) < 0.0).any():
            raise RefusedError("conformal scores are none, or not in rising order")
        if scores[0] < -1e-6 or scores[-1] > 1.0:
            raise RefusedError("a conformal score is no probability")
        check_integers(self.truth, "classes of conformal scores", (len(scores),))
        weights = check_reals(self.weights, "weights", (len(scores),))
        if (self.truth < 0).any() or (weights <= 0.0).any():
            raise RefusedError("a conformal score lacks a class or a weight")

    @classmethod
    def of(
        cls, probabilities: Array, truth: NDArray[np.intp], weights: Array
    ) -> "ConformalScores":
        """Return the scores of held rows with these probabilities (n, C)."""
        scores = 1.0 - probabilities[np.arange(len(truth)), truth]
        order = np.argsort(scores, kind="stable")
        return cls(scores[order].astype(float), truth[order], weights[order])

    def sets(
        self,
        probabilities: Array,
        coverage: float,
        by_class: bool = False,
        allow_empty: bool = False,
    ) -> NDArray[np.bool_]:
        """Return which classes each row may have (n, C).

        Parameters
        ----------
        probabilities : ndarray (n, C)
        coverage : float
            In (0, 1]; how often the true class is to be among them.
        by_class : bool, default=False
            Whether that is to hold for the rows of each class.
        allow_empty : bool, default=False
            Whether a set may be without the most probable class, and so without any.

        Returns
        -------
        mask : ndarray of bool (n, C)
        """
        limits = self.thresholds(probabilities.shape[1], coverage, by_class)
        mask: NDArray[np.bool_] = 1.0 - probabilities <= limits + TIE
        if not allow_empty:
            mask[np.arange(len(mask)), most_votes(probabilities)] = True
        return mask

    def thresholds(self, n_classes: int, coverage: float, by_class: bool) -> Array:
        """Return the largest score of each class (C,), infinite if rows are too few."""
        classes = range(n_classes)
        scored = [self.truth == c if by_class else self.truth >= 0 for c in classes]
        return np.array([self._threshold(rows, coverage) for rows in scored])

    def _threshold(self, rows: NDArray[np.bool_], coverage: float) -> float:
        """Return the score that a share of some rows, and one more, do not exceed."""
        if coverage == 1.0:
            return np.inf
        reached = np.cumsum(self.weights[rows])
        wanted = coverage * (reached[-1] + 1.0) if len(reached) else np.inf
        place = int(np.searchsorted(reached, wanted * (1.0 - ROUNDING)))
        return float(self.scores[rows][place]) if place < len(reached) else np.inf


def rows_needed(coverage: float) -> int:
    """Return how many held-out rows a coverage below 1 needs.

    Examples
    --------
    >>> rows_needed(0.9), rows_needed(0.99)
    (9, 99)
    """
    return ceil(coverage / (1.0 - coverage) * (1.0 - ROUNDING))
