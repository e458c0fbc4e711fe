"""Gower's distance: the mean difference over features of words and of numbers."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.baseline import WeightedBaseline
from nearkind.baselines.column_weights import column_weights
from nearkind.distances.mixed_tables import MixedTables
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import did_you_mean
from nearkind.estimators.base import SeparableDistance
from nearkind.validation.parameters import wrong


class Gower(SeparableDistance, WeightedBaseline):
    """d = weighted mean over features of how much two rows differ, between 0 and 1.

    Words differ by 1, or 0 if they are equal. Numbers x and y differ by |x - y| / R, R
    the range of the column in fit, and by 1 at most if one of them is new. Cells that
    are missing leave their column out of the mean of their pair of rows. Gower, *A
    general coefficient of similarity and some of its properties*, Biometrics 1971. The
    distances are those of ``daisy`` in R's package cluster.

    Where two rows have no column in common in which both have a value, daisy gives NA.
    Here they are at distance 1, the largest, and equal rows at distance 0.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weight >= 0 of columns in the mean; others have weight 1.
    asymmetric : sequence of columns, default=()
        Columns of two values whose first value, in sorted order (0, False, "no"), means
        absence: where both rows lack it, the column is left out of their mean.
    missing : {"skip", "error"}, default="skip"
        Leave missing cells out, or refuse them.
    numeric : {"number", "auto", "category", "bin"}, default="number"
        Numbers are compared by their difference; or as in :class:`nearkind.CPML`.
    unseen : str, default="prior"
        As in :class:`nearkind.CPML`; unseen words count as one value.

    Examples
    --------
    >>> rows = [["red", 20], ["red", 30], ["blue", 60]]
    >>> Gower().fit(rows).pairwise_distances(rows[:1], rows)
    array([[0.   , 0.125, 1.   ]])
    """

    _policies: ClassVar = {
        "missing": ("skip", "error"),
        "numeric": ("number", "auto", "category", "bin"),
    }

    _: KW_ONLY
    weights: Any = None
    asymmetric: Any = ()
    missing: str = "skip"
    numeric: str = "number"

    def _learn(self, rows: CodedRows) -> MixedTables:
        book = rows.codebook
        n_features = len(book.n_values)
        return MixedTables(
            book,
            column_weights(self, book),
            np.ones(n_features),
            [np.empty((0, 2))] * n_features,
            _asymmetric(self, book),
            limit=1.0,
        )


def _asymmetric(model: Gower, book: Codebook) -> NDArray[np.bool_]:
    """Return in which columns the first value says nothing where both rows have it."""
    named, is_asymmetric = model.asymmetric, np.zeros(len(book.names_), dtype=bool)
    if isinstance(named, str) or not isinstance(named, Sequence):
        raise wrong(model, "asymmetric", "a list of columns")
    for name in named:
        if name not in book.names_:
            hint = did_you_mean(name, book.names_)
            raise ValueError(f"asymmetric names {name!r}, which is no column. {hint}")
        d = book.names_.index(name)
        values = [value for value in book.values(d) if value is not None]
        if len(values) > 2:
            raise ValueError(
                f"asymmetric names column {name!r}, which has {len(values)} values, "
                f"such as {values[0]!r}, {values[1]!r} and {values[2]!r}; a column of "
                "presence and absence has two."
            )
        is_asymmetric[d] = len(values) == 2 or values == [0]
    return is_asymmetric
