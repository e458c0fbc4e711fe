"""Fit metric-learn's LMNN on arrays from a file; the script of ``.venv-peers``.

    .venv-peers/bin/python benchmarks/peers/lmnn.py IN.npz OUT.npz GIGABYTES

IN holds X (n, W) and y (n,), OUT will hold the map ``components`` and the ``seconds``
of the fit. Exit code 3 means out of memory. LMNN refuses classes that have no three
rows to spare, so it learns without them.
"""

import resource
import sys
import warnings
from time import perf_counter

import numpy as np
from metric_learn import LMNN

NO_MEMORY = 3


def main(source: str, result: str, gigabytes: str) -> int:
    """Read, fit, write."""
    warnings.simplefilter("ignore", FutureWarning)  # an argument was renamed
    with np.load(source) as data:
        X, y = data["X"], data["y"]
    model = LMNN()
    enough = np.bincount(y)[y] > model.n_neighbors
    size = int(float(gigabytes) * (1 << 30))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    start = perf_counter()
    try:
        model.fit(X[enough], y[enough])
    except MemoryError:
        return NO_MEMORY
    seconds = perf_counter() - start
    np.savez(result, components=model.components_, seconds=seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
