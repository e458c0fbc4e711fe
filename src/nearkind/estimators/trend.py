"""A ridge regression of a number on the values of each feature, as one table each."""

from dataclasses import dataclass

import numpy as np

from nearkind.distances.kernel import coded_rows
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.targets import FARTHEST
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes

N_PIECES = 9
"""Knots of the curve of a numeric feature, at quantiles of its values."""
STRENGTHS = 10.0 ** np.arange(-2.0, 4.1, 0.5)
"""Penalties to choose from."""
LARGEST = 1_500
"""Coefficients, above which there is no trend."""


@dataclass(frozen=True)
class Trend:
    """sum over features of b_d(x_d), a number for a value or a curve of numbers.

    The penalty is the one with the least squared error on rows left out in turn.

    Attributes
    ----------
    tables : ValueTables
        b_d, of mean zero over the training rows; zero for unseen values.
    residuals : ndarray (n,)
        What is left of the target of each training row.
    """

    tables: ValueTables
    residuals: Array

    @classmethod
    def fit(cls, rows: CodedRows) -> "Trend | None":
        """Return the trend of the target of rows, None if it has too many numbers.

        A row of weight m stands for m rows, of which one is left out.
        """
        share = rows.weights / rows.weights.sum()
        bases = _bases(rows.codebook, rows.codes, share)
        width = sum(basis.shape[1] for basis in bases)
        if width > LARGEST:
            return None
        centre = share @ rows.numbers
        Z, t = coded_rows(bases, rows.codes), rows.numbers - centre
        weighted = Z * rows.weights[:, None]
        products = decompose((Z.T @ weighted)[None]).positive()
        spectrum, V = products.values[0], products.vectors[0]
        P, q = Z @ V, V.T @ (weighted.T @ t)
        squares, least, best = P**2, np.inf, q
        for strength in STRENGTHS:
            inverse = 1.0 / (spectrum + strength)
            left = 1.0 - squares @ inverse - 1.0 / rows.weights.sum()
            errors = (t - P @ (inverse * q)) / np.maximum(left, 0.01)
            if (loss := float(share @ errors**2)) < least:
                least, best = loss, inverse * q
        ends = np.cumsum([basis.shape[1] for basis in bases])[:-1]
        coefficients = np.split(V @ best, ends)
        both = zip(bases, coefficients, strict=True)
        tables = ValueTables([basis @ part[:, None] for basis, part in both])
        return cls(tables, rows.numbers - tables.embed(rows.codes)[:, 0])


def _bases(book: Codebook, codes: Codes, share: Array) -> list[Array]:
    """Return for each feature the coordinates (s_d + 1, w_d) of its values, centred."""
    found = []
    for n_values, position, code in zip(
        book.n_values, book.positions, codes.T, strict=True
    ):
        counts = np.bincount(code[code >= 0], share[code >= 0], n_values).astype(float)
        basis = np.eye(n_values) if position is None else _curve(position, counts)
        mean = counts @ basis / max(float(counts.sum()), 1e-300)
        found.append(np.vstack([basis - mean, np.zeros((1, basis.shape[1]))]))
    return found


def _curve(position: Array, counts: Array) -> Array:
    """Return each place's position, and its shares of knots between which it lies."""
    position = np.clip(position, -FARTHEST, FARTHEST)
    order = np.argsort(position, kind="stable")
    reached = np.cumsum(counts[order])
    levels = np.linspace(0.0, 1.0, N_PIECES) * reached[-1] * (1.0 - 1e-9)
    knots = np.unique(position[order][np.searchsorted(reached, levels)])
    if len(knots) < 3:
        return position[:, None]
    hats = [np.interp(position, knots, unit) for unit in np.eye(len(knots))]
    return np.column_stack([position, *hats])
