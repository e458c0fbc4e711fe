"""Do our LMNN and ITML agree with metric-learn's?

LMNN: both learn from the same rows of some splits, coded one-hot and as class
histograms; accuracy of 3 nearest neighbours on the test rows, the mean over splits.
One-hot rows are often equally near and then each takes other targets; histograms are
not, so there the losses of both maps over the same targets are compared too.

ITML: both are given the same pairs and bounds, and the matrices are compared.

``python -m benchmarks.peers.agreement``
"""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table
from benchmarks.peers.learner import Peer, check_environment
from benchmarks.sets import one_hot, split
from nearkind.baselines.itml import project
from nearkind.baselines.matrix_learner import differing
from nearkind.baselines.row_pairs import PairSampler
from nearkind.experiments.sandbox import Limits
from nearkind.experiments.splits import Split
from nearkind.protocols import Array

SETS = ("voting", "tic_tac_toe", "car", "lymphography")
LMNN_SETS = {"onehot": SETS, "vdm": ("voting", "lymphography", "zoo")}
"""metric-learn takes minutes a fit where histograms are many numbers or rows."""
SEEDS = range(5)
LIMITS = Limits(300.0, 16.0 * 1024.0)
N_PAIRS = 200


def main() -> None:
    """Measure and print."""
    check_environment()
    lines = [_lmnn(name, coding) for coding in LMNN_SETS for name in LMNN_SETS[coding]]
    columns = ("set", "coding", "metric-learn", "ours", "points", "loss", "our loss")
    note = "aim: accuracy within 1 point on three sets"
    print_table(f"LMNN, means over {len(SEEDS)} splits", columns, lines, [note])
    columns = ("set", "pairs", "largest difference of M", "largest of M", "sweeps")
    print_table("ITML on the same pairs", columns, [_itml(name) for name in SETS])


def _lmnn(name: str, coding: str) -> list[str]:
    print_status(f"LMNN: {name}, {coding}")
    found = np.array([_compare(coding, split(name, seed)) for seed in SEEDS])
    theirs, ours, loss, our_loss = found.mean(axis=0)
    losses = [f"{loss:.1f}", f"{our_loss:.1f}"] if coding == "vdm" else ["", ""]
    points = f"{100.0 * (ours - theirs):+.1f}"
    return [name, coding, f"{theirs:.4f}", f"{ours:.4f}", points, *losses]


def _compare(coding: str, parts: Split) -> tuple[float, float, float, float]:
    """Return both accuracies and both losses."""
    with no_warnings():
        X, X_test = coded(coding, parts)
        L = Peer("LMNN").fit(LIMITS, X=X, y=parts.train.y).components.T
        model = nk.baselines.LMNN(coding=coding).fit(*parts.train)
        Z, Z_test = (model.transform(part.X) for part in (parts.train, parts.test))
    y, y_test = parts.train.y, parts.test.y
    theirs, ours = _right(X @ L, y, X_test @ L, y_test), _right(Z, y, Z_test, y_test)
    return theirs, ours, loss(X, X @ L, y), loss(X, Z, y)


def coded(coding: str, parts: Split) -> tuple[Array, Array]:
    """Return training and test rows as vectors."""
    if coding == "onehot":
        return one_hot(parts).train.X, one_hot(parts).test.X
    histograms = nk.baselines.Euclidean().fit(*parts.train)
    return histograms.transform(parts.train.X), histograms.transform(parts.test.X)


def _right(train: Array, y: Array, test: Array, y_test: Array) -> float:
    return float(KNeighborsClassifier(3).fit(train, y).score(test, y_test))


def loss(X: Array, Z: Array, y: Array, k: int = 3, mu: float = 0.5) -> float:
    """Return LMNN's loss of mapped rows Z, targets by X, ties by row number."""
    apart, d2 = _squared(X).round(9), _squared(Z)
    total = 0.0
    for i in range(len(X)):
        same = np.flatnonzero((y == y[i]) & (np.arange(len(y)) != i))
        targets = same[np.argsort(apart[i, same], kind="stable")[:k]]
        near, far = d2[i, targets], d2[i, y != y[i]]
        push = np.maximum(1.0 + near[:, None] - far, 0.0).sum()
        total += (1.0 - mu) * near.sum() + mu * push
    return total


def _squared(X: Array) -> Array:
    sizes = (X * X).sum(axis=1)
    return np.maximum(sizes[:, None] + sizes - 2.0 * X @ X.T, 0.0)


def _itml(name: str) -> list[str]:
    """Give both the same pairs, and compare what they make of them."""
    print_status(f"ITML: {name}")
    X, y = one_hot(split(name)).train
    pairs = PairSampler(y).balanced(N_PAIRS, np.random.default_rng(0))
    V = X[pairs.left] - X[pairs.right]
    kept = differing(V)
    V, alike = V[kept], pairs.alike[kept]
    bounds = np.percentile((V * V).sum(axis=1), (5.0, 95.0))
    ours = project(
        np.eye(X.shape[1]), V, alike, bounds[np.where(alike, 0, 1)],
        tol=1e-6, max_iter=10_000,
    )  # fmt: skip
    L = Peer("ITML").fit(LIMITS, V=V, alike=alike, bounds=bounds).components
    apart, size = np.abs(L.T @ L - ours.M).max(), np.abs(ours.M).max()
    return [name, f"{len(V)}", f"{apart:.1e}", f"{size:.2f}", f"{ours.n_iter}"]


if __name__ == "__main__":
    main()
