"""Interactions: the information of a pair of features beyond its two parts.

The parts alone are taken at their best: the additive model, in which the logarithm of
the odds of a class is a sum of a term for each part's value. It has the counts of
classes by each part's values and of pairs of values, and no interaction of the three
(fitted by iterative proportional scaling: Deming and Stephan, 1940). So two columns
that say the same thing twice gain nothing from being crossed.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.crosses import MAX_LEVELS, Pair
from nearkind.protocols import Array

DRAWS = np.array([4.0, 16.0, 64.0, 256.0])
"""Rows that the additive model may count as in a pair's class histogram."""
ROUNDS = 10
"""Of proportional scaling; from a naive Bayes start most tables need three."""
TINY = 1e-300
LEAST = 1e-9
"""Least share of a class."""
CLEAR, ENOUGH = 3.0, 10.0
"""Standard errors, and nats over all rows, above which a gain is no chance."""
MAX_COLUMNS = 100
"""Columns whose pairs are compared; of more, those that say most of the class."""
MAX_PAIRS, MAX_PAIR_VALUES = 30, 2_000
"""Pairs that "auto" takes, and the values that they have in all."""


class Interaction(NamedTuple):
    """What a pair of features says beyond its parts.

    Attributes
    ----------
    pair : (int, int)
        Numbers of the two features.
    gain : float
        Mean over rows of log p(y | pair) - log p(y | parts), the row's own label left
        out of both; the largest of four, by how much the parts draw the pair to them.
    error : float
        Standard error of that mean.
    n_rows : float
        Rows, or the sum of their weights.
    n_values : int
        Pairs of values that occur.
    """

    pair: Pair
    gain: float
    error: float
    n_rows: float
    n_values: int

    @property
    def is_clear(self) -> bool:
        """Whether the gain is well above zero, also for one of many pairs."""
        return self.gain > CLEAR * self.error and self.gain * self.n_rows > ENOUGH


class PairCounts:
    """Weights of rows by the values of two features and class, where there are any.

    Parameters
    ----------
    a, b : ndarray of int (n,)
        Codes of the two features; rows with one below zero are left out.
    y : ndarray of int (n,)
        Class numbers.
    weights : ndarray (n,)
        Number of rows that each represents.
    n_classes : int

    Attributes
    ----------
    counts : ndarray (m, C)
        One row for each pair of values that occurs.
    a, b : ndarray of int (m,)
        Codes of each pair.
    sums_by_a, sums_by_b : callable
        Give each row of a table (m, C) the sum of the rows with its code.
    """

    def __init__(
        self,
        a: NDArray[np.intp],
        b: NDArray[np.intp],
        y: NDArray[np.intp],
        weights: Array,
        n_classes: int,
    ) -> None:
        known = (a >= 0) & (b >= 0)
        if not known.all():
            a, b, y, weights = a[known], b[known], y[known], weights[known]
        width = int(b.max(initial=0)) + 1
        cells = a * width + b
        size = (int(a.max(initial=0)) + 1) * width
        if size > max(len(a), 1 << 12):  # few of all pairs can occur
            found, cells = np.unique(cells, return_inverse=True)
        else:
            found = np.arange(size)
        table = np.bincount(cells * n_classes + y, weights, len(found) * n_classes)
        counts = table.reshape(-1, n_classes).astype(float)
        occurs = counts.sum(axis=1) > 0.0
        self.counts: Array = counts[occurs]
        self.a, self.b = np.divmod(found[occurs], width)
        self.sums_by_a = _adder(self.a, n_classes)
        self.sums_by_b = _adder(self.b, n_classes)

    def additive(self) -> Array:
        """Return the class shares (m, C) of the additive model of the two parts."""
        sums = self.sums_by_a, self.sums_by_b
        wanted = [add(self.counts) for add in sums]  # N_ay and N_by (m, C)
        of_pair = self.counts.sum(axis=1, keepdims=True)
        fitted = wanted[0] * wanted[1] / np.maximum(self.counts.sum(axis=0), TINY)
        fitted *= of_pair / np.maximum(fitted.sum(axis=1, keepdims=True), TINY)
        for _ in range(ROUNDS):
            for add, total in zip(sums, wanted, strict=True):
                fitted *= total / np.maximum(add(fitted), TINY)
            fitted *= of_pair / np.maximum(fitted.sum(axis=1, keepdims=True), TINY)
        return fitted / of_pair

    def gains(self) -> tuple[Array, Array]:
        """Return gains (4, t) of the t pairs and classes that occur, and their weights.

        The row's own label y, one repetition of it, is left out everywhere: of the
        additive model q, whose odds of y fall as N_ay N_by / N_y does, and of the
        counts N of its pair, which q draws to itself as if by m = 4, 16, 64 or 256
        rows. The gain is the logarithm of (N_y - 1 + m q_y) / (N - 1 + m) over q_y.
        """
        cell, label = np.nonzero(self.counts)
        own, of_pair = self.counts[cell, label], self.counts.sum(axis=1)[cell]
        out = np.minimum(own, 1.0)
        q = self.additive()[cell, label]
        odds = q * (1.0 - out / self.sums_by_a(self.counts)[cell, label])
        odds *= 1.0 - out / self.sums_by_b(self.counts)[cell, label]
        left = 1.0 - out / self.counts.sum(axis=0)[label]
        odds /= np.where(left > 0.0, left, 1.0)
        q = np.maximum(odds / (1.0 - q + np.maximum(odds, LEAST)), LEAST)
        m = DRAWS[:, None]
        return np.log((own - out + m * q) / (of_pair - out + m) / q), own


