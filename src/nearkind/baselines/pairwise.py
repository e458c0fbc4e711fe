"""Distances that compare pairs of rows, without an embedding."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from nearkind import scoring
from nearkind.baselines.pair_tables import PairTables, places
from nearkind.estimators.base import Distance
from nearkind.protocols import Array, Codes
from nearkind.tables import frame


class PairwiseDistance(Distance, ABC):
    """Mixin of a distance that is given by ``compare``; fit must set ``codebook_``.

    Attributes
    ----------
    zero_on_equal_rows : bool, default=True
        Whether equal rows are promised to be at distance zero.
    """

    zero_on_equal_rows: ClassVar[bool] = True

    def pairwise_distances(self, X: Any, Y: Any = None) -> Array:
        """Return the distances between rows.

        Parameters
        ----------
        X : table of shape (n, D)
            With the columns that fit saw.
        Y : table of shape (m, D), default=None
            As X; None: X itself.

        Returns
        -------
        ndarray of shape (n, m)
        """
        return self.compare(*self._both(X, Y))

    def triplet_accuracy(self, X: Any, y: Any) -> float:
        """Return the share of triplets of these rows that the distance orders rightly.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,)
            One label a row.

        Returns
        -------
        float
            In [0, 1]; ties count one half.
        """
        rows = self.represent(self.encode(X))
        return scoring.triplet_accuracy_by(self.compare, rows, y)

    def represent(self, codes: Codes) -> Any:
        """Return what ``compare`` needs of rows: the places of their values (n, D)."""
        return places(codes, self.codebook_.n_values)

    @abstractmethod
    def compare(self, a: Any, b: Any) -> Array:
        """Return distances (n, m) between represented rows."""

    def _both(self, X: Any, Y: Any) -> tuple[Any, Any]:
        """Return both tables represented; Y = X if None."""
        a = self.represent(self.encode(X))
        return a, a if Y is None else self.represent(self.encode(Y))


class TableDistance(PairwiseDistance):
    """Mixin of a distance d = sum of A_d[x_d, x'_d]; fit must set ``pair_tables_``.

    Attributes
    ----------
    pair_tables_ : PairTables
        The tables A_d, one for each feature.
    """

    pair_tables_: PairTables

    def compare(self, a: Any, b: Any) -> Array:
        """Return distances (n, m) between represented rows."""
        return self.pair_tables_.sums(a, b)

    def value_distances(self, feature: Any, *, values: Any = None) -> Any:
        """Return how far apart the values of one feature are, all else being equal.

        Parameters
        ----------
        feature : object
            Name of a column.
        values : sequence, default=None
            Those to tell of, in this order; None: all, of which there may be 2,000.

        Returns
        -------
        data frame of shape (s, s)
            The values on both sides, of the library of the table given to fit, or else
            of pandas; a dict of columns where there is none.
        """
        d, codes, shown = self.chosen_values(feature, values)
        table = self.pair_tables_.tables[d][np.ix_(codes, codes)]
        columns = dict(zip(shown, table.T, strict=True))
        return frame(columns, shown, self.codebook_.library_, str(feature))
