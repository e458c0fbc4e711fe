"""Sums of a loss over every near distance against every far one, row by row.

The sum of f(t_j - c_k) over all pairs (j, k), f piecewise polynomial, needs only counts
and power sums of the c_k below each t_j and of the t_j above each c_k: one sort of both
lists, O(n log n) a row, instead of the product of their lengths. Two classes do it:
``NumpySums`` here, and ``CompiledSums``, which is faster and needs numba (the extra
``fast``). ``engine`` chooses between them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nearkind import optimizations
from nearkind.protocols import Array, LossGradient

WORTH_COMPILING = 1 << 14
"""Distances in a chunk from which loading the compiler pays."""
_PLAIN_BITS = 33
"""Bits of a number that plain code sorts by: single precision has 24."""
LARGEST = 1e38
"""Size of numbers up to which they are sorted as they are in single precision."""
_AT_ONCE = 1 << 17
"""Numbers worked on at a time: about what a core's cache holds."""

# The GNU allocator takes large arrays from the system and gives them back each time,
# until one as large as this was freed; then it keeps them, and chunks cost no page
# faults. Measured: 2.7x on a loss with gradient. Elsewhere this does nothing.
np.empty(31 << 20, dtype=np.uint8)


@dataclass(frozen=True)
class NearFar:
    """In each row of distances (a, n), near columns + margin should be below far ones.

    Attributes
    ----------
    near : ndarray of shape (p,) or (a, p)
        Column numbers, at least one; of all rows, or of each row.
    far : ndarray of shape (m,)
        Column numbers, at least one.
    margin : float
        By how much.
    weights : ndarray of shape (n,)
        Weights of the columns.
    shares : ndarray of shape (a,)
        Weights of the rows.
    self_columns, self_weights : ndarray of shape (a,)
        A near column of each row that has another weight in that row; -1 for none.
    near_weights : ndarray of shape (a, p), default=None
        Weights of the near columns of each row; None: as ``weights`` says.
    """

    near: NDArray[np.intp]
    far: NDArray[np.intp]
    margin: float
    weights: Array
    shares: Array
    self_columns: NDArray[np.intp]
    self_weights: Array
    near_weights: Array | None = None

    @property
    def near_by_row(self) -> NDArray[np.intp]:
        """The near columns of each row (a, p), or of all rows (1, p)."""
        return np.atleast_2d(self.near)

    @property
    def stated_weights(self) -> Array:
        """The weights of ``near_by_row``, before ``self_weights`` replace some."""
        if self.near_weights is None:
            return self.weights[self.near_by_row]
        return self.near_weights

    def weights_by_row(self) -> Array:
        """Return the weight of each near column in each row (a, p)."""
        shape = len(self.shares), self.near_by_row.shape[1]
        weights = np.broadcast_to(self.stated_weights, shape).copy()
        rows, columns = np.nonzero(self.near_by_row == self.self_columns[:, None])
        weights[rows, columns] = self.self_weights[rows]
        return weights

    def add_near(self, out: Array, at: NDArray[np.intp], terms: Array) -> None:
        """Add terms (a, p) to the near columns ``at`` (a, p) of each row of ``out``."""
        if self.near.ndim == 1:
            out[:, self.near] = terms  # no column twice
        else:
            np.add.at(out, (np.arange(len(out))[:, None], at), terms)


class PairSums(Protocol):
    """The sums of both hinges over all pairs of a near and a far distance.

    Law: they are what an oracle finds by enumeration, up to rounding.
    """

    def total(self, d2: Array, columns: NearFar, width: float) -> float:
        """Return the sum of [near + margin - far]_+ over all pairs of all rows.

        Its corner is smoothed over a width, unless that is zero.
        """

    def gradient(self, d2: Array, columns: NearFar, width: float) -> LossGradient:
        """Return that sum, its gradient in d2 (a, n), and its intercept."""


def engine(n_distances: int) -> PairSums:
    """Return what to sum with: compiled code if numba is installed and it pays."""
    is_worth_it = n_distances >= WORTH_COMPILING and optimizations.enabled()
    if not is_worth_it or not has_compiler():
        return NumpySums()
    from nearkind.losses.compiled_sums import compiled_sums  # slow to load, so only now

    return compiled_sums()