def interaction(
    codes: NDArray[np.intp],
    pair: Pair,
    y: NDArray[np.intp],
    weights: Array,
    n_classes: int,
) -> Interaction:
    """Return what a pair of features says of the class beyond its parts.

    Parameters
    ----------
    codes : ndarray of int (n, D)
        A row with a code below zero in one of the two gains nothing.
    pair : (int, int)
    y : ndarray of int (n,)
        Class numbers.
    weights : ndarray (n,)
        Number of rows that each represents.
    n_classes : int

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    >>> is_other = codes[:, 0] != codes[:, 1]
    >>> found = interaction(codes, (0, 1), is_other.astype(int), np.ones(40), 2)
    >>> round(found.gain, 2), found.is_clear, found.n_values
    (0.59, True, 4)
    """
    a, b = pair
    table = PairCounts(codes[:, a], codes[:, b], y, weights, n_classes)
    by_draw, weight = table.gains()
    total = float(weights.sum())
    means = by_draw @ weight / total
    gains, mean = by_draw[means.argmax()], float(means.max())
    squares = weight @ (gains - mean) ** 2 + (total - weight.sum()) * mean**2
    error = float(squares**0.5) / total
    return Interaction(pair, mean, error, total, len(table.counts))


def interactions(
    codes: NDArray[np.integer], y: NDArray[np.intp], weights: Array
) -> list[Interaction]:
    """Return the interactions that gain something, the largest gain first.

    Parameters
    ----------
    codes : ndarray of int (n, D)
        Of 100 columns at most all pairs are compared. Of more, the 100 that say most
        of the class by themselves.
    y : ndarray of int (n,)
        Class numbers; rows below zero have no label and are left out.
    weights : ndarray (n,)
        Number of rows that each represents.
    """
    known = y >= 0
    y, weights, n_classes = y[known], weights[known], int(y.max(initial=-1)) + 1
    columns = codes[known].astype(np.intp, order="F")
    taken = informative_columns(columns, y, weights, n_classes)
    found = [
        interaction(columns, pair, y, weights, n_classes)
        for pair in combinations(taken, 2)
    ]
    gaining = [e for e in found if e.gain > 1e-9 and e.n_values <= MAX_LEVELS]
    return sorted(gaining, key=lambda each: -round(each.gain, 9))


def informative_columns(
    codes: NDArray[np.intp], y: NDArray[np.intp], weights: Array, n_classes: int
) -> list[int]:
    """Return the columns to pair: those with two values or more, the best if many.

    A column is as good as its class histogram, drawn to the class shares, tells the
    label of a row that is left out of it.
    """
    varied = [d for d, column in enumerate(codes.T) if column.max() > column.min()]
    if len(varied) <= MAX_COLUMNS:
        return varied
    nothing = np.zeros(len(y), dtype=np.intp)

    def information(d: int) -> float:
        table = PairCounts(codes[:, d], nothing, y, weights, n_classes)
        cell, label = np.nonzero(table.counts)
        own, of_value = table.counts[cell, label], table.counts.sum(axis=1)[cell]
        shares = (table.counts.sum(axis=0) / table.counts.sum())[label]
        left_out = np.minimum(own, 1.0)
        p = (own - left_out + DRAWS[0] * shares) / (of_value - left_out + DRAWS[0])
        return round(float(own @ np.log(p / shares)), 9)

    best = sorted(varied, key=lambda d: -information(d))[:MAX_COLUMNS]
    return sorted(best)


def chosen_pairs(
    codes: NDArray[np.integer], y: NDArray[np.intp], weights: Array, crosses: int | str
) -> list[Pair]:
    """Return the pairs to cross, best first.

    Parameters
    ----------
    codes, y, weights
        As in ``interactions``.
    crosses : int or "auto"
        So many, fewer if fewer gain anything; or those that gain clearly, at most 30
        with at most 2,000 pairs of values in all.
    """
    found = interactions(codes, y, weights)
    if isinstance(crosses, int):
        return [each.pair for each in found[:crosses]]
    room = MAX_PAIR_VALUES
    taken: list[Pair] = []
    for each in found:
        if each.is_clear and each.n_values <= room and len(taken) < MAX_PAIRS:
            taken.append(each.pair)
            room -= each.n_values
    return taken


def _adder(numbers: NDArray[np.intp], n_classes: int) -> Callable[[Array], Array]:
    """Return what replaces each row of a table (m, C) by the sum of those like it.

    Parameters
    ----------
    numbers : ndarray of int (m,)
        Rows of the same number are alike.
    n_classes : int
    """
    at = (numbers[:, None] * n_classes + np.arange(n_classes)).ravel()
    return lambda table: np.bincount(at, table.ravel())[at].reshape(table.shape)
