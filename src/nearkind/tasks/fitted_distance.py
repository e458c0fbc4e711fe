"""The distance that a task works under: given fitted, or fitted to its rows."""

from typing import Any

from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import did_you_mean
from nearkind.estimators.base import Distance, codebook_of, traits_of
from nearkind.estimators.distance_names import distance_of, named_distances
from nearkind.estimators.labels import check_weights, labelled_rows
from nearkind.estimators.neighbor_classifier import NeighborClassifier
from nearkind.tables import read_table


def distance_and_rows(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> tuple[Any, CodedRows]:
    """Return the distance that ``model.metric`` stands for, fitted, and coded rows.

    A fitted distance is taken as it is, and so is that of a fitted classifier. One that
    is not fitted, or the name of one, is fitted to the rows.

    Parameters
    ----------
    model : estimator
        Its parameter ``metric`` is None, a distance, a classifier by neighbours, a name
        of a distance, or one of these within scikit-learn's ``FrozenEstimator``. None
        stands for CPML where there are labels, for Hamming's distance where there are
        none.
    X : table of any kind
    y : array-like (n,), default=None
        Labels. They are kept where given, and needed if the distance learns from them
        and is not fitted.
    sample_weight : array-like (n,), default=None
        How many rows each row stands for; those of weight zero are left out.

    Returns
    -------
    distance : distance
        Fitted.
    rows : CodedRows
        Coded by its codebook.

    Examples
    --------
    >>> import nearkind as nk
    >>> task = nk.CPMLClassifier("hamming")  # any estimator with a metric
    >>> distance, rows = distance_and_rows(task, [["red"], ["blue"], ["red"]])
    >>> distance, rows.codes.ravel().tolist()
    (Hamming(), [1, 0, 1])
    """
    owner = type(model).__name__
    metric = model.metric
    if isinstance(metric, FrozenEstimator):
        metric = metric.estimator
    if isinstance(metric, NeighborClassifier):
        if not hasattr(metric, "codebook_"):
            raise ValueError(
                f"The classifier given as metric of {owner} is not fitted. Fit it "
                "first (a clone is not fitted either: wrap it in scikit-learn's "
                "FrozenEstimator where models are cloned), or give a distance."
            )
        metric = metric.distance_
    if isinstance(metric, Distance) and hasattr(metric, "codebook_"):
        return metric, _coded(X, y, sample_weight, metric.codebook_, owner)
    unlabelled = "hamming" if metric is None and y is None else metric
    metric = clone(distance_of(unlabelled, model))
    if traits_of(metric).requires_labels and y is None:
        raise ValueError(
            f"{type(metric).__name__} learns from labels, and {owner} was given none. "
            "Give y to fit, or a fitted distance as metric (where models are cloned, "
            "within scikit-learn's FrozenEstimator), or one that needs no labels, such "
            "as 'hamming'."
        )
    rows = _coded(X, y, sample_weight, codebook_of(metric), owner)
    return metric.fit(rows), rows


def unfitted_distance(metric: Any, owner: str) -> Any:
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
    if isinstance(metric, FrozenEstimator):
        metric = metric.estimator
    if isinstance(metric, NeighborClassifier):
        metric = getattr(metric, "distance_", metric)
    known = named_distances() if isinstance(metric, str) else {}
    if metric in known:
        return known[metric]()
    if not isinstance(metric, Distance):
        hint = did_you_mean(metric, known) if known else ""
        raise ValueError(
            f"The 'metric' parameter of {owner} must be None, a distance, the name of "
            f"one, or a fitted classifier; got {metric!r}. {hint}".strip()
        )
    return clone(metric)


def _coded(X: Any, y: Any, sample_weight: Any, book: Codebook, owner: str) -> CodedRows:
    if y is not None or isinstance(X, CodedRows):
        rows = labelled_rows(X, y, sample_weight, book, owner)
        return rows.coded_by(book) if book.is_fitted else rows.recode(book)
    table = read_table(X)
    weights = check_weights(sample_weight, table.n_rows)
    return CodedRows.of(table, book, weights=weights)
