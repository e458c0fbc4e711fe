"""Pairs, triplets and quadruplets given one by one.

All three are one signed sparse matrix on distances: the violation of constraint t is
offset_t + sum over edges of signs[t, e] d2_e.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nearkind.losses.edges import PairList
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array, Loss, LossGradient, RowNumbers


@dataclass(frozen=True)
class TupleList:
    """Constraints as signs (T, E), offsets (T,) and shares (T,) of the mean."""

    edges: PairList
    signs: sparse.csr_array
    offsets: Array
    shares: Array
    depends_on_metric = False

    @property
    def n_distances(self) -> int:
        """How many distances one evaluation computes."""
        return len(self.edges.left)

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the mean loss."""
        return float(self.shares @ loss.value(self.offsets + self.signs @ d2))

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient in d2, and intercept."""
        z = self.offsets + self.signs @ d2  # (T,)
        alpha = self.shares * loss.derivative(z)
        return LossGradient(
            float(self.shares @ loss.value(z)),
            self.signs.T @ alpha,
            float(alpha @ self.offsets),
        )

    def chunks(self) -> Sequence["TupleList"]:
        """Return the whole as one chunk: its edges are already read piece by piece."""
        return [self]

    def gradient_at_zero(self, Z: Array) -> Array:
        """Return the gradient at M = 0; what is just met there counts in full."""
        alpha = self.shares * (self.offsets >= 0.0)
        return self.edges.adjoint(Z, self.signs.T @ alpha)

    def renewed(self, Z: Array, point: Spectrum) -> "TupleList":
        """Return itself: it is the same under every metric."""
        return self

    def sample(self, size: int, rng: np.random.Generator) -> tuple[slice, "TupleList"]:
        """Return all rows, and ``size`` constraints drawn by their shares."""
        share = self.shares / self.shares.sum()
        drawn = rng.choice(len(share), size=size, p=share)
        shares = np.full(size, self.shares.sum() / size)
        edges, at = np.unique(self.signs[drawn].indices, return_inverse=True)
        signs = sparse.csr_array(
            (self.signs[drawn].data, at, self.signs[drawn].indptr),
            shape=(size, len(edges)),
        )
        pairs = PairList(self.edges.left[edges], self.edges.right[edges])
        return slice(None), TupleList(pairs, signs, self.offsets[drawn], shares)


def list_triplets(
    i: RowNumbers, j: RowNumbers, k: RowNumbers, margin: float, shares: Array
) -> TupleList:
    """Return the constraints d2_ij + margin <= d2_ik."""
    offsets = np.full(len(i), margin)
    return _assemble([(i, j, 1.0), (i, k, -1.0)], offsets, shares)


def list_pairs(
    i: RowNumbers, j: RowNumbers, sides: NDArray[np.intp], margin: float, shares: Array
) -> TupleList:
    """Return d2_ij <= margin - 1 where the side is +1, d2_ij >= margin + 1 where -1."""
    signs = sides.astype(np.float64)
    return _assemble([(i, j, signs)], 1.0 - signs * margin, shares)


def list_quadruplets(
    i: RowNumbers,
    j: RowNumbers,
    k: RowNumbers,
    m: RowNumbers,
    margin: float,
    shares: Array,
) -> TupleList:
    """Return the constraints d2_ij + margin <= d2_km."""
    offsets = np.full(len(i), margin)
    return _assemble([(i, j, 1.0), (k, m, -1.0)], offsets, shares)


def join_lists(lists: Sequence[TupleList]) -> TupleList:
    """Return the sum of several losses as one list of constraints.

    Each keeps its shares: the mean loss of one list has the same weight as that of
    another, however many constraints they hold.
    """
    edges = PairList(
        np.concatenate([each.edges.left for each in lists]),
        np.concatenate([each.edges.right for each in lists]),
    )
    signs = sparse.block_diag([each.signs for each in lists], format="csr")
    return TupleList(
        edges,
        sparse.csr_array(signs),
        np.concatenate([each.offsets for each in lists]),
        np.concatenate([each.shares for each in lists]),
    )


def _assemble(
    terms: list[tuple[RowNumbers, RowNumbers, float | Array]],
    offsets: Array,
    shares: Array,
) -> TupleList:
    """Give each distinct pair of rows one edge, however many constraints use it."""
    left = np.concatenate([np.minimum(a, b) for a, b, _ in terms])
    right = np.concatenate([np.maximum(a, b) for a, b, _ in terms])
    n_rows = int(right.max(initial=0)) + 1
    keys, edge = np.unique(left * n_rows + right, return_inverse=True)
    n_tuples = len(offsets)
    row = np.tile(np.arange(n_tuples), len(terms))
    sign = np.concatenate([np.broadcast_to(s, n_tuples) for _, _, s in terms])
    signs = sparse.csr_array((sign, (row, edge)), shape=(n_tuples, len(keys)))
    edges = PairList(*np.divmod(keys, n_rows))
    return TupleList(edges, signs, offsets, np.asarray(shares, dtype=float))
