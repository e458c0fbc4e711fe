"""Distances that are Euclidean between vectors of rows.

In most of them a row is the sum of the vectors of its values: what CPML and every
baseline of this kind share once fitted, embedding, distances and explanations, all
read the value tables.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from nearkind import scoring
from nearkind.estimators.base import Distance, as_shares, backend_of
from nearkind.metrics import metric
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes
from nearkind.tables import frame


class EmbeddedDistance(Distance, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of a distance that gives ``represent``, the vector of each row."""

    is_euclidean = True

    def transform(self, X: Any) -> Array:
        """Embed rows so that Euclidean distances are the learned ones.

        Parameters
        ----------
        X : table with the columns that fit saw

        Returns
        -------
        U : (n, q)
        """
        if (backend := backend_of(X)) is not None:
            return backend.transform(self, X)
        return self._embed(X)

    def pairwise_distances(
        self, X: Any, Y: Any = None, *, squared: bool = False
    ) -> Array:
        """Return the distances between rows (n, m).

        Parameters
        ----------
        X : table of any kind
        Y : table of any kind, default=None
            None: X.
        squared : bool, default=False
            Return squared distances; only their root is a metric.
        """
        V = None if Y is None else self._embed(Y)
        d2 = metric.pairwise_distances(self._embed(X), V)
        return d2 if squared else np.sqrt(d2)

    def triplet_accuracy(self, X: Any, y: Any) -> float:
        """Return the share of triplets of these rows that the distance orders rightly.

        Parameters
        ----------
        X : table
        y : one label a row

        Returns
        -------
        share in [0, 1]; ties count one half
        """
        return scoring.triplet_accuracy(self._embed(X), y)

    @abstractmethod
    def represent(self, codes: Codes) -> Array:
        """Return what ``compare`` needs of rows: their vectors (n, q)."""

    def compare(self, U: Array, V: Array) -> Array:
        """Return distances (n, m) between represented rows."""
        return np.sqrt(metric.pairwise_distances(U, V))

    def leave_out(self, a: Codes, rows: Codes) -> Iterator[tuple[Array, Array]]:
        """Yield a row and others, represented, without one feature after the other.

        Equal rows are represented once, so that exactly nothing is between them.
        """
        for d, code in enumerate(a.tolist()):
            changed = np.vstack([a, rows])
            changed[:, d] = code
            unique, places = np.unique(changed, axis=0, return_inverse=True)
            U = self.represent(unique)[places.ravel()]
            yield U[:1], U[1:]

    @property
    @abstractmethod
    def n_features_out_(self) -> int:
        """Width q of the vectors that ``transform`` returns."""

    @property
    def _n_features_out(self) -> int:  # scikit-learn's name for it
        return self.n_features_out_

    def _embed(self, X: Any) -> Array:
        return self.represent(self.encode(X))


class VectorDistance(EmbeddedDistance):
    """Mixin over ``codebook_`` and ``value_tables_``, which fit must set."""

    has_vectors = True
    contributions_to = "squared distance"
    value_tables_: ValueTables

    def represent(self, codes: Codes) -> Array:
        """Return what ``compare`` needs of rows: their vectors (n, q)."""
        return self.value_tables_.embed(codes)

    def value_distances(
        self, feature: Any, *, squared: bool = False, values: Any = None
    ) -> Any:
        """Return how far apart the values of one feature are, all else being equal.

        Parameters
        ----------
        feature : name of a column
        squared : bool, default=False
            Return squared distances.
        values : sequence, default=None
            Those to tell of, in this order; None: all, of which there may be 2,000.

        Returns
        -------
        square data frame, the values on both sides, of the library of the table given
        to fit, or else of pandas (a dict of columns where there is none)
        """
        d, codes, shown = self.chosen_values(feature, values)
        d2 = metric.pairwise_distances(self.value_tables_.vectors[d][codes])
        table = d2 if squared else np.sqrt(d2)
        columns = dict(zip(shown, table.T, strict=True))
        return frame(columns, shown, self.codebook_.library_, str(feature))

    def leave_out(self, a: Codes, rows: Codes) -> Iterator[tuple[Array, Array]]:
        """Yield a row and others, represented, without one feature after the other.

        They are seen from a, which is at zero: of rows that differ from it in nothing
        else exactly nothing is left.
        """
        tables = list(zip(self.value_tables_.vectors, a, rows.T, strict=True))
        origin = np.zeros((1, self.n_features_out_))
        U = sum((table[code] - table[own] for table, own, code in tables), origin)
        for table, own, code in tables:
            yield origin, U - (table[code] - table[own])

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return each feature's part (D,) of the squared distance between two rows."""
        return self.value_tables_.contributions(a, b)

    def relevance(self, codes: Codes, weights: Array) -> Array:
        """Return each feature's share (D,) of the mean squared distance of two rows.

        With u_d the vector of a feature and u that of the row, the mean over pairs of
        <u_d - u_d', u - u'> is 2 E <u_d, u - E u>.
        """
        share, U = weights / weights.sum(), self.represent(codes)
        centred = share[:, None] * (U - share @ U)
        columns = zip(self.value_tables_.vectors, codes.T, strict=True)
        parts = [np.vdot(vectors[code], centred) for vectors, code in columns]
        return as_shares(np.array(parts))

    @property
    def value_vectors_(self) -> dict[Any, Array]:
        """Vectors (s_d, q) of the values of each feature, in order of categories_."""
        vectors = (table[:-1] for table in self.value_tables_.vectors)
        return dict(zip(self.codebook_.feature_names, vectors, strict=True))

    @property
    def n_features_out_(self) -> int:
        """Width q of the vectors that ``transform`` returns."""
        return self.value_tables_.vectors[0].shape[1]
