"""Tables on a cluster: dask DataFrames and Arrays, counted and learned from in place.

A partition is a block of ``nearkind.streaming``. ``tables`` takes tables apart;
``learning`` gives ``fit_batches`` its two passes; ``answers`` are lazy; ``cluster``
waits for tasks, and says so if those who do them are gone.
"""

from nearkind.dask.answers import kneighbors, predict, predict_proba, transform
from nearkind.dask.learning import fit

__all__ = ["fit", "kneighbors", "predict", "predict_proba", "transform"]
