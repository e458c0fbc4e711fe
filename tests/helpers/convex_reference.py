"""The problem written out for an interior-point solver, with none of nearkind's code.

Every constraint is enumerated and every A^ij stored, so that d2_ij = <A^ij, M>; only
tiny problems are meant. The Schatten norm of a matrix with eigenvalues m is modelled by
a falling vector x that majorises m, penalised in its place: the penalty is symmetric
and convex, so it is smallest at x = m.

The optimum is bracketed, so that nothing rests on the solver's word: ``value`` is the
objective at an explicit M, ``bound`` the dual value at explicit multipliers.
"""

import warnings
from dataclasses import dataclass
from itertools import combinations, permutations

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize_scalar

STRUCTURES = ("single", "multi", "diagonal", "full")
KINDS = ("triplets", "pairs", "quadruplets")


@dataclass(frozen=True)
class Penalty:
    """||M||_p, or Tr M^p if powered."""

    p: float
    powered: bool = False

    def __str__(self):
        return f"{'power' if self.powered else 'norm'}{self.p:g}"

    def of(self, M):
        m = np.maximum(np.linalg.eigvalsh(M), 0.0).ravel()
        return (m**self.p).sum() if self.powered else np.linalg.norm(m, self.p)

    def bound(self, S, reward, strength):
        """Return the best over multiples s <= 1 of reward less the conjugate at s S.

        That is sup over PSD M of <S, M> - strength * penalty(M), which for a norm is 0
        or infinite and for Tr M^p is (p - 1) (||S_+||_q / p)^q at strength 1.
        """
        q = np.inf if self.p == 1.0 else 1.0 / (1.0 - 1.0 / self.p)
        size = np.linalg.norm(np.maximum(np.linalg.eigvalsh(S), 0.0).ravel(), q)
        if not self.powered or self.p == 1.0:
            return max(min(1.0, strength / size) * reward, 0.0)

        def dual(scale):
            root = (scale * size / (self.p * strength)) ** (self.p / (self.p - 1.0))
            return scale * reward - (self.p - 1.0) * strength * root

        best = minimize_scalar(lambda s: -dual(s), bounds=(0.0, 1.0), method="bounded")
        return max(dual(best.x), dual(1.0), 0.0)

    def model(self, blocks):
        """Return the penalty of the block-diagonal matrix, and what ties it to M."""
        if self.p == 1.0:
            return sum(cp.trace(M) for M in blocks), []
        if self.p == np.inf:
            return cp.max(cp.hstack([cp.lambda_max(M) for M in blocks])), []
        if self.p == 2.0:
            entries = cp.hstack([cp.vec(M, order="C") for M in blocks])
            return cp.sum_squares(entries) if self.powered else cp.norm(entries, 2), []
        spectra, ties = zip(*(_majorised(M) for M in blocks), strict=True)
        x, ties = cp.hstack(spectra), [tie for block in ties for tie in block]
        power = cp.sum(cp.power(x, self.p))
        return power if self.powered else cp.norm(x, self.p), ties


@dataclass(frozen=True)
class EntrywisePenalty:
    """Sum of |M_pq| over all entries."""

    def __str__(self):
        return "l1"

    def of(self, M):
        return np.abs(M).sum()

    def height(self, S):
        """Return the least max |Y_pq| of a Y with Y - S PSD; no less, by a little."""
        width = S.shape[-1]
        blocks = [cp.Variable((width, width), symmetric=True) for _ in S]
        above = [Y - block >> 0 for Y, block in zip(blocks, S, strict=True)]
        top = cp.max(cp.hstack([cp.max(cp.abs(Y)) for Y in blocks]))
        cp.Problem(cp.Minimize(top), above).solve(solver=cp.CLARABEL)
        Y = np.array([(Y.value + Y.value.T) / 2.0 for Y in blocks])
        lift = max(np.linalg.eigvalsh(S - Y).max(), 0.0)
        return np.abs(Y + lift * np.eye(width)).max()

    def bound(self, S, reward, strength):
        """As above; the norm's conjugate is 0 where the height is within strength."""
        return max(min(1.0, strength / self.height(S)) * reward, 0.0)

    def model(self, blocks):
        return sum(cp.sum(cp.abs(M)) for M in blocks), []


PENALTIES = (
    *(Penalty(p) for p in (1.0, 1.5, 2.0, 3.0, np.inf)),
    *(Penalty(p, powered=True) for p in (1.0, 1.5, 2.0, 3.0)),
)


@dataclass(frozen=True)
class Optimum:
    """The least objective: reached at M (B, W, W), and no less than ``bound``."""

    value: float
    bound: float
    M: np.ndarray


