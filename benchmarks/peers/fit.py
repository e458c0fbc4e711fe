"""Fit one of metric-learn's learners on arrays from a file; for ``.venv-peers``.

    .venv-peers/bin/python benchmarks/peers/fit.py NAME IN.npz OUT.npz GIGABYTES

For LMNN, IN holds X (n, W) and y (n,); LMNN refuses classes that have no three rows to
spare, so it learns without them. For ITML, IN holds V (m, W), differences of pairs,
alike (m,) and bounds (2,). OUT will hold the map ``components`` and the ``seconds`` of
the fit. Exit code 3 means out of memory.
"""

import resource
import sys
import warnings
from time import perf_counter

import metric_learn
import numpy as np

NO_MEMORY = 3


def lmnn(X, y):
    """Fit LMNN as it comes."""
    model = metric_learn.LMNN()
    enough = np.bincount(y)[y] > model.n_neighbors
    return model.fit(X[enough], y[enough])


def itml(V, alike, bounds):
    """Fit ITML until its multipliers are still."""
    pairs = np.stack([V, np.zeros_like(V)], axis=1)
    model = metric_learn.ITML(tol=1e-6, max_iter=10_000)
    return model.fit(pairs, np.where(alike, 1, -1), bounds=bounds)


LEARNERS = {"LMNN": lmnn, "ITML": itml}


def main(name: str, source: str, result: str, gigabytes: str) -> int:
    """Read, fit, write."""
    warnings.simplefilter(
        "ignore"
    )  # of renamed arguments, and of pairs without distance
    with np.load(source) as data:
        given = dict(data)
    size = int(float(gigabytes) * (1 << 30))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    start = perf_counter()
    try:
        model = LEARNERS[name](**given)
    except MemoryError:
        return NO_MEMORY
    seconds = perf_counter() - start
    np.savez(result, components=model.components_, seconds=seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
