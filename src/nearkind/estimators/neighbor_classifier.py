"""What a classifier by neighbours says by the distance that it holds."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nearkind.estimators.base import TableEstimator
from nearkind.estimators.explanation import explain_prediction
from nearkind.protocols import Array

if TYPE_CHECKING:
    from nearkind.estimators.classifier import CPMLClassifier


class NeighborClassifier(TableEstimator, ClassifierMixin, TransformerMixin):
    """Mixin of both classifiers; fit must set ``classes_``, and the members.

    Attributes
    ----------
    members_ : list of CPMLClassifier
        The classifiers whose votes count alike, itself if it is one.
    member_ : CPMLClassifier
        The one that distances, neighbours and explanations come from: the first whose
        distance is learned, or the first if none is.
    distance_ : distance
        That of ``member_``, fitted.
    """

    classes_: Any

    if TYPE_CHECKING:

        @property
        def members_(self) -> "list[CPMLClassifier]":
            """The classifiers whose votes count alike."""

        @property
        def distance_(self) -> Any:
            """The distance of ``member_``."""

    @property
    def member_(self) -> "CPMLClassifier":
        """The member that distances, neighbours and explanations come from."""
        distances = [member.distance_ for member in self.members_]
        return self.members_[explaining(distances)]

    @property
    def metric_(self) -> Any:
        """The old name of ``distance_``."""
        distance = self.distance_  # first: without it there is no such attribute
        warnings.warn(
            f"metric_ of {type(self).__name__} is now distance_, as metric_ of a "
            "distance is its matrix; the old name will go in version 0.4.",
            FutureWarning,
            stacklevel=2,
        )
        return distance

    @property
    def explained_by_(self) -> str:
        """Which distance columns, values and neighbours are explained by, in words."""
        return explainer_text([member.distance_ for member in self.members_])

    @property
    def feature_relevance_(self) -> Array:
        """Share of each feature in the mean distance between two training rows (D,).

        Of the squared distance where a row is a sum of vectors. Crosses come after the
        columns.
        """
        rows = self.member_.training_rows_
        return self.distance_.relevance(rows.codes, rows.weights)

    def transform(self, X: Any) -> Array:
        """Embed rows so that Euclidean distances order them as ``distance_`` does.

        Parameters
        ----------
        X : table with the columns that fit saw

        Returns
        -------
        U : ndarray (n, q)
        """
        check_is_fitted(self)
        return self._offering("transform", "no coordinates").transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns of ``transform``, such as "cpml0" (q,)."""
        check_is_fitted(self)
        distance = self._offering("get_feature_names_out", "no coordinates")
        return distance.get_feature_names_out(input_features)

    def value_distances(self, feature: Any, **settings: Any) -> Any:
        """Return how far apart the values of one feature are, all else being equal.

        Parameters
        ----------
        feature : object
            Name of a column.
        **settings
            As ``value_distances`` of the distance takes them.

        Returns
        -------
        DataFrame of shape (s, s)
            The values on both sides.
        """
        check_is_fitted(self)
        distance = self._offering("value_distances", "none between values alone")
        return distance.value_distances(feature, **settings)

    def explain(self, a: Any, b: Any = None, *, n_neighbors: int = 5) -> Any:
        """Say why a row is given its class, or why two rows are far apart.

        Parameters
        ----------
        a : one row: a dict, a list, a pandas Series or a table of one row
        b : as a, default=None
            None: why a is given its class.
        n_neighbors : int, default=5
            Training rows to name.

        Returns
        -------
        Explanation, or a DataFrame
            Of one row who votes, and how much more probable each column makes each
            class. Of two rows what each feature adds to their distance, or to its
            square, as ``explain`` of the distance.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPMLClassifier("hamming", n_neighbors=3).fit(data.X, data.y)
        >>> model.explain(data.X[0], n_neighbors=2).predicted
        '1'
        """
        check_is_fitted(self)
        if b is not None:
            return self.distance_.explain(a, b)
        return explain_prediction(self, a, n_neighbors)

    def probabilities(self, shares: Array) -> Array:
        """Return what ``predict_proba`` makes of shares of votes (n, C): the same."""
        return shares

    def _offering(self, method: str, lack: str) -> Any:
        """Return the distance; raise ValueError if it has no such method."""
        if not hasattr(self.distance_, method):
            raise ValueError(
                f"{type(self.distance_).__name__} has distances between rows and "
                f"{lack}, so there is no {method}. Take CPML as the metric, or a "
                "baseline that has them, such as Euclidean or NCA."
            )
        return self.distance_


def explaining(distances: Sequence[Any]) -> int:
    """Return the place of the first distance that is learned, 0 if none is.

    Examples
    --------
    >>> import nearkind as nk
    >>> explaining([nk.baselines.Hamming(), nk.CPML()])
    1
    """
    return next((i for i, d in enumerate(distances) if d.is_learned), 0)


def explainer_text(distances: Sequence[Any]) -> str:
    """Return which of several distances explains, and whether it is learned.

    Examples
    --------
    >>> import nearkind as nk
    >>> explainer_text([nk.baselines.Hamming(), nk.CPML()])
    'CPML(), the best learned one of 2 distances that vote together'
    """
    chosen, n = distances[explaining(distances)], len(distances)
    name = " ".join(repr(chosen).split())
    if chosen.is_learned:
        among = f", the best learned one of {n} distances that vote together"
        return f"{name}{among if n > 1 else ''}"
    among = f"the first of {n} distances, none of which is" if n > 1 else "which is not"
    unlearned = "learned: shares of columns do not say what tells classes apart"
    return f"{name}, {among} {unlearned}"
