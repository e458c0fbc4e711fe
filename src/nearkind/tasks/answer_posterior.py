"""A posterior over distances, given a person's answers about rows.

A squared distance is linear in weights: of each column, of each value and of each pair
of values of one column. The answer to a question follows a logistic model of the
difference of two squared distances. With a normal prior on the weights, Laplace's
approximation gives mean and variance of that difference for every other question.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from nearkind.distances.form import as_shares
from nearkind.encoding.rows import CodedRows
from nearkind.protocols import Array, Codes

Rows = NDArray[np.intp]
N_BUCKETS = 1 << 16
"""Weights of values and pairs of values, which share one by hashing now and then."""
OF_COLUMN, OF_VALUES = 0.7, 0.5
"""Prior mean of the weight of a column, of standard deviation 1, and the prior standard
deviation of the weights of values; chosen on simulated answers."""
N_REFERENCE = 1_000
"""Triplets of rows that set the scale of distances."""
LAPSE = 0.2
"""Share of answers taken as given by chance, so that every tenth may be wrong."""
SCORING_STEPS = 50
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
NODE_SHARES = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class RowComparisons:
    """Features of comparisons of rows, by which squared distances are linear.

    Attributes
    ----------
    codes : ndarray of int (n, D)
    coordinates : ndarray (n, D)
        Places of numbers on their axes; zero in columns of categories.
    is_axis : ndarray of bool (D,)
        Which columns hold numbers.
    """

    codes: Codes
    coordinates: Array
    is_axis: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: CodedRows) -> Self:
        """Return the features of coded rows; crosses are left out."""
        positions = rows.codebook.positions[: len(rows.table.names)]
        codes = rows.codes[:, : len(positions)]
        coordinates = np.zeros(codes.shape)
        for d, places in enumerate(positions):
            if places is not None:
                coordinates[:, d] = np.append(places, 0.0)[codes[:, d]]
        return cls(codes, coordinates, np.array([p is not None for p in positions]))

    def differs(self, left: Rows, right: Rows) -> Array:
        """Return by how much pairs of rows differ in each column (m, D), from 0 to 1.

        Categories differ by 1, numbers one standard deviation apart by 1/2.
        """
        gap = np.square(self.coordinates[left] - self.coordinates[right])
        mismatch = self.codes[left] != self.codes[right]
        return np.where(self.is_axis, gap / (1.0 + gap), mismatch)

    @cached_property
    def _reference(self) -> Rows:
        """Rows (3, m) that set the scale."""
        rng = np.random.default_rng(0)
        return rng.integers(len(self.codes), size=(3, N_REFERENCE))

    @cached_property
    def scale(self) -> float:
        """Standard deviation of differences of distances at equal weights."""
        i, j, k = self._reference
        return float((self.differs(i, k) - self.differs(i, j)).sum(axis=1).std()) or 1.0

    def features(self, rows: Rows) -> sparse.csr_array:
        """Return the features (m, F) by which weights predict answers to questions.

        Of triplets (m, 3) these are d2_ik - d2_ij, of pairs (m, 2) a threshold less
        d2_ij.
        """
        if rows.shape[1] == 3:
            far = self._distances(rows[:, 0], rows[:, 2])
        else:
            at = np.arange(len(rows)), np.full(len(rows), self.n_features - 1)
            shape = len(rows), self.n_features
            far = sparse.csr_array((np.ones(len(rows)), at), shape)
        return far - self._distances(rows[:, 0], rows[:, 1])

    def _distances(self, left: Rows, right: Rows) -> sparse.csr_array:
        at, _, columns, data = self._entries(left, right)
        return sparse.csr_array((data, (at, columns)), (len(left), self.n_features))

    def parts(self, left: Rows, right: Rows, weights: Array) -> Array:
        """Return what each column adds to the squared distance of pairs (m, D)."""
        at, d, columns, data = self._entries(left, right)
        parts = np.zeros((len(left), len(self.is_axis)))
        np.add.at(parts, (at, d), data * weights[columns])
        return parts

    def shares(self, weights: Array) -> Array:
        """Return each column's share (D,) of the mean squared distance of two rows."""
        i, j, _ = self._reference
        parts = self.parts(i, j, weights).sum(axis=0)
        return as_shares(np.maximum(parts, 0.0))

    def _entries(self, left: Rows, right: Rows) -> tuple[Rows, Rows, Rows, Array]:
        """Return pair, column of the table, feature and value of each entry."""
        apart = self.differs(left, right)  # (m, D)
        at, d = np.nonzero(apart)
        a, b = self.codes[left][at, d], self.codes[right][at, d]
        of_values = np.where(self.is_axis[d], 0.0, OF_VALUES)
        low, high = np.minimum(a, b).astype(np.intp), np.maximum(a, b).astype(np.intp)
        keys = [
            7_919 * d + 104_729 * x + 1_299_709 * y
            for x, y in ((low, low), (high, high), (low, high))
        ]
        hashed = len(self.is_axis) + np.concatenate(keys) % N_BUCKETS
        data = np.concatenate([apart[at, d], np.tile(of_values, 3)]) / self.scale
        return np.tile(at, 4), np.tile(d, 4), np.concatenate([d, hashed]), data

    @property
    def n_features(self) -> int:
        """Number of weights, the last one of a threshold between near and far."""
        return len(self.is_axis) + N_BUCKETS + 1

    @property
    def prior_mean(self) -> Array:
        """Prior mean of the weights (F,); half of all pairs are below the threshold."""
        usual = np.median(self.differs(*self._reference[:2]).sum(axis=1)) / self.scale
        mean = np.zeros(self.n_features)
        mean[: len(self.is_axis)], mean[-1] = OF_COLUMN, OF_COLUMN * usual
        return mean


