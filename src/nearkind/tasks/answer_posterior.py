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
NEWTON_STEPS = 50
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)


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
        spread = (self.differs(i, k) - self.differs(i, j)).sum(axis=1).std()
        return float(spread) or 1.0

    def pairs(self, left: Rows, right: Rows) -> sparse.csr_array:
        """Return the features of squared distances between pairs of rows (m, F)."""
        at, _, columns, data = self._entries(left, right)
        return sparse.csr_array((data, (at, columns)), (len(left), self.n_features))

    def shares(self, weights: Array) -> Array:
        """Return each column's share (D,) of the mean squared distance of two rows."""
        _, d, columns, data = self._entries(*self._reference[:2])
        parts = np.bincount(d, data * weights[columns], len(self.is_axis))
        return as_shares(np.maximum(parts, 0.0))

    def _entries(self, left: Rows, right: Rows) -> tuple[Rows, Rows, Rows, Array]:
        """Return pair, column of the table, feature and value of each entry."""
        apart = self.differs(left, right)  # (m, D)
        at, d = np.nonzero(apart)
        a, b = self.codes[left][at, d], self.codes[right][at, d]
        of_values = np.where(self.is_axis[d], 0.0, OF_VALUES)
        low, high = np.minimum(a, b), np.maximum(a, b)
        hashed = [self._buckets(d, *both) for both in ((a, a), (b, b), (low, high))]
        data = np.concatenate([apart[at, d], np.tile(of_values, 3)]) / self.scale
        return np.tile(at, 4), np.tile(d, 4), np.concatenate([d, *hashed]), data

    def _buckets(self, d: Rows, a: Codes, b: Codes) -> Rows:
        keys = 7_919 * d + 104_729 * a.astype(np.intp) + 1_299_709 * b.astype(np.intp)
        return len(self.is_axis) + keys % N_BUCKETS

    @property
    def n_features(self) -> int:
        """Number of weights, the last one of a threshold between near and far."""
        return len(self.is_axis) + N_BUCKETS + 1

    def triplets(self, rows: Rows) -> sparse.csr_array:
        """Return the features of d2_ik - d2_ij of triplets (m, F)."""
        i, j, k = rows.T
        return self.pairs(i, k) - self.pairs(i, j)

    def near_pairs(self, rows: Rows) -> sparse.csr_array:
        """Return the features of a threshold less d2_ij of pairs (m, F)."""
        threshold = np.ones((len(rows), 1))
        empty = sparse.csr_array((len(rows), self.n_features - 1))
        return sparse.hstack([empty, threshold], format="csr") - self.pairs(*rows.T)

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
        """Find the posterior by Newton's method.

        Parameters
        ----------
        features : csr_array (T, F)
        answers : ndarray (T,)
            1 for first, 0 for second, 1/2 for neither.
        prior_mean : ndarray (F,)
        """
        K, f0 = (features @ features.T).toarray(), features @ prior_mean  # (T, T)
        residuals = np.zeros(len(answers))
        for _ in range(NEWTON_STEPS):
            p = expit(f0 + K @ residuals)
            noise = 1.0 / (p * (1.0 - p) + 1e-9)
            covariance = K + np.diag(noise)
            last = residuals
            target = K @ residuals + (answers - p) * noise
            residuals = np.linalg.solve(covariance, target)
            if np.abs(residuals - last).max(initial=0.0) < 1e-8:
                break
        p = expit(f0 + K @ residuals)
        covariance = K + np.diag(1.0 / (p * (1.0 - p) + 1e-9))
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
    """Return the probability of the answer first, the weights being uncertain (m,)."""
    return _at_nodes(mean, variance) @ (NODE_WEIGHTS / NODE_WEIGHTS.sum())


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
    array([0.14, 0.04])
    """
    p = _at_nodes(mean, variance)  # (m, 9)
    share = NODE_WEIGHTS / NODE_WEIGHTS.sum()
    return entropy(p @ share) - entropy(p) @ share


def _at_nodes(mean: Array, variance: Array) -> Array:
    return expit(mean[:, None] + np.sqrt(variance)[:, None] * NODES)


def entropy(p: Array) -> Array:
    """Return the entropy of a chance in bits."""
    p = np.clip(p, 1e-12, 1.0 - 1e-12)
    return -(p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p))
