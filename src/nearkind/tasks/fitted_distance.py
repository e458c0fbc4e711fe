"""The distance of a task: given fitted, or fitted to its rows."""

from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags

from nearkind.distances.form import FittedDistance
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import RefusedError, did_you_mean
from nearkind.estimators.base import (
    Distance,
    TableEstimator,
    codebook_of,
    keep_codebook,
    traits_of,
)
from nearkind.estimators.distance_names import distance_of, named_distances
from nearkind.estimators.fit_report import fit_report
from nearkind.estimators.labels import labelled_rows
from nearkind.estimators.neighbor_classifier import NeighborClassifier
from nearkind.estimators.weights import check_weights
from nearkind.model_view import is_fitted
from nearkind.protocols import Codes, TableLike
from nearkind.tables import read_table
from nearkind.validation import parameters
from nearkind.voting import FitReport


class DistanceTask(TableEstimator):
    """Mixin of an estimator that works under the distance ``metric`` stands for.

    Attributes
    ----------
    distance_ : FittedDistance
        The distance that was learned or given.
    metric_ : estimator or None
        The fitted estimator of it; None if ``metric`` is a fitted distance itself.
    """

    _requires_labels: ClassVar[bool] = False
    _parts: ClassVar[Mapping[str, Any]] = {}  # what a file keeps, and of which types

    metric: object
    metric_: Any
    distance_: FittedDistance

    def _fit_distance(
        self, X: TableLike, y: object = None, sample_weight: object = None
    ) -> CodedRows:
        """Set ``distance_`` and ``metric_``, and return the rows in its codes.

        A fitted distance is taken as it is, and so is that of a fitted estimator or
        classifier. An estimator that is not fitted, or the name of one, is fitted to
        the rows.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,), default=None
            Labels. They are kept where given, and needed if the distance learns from
            them and is not fitted.
        sample_weight : array-like (n,), default=None
            Number of rows that each row represents; those of weight zero are left out.
        """
        parameters.check_annotated(self)
        data, owner = (X, y, sample_weight), type(self).__name__
        metric = _unwrapped(self.metric)
        if isinstance(metric, NeighborClassifier):
            raise ValueError(
                f"The classifier given as metric of {owner} is not fitted. Fit it "
                "first (a clone is not fitted either: wrap it in scikit-learn's "
                "FrozenEstimator where models are cloned), or give a distance."
            )
        if isinstance(metric, FittedDistance):
            self.metric_, self.distance_ = None, metric
            rows = _coded(*data, metric.codebook, owner)
        elif isinstance(metric, Distance) and is_fitted(metric):
            self.metric_, self.distance_ = metric, metric.distance_
            rows = _coded(*data, metric.distance_.codebook, owner)
        else:
            unfitted = "hamming" if metric is None and y is None else metric
            metric = clone(distance_of(unfitted, self))
            if traits_of(metric).requires_labels and y is None:
                raise ValueError(
                    f"{type(metric).__name__} learns from labels, and {owner} was "
                    "given none. Give y to fit, or a fitted distance as metric (where "
                    "models are cloned, within scikit-learn's FrozenEstimator), or one "
                    "that needs no labels, such as 'hamming'."
                )
            rows = _coded(*data, codebook_of(metric), owner)
            self.metric_ = metric.fit(rows)
            self.distance_ = metric.distance_
        keep_codebook(self, self.distance_.codebook)
        return rows.coded_by(self.distance_.codebook)

    @property
    def _fit_report(self) -> FitReport:
        """How the distance was learned, as far as it is known."""
        if self.metric_ is not None:
            return fit_report(self.metric_)
        form = type(self.distance_).__name__
        return FitReport(form, form, {}, is_learned=False)

    def __sklearn_tags__(self) -> Tags:
        """Say whether labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._requires_labels
        return tags

    @property
    def parts(self) -> dict[str, Any]:
        """What fit has learned beside the distance, by the names of attributes."""
        return {name: vars(self)[name] for name in self._parts if name in vars(self)}

    def restore(
        self, metric: object, distance: FittedDistance, parts: Mapping[str, object]
    ) -> None:
        """Take what fit has learned, as a file has it; RefusedError if it is unsound.

        Parameters
        ----------
        metric : estimator or None
            Fitted.
        distance : FittedDistance
        parts : dict of str to object
            As ``parts`` has them.
        """
        parameters.check_annotated(self)
        self.metric_, self.distance_ = metric, distance
        keep_codebook(self, distance.codebook)
        for name, kind in self._parts.items():
            if not isinstance(parts.get(name), kind):
                found = type(parts.get(name)).__name__
                raise RefusedError(f"{name} of {type(self).__name__} is a {found}")
            setattr(self, name, parts[name])
        if set(parts) != set(self._parts):
            raise RefusedError(f"{type(self).__name__} has parts that it lacks here")
        self._check_parts()

    def _check_parts(self) -> None:
        """Raise ``RefusedError`` unless what was learned fits together."""

    def _encode(self, X: TableLike) -> Codes:
        """Return the codes (n, D) of a table, or of rows that were coded elsewhere."""
        if isinstance(X, CodedRows):
            return X.coded_by(self.codebook_).codes
        return super()._encode(X)


def unfitted_distance(metric: object, owner: str) -> Any:
    """Return an unfitted copy of the distance that a parameter ``metric`` stands for.

    Parameters
    ----------
    metric : distance, classifier by neighbours, or str
        Fitted or not; of a fitted classifier its distance is taken, and any may be
        within scikit-learn's ``FrozenEstimator``.
    owner : str
        Whose parameter it is, for the message if it is wrong.

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> unfitted_distance(Hamming().fit([["a"], ["b"]]), "audit")
    Hamming()
    """
    metric = _unwrapped(metric)
    known = named_distances() if isinstance(metric, str) else {}
    if metric in known:
        return known[metric]()
    if not isinstance(metric, Distance):
        hint = did_you_mean(metric, known) if known else ""
        raise ValueError(
            f"The 'metric' parameter of {owner} must be None, the estimator of a "
            "distance, the name of one, or a fitted classifier; got "
            f"{metric!r:.60}. {hint}".strip()
        )
    return clone(metric)


def _unwrapped(metric: Any) -> Any:
    """Return what is frozen, or what a fitted classifier learned."""
    if isinstance(metric, FrozenEstimator):
        metric = metric.estimator
    is_classifier = isinstance(metric, NeighborClassifier) and is_fitted(metric)
    return metric.metric_ if is_classifier else metric


def _coded(
    X: TableLike, y: object, sample_weight: object, book: Codebook, owner: str
) -> CodedRows:
    if y is not None or isinstance(X, CodedRows):
        rows = labelled_rows(X, y, sample_weight, book, owner)
        return rows.coded_by(book) if book.is_fitted else rows.recode(book)
    table = read_table(X)
    weights = check_weights(sample_weight, table.n_rows)
    return CodedRows.of(table, book, weights=weights)
