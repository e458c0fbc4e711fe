"""Lazy predictions and embeddings of dask tables, partition by partition."""

from copy import copy
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from numpy.typing import DTypeLike, NDArray
from sklearn.utils.validation import check_is_fitted

from nearkind.dask.cluster import persist
from nearkind.dask.partitions import partition_lengths, partitions
from nearkind.estimators.batches import forget_batches
from nearkind.estimators.classifier import CPMLClassifier, hold
from nearkind.estimators.cpml import CPML
from nearkind.validation.parameters import check_whole


def transform(model: Any, X: Any) -> da.Array:
    """Return the vectors of rows, as ``CPML.transform`` does (n, q)."""
    return _LazyResult(model, X, "transform").array(model.distance_.size)


def predict(model: Any, X: Any) -> da.Array:
    """Return the class of each row, as ``CPMLClassifier.predict`` does (n,).

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1")
    >>> model = nk.CPMLClassifier().fit(data.X, data.y)
    >>> found = predict(model, dd.from_pandas(data.X, npartitions=3))
    >>> bool((found.compute() == model.predict(data.X)).all())
    True
    """
    return _LazyResult(model, X, "predict").array(dtype=model.classes_.dtype)


def predict_proba(model: Any, X: Any) -> da.Array:
    """Return the probability of each class (n, n_classes)."""
    return _LazyResult(model, X, "predict_proba").array(len(model.classes_))


def score_samples(model: object, X: object) -> da.Array:
    """Return how like the training rows each row is (n,)."""
    return _LazyResult(model, X, "score_samples").array()


def kneighbors(
    model: Any, X: Any, n_neighbors: int | None = None, return_distance: bool = True
) -> Any:
    """Return the nearest training rows of each row.

    Parameters
    ----------
    model : CPMLClassifier
        Fitted.
    X : dask DataFrame or Array
    n_neighbors : int, default=None
        None: that of the model.
    return_distance : bool, default=True

    Returns
    -------
    distances : dask Array of shape (n, k)
        In ascending order; left out if ``return_distance=False``.
    rows : dask Array of int of shape (n, k)
        Numbers of the training rows.
    """
    k = model.n_neighbors if n_neighbors is None else n_neighbors
    k = check_whole(k, "n_neighbors", type(model).__name__)
    found = _LazyResult(model, X, "kneighbors", n_neighbors=k, return_distance=True)
    rows = found.array(k, dtype=np.intp, place=1)
    return (found.array(k, place=0), rows) if return_distance else rows


class _LazyResult:
    """What a method returns for each partition, as tasks that share the model."""

    def __init__(self, model: object, X: object, method: str, **settings: Any) -> None:
        check_is_fitted(model)
        parts, sent = partitions(X), persist(without_batches(model))
        self.lengths = partition_lengths(X)
        self.tasks = [delayed(_call)(sent, method, part, settings) for part in parts]

    def array(
        self, *width: int, dtype: DTypeLike = np.float64, place: int | None = None
    ) -> da.Array:
        """Return the results (n, *width), or the item of each at one place."""
        empty = np.empty((0, *width), dtype)
        chunks = [
            da.from_delayed(delayed(_item)(task, place, empty), (n, *width), meta=empty)
            for task, n in zip(self.tasks, self.lengths, strict=True)
        ]
        return da.concatenate(chunks, allow_unknown_chunksizes=True)


def _call(model: Any, method: str, X: Any, settings: dict[str, Any]) -> Any:
    """Return what a method returns for a partition; None if that is empty."""
    return getattr(model, method)(X, **settings) if len(X) else None


def _item(result: Any, place: int | None, empty: NDArray[Any]) -> NDArray[Any]:
    if result is None:
        return empty
    return result if place is None else result[place]


def without_batches(model: object) -> Any:
    """Return a copy of a model without the counts that only ``partial_fit`` needs."""
    found = copy(model)
    if isinstance(found, CPML):
        forget_batches(found)
    elif isinstance(found, CPMLClassifier):
        voter = found.committee_.voters[0]
        hold(found, voter, found.classes_, found.n_samples_fit_)
    return found
