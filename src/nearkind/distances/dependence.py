"""DM3's form: dependence between features, and weights that depend on the pair."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from nearkind.distances.checks import check_integers, check_reals
from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.distances.pair_tables import Places, match_sums, places, starts
from nearkind.errors import RefusedError
from nearkind.protocols import Array, Codes

ROUNDING = 1e-12
"""Distances below this share of what they are a difference of are zero."""
PAIRS_AT_ONCE = 1 << 22
"""Pairs of values held at a time, of some rows."""


@dataclass(frozen=True)
class ValuePairs:
    """Every pair of values of every two related features has a key.

    Attributes
    ----------
    left, right : (P,), the features, left <= right
    offsets, widths : (P,), key = offset + left value * width + right value
    chances : (K,), the chance that two rows both have a pair of values; 0 if unseen
    """

    left: Places
    right: Places
    offsets: Places
    widths: Places
    chances: Array

    def keys(self, values: Places) -> Places:
        """Return the key of each pair of features of rows given by values (n, P)."""
        own = values[:, self.left] * self.widths + values[:, self.right]
        return own + self.offsets

    @cached_property
    def places(self) -> Places:
        """A place for each key (K,), the same for all that have no chance."""
        some = self.chances > 0.0
        return np.where(some, np.cumsum(some), 0)

    def to_features(self, weights: Array) -> csr_array:
        """Return (D, P): the weight of each pair (P,) at each of its features."""
        n_pairs = len(self.left)
        two = self.left != self.right
        rows = np.concatenate([self.left, self.right[two]])
        columns = np.concatenate([np.arange(n_pairs), np.flatnonzero(two)])
        shape = int(self.right.max()) + 1, n_pairs
        return csr_array((weights[columns], (rows, columns)), shape=shape)


@dataclass(frozen=True, eq=False)
class DependentTables(FittedDistance):
    """d = sum over features r of w_r D_r / sum of w_r.

    D_r = sum over l of R(r, l) (q(x) + q(x')), over those l where x and x' differ in
    feature r or in l, with q(x) the chance that two rows both have the values x_r and
    x_l; w_r depends on whether the rows differ in feature r.

    Attributes
    ----------
    dependence : ndarray of shape (D, D)
        R.
    mismatch_weights, match_weights : ndarray of shape (D,)
        w_r where two rows differ in feature r, and where they agree.
    pairs : ValuePairs
        The pairs of related features, and the chances q of their pairs of values.
    """

    dependence: Array
    mismatch_weights: Array
    match_weights: Array
    pairs: ValuePairs

    def represent(self, codes: Codes) -> Places:
        """Return the places of the values of rows (n, D)."""
        return places(codes, self.codebook.n_values)

    def compare(self, a: Places, b: Places) -> Array:
        """Return distances (n, m) between represented rows."""
        distances, n_pairs = np.empty((len(a), len(b))), len(self.pairs.left)
        chunks = (query_chunks(len(rows), n_pairs, PAIRS_AT_ONCE) for rows in (a, b))
        for rows, columns in product(*chunks):
            distances[rows, columns] = self._distances(a[rows], b[columns])
        return distances

    @cached_property
    def _dependences(self) -> Array:
        """R of each pair of features (P,)."""
        return self.dependence[self.pairs.left, self.pairs.right]

    @cached_property
    def _to_features(self) -> csr_array:
        """Sums over pairs of features, each weighted by R (D, P)."""
        return self.pairs.to_features(self._dependences)

    def _distances(self, a: Places, b: Places) -> Array:
        """Return distances as sums over what two rows share.

        With e_r = 1 where rows agree in feature r, else 0, and Q_r(x) the sum over l in
        S_r of R(r, l) q(x): D_r = Q_r(x) + Q_r(x') - 2 sum over l of R(r, l) e_r e_l
        q(x), for where both agree q is the same; and w_r is linear in e_r. So all is
        sums over the values, and over the pairs of values, that two rows share.

        Parameters
        ----------
        a, b : rows given by places (n, D) and (m, D)
        """
        starts_of = starts(self.codebook.n_values)
        n_places = int(starts_of[-1])
        mismatch = self.mismatch_weights
        change = self.match_weights - mismatch  # of w_r where rows agree (D,)
        pairs = self.pairs
        keys_a, keys_b = (pairs.keys(rows - starts_of[:-1]) for rows in (a, b))
        Q_a, Q_b = (
            np.ascontiguousarray((self._to_features @ pairs.chances[keys].T).T)
            for keys in (keys_a, keys_b)
        )  # (n, D), (m, D)
        alone = ((Q * mismatch).sum(axis=1) for Q in (Q_a, Q_b))
        whole = np.add.outer(*alone)  # sum of w_r (Q_r(x) + Q_r(x'))
        whole += match_sums(a, b, n_places, of_a=Q_a * change)
        whole += match_sums(a, b, n_places, of_b=Q_b * change)
        weights = np.broadcast_to(change, a.shape)
        total = mismatch.sum() + match_sums(a, b, n_places, of_a=weights)
        apart = whole - self._shared(keys_a, keys_b)
        apart[apart < ROUNDING * whole] = 0.0
        return apart / np.where(total > 1e-15, total, 1.0)

    def _shared(self, a: Places, b: Places) -> Array:
        """Return 2 sum over r and l of w_r R(r, l) e_r e_l q (n, m)."""
        pairs, match = self.pairs, self.match_weights
        two = np.where(pairs.left == pairs.right, 0.0, match[pairs.right])
        at_match = 2.0 * self._dependences * (match[pairs.left] + two)  # (P,)
        places = pairs.places
        n_places = int(places.max()) + 1
        return match_sums(
            places[a], places[b], n_places, of_a=at_match * pairs.chances[a]
        )

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return 3 * len(self.mismatch_weights) + len(self.pairs.left)

    def check(self) -> None:
        """Raise ``RefusedError`` unless pairs and weights fit the columns."""
        pairs, n_features = self.pairs, len(self.codebook.n_values)
        if type(pairs) is not ValuePairs:
            raise RefusedError("pairs are not pairs of values")
        check_integers(pairs.left, "left of pairs", (None,))
        for name in ("right", "offsets", "widths"):
            check_integers(getattr(pairs, name), f"{name} of pairs", pairs.left.shape)
        alone = pairs.left[pairs.left == pairs.right].tolist()
        if sorted(alone) != list(range(n_features)) or (pairs.left > pairs.right).any():
            raise RefusedError("pairs are not pairs of the columns")
        sizes = np.asarray(self.codebook.n_values) + 1
        ends = np.cumsum(sizes[pairs.left] * sizes[pairs.right])
        laid = pairs.offsets.tolist() == [0, *ends[:-1].tolist()]
        if not laid or pairs.widths.tolist() != sizes[pairs.right].tolist():
            raise RefusedError("pairs do not fit the values of the columns")
        check_reals(pairs.chances, "chances of pairs", (int(ends[-1]),))
        check_reals(self.dependence, "dependence", (n_features, n_features))
        check_reals(self.mismatch_weights, "mismatch_weights", (n_features,))
        check_reals(self.match_weights, "match_weights", (n_features,))
