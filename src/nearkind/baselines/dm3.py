"""DM3: frequencies, dependence between features, weights that depend on the pair."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from nearkind.baselines.contingency import (
    Information,
    ValuePairs,
    chances,
    contingency,
)
from nearkind.baselines.pair_tables import (
    Places,
    check_contingency,
    match_sums,
    starts,
)
from nearkind.baselines.pairwise import PairwiseDistance
from nearkind.estimators.params import number, numbered
from nearkind.neighbors import query_chunks
from nearkind.protocols import Array

_ROUNDING = 1e-12
"""Distances below this share of what they are a difference of are zero."""
_PAIRS_AT_ONCE = 1 << 22
"""Pairs of values held at a time, of some rows."""


class Stage(NamedTuple):
    """What a stage of the method takes into account."""

    related: Callable[[NDArray[np.bool_]], NDArray[np.bool_]]
    weights: Callable[[Array], tuple[Array, Array]]  # if rows differ, if they agree


def _with_others(dependent: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return dependent | np.eye(len(dependent), dtype=bool)


def _alone(dependent: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.eye(len(dependent), dtype=bool)


def _dynamic(agreement: Array) -> tuple[Array, Array]:
    return agreement, 1.0 - agreement


def _constant(agreement: Array) -> tuple[Array, Array]:
    return np.ones_like(agreement), np.ones_like(agreement)


STAGES = {
    1: Stage(_alone, _constant),
    2: Stage(_alone, _dynamic),
    3: Stage(_with_others, _dynamic),
}


class DM3(PairwiseDistance, BaseEstimator):
    """d = sum over features r of w_r D_r / sum of w_r.

    D_r = sum over l in S_r of R(r, l) (q(x) + q(x')), over those l where x and x'
    differ in feature r or in l. q(x) is the chance that two rows both have the values
    x_r and x_l; R = I(A_r; A_l) / H(A_r, A_l), and S_r holds r and all l with
    R(r, l) > beta. w_r is the chance that two rows agree in feature r if these differ
    there, and that two rows differ if these agree. Values seen once or never have
    q = 0, so that rows of such values only are at distance 0. Jia, Cheung and Liu, *A
    new distance metric for unsupervised learning of categorical data*, IEEE TNNLS 2016.

    Parameters
    ----------
    stage : {3, 2, 1}, default=3
        3 is the whole method; in 2 (DM2) S_r holds r only; in 1 (DM1) also all w_r = 1.
    beta : float or "mean", default="mean"
        How dependent features must be; "mean": more than the mean of R.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    dependence_ : ndarray of shape (D, D)
        R.
    mismatch_weights_, match_weights_ : ndarray of shape (D,)
        w_r where two rows differ in feature r, and where they agree.
    value_pairs_ : ValuePairs
        The pairs of features l in S_r, and the chances q of their pairs of values.

    Examples
    --------
    >>> rows = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]]
    >>> DM3(stage=1).fit(rows).pairwise_distances([["a", "y"]], [["b", "y"]]).round(4)
    array([[0.1667]])
    """

    def __init__(
        self, stage=3, beta="mean", unseen="prior", missing="level", numeric="auto"
    ):
        self.stage = stage
        self.beta = beta
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count pairs of values of all columns; labels are not used."""
        stage: Stage = numbered(self, "stage", STAGES)
        beta = self._threshold()
        rows = self.code_rows(X, sample_weight=sample_weight)
        check_contingency(self.codebook_, type(self).__name__)
        counts = contingency(rows.codes, self.codebook_.n_values, rows.weights)
        R = self.dependence_ = interdependence(counts.information)
        threshold = R.mean() if beta is None else beta
        related = stage.related(R - threshold > _ROUNDING)
        agreement = [chances(counts.joint(d, d)).sum() for d in range(len(R))]
        self.mismatch_weights_, self.match_weights_ = stage.weights(np.array(agreement))
        self.value_pairs_ = ValuePairs.of(counts, related)
        return self

    def compare(self, a: Places, b: Places) -> Array:
        """Return distances (n, m) between represented rows."""
        pairs = self.value_pairs_
        R = self.dependence_[pairs.left, pairs.right]  # (P,)
        to_features = pairs.to_features(R)
        distances = np.empty((len(a), len(b)))
        for rows, columns in product(self._chunks(a), self._chunks(b)):
            distances[rows, columns] = self._distances(
                a[rows], b[columns], R, to_features
            )
        return distances

    def _chunks(self, rows: Places) -> list[slice]:
        """Split rows so that few pairs of values are held at once."""
        return query_chunks(len(rows), len(self.value_pairs_.left), _PAIRS_AT_ONCE)

    def _distances(
        self, a: Places, b: Places, R: Array, to_features: csr_array
    ) -> Array:
        """Return distances as sums over what two rows share.

        With e_r = 1 where rows agree in feature r, else 0, and Q_r(x) the sum over l in
        S_r of R(r, l) q(x): D_r = Q_r(x) + Q_r(x') - 2 sum over l of R(r, l) e_r e_l
        q(x), for where both agree q is the same; and w_r is linear in e_r. So all is
        sums over the values, and over the pairs of values, that two rows share.

        Parameters
        ----------
        a, b : rows given by places (n, D) and (m, D)
        R : dependence of each pair of features (P,)
        to_features : sums over pairs of features, each weighted by R (D, P)
        """
        starts_of = starts(self.codebook_.n_values)
        n_places = int(starts_of[-1])
        mismatch = self.mismatch_weights_
        change = self.match_weights_ - mismatch  # of w_r where rows agree (D,)
        pairs = self.value_pairs_
        keys_a, keys_b = (pairs.keys(rows - starts_of[:-1]) for rows in (a, b))
        Q_a, Q_b = (
            np.ascontiguousarray((to_features @ pairs.chances[keys].T).T)
            for keys in (keys_a, keys_b)
        )  # (n, D), (m, D)
        alone = ((Q * mismatch).sum(axis=1) for Q in (Q_a, Q_b))
        whole = np.add.outer(*alone)  # sum of w_r (Q_r(x) + Q_r(x'))
        whole += match_sums(a, b, n_places, of_a=Q_a * change)
        whole += match_sums(a, b, n_places, of_b=Q_b * change)
        weights = np.broadcast_to(change, a.shape)
        total = mismatch.sum() + match_sums(a, b, n_places, of_a=weights)
        apart = whole - self._shared(keys_a, keys_b, R)
        apart[apart < _ROUNDING * whole] = 0.0
        return apart / np.where(total > 1e-15, total, 1.0)

    def _shared(self, a: Places, b: Places, R: Array) -> Array:
        """Return 2 sum over r and l of w_r R(r, l) e_r e_l q (n, m)."""
        pairs, match = self.value_pairs_, self.match_weights_
        two = np.where(pairs.left == pairs.right, 0.0, match[pairs.right])
        at_match = 2.0 * R * (match[pairs.left] + two)  # (P,)
        places = pairs.places
        n_places = int(places.max()) + 1
        return match_sums(
            places[a], places[b], n_places, of_a=at_match * pairs.chances[a]
        )

    def _threshold(self) -> float | None:
        if isinstance(self.beta, str) and self.beta == "mean":
            return None
        return number(self, "beta", "a number or 'mean'")


def interdependence(information: Information) -> Array:
    """Return I(A_r; A_l) / H(A_r, A_l) of any two features (D, D); 0 for 0 / 0."""
    known = information.both > _ROUNDING
    return np.where(known, information.mutual / np.where(known, information.both, 1), 0)