@dataclass(frozen=True)
class AnswerPosterior:
    """Laplace's approximation of the posterior of the weights.

    Attributes
    ----------
    features : csr_array (T, F)
        Of the questions answered.
    weights : ndarray (F,)
        Posterior mean.
    residuals : ndarray (T,)
    factor : ndarray (T, T)
        Cholesky factor of the covariance of the answers.
    """

    features: sparse.csr_array
    weights: Array
    residuals: Array
    factor: Array

    @classmethod
    def of(cls, features: sparse.csr_array, answers: Array, prior_mean: Array) -> Self:
        """Find the posterior by Fisher scoring.

        Parameters
        ----------
        features : csr_array (T, F)
        answers : ndarray (T,)
            1 for first, 0 for second, 1/2 for neither.
        prior_mean : ndarray (F,)
        """
        K, f0 = (features @ features.T).toarray(), features @ prior_mean  # (T, T)
        residuals = np.zeros(len(answers))
        for _ in range(SCORING_STEPS):
            moved = K @ residuals
            p = answered_first(f0 + moved)
            slope = (p - LAPSE / 2.0) * (1.0 - LAPSE / 2.0 - p) / (1.0 - LAPSE) + 1e-9
            covariance = K + np.diag(p * (1.0 - p) / np.square(slope))
            step = np.linalg.solve(covariance, moved + (answers - p) / slope)
            step -= residuals
            residuals = residuals + step
            if np.abs(step).max(initial=0.0) < 1e-8:
                break
        weights = prior_mean + features.T @ residuals
        return cls(features, weights, residuals, np.linalg.cholesky(covariance))

    def predict(self, features: sparse.csr_array) -> tuple[Array, Array]:
        """Return mean and variance of the difference of distances of questions (m,)."""
        cross = (features @ self.features.T).toarray()  # (m, T)
        explained = np.square(np.linalg.solve(self.factor, cross.T)).sum(axis=0)
        variance = features.power(2).sum(axis=1) - explained
        return features @ self.weights, np.maximum(variance, 0.0)

    @property
    def left_out(self) -> Array:
        """What each answer would be predicted as from the others (T,)."""
        inverse = np.linalg.inv(self.factor)
        own = self.residuals / np.square(inverse).sum(axis=0)
        noise = np.square(self.factor).sum(axis=1)  # diagonal of the covariance
        fitted = self.features @ self.weights
        spread = self.features.power(2).sum(axis=1)
        return fitted + self.residuals * (noise - spread) - own


def first_probability(mean: Array, variance: Array) -> Array:
    """Return the probability of first without lapses, the weights uncertain (m,)."""
    return expit(_at_nodes(mean, variance)) @ NODE_SHARES


def information(mean: Array, variance: Array) -> Array:
    """Return how many bits the answer is expected to tell of the weights (m,).

    The entropy of the mean prediction less the mean entropy of the predictions, over
    all weights that the posterior holds possible [1]_.

    References
    ----------
    .. [1] Houlsby, Huszar, Ghahramani, Lengyel (2011): Bayesian active learning for
       classification and preference learning.

    Examples
    --------
    >>> information(np.array([0.0, 3.0]), np.array([1.0, 1.0])).round(2)
    array([0.08, 0.01])
    """
    p = answered_first(_at_nodes(mean, variance))  # (m, 9)
    return entropy(p @ NODE_SHARES) - entropy(p) @ NODE_SHARES


def _at_nodes(mean: Array, variance: Array) -> Array:
    return mean[:, None] + np.sqrt(variance)[:, None] * NODES


def answered_first(margin: Array) -> Array:
    """Return the probability of the answer first; some answers are given by chance."""
    return LAPSE / 2.0 + (1.0 - LAPSE) * expit(margin)


def entropy(p: Array) -> Array:
    """Return the entropy of a chance in bits."""
    p = np.clip(p, 1e-12, 1.0 - 1e-12)
    return -(p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p))
