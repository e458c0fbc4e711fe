"""Base class of nearest-neighbour classifiers: predictions of their committee."""

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from nearkind.distances.form import FittedDistance
from nearkind.estimators.base import TableEstimator, backend_of
from nearkind.estimators.bases import ClassifierMixin, TransformerMixin
from nearkind.estimators.fit_report import fitted_estimator
from nearkind.neighbors import INDEXES, WEIGHTS, most_votes
from nearkind.protocols import Array, LabelArray, TableLike
from nearkind.tables import frame
from nearkind.validation import parameters
from nearkind.voting import Committee, NumberCommittee
from nearkind.voting.explanation import contribution_columns, explain_prediction


class NeighborEstimator(TableEstimator, TransformerMixin):
    """Mixin of what predicts by neighbours; fit must set ``committee_``.

    Attributes
    ----------
    committee_ : Committee
        What answers.
    distance_ : FittedDistance
        The distance that neighbours, columns and values are explained by: the first
        that is learned, or the first if none is.
    metric_ : estimator
        The fitted estimator of that distance.
    """

    n_neighbors: Any

    if TYPE_CHECKING:
        committee_: Committee | NumberCommittee

    @property
    def distance_(self) -> FittedDistance:
        """The distance used for neighbours and explanations."""
        return self.committee_.explaining.distance

    @property
    def metric_(self) -> Any:
        """The fitted estimator of ``distance_``."""
        voter = self.committee_.explaining
        return fitted_estimator(voter.report, voter.distance)

    @property
    def feature_relevance_(self) -> Array:
        """Share of each feature in the mean distance between two training rows (D,).

        Of the squared distance if rows are sums of value vectors. Crosses come after
        the columns.
        """
        voter = self.committee_.explaining
        return voter.distance.relevance(voter.rows.codes, voter.rows.weights)

    def kneighbors(
        self,
        X: TableLike = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the nearest training rows under ``distance_``, ties by row number.

        Parameters
        ----------
        X : table, default=None
            None: the training rows, each compared with the others.
        n_neighbors : int, default=None
            Number of neighbours; None: ``n_neighbors`` of the model.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray (n, k)
            In ascending order; left out if ``return_distance`` is False.
        rows : ndarray of int (n, k)
            Numbers of rows of the table given to fit.
        """
        if (backend := backend_of(X)) is not None:
            return backend.kneighbors(self, X, n_neighbors, return_distance)
        check_is_fitted(self)
        voter, owner = self.committee_.explaining, type(self).__name__
        k = voter.rule.n_neighbors if n_neighbors is None else n_neighbors
        k = parameters.check_whole(k, "n_neighbors", owner)
        codes = None if X is None else voter.encode(X, owner)
        distances, numbers = voter.kneighbors(codes, k)
        return (distances, numbers) if return_distance else numbers

    def score_samples(self, X: TableLike = None) -> Array:
        """Return the normality of each row; lower scores are outliers (n,).

        The score is minus the weighted mean distance to the ``n_neighbors`` nearest
        training rows, and minus infinity if one of these is infinitely far or there is
        none.

        Parameters
        ----------
        X : table, default=None
            None: the training rows, each compared with the others.

        Examples
        --------
        >>> import nearkind as nk
        >>> rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "x"]]
        >>> model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=2)
        >>> model.fit(rows, [0, 0, 1, 1]).score_samples([["a", "x"], ["b", "y"]])
        array([ 0. , -0.5])
        """
        if (backend := backend_of(X)) is not None:
            return backend.score_samples(self, X)
        check_is_fitted(self)
        voter = self.committee_.explaining
        codes = None if X is None else voter.encode(X, type(self).__name__)
        return voter.typicality(codes)

    def transform(self, X: TableLike) -> Array:
        """Embed rows so that Euclidean distances order them as ``distance_`` does.

        Parameters
        ----------
        X : table with the columns that fit saw

        Returns
        -------
        U : ndarray (n, q)
        """
        check_is_fitted(self)
        return self._offering("transform", "no coordinates").transform(
            X, owner=type(self).__name__
        )

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns of ``transform``, such as "cpml0" (q,)."""
        check_is_fitted(self)
        self._offering("transform", "no coordinates", "get_feature_names_out")
        return self.metric_.get_feature_names_out(input_features)

    def value_distances(self, feature: object, **settings: Any) -> Any:
        """Return the distances between the values of one feature, all else being equal.

        Parameters
        ----------
        feature : object
            Name of a column.
        **settings
            As ``value_distances`` of the distance takes them.

        Returns
        -------
        DataFrame of shape (s, s)
            Indexed by the values.
        """
        check_is_fitted(self)
        distance = self._offering("value_distances", "none between values alone")
        return distance.value_distances(feature, **settings)

    def _offering(self, method: str, lack: str, asked: str | None = None) -> Any:
        """Return the distance; raise ValueError if it has no such method.

        ``asked`` is the method that was called, if it has another name.
        """
        if not hasattr(self.distance_, method):
            name = self.committee_.explaining.report.method
            raise ValueError(
                f"{name} has distances between rows and {lack}, so there is no "
                f"{asked or method}. Use CPML as the metric, or a baseline such "
                "as Euclidean or NCA."
            )
        return self.distance_


