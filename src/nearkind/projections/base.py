"""The base of all projections: phi of a row is gathered from one table per feature."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array, Codes, Labels


@dataclass
class TableProjection:
    """A projection that is a lookup table for each feature.

    Attributes
    ----------
    tables : list of ndarray of shape (n_values[d] + 1, R_d, C)
        The R_d rows of phi of each value of feature d. The last entry is for values not
        seen in fit; code -1 selects it.
    """

    tables: list[Array] = field(default_factory=list, init=False, repr=False)

    def with_orders(self, n_ordered: Sequence[int]) -> Self:
        """Return the projection of features of which so many values are in order."""
        return self

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fill ``tables`` from counts alone; raise where they are too few."""
        raise ValueError(
            f"{type(self).__name__} counts which values of two columns meet, but "
            "batches are counted column by column. Take projection='vdm', 'onehot' or "
            "'vdm+onehot' there."
        )

    def transform(self, codes: Codes) -> Array:
        """Return phi (n, sum of R_d, C)."""
        return gather(self.tables, codes)

    def transform_training(self, codes: Codes, y: Labels) -> Array:
        """Return phi of rows that were given to ``fit``, with those labels."""
        return self.transform(codes)


def gather(tables: Sequence[Array], codes: Codes) -> Array:
    """Return phi (n, sum of R_d, C): the rows of tables that codes (n, D) select."""
    columns = zip(tables, codes.T, strict=True)
    return np.concatenate([table[code] for table, code in columns], axis=1)


def value_counts(
    codes: Codes,
    n_values: Sequence[int],
    y: NDArray[np.intp],
    weights: Array,
    n_classes: int | None = None,
) -> list[Array]:
    """Return N_cd(f), the weight of class c at value f (s_d, C), for each feature d.

    C is one more than the largest class number if it is not given.
    """
    n_classes = int(y.max(initial=-1)) + 1 if n_classes is None else n_classes
    counts = []
    for code, size in zip(codes.T, n_values, strict=True):
        seen = code >= 0
        pair = code[seen].astype(np.intp) * n_classes + y[seen]
        total = np.bincount(pair, weights[seen], size * n_classes).astype(float)
        counts.append(total.reshape(size, n_classes))
    return counts
