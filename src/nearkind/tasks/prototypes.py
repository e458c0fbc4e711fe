"""Prototypes: few rows that classify nearly as well as all."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from nearkind.distances.checks import check_integers, check_reals
from nearkind.encoding.rows import CodedRows
from nearkind.errors import RefusedError
from nearkind.estimators.classifier import CPMLClassifier, check_settings, hold
from nearkind.estimators.labels import require_labels
from nearkind.estimators.weights import warn_of_small_weights
from nearkind.neighbors import TrainingRows, most_votes
from nearkind.protocols import Array, TableLike
from nearkind.tables import frame, read_table
from nearkind.tables.selection import take_rows
from nearkind.tasks.fitted_distance import DistanceTask
from nearkind.validation import parameters
from nearkind.voting import NearestRule, Voter
from nearkind.voting.condensation import Condensation, condensed_rows


@parameters.estimator_class()
class Prototypes(DistanceTask, BaseEstimator):
    """Select prototypes: few rows that classify nearly as well as all.

    These are the rows that :meth:`nearkind.CPMLClassifier.condensed` keeps.

    Parameters
    ----------
    metric : distance, FittedDistance, classifier or str, default=None
        A distance, a classifier, or the name of a distance. An unfitted one is fitted
        to the rows, a fitted one is used as it is. None: ``CPML()``.
    n_rows : int, default=None
        Number of prototypes; None: determined by ``tolerance``.
    tolerance : float, default=0.01
        Maximum decrease of accuracy, estimated on held-out training rows.
    n_neighbors : int, default=5
        Number of neighbours that vote, weighted by the rows that prototypes represent.
    weights : {"uniform", "distance", "soft"} or callable, default="uniform"
        As in :class:`nearkind.CPMLClassifier`.

    Attributes
    ----------
    indices_ : ndarray of int (n,)
        Row number of each prototype, ascending; the first of equal rows.
    prototypes_ : table (n, D)
        The prototypes, of the type of X.
    labels_ : ndarray (n,)
        Most frequent class of the rows that each represents.
    weights_ : ndarray (n,)
        Number of rows that each represents: those to which it is the nearest.
    score_ : float
        Accuracy of this number of prototypes on held-out training rows.
    full_score_ : float
        Accuracy with all rows.
    classifier_ : CPMLClassifier
        The classifier that keeps the prototypes only.
    distance_ : FittedDistance
        The distance between rows.
    metric_ : estimator or None
        Its fitted estimator; None if ``metric`` is a fitted distance itself.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks3", as_frame=False)
    >>> model = nk.Prototypes("euclidean", n_rows=4).fit(data.X, data.y)
    >>> model.indices_.tolist(), model.labels_.tolist()
    ([0, 6, 96, 108], ['1', '0', '0', '0'])
    """

    _requires_labels: ClassVar[bool] = True

    _parts: ClassVar = {
        "classifier_": CPMLClassifier,
        "indices_": np.ndarray,
        "labels_": np.ndarray,
        "weights_": np.ndarray,
        "score_": float,
        "full_score_": float,
        "prototypes_": dict,
    }

    metric: object = None
    n_rows: int | None = None
    tolerance: float = 0.01
    n_neighbors: int = 5
    weights: str | Callable[[Array], Array] = "uniform"

    def fit(self, X: TableLike, y: object, sample_weight: object = None) -> Self:
        """Select the prototypes.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,)
            One label per row.
        sample_weight : array-like (n,), default=None
            One weight >= 0 per row, the number of its repetitions.

        Returns
        -------
        self
        """
        require_labels(y, type(self).__name__)
        rows = self._fit_distance(X, y, sample_weight)
        model = self._classifier_of(rows)
        voter = model.committee_.voters[0]
        found = Condensation(voter)
        kept = condensed_rows(found, self.n_rows, self.tolerance)
        order = np.argsort(kept.groups.first_rows)
        self.classes_ = model.classes_
        self.classifier_ = hold(
            model, voter.with_rows(kept), model.classes_, rows.n_given
        )
        self.indices_ = kept.groups.first_rows[order]
        self.prototypes_ = take_rows(X, self.indices_)
        self.labels_ = self.classes_[most_votes(kept.shares[order])]
        self.weights_ = kept.weights[order]
        self.score_, self.full_score_ = found.score(len(kept)), found.full_score
        return self

    @property
    def parts(self) -> dict[str, Any]:
        """What fit has chosen, by the names of attributes."""
        table = read_table(self.prototypes_)
        cells = {name: table.column(d).cells() for d, name in enumerate(table.names)}
        return {**super().parts, "prototypes_": cells}

    def _check_parts(self) -> None:
        check_integers(self.indices_, "indices_", (None,))
        check_reals(self.weights_, "weights_", (len(self.indices_),))
        if not hasattr(self.classifier_, "classes_"):
            raise RefusedError("classifier_ is not fitted")
        cells = self.prototypes_.values()
        if {len(self.labels_), *map(len, cells)} != {len(self.indices_)}:
            raise RefusedError("prototypes_ and labels_ are not one per row")
        self.classes_ = self.classifier_.classes_
        self.prototypes_ = frame(self.prototypes_)

    def _classifier_of(self, rows: CodedRows) -> CPMLClassifier:
        """Return the classifier that keeps all rows."""
        metric = None if self.metric_ is None else clone(self.metric_)
        model = CPMLClassifier(
            metric, n_neighbors=self.n_neighbors, weights=self.weights
        )
        check_settings(model)
        warn_of_small_weights(rows, self.n_neighbors)
        rule, report = NearestRule(self.n_neighbors), self._fit_report
        voter = Voter(self.distance_, TrainingRows.of(rows), rule, report)
        return hold(model, voter, rows.classes, rows.n_given)