def check_vote_settings(model: Any) -> None:
    """Raise ValueError if a parameter of how rows vote is wrong."""
    parameters.whole_number(model, "n_neighbors")
    if not callable(model.weights):
        parameters.choice(model, "weights", dict.fromkeys(WEIGHTS))
    parameters.choice(model, "index", INDEXES)
    if not chooses_temperature(model):
        wanted = "'auto' or a number > 0"
        parameters.number(model, "temperature", wanted, 0.0, open_low=True)


def chooses_temperature(model: Any) -> bool:
    """Return whether the temperature of soft votes is chosen by ``fit``."""
    return isinstance(model.temperature, str) and model.temperature == "auto"


class NeighborClassifier(NeighborEstimator, ClassifierMixin):
    """Mixin of both classifiers; fit must set ``committee_`` and ``classes_``."""

    classes_: Any

    if TYPE_CHECKING:
        committee_: Committee

    def predict(self, X: TableLike) -> LabelArray:
        """Return the most probable class, the first of those tied (n,).

        Where a search chose factors of the classes, by ``scoring``, the class of the
        largest product of probability and factor.
        """
        if (backend := backend_of(X)) is not None:
            return backend.predict(self, X)
        shares = self.predict_proba(X)  # first: it says so if there was no fit
        return self.classes_[most_votes(self.committee_.weighed(shares))]

    def predict_proba(self, X: TableLike) -> Array:
        """Return the probability of each class (n, n_classes)."""
        if (backend := backend_of(X)) is not None:
            return backend.predict_proba(self, X)
        check_is_fitted(self)
        return self.committee_.predict_proba(X, type(self).__name__)

    def explain(self, a: object, b: object = None, *, n_neighbors: int = 5) -> Any:
        """Explain the predicted class of a row, or the distance between two rows.

        Parameters
        ----------
        a : one row: a dict, a list, a pandas Series or a table of one row
        b : as a, default=None
            None: explain the predicted class of a.
        n_neighbors : int, default=5
            Number of training rows to show.

        Returns
        -------
        Explanation, or a DataFrame
            For one row, the neighbours that vote and the contribution of each column to
            the probability of each class. For two rows, the contribution of each
            feature to their distance, or its square, as ``explain`` of the distance.

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
            return self.distance_.explain(a, b, owner=type(self).__name__)
        return explain_prediction(self.committee_, a, n_neighbors)

    def explain_rows(self, X: TableLike, *, to: object = None) -> Any:
        """Return the contribution of each feature to the prediction of each row.

        Contributions are Shapley values: the mean over orders of the features of the
        change of the probability when a feature is added to those before it, where
        features not yet added are equal in all training rows. They are exact for up to
        eight features, and estimated from a fixed sample of orders for more. In both
        cases contributions and base value add up to the probability.

        Parameters
        ----------
        X : table with the columns that fit saw
        to : object, default=None
            The class whose probability is explained; None: that predicted for each row.

        Returns
        -------
        data frame of n rows
            ``predicted``, ``probability`` and ``base value``, the probability without
            any feature, then a column of contributions for each feature. Of the library
            of X, else of that of the table given to fit, else of pandas.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPMLClassifier("hamming", n_neighbors=3).fit(data.X, data.y)
        >>> found = model.explain_rows(data.X[:3])
        >>> found[["predicted", "probability", "base value", "x0", "x4"]].round(2)
          predicted  probability  base value    x0    x4
        0         1         1.00         0.5  0.08  0.33
        1         1         1.00         0.5  0.08  0.33
        2         1         0.76         0.5  0.26 -0.16
        """
        check_is_fitted(self)
        columns = contribution_columns(self.committee_, X, to, type(self).__name__)
        return frame(columns, library=self.distance_.codebook.library_of(X))
