"""NCA: scikit-learn's neighbourhood components analysis on one-hot values."""

import warnings
from dataclasses import KW_ONLY

import numpy as np

from nearkind.baselines.baseline import RAISE, Baseline, Learner
from nearkind.baselines.coding import CodingName, are_one, flat_tables, learned_tables
from nearkind.distances.kernel import coded_rows
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import VectorDistance
from nearkind.validation.convergence import NotConvergedWarning
from nearkind.validation.parameters import NonNegative, WholeNumber

GIGABYTES_A_PAIR = 3 * 8 / 2**30
"""Distances, chances and their weights: three numbers for every pair of rows."""
WORTH_A_WARNING = 1.0
LARGEST = 8.0
"""Gigabytes: from the first on there is a warning, beyond the second an error."""


class NCA(Learner, VectorDistance, Baseline):
    """Neighbourhood components analysis.

        max over L of  sum over rows i of P(i is classified correctly)

    by neighbours sampled with probabilities proportional to exp(-|L x_i - L x_j|^2).
    Goldberger, Roweis, Hinton and Salakhutdinov, NIPS 2004; the learner is
    scikit-learn's. It holds all pairs of rows in memory.

    Parameters
    ----------
    max_iter : int, default=50
        Maximum number of iterations.
    tol : float, default=1e-5
        Tolerance of scikit-learn's learner.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (W, W)
        L over the coordinates of the coding.
    n_iter_ : int
        Number of iterations.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> near, far = NCA().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    max_iter: WholeNumber = 50
    _: KW_ONLY
    tol: NonNegative = 1e-5
    coding: CodingName = "onehot"

    def _learn(self, rows: CodedRows) -> ValueVectors:
        from sklearn.neighbors import NeighborhoodComponentsAnalysis  # takes 0.1 s

        _check_memory(len(rows))
        coding = flat_tables(self._fit_coding(rows, len(rows)))
        phi = coded_rows(coding, rows.codes)
        settings = {"max_iter": self.max_iter, "tol": min(self.tol, 1.0)}
        learner = NeighborhoodComponentsAnalysis(init="identity", **settings)
        L = learner.fit(phi, rows.y).components_
        self.components_ = np.zeros_like(L) if are_one(phi @ L.T) else L
        self.n_iter_ = learner.n_iter_ - 1  # it counts the start as well
        if self.n_iter_ >= self.max_iter:
            text = (
                f"The iterations ran out after {self.n_iter_}, before the tolerance "
                "was met. "
            )
            warnings.warn(NotConvergedWarning(text, *RAISE, "."), stacklevel=4)
        return ValueVectors(rows.codebook, learned_tables(coding, self.components_))


def _check_memory(n_rows: int) -> None:
    needed = GIGABYTES_A_PAIR * n_rows**2
    size = f"NCA holds every pair of {n_rows:,} rows, about {needed:.1f} GB"
    if needed > LARGEST:
        raise ValueError(
            f"{size}; {LARGEST:.0f} GB are allowed. Fit it on fewer rows, or take LMNN "
            "or CPML, whose memory does not grow with the number of pairs."
        )
    if needed > WORTH_A_WARNING:
        warnings.warn(f"{size}.", UserWarning, stacklevel=5)
