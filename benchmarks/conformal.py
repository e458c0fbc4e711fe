"""Sets of classes that are to hold the true one in most rows: do they, how large?

``CPMLClassifierCV.predict_set`` beside MAPIE's cross-conformal sets (LAC, 5 folds) of a
forest of 300 trees on one-hot columns: 7 tenths of each set to learn from, the rest to
count on, seeds from 1,001 on. MAPIE needs another scikit-learn than this environment
may have, so it runs in the interpreter that ``--peer`` names; without one it is left
out.

``python -m benchmarks.conformal [SET ...] [--coverage SHARE] [--repeats N]
[--peer PYTHON]``
"""

import json
import subprocess
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table
from benchmarks.sets import load

SETS = (
    "car", "led24", "dna_nominal", "splice", "krvskp", "mushroom", "nursery", "krkopt",
    "adult", "connect4", "census",
)  # fmt: skip
MOST_ROWS = 20_000
"""Rows of a set at most, drawn by the seed."""
FIRST_SEED = 1_001
PEER = """
import json, sys
import numpy as np
from mapie.classification import CrossConformalClassifier
from sklearn.ensemble import RandomForestClassifier
data = np.load(sys.argv[1])
forest = RandomForestClassifier(300, random_state=0)
sets = CrossConformalClassifier(
    forest, float(sys.argv[2]), "lac", cv=5, random_state=0
)
sets.fit_conformalize(data["train"], data["y"])
mask = sets.predict_set(data["test"])[1][:, :, 0]
print(json.dumps(mask.astype(int).tolist()))
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--coverage", type=float, default=0.9)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer", metavar="PYTHON")
    wanted = parser.parse_args(arguments)
    lines = []
    for name in wanted.sets:
        print_status(name)
        seeds = range(FIRST_SEED, FIRST_SEED + wanted.repeats)
        found = [measure(name, seed, wanted.coverage, wanted.peer) for seed in seeds]
        mean = {key: np.mean([each[key] for each in found]) for key in found[0]}
        cells = [f"{mean[key]:.3f}" for key in mean if key != "rows"]
        lines.append((name, f"{int(mean['rows']):,}", *cells))
        print_status(" ".join(lines[-1]))
    methods = [
        "nearkind",
        "may be empty",
        "by class",
        *(["MAPIE forest"] if wanted.peer else []),
    ]
    numbers = ("coverage", "least of a class", "size")
    head = [f"{method}: {number}" for method in methods for number in numbers]
    title = f"Sets of classes, coverage {wanted.coverage:g} asked for"
    print_table(title, ("set", "rows tested", "accuracy", *head), lines)


def measure(
    name: str, seed: int, coverage: float, peer: str | None
) -> dict[str, float]:
    """Return coverage, least coverage of a class, and size of the sets of a split."""
    data = load(name)
    X, y = data.X, np.asarray(data.y).astype(str)
    if len(y) > MOST_ROWS:
        some = np.random.default_rng(seed).choice(len(y), MOST_ROWS, replace=False)
        X, y = X.iloc[some], y[some]
    train, test, y, y_test = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=y
    )
    with no_warnings():
        model = nk.CPMLClassifierCV(random_state=seed).fit(train, y)
        truth = np.searchsorted(model.classes_, y_test)
        masks = {
            "nearkind": model.predict_set(test, coverage),
            "exact": model.predict_set(test, coverage, allow_empty=True),
            "by_class": model.predict_set(test, coverage, by_class=True),
        }
        found = {"rows": len(truth), "accuracy": model.score(test, y_test)}
    if peer is not None:
        numbers = np.searchsorted(model.classes_, y)
        masks["peer"] = peer_sets(peer, coverage, train, numbers, test)
    for method, mask in masks.items():
        covered = mask[np.arange(len(truth)), truth]
        by_class = [covered[truth == c].mean() for c in np.unique(truth)]
        found[f"{method} coverage"] = covered.mean()
        found[f"{method} least"] = min(by_class)
        found[f"{method} size"] = mask.sum(axis=1).mean()
    return found


def peer_sets(
    python: str, coverage: float, train: Any, y: Any, test: Any
) -> np.ndarray:
    """Return the sets (n, C) of MAPIE over a forest, made by another interpreter."""
    onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    onehot.fit(train := train.astype(str))
    test = test.astype(str)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        np.savez(path, train=onehot.transform(train), y=y, test=onehot.transform(test))
        done = subprocess.run(
            [python, "-W", "ignore", "-c", PEER, str(path), str(coverage)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    return np.array(json.loads(done.stdout), dtype=bool)


if __name__ == "__main__":
    main()
