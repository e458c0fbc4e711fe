"""What a fitted model says of a table of dask: lazy, partition by partition."""

from copy import copy
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import DTypeLike, NDArray
from sklearn.utils.validation import check_is_fitted

from nearkind.dask.cluster import held
from nearkind.dask.tables import lengths_of, parts_of
from nearkind.estimators.params import check_whole


def transform(model: Any, X: Any) -> da.Array:
    """Return the vectors of rows, as ``CPML.transform`` does (n, q)."""
    check_is_fitted(model)
    return _Answers(model, X, "transform").array(model.n_features_out_)


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
    check_is_fitted(model)
    return _Answers(model, X, "predict").array(dtype=model.classes_.dtype)


def predict_proba(model: Any, X: Any) -> da.Array:
    """Return each class's share of the votes (n, n_classes)."""
    check_is_fitted(model)
    return _Answers(model, X, "predict_proba").array(len(model.classes_))


def kneighbors(
    model: Any, X: Any, n_neighbors: int | None = None, return_distance: bool = True
) -> Any:
    """Return the nearest rows that the model remembers.

    Parameters
    ----------
    model : fitted CPMLClassifier
    X, n_neighbors, return_distance : as in ``CPMLClassifier.kneighbors``

    Returns
    -------
    distances : (n, k), rising
    rows : (n, k), numbers of rows remembered
    """
    check_is_fitted(model)
    k = model.n_neighbors if n_neighbors is None else n_neighbors
    k = check_whole(k, "n_neighbors", type(model).__name__)
    found = _Answers(model, X, "kneighbors", n_neighbors=k, return_distance=True)
    rows = found.array(k, dtype=np.intp, place=1)
    return (found.array(k, place=0), rows) if return_distance else rows


class _Answers:
    """What a method says of each partition, as tasks that share the model."""

    def __init__(self, model: Any, X: Any, method: str, **settings: Any) -> None:
        parts, sent = parts_of(X), held(_light(model))
        self.lengths = lengths_of(X)
        self.tasks = [delayed(_said)(sent, method, part, settings) for part in parts]

    def array(
        self, *width: int, dtype: DTypeLike = np.float64, place: int | None = None
    ) -> da.Array:
        """Return the answers (n, *width), or those at one place of each."""
        none = np.empty((0, *width), dtype)
        blocks = [
            da.from_delayed(_taken(task, place, none), (n, *width), meta=none)
            for task, n in zip(self.tasks, self.lengths, strict=True)
        ]
        return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _said(model: Any, method: str, X: Any, settings: dict[str, Any]) -> Any:
    """Return what a method says of a partition; None if that is empty."""
    return getattr(model, method)(X, **settings) if len(X) else None


def _taken(task: Delayed, place: int | None, none: NDArray[Any]) -> Delayed:
    return delayed(_at)(task, place, none)


def _at(said: Any, place: int | None, none: NDArray[Any]) -> NDArray[Any]:
    if said is None:
        return none
    return said if place is None else said[place]


def _light(model: Any) -> Any:
    """Return a copy without what only learning more would need."""
    found = copy(model)
    getattr(found, "forget_batches", dict)()
    if hasattr(getattr(found, "metric_", None), "codebook_"):
        found.metric_ = _light(found.metric_)
    return found
