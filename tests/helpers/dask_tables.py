"""Tables to cut into partitions, and partitions that say who reads them."""

import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd

from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.rows import unique_rows
from nearkind.metrics.spectrum import decompose
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective

SETTINGS = {"solver": "stochastic", "max_iter": 20, "random_state": 0}
N_PARTITIONS = 6
SECONDS = 240


def rows(n=1500, seed=0):
    """Return words, numbers, gaps and a label that follows some, as a data frame."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    word = np.where(rng.random(n) < 0.7, y, rng.integers(4, size=n)).astype(str)
    word = np.where(rng.random(n) < 0.1, None, word)
    numbers = {"few": rng.integers(5, size=n), "x": rng.normal(size=n) + y}
    return pd.DataFrame({"word": word, **numbers, "label": y.astype(str)})


def split(table):
    """Return X and y of a table of any kind."""
    return table.drop(columns="label"), table["label"]


def cut(frames):
    """Return a dask DataFrame with these partitions, which may differ."""
    frames = list(frames)
    meta = frames[0][:0]
    return dd.from_map(lambda i: frames[i], range(len(frames)), meta=meta)


def partitions(table, n=N_PARTITIONS):
    """Return parts of a table: neighbouring rows."""
    ends = np.linspace(0, len(table), n + 1).astype(int)
    return [table.iloc[a:b] for a, b in pairwise(ends)]


def watched(part, folder, stop_after):
    """Note who reads a partition; after some reads wait to be told to go on."""
    place = Path(folder, f"{uuid.uuid4()}")
    place.write_text(str(os.getpid()))
    place.rename(place.with_suffix(".read"))  # nobody finds it before it is written
    while len(readers(folder)) > stop_after and not Path(folder, "go").exists():
        time.sleep(0.02)
    return part


def readers(folder):
    """Return the process of each read so far."""
    return [int(path.read_text()) for path in Path(folder).glob("*.read")]


def under_watch(X, folder, stop_after=10**9):
    """Return a table whose partitions note who reads them."""
    return X.map_partitions(watched, str(folder), stop_after, meta=X._meta)


def within_time(function, *arguments):
    """Start a function aside; return what waits for its answer, not for ever."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(function, *arguments)
    pool.shutdown(wait=False)
    return lambda: future.result(SECONDS)


def assert_same_tables(found, wanted):
    """Hold that histograms are equal, bit for bit."""
    both = zip(found.projection_.tables, wanted.projection_.tables, strict=True)
    for mine, theirs in both:
        np.testing.assert_array_equal(mine, theirs)
    assert found.categories_ == wanted.categories_
    assert found.class_count_.tolist() == wanted.class_count_.tolist()


def objective_of(model, X, y):
    """Return what judges metrics by the objective of a model on all of its rows."""
    numbers = np.searchsorted(model.classes_, y)
    cells = unique_rows(model.codebook_.encode(X), numbers, np.ones(len(y)))
    phi = model.projection_.transform(cells.codes)
    bound = AllTriplets().bind(WeightedLabels(cells.y, cells.weights))
    Z = model.structure_.blocks(phi)
    problem = Objective(Z, bound, Schatten(1.0), model.strength_)
    return lambda other: problem.value(decompose(other.metric_).positive())
