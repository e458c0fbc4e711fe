"""NCA: scikit-learn's neighbourhood components, on indicators of values."""

import warnings
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np

from nearkind.baselines.coding import (
    CODINGS,
    are_one,
    fit_coding,
    flat_tables,
    learned_tables,
)
from nearkind.distances.vectors import ValueVectors
from nearkind.errors import Parameter
from nearkind.estimators.base import VectorDistance, code_rows
from nearkind.estimators.bases import BaseEstimator
from nearkind.validation import parameters
from nearkind.validation.convergence import NotConvergedWarning
from nearkind.validation.parameters import estimator_class, number, whole_number

GIGABYTES_A_PAIR = 3 * 8 / 2**30
"""Distances, chances and their weights: three numbers for every pair of rows."""
WORTH_A_WARNING = 1.0
LARGEST = 8.0
"""Gigabytes: from the first on there is a warning, beyond the second an error."""


@estimator_class()
class NCA(VectorDistance, BaseEstimator):
    """Neighbourhood components analysis.

        max over L of  sum over rows i of P(i is classified rightly)

    by neighbours drawn with chances in proportion to exp(-|L x_i - L x_j|^2).
    Goldberger, Roweis, Hinton and Salakhutdinov, NIPS 2004; the learner is
    scikit-learn's. It holds every pair of rows in memory.

    Parameters
    ----------
    max_iter : int, default=50
        Iterations at most.
    tol : float, default=1e-5
        Tolerance of scikit-learn's learner.
    coding : {"onehot", "vdm"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (W, W)
        L over the coordinates of the coding.
    n_iter_ : int
        Iterations made.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> near, far = NCA().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    _requires_labels = True
    _is_learned = True

    max_iter: int = 50
    _: KW_ONLY
    tol: float = 1e-5
    coding: str = "onehot"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label a row; None is refused.

        Returns
        -------
        self
        """
        learner = self._learner()
        projection = parameters.choice(self, "coding", CODINGS)()
        rows = code_rows(self, X, y)
        codes = rows.codes
        _check_memory(len(codes))
        book, n_classes = self.codebook_, len(rows.classes)
        fit_coding(projection, book, rows, len(codes), n_classes)
        phi = projection.transform(codes).reshape(len(codes), -1)
        learner.fit(phi, rows.y)
        L = learner.components_
        self.components_ = np.zeros_like(L) if are_one(phi @ L.T) else L
        self.n_iter_ = learner.n_iter_ - 1  # it counts the start as well
        tables = learned_tables(flat_tables(projection), self.components_)
        self.distance_ = ValueVectors(book, tables)
        if self.n_iter_ >= self.max_iter:
            told = NotConvergedWarning(
                f"The iterations ran out after {self.n_iter_}, before the tolerance "
                "was met. Raise ",
                Parameter("max_iter"),
                " or ",
                Parameter("tol"),
                ".",
            )
            warnings.warn(told, stacklevel=2)
        return self

    def _learner(self) -> Any:
        from sklearn.neighbors import NeighborhoodComponentsAnalysis  # takes 0.1 s

        return NeighborhoodComponentsAnalysis(
            init="identity",
            max_iter=whole_number(self, "max_iter"),
            tol=number(self, "tol", "a number >= 0", 0.0),
        )


def _check_memory(n_rows: int) -> None:
    needed = GIGABYTES_A_PAIR * n_rows**2
    size = f"NCA holds every pair of {n_rows:,} rows, about {needed:.1f} GB"
    if needed > LARGEST:
        raise ValueError(
            f"{size}; {LARGEST:.0f} GB are allowed. Fit it on fewer rows, or take LMNN "
            "or CPML, whose memory does not grow with the number of pairs."
        )
    if needed > WORTH_A_WARNING:
        warnings.warn(f"{size}.", UserWarning, stacklevel=3)
