"""Find the 5 nearest rows of every row, and print CPU seconds and peak memory in GB.

Run by ``benchmarks.peers.mixed``, in an environment of its own for the package gower:
``python gower_neighbors.py gower|nearkind TABLE.csv RESULT.npy``
"""

import sys
from resource import RUSAGE_SELF, getrusage
from time import process_time

import numpy as np
import pandas as pd

K = 5


def by_gower(X):
    """Return distances (n, K) by the matrix of PyPI's gower."""
    import gower

    D = gower.gower_matrix(X)
    np.fill_diagonal(D, np.inf)
    return np.sort(np.partition(D, K - 1, axis=1)[:, :K], axis=1)


def by_nearkind(X):
    """Return distances (n, K) by NearestRows."""
    import nearkind as nk

    return nk.NearestRows("gower", n_neighbors=K).fit(X).kneighbors()[0]


if __name__ == "__main__":
    kind, table, result = sys.argv[1:]
    X = pd.read_csv(table)
    X = X.astype({name: object for name in X if X[name].dtype.kind not in "iuf"})
    start = process_time()
    distances = {"gower": by_gower, "nearkind": by_nearkind}[kind](X)
    seconds = process_time() - start
    np.save(result, distances)
    print(seconds, getrusage(RUSAGE_SELF).ru_maxrss / 2**20)