@cache
def has_compiler() -> bool:
    """Return whether numba is installed."""
    return find_spec("numba") is not None


class NumpySums:
    """The sums by one sort of both sides, in NumPy."""

    def total(self, d2: Array, columns: NearFar, width: float) -> float:
        """Return the sum of the hinge over all pairs of all rows."""
        parts = _parts(d2, columns)
        return sum(part.weigh(_sums_of(part, width).loss) for part in parts)

    def gradient(self, d2: Array, columns: NearFar, width: float) -> LossGradient:
        """Return that sum, its gradient in d2 (a, n), and its intercept."""
        weights = np.zeros_like(d2)
        loss, total = 0.0, 0.0
        for part in _parts(d2, columns):
            sums = _sums_of(part, width)
            near = part.shares * part.t_weights * sums.t_gradient
            here = weights[part.rows]
            here[:, columns.far] = -part.shares * part.c_weights * sums.c_gradient
            columns.add_near(here, part.near, near)
            loss, total = loss + part.weigh(sums.loss), total + float(near.sum())
        return LossGradient(loss, weights, columns.margin * total)


class _Part(NamedTuple):
    """Some rows: t = near + margin against c = far, both less the row's mean c."""

    rows: slice
    near: NDArray[np.intp]  # (a, p)
    shares: Array  # (a, 1)
    t: Array  # (a, p)
    t_weights: Array  # (a, p)
    c: Array  # (a, m)
    c_weights: Array  # (m,)

    def weigh(self, loss: Array) -> float:
        """Add up a loss a t (a, p)."""
        return float((self.shares * self.t_weights * loss).sum())


