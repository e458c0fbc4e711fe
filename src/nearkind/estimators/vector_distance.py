"""Distances that are Euclidean between vectors of rows.

In most of them a row is the sum of the vectors of its values: what CPML and every
baseline of this kind share once fitted, embedding, distances and explanations, all
read the value tables.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nearkind import scoring
from nearkind.estimators.base import Distance, backend_of, object_array
from nearkind.metrics import metric
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes
from nearkind.tables import frame, read_table


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
        X, Y : tables; Y = X if None
        squared : return squared distances; only their root is a metric
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

    def represent(self, codes: Codes) -> Array:
        """Return what ``compare`` needs of rows: their vectors (n, q)."""
        raise NotImplementedError

    def compare(self, U: Array, V: Array) -> Array:
        """Return distances (n, m) between represented rows."""
        return np.sqrt(metric.pairwise_distances(U, V))

    @property
    def n_features_out_(self) -> int:
        """Width q of the vectors that ``transform`` returns."""
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:  # scikit-learn's name for it
        return self.n_features_out_

    def _embed(self, X: Any) -> Array:
        return self.represent(self.encode(X))


class VectorDistance(EmbeddedDistance):
    """Mixin over ``codebook_`` and ``value_tables_``, which fit must set."""

    has_vectors = True
    value_tables_: ValueTables

    def represent(self, codes: Codes) -> Array:
        """Return what ``compare`` needs of rows: their vectors (n, q)."""
        return self.value_tables_.embed(codes)

    def explain(self, a: Any, b: Any) -> Any:
        """Split the squared distance between two rows among the features.

        A feature gets its own term and half of each cross term with another feature;
        the contributions add up to the squared distance. A negative one works against
        the others.

        Parameters
        ----------
        a, b : one row each: a dict, a list, a pandas Series or a table of one row

        Returns
        -------
        DataFrame with columns feature, a, b, contribution, the largest contribution
        first (a dict of arrays where there is no pandas)
        """
        a, b = one_row(a), one_row(b)
        parts = self.value_tables_.contributions(self.encode(a)[0], self.encode(b)[0])
        order = np.argsort(-parts, kind="stable")
        columns = {
            "feature": self.codebook_.feature_names,
            "a": self.codebook_.cells_of(a),
            "b": self.codebook_.cells_of(b),
        }
        shown = {name: object_array(cells)[order] for name, cells in columns.items()}
        return frame({**shown, "contribution": parts[order]})

    def value_distances(self, feature: Any, *, squared: bool = False) -> Any:
        """Return how far apart the values of one feature are, all else being equal.

        Parameters
        ----------
        feature : name of a column
        squared : return squared distances

        Returns
        -------
        square DataFrame, the values on both sides (a dict of arrays where there is no
        pandas)
        """
        check_is_fitted(self)
        d = self.codebook_.place_of(feature)
        d2 = metric.pairwise_distances(self.value_tables_.vectors[d][:-1])
        values = self.codebook_.values(d)
        table = d2 if squared else np.sqrt(d2)
        return frame(dict(zip(values, table.T, strict=True)), index=values)

    @property
    def value_vectors_(self) -> dict[Any, Array]:
        """Vectors (s_d, q) of the values of each feature, in order of categories_."""
        vectors = (table[:-1] for table in self.value_tables_.vectors)
        return dict(zip(self.codebook_.feature_names, vectors, strict=True))

    @property
    def n_features_out_(self) -> int:
        """Width q of the vectors that ``transform`` returns."""
        return self.value_tables_.vectors[0].shape[1]


def one_row(row: Any) -> Any:
    """Return a table of one row.

    Parameters
    ----------
    row : dict, list, pandas Series, 1-d array, or a table of one row

    Examples
    --------
    >>> one_row({"colour": "red"}), one_row(["red", 3])
    ([{'colour': 'red'}], [['red', 3]])
    """
    if isinstance(row, Mapping):
        return [dict(row)]
    if getattr(row, "ndim", None) == 1:
        return [row.to_dict() if hasattr(row, "to_dict") else list(row)]
    if isinstance(row, list | tuple) and not _holds_rows(row):
        return [list(row)]
    n_rows = read_table(row).n_rows
    if n_rows != 1:
        raise ValueError(
            f"Wanted one row, got a table of {n_rows}. Pass X.iloc[[i]], or a dict of "
            "column name to value."
        )
    return row


def _holds_rows(row: Any) -> bool:
    return bool(row) and isinstance(row[0], Mapping | list | tuple | np.ndarray)
