"""Many columns, values, classes or questions: CPU seconds and memory of each.

Every case runs in a process of its own, so that its peak of memory is its own.

``python -m benchmarks.scale.load [case ...]``
"""

import sys
from time import process_time
from typing import Any

import numpy as np

import nearkind as nk
from benchmarks.harness import compile_solvers, no_warnings, print_status, print_table
from nearkind.experiments.sandbox import call, peak_megabytes

SEED = 0


def labels_from(X: np.ndarray, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """Labels that the first columns decide, one in ten drawn."""
    y = X[:, :3].sum(axis=1) % n_classes
    return np.where(rng.random(len(y)) < 0.1, rng.integers(0, n_classes, len(y)), y)


def columns() -> tuple[Any, np.ndarray, np.ndarray]:
    """Ten thousand columns, a weight for each."""
    rng = np.random.default_rng(SEED)
    X = rng.integers(0, 5, (500, 10_000))
    metric = nk.CPML(structure="diagonal", random_state=0)
    return nk.CPMLClassifier(metric), X.astype(str), labels_from(X, 2, rng)


def values() -> tuple[Any, np.ndarray, np.ndarray]:
    """A hundred thousand values in one of six columns."""
    rng = np.random.default_rng(SEED)
    X = rng.integers(0, 8, (300_000, 6))
    X[:, 5] = rng.integers(0, 100_000, len(X))
    metric = nk.CPML(random_state=0)
    return nk.CPMLClassifier(metric), X.astype(str), labels_from(X, 3, rng)


def classes() -> tuple[Any, np.ndarray, np.ndarray]:
    """A thousand classes of five to 35 rows."""
    rng = np.random.default_rng(SEED)
    y = np.repeat(np.arange(1_000), rng.integers(5, 36, 1_000))
    shifts = rng.integers(0, 9, (1_000, 8))
    X = (shifts[y] + (rng.random((len(y), 8)) < 0.2)) % 9
    return nk.CPMLClassifier(nk.CPML(random_state=0)), X.astype(str), y


def questions() -> tuple[Any, np.ndarray, np.ndarray]:
    """Twenty thousand rows that a million others are compared with."""
    rng = np.random.default_rng(SEED)
    X = rng.integers(0, 6, (20_000, 12))
    metric = nk.CPML(random_state=0)
    return nk.CPMLClassifier(metric), X.astype(str), labels_from(X, 3, rng)


def numbers() -> tuple[Any, np.ndarray, np.ndarray]:
    """A number to predict from six columns of words and six of numbers."""
    rng = np.random.default_rng(SEED)
    codes, x = rng.integers(0, 8, (300_000, 6)), rng.normal(size=(300_000, 6))
    effects = rng.normal(size=(6, 8))
    y = effects[0, codes[:, 0]] * x[:, 0] + effects[1, codes[:, 1]]
    y += np.sin(2.0 * x[:, 1]) + x[:, 2] + 0.5 * rng.normal(size=len(y))
    words = np.array(list("abcdefgh"), dtype=object)[codes]
    return nk.CPMLRegressorCV(), np.hstack([words, x.astype(object)]), y


CASES = {
    "10,000 columns x 500 rows, diagonal": (columns, 500),
    "100,000 values, 300,000 rows": (values, 10_000),
    "1,000 classes, 20,000 rows x 8": (classes, 2_000),
    "a number, 300,000 rows x 12": (numbers, 5_000),
    "1,000,000 rows to predict, 12 columns": (questions, 1_000_000),
}


def measure(case: str) -> list[str]:
    """Fit and predict one case; return a line of the table."""
    make, n_questions = CASES[case]
    model, X, y = make()
    compile_solvers()
    before = peak_megabytes()
    start = process_time()
    with no_warnings():
        model.fit(X, y)
    fitted, peak = process_time() - start, peak_megabytes()
    rng = np.random.default_rng(SEED + 1)
    asked = X[rng.integers(0, len(X), n_questions)]
    start = process_time()
    said = model.predict(asked)
    predicted = process_time() - start
    assert len(said) == n_questions
    figures = [before, fitted, peak, predicted, peak_megabytes()]
    score = getattr(model, "best_score_", np.nan)  # cross-validated
    return [case, *(f"{figure:,.1f}" for figure in figures), f"{score:.3f}"]


def main(wanted: list[str]) -> None:
    """Measure the cases whose names hold a wanted word, or all."""
    lines = []
    for case in CASES:
        if not wanted or any(word in case for word in wanted):
            print_status(f"load: {case}")
            lines.append(call(measure, case).value)
    columns = "case", "MB before", "fit CPU s", "peak MB", "predict CPU s"
    columns += "peak MB with it", "score"
    print_table("Load", columns, lines, ["peaks are of the whole process"])


if __name__ == "__main__":
    main(sys.argv[1:])