def _parts(d2: Array, columns: NearFar) -> Iterator[_Part]:
    t_weights, c_weights = columns.weights_by_row(), columns.weights[columns.far]
    near = np.broadcast_to(columns.near_by_row, t_weights.shape)
    size = max(1, _AT_ONCE // d2.shape[1])
    for at in range(0, len(d2), size):
        rows = slice(at, at + size)
        t = np.take_along_axis(d2[rows], near[rows], axis=1) + columns.margin
        c = d2[rows][:, columns.far]
        shift = c.mean(axis=1, keepdims=True)  # squares cancel, sorting rounds:
        t, c = t - shift, c - shift  # so let numbers be small
        shares = columns.shares[rows, None]
        yield _Part(rows, near[rows], shares, t, t_weights[rows], c, c_weights)


class _HingeSums:
    """Sums of the hinge over the other side; each is computed when asked for."""

    def __init__(self, part: _Part) -> None:
        self._merged = Merged(part.t, part.c)
        self._t_weights = part.t_weights
        self.t_gradient, below = self._merged.below(
            part.c_weights, part.c_weights * part.c
        )
        self.loss = part.t * self.t_gradient - below

    @property
    def c_gradient(self) -> Array:
        """Weight of the t_j above each c_k (a, m)."""
        return self._merged.above(self._t_weights, 0.0)[0]


class _SmoothedSums:
    """Sums of the smoothed hinge over the other side, computed when asked for.

    With P_r(x) the sum over k of w_k [x - c_k]_+^r, the loss of t_j is
    (P_2(t_j) - P_2(t_j - width)) / (2 width) and its derivative
    (P_1(t_j) - P_1(t_j - width)) / width; likewise for the c_k from above.
    """

    def __init__(self, part: _Part, width: float) -> None:
        t, c = part.t, part.c
        self._c, self._width = c, width
        self._ends = np.concatenate([t, t - width], axis=1)  # (a, 2 p)
        self._signed = np.concatenate([part.t_weights, -part.t_weights], axis=1)
        self._merged = Merged(self._ends, c)
        moment = part.c_weights * c
        count, first = self._merged.below(part.c_weights, moment)
        self._first = self._ends * count - first  # P_1
        second, _ = self._merged.below(moment * c, 0.0)
        self._second = self._ends * (self._first - first) + second  # P_2

    @property
    def loss(self) -> Array:
        """Sum over k of w_k loss(t_j - c_k) (a, p)."""
        return _difference(self._second) / (2.0 * self._width)

    @property
    def t_gradient(self) -> Array:
        """Sum over k of w_k loss'(t_j - c_k) (a, p)."""
        return _difference(self._first) / self._width

    @property
    def c_gradient(self) -> Array:
        """Sum over j of w_j loss'(t_j - c_k) (a, m)."""
        count, first = self._merged.above(self._signed, self._signed * self._ends)
        return (first - self._c * count) / self._width


def _sums_of(part: _Part, width: float) -> _HingeSums | _SmoothedSums:
    return _HingeSums(part) if width == 0.0 else _SmoothedSums(part, width)


def _difference(sums: Array) -> Array:
    """Return the sums at the t_j less those at the t_j - width."""
    at_t, at_s = np.hsplit(sums, 2)
    return at_t - at_s


class Merged:
    """Points and values of each row in one order; a point precedes values equal to it.

    Two sums ride in one complex number: a running sum waits for the last addition, so
    the second one costs nothing.

    Parameters
    ----------
    points : (a, p)
    values : (a, m)

    Examples
    --------
    >>> merged = Merged(np.array([[2.0, 5.0]]), np.array([[1.0, 2.0, 4.0]]))
    >>> merged.below(np.ones((1, 3)), np.array([[1.0, 2.0, 4.0]]))
    (array([[1., 3.]]), array([[1., 7.]]))
    >>> merged.above(np.ones((1, 2)), np.array([[2.0, 5.0]]))
    (array([[2., 1., 1.]]), array([[7., 5., 5.]]))
    """

    def __init__(self, points: Array, values: Array) -> None:
        both = np.concatenate([points, values], axis=1)
        self._shape = both.shape
        self._points = slice(0, points.shape[1])
        self._values = slice(points.shape[1], None)
        self._order = _order(both) if optimizations.enabled() else _plain_order(both)
        self._order += np.arange(len(both))[:, None] * both.shape[1]

    def below(self, first: Array | float, second: Array | float) -> tuple[Array, Array]:
        """Sum two terms (a, m) over the values strictly below each point (a, p)."""
        _, running = self._run(self._values, first, second)
        sums = running[:, self._points]
        return sums.real, sums.imag

    def above(self, first: Array | float, second: Array | float) -> tuple[Array, Array]:
        """Sum two terms (a, p) over the points strictly above each value (a, m)."""
        total, running = self._run(self._points, first, second)
        sums = total - running[:, self._values]
        return sums.real, sums.imag

    def _run(
        self, where: slice, first: Array | float, second: Array | float
    ) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Return totals (a, 1) and running sums (a, p + m), in the input's order."""
        terms = np.zeros(self._shape, dtype=complex)
        terms.real[:, where] = first
        terms.imag[:, where] = second
        running = np.cumsum(terms.ravel().take(self._order), axis=1)
        total = running[:, -1:].copy()
        terms.ravel()[self._order] = running
        return total, terms


def _order(numbers: Array) -> NDArray[np.int64]:
    """Return the columns of each row in rising order of their numbers (a, n)."""
    order = _keys(numbers)
    order.sort(axis=1)  # O(a n log n)
    order &= 0xFFFFFFFF
    return order


def _plain_order(numbers: Array) -> NDArray[np.int64]:
    """Return the same from double precision; those within 1e-10 count as equal."""
    mantissa, exponent = np.frexp(numbers)
    rounded = np.ldexp(np.rint(np.ldexp(mantissa, _PLAIN_BITS)), exponent)
    return np.argsort(rounded, axis=1, kind="stable").astype(np.int64)


def _keys(numbers: Array) -> NDArray[np.int64]:
    """Return integers that sort as the numbers do, column numbers in their low half.

    Numbers are rounded to single precision, so those within 1e-7 of each other count as
    equal and keep the order of their columns; those beyond its range are scaled first.
    """
    if LARGEST < (size := np.abs(numbers).max(initial=0.0)) < np.inf:
        numbers = numbers * (LARGEST / size)
    single = numbers.astype(np.float32) + np.float32(0.0)  # -0 becomes 0
    bits = single.view(np.int32)
    bits = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # negative floats fall as integers rise
    return (bits.astype(np.int64) << 32) | np.arange(numbers.shape[1])