@dataclass(frozen=True)
class Problem:
    """min over PSD M of mean [offsets + <H, M>]_+ + strength * penalty(M)."""

    offsets: np.ndarray  # (T,)
    H: np.ndarray  # (T, B, W, W)
    penalty: Penalty | EntrywisePenalty
    strength: float

    @classmethod
    def of(cls, phi, y, structure, kind, penalty, strength, margin=1.0):
        A = difference_matrices(phi, structure)
        tuples = enumerated(y, kind, margin)
        offsets = np.array([offset for offset, _ in tuples])
        H = np.array([sum(s * A[i, j] for i, j, s in terms) for _, terms in tuples])
        return cls(offsets, H, penalty, strength)

    def value(self, M):
        """Return the objective at M (B, W, W), from the definition."""
        z = self.offsets + np.einsum("tbvw,bvw->t", self.H, M)
        return np.maximum(z, 0.0).mean() + self.strength * self.penalty.of(M)

    def bound(self, alpha):
        """Return the best dual value among multiples of alpha in [0, 1] (T,)."""
        S = -np.einsum("t,tbvw->bvw", alpha, self.H) / len(alpha)
        reward = (alpha * self.offsets).mean()
        return self.penalty.bound(S, reward, self.strength)

    def solve(self):
        """Return the optimum, by interior points."""
        n_blocks, width = self.H.shape[1:3]
        blocks = [cp.Variable((width, width), PSD=True) for _ in range(n_blocks)]
        flat = self.H.reshape(len(self.H), n_blocks, -1)
        z = self.offsets + sum(
            flat[:, b] @ cp.vec(M, order="C") for b, M in enumerate(blocks)
        )
        slack = cp.Variable(len(self.H), nonneg=True)
        met = slack >= z
        size, ties = self.penalty.model(blocks)
        total = cp.sum(slack) / len(self.H) + self.strength * size
        with warnings.catch_warnings():  # the bracket says how accurate it is
            warnings.filterwarnings("ignore", "Solution may be inaccurate", UserWarning)
            cp.Problem(cp.Minimize(total), [met, *ties]).solve(solver=cp.CLARABEL)
        M = _nearest_psd(np.array([M.value for M in blocks]))
        alpha = np.clip(len(self.H) * met.dual_value, 0.0, 1.0)
        return Optimum(self.value(M), self.bound(alpha), M)


def difference_matrices(phi, structure):
    """Return A (n, n, B, W, W) with d2_ij = <A^ij, M>, phi being (n, D, C)."""
    delta = phi[:, None] - phi[None]  # (n, n, D, C)
    if structure == "single":
        return np.einsum("ijdc,ijec->ijde", delta, delta)[:, :, None]
    if structure == "multi":
        return np.einsum("ijdc,ijec->ijcde", delta, delta)
    if structure == "diagonal":
        return (delta**2).sum(axis=3)[..., None, None]
    flat = delta.reshape(*delta.shape[:2], -1)
    return np.einsum("ija,ijb->ijab", flat, flat)[:, :, None]


def enumerated(y, kind, margin):
    """Return (offset, [(i, j, sign), ...]) each: violation = offset + signed d2."""
    n = len(y)
    if kind == "triplets":
        return [
            (margin, [(i, j, 1.0), (i, k, -1.0)])
            for i, j, k in permutations(range(n), 3)
            if y[i] == y[j] != y[k]
        ]
    if kind == "pairs":
        pairs = list(permutations(range(n), 2))
        sides = [1.0 if y[i] == y[j] else -1.0 for i, j in pairs]
        return [
            (1.0 - r * margin, [(i, j, r)])
            for (i, j), r in zip(pairs, sides, strict=True)
        ]
    alike = [(i, j) for i, j in combinations(range(n), 2) if y[i] == y[j]]
    unlike = [(i, j) for i, j in combinations(range(n), 2) if y[i] != y[j]]
    return [(margin, [(*e, 1.0), (*f, -1.0)]) for e in alike for f in unlike]


def _majorised(M):
    """Return a falling x (W,) and constraints by which it majorises M's spectrum."""
    width = M.shape[0]
    x = cp.Variable(width, nonneg=True)
    ties = [cp.trace(M) == cp.sum(x)]
    for k in range(1, width):
        ties += [cp.lambda_sum_largest(M, k) <= cp.sum(x[:k]), x[k - 1] >= x[k]]
    return x, ties


def _nearest_psd(M):
    values, vectors = np.linalg.eigh((M + M.swapaxes(1, 2)) / 2.0)
    return (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.swapaxes(1, 2)
