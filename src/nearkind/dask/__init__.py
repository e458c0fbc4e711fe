"""Dask DataFrames and Arrays: fits and predictions by partition.

A partition is a batch of ``nearkind.streaming``. ``partitions`` takes tables apart;
``passes`` gives ``fit_batches`` its two passes; ``predictions`` are lazy; ``cluster``
computes tasks, and says so if the cluster is lost.
"""

from nearkind.dask.passes import fit, search
from nearkind.dask.predictions import (
    kneighbors,
    predict,
    predict_proba,
    score_samples,
    transform,
)

__all__ = [
    "fit",
    "kneighbors",
    "predict",
    "predict_proba",
    "score_samples",
    "search",
    "transform",
]
