"""Does our RFM agree with xrfm's, in an environment of its own? ``make bench-rfm``.

Both are given the same distinct rows, coded one-hot, and the same settings: five
rounds, a bandwidth of two median distances, ridge 0.001, double precision. M after the
first and the last round is compared at the same trace, and what both predict for test
rows under the last M.

``python -m benchmarks.peers.rfm``
"""

from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.harness import print_status, print_table
from benchmarks.peers.learner import check_environment
from benchmarks.sets import one_hot, split
from nearkind.baselines.rfm import KernelRegression, distances, feature_matrix
from nearkind.protocols import Array
from nearkind.validation.threads import one_blas_thread

PYTHON = Path(__file__).parents[2] / ".venv-anchors" / "bin" / "python"
SCRIPT = Path(__file__).with_name("fit_rfm.py")
SETS = ("voting", "tic_tac_toe", "balance", "lymphography")
ROUNDS, BANDWIDTH, RIDGE = 5, 2.0, 1e-3


def main() -> None:
    """Measure and print."""
    check_environment(PYTHON, "bench-rfm")
    columns = (
        "set", "rows", "difference of M, round 1", "round 5", "largest of M",
        "of predictions", "same class", "xrfm, s", "ours, s",
    )  # fmt: skip
    print_table("RFM on the same rows", columns, [_compare(name) for name in SETS])


def _compare(name: str) -> list[str]:
    print_status(f"RFM: {name}")
    (X, y), test = one_hot(split(name)).train, one_hot(split(name)).test
    X, first = np.unique(X, axis=0, return_index=True)
    T = np.equal.outer(y[first], np.unique(y)).astype(float)
    theirs = _theirs(X=X, T=T, X_test=test.X)
    start = perf_counter()
    with one_blas_thread():
        M = feature_matrix(X, T, ROUNDS, BANDWIDTH, RIDGE)
    seconds = perf_counter() - start
    once = feature_matrix(X, T, 1, BANDWIDTH, RIDGE)
    found = KernelRegression.fit(X, T, M, BANDWIDTH, RIDGE)
    ours = np.exp(-distances(test.X, X, M) / found.length) @ found.coefficients
    same = ours.argmax(axis=1) == theirs["predictions"].argmax(axis=1)
    return [
        name,
        f"{len(X)}",
        f"{_difference(once, theirs['M'][0]):.1e}",
        f"{_difference(M, theirs['M'][-1]):.1e}",
        f"{np.abs(M).max():.2f}",
        f"{np.abs(ours - theirs['predictions']).max():.1e}",
        f"{same.mean():.3f}",
        f"{theirs['seconds']:.2f}",
        f"{seconds:.2f}",
    ]


def _difference(M: Array, other: Array) -> float:
    return float(np.abs(M - other / np.trace(other)).max())


def _theirs(**arrays: Array) -> dict[str, Array]:
    """Fit xrfm's and return what the script writes."""
    with TemporaryDirectory() as folder:
        source, result = Path(folder, "rows.npz"), Path(folder, "found.npz")
        np.savez(source, **arrays)
        run([PYTHON, SCRIPT, source, result], check=True)
        with np.load(result) as found:
            return dict(found)


if __name__ == "__main__":
    main()
