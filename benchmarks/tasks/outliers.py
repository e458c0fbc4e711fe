"""ROC AUC of NearestOutliers beside the detectors of PyOD.

    python -m benchmarks.tasks.outliers --output FOLDER [--sets NAME ...]

runs what FOLDER/outliers.jsonl lacks, and writes docs/results/tasks-outliers.md. It
needs pyod.
"""

from functools import partial
from time import perf_counter

import numpy as np
from pyod.models.ecod import ECOD
from pyod.models.hbos import HBOS
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import OneHotEncoder

import nearkind as nk
from benchmarks.harness import no_warnings, print_status
from benchmarks.tasks.results import PAGES, append_rows, arguments, read_rows, versions
from nearkind.experiments.paper import reference
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.sets import BuiltIn, seed_of

KEY = "dataset", "anomalies", "repetition", "method"
MOST_TRAIN, MOST_TEST = 2_000, 1_000
LEAST_ROWS, MOST_CLASSES = 10, 3
SMALL, REPEATS = 1_000, 5
OURS = {
    "hamming": partial(nk.NearestOutliers, "hamming"),
    "lin": partial(nk.NearestOutliers, "lin"),
    "of": partial(nk.NearestOutliers, "of"),
    "dilca": partial(nk.NearestOutliers, "dilca"),
    "hamming, lof": partial(nk.NearestOutliers, "hamming", method="lof"),
}
LEARNED = {
    "vdm": partial(nk.NearestOutliers, "vdm"),
    "cpml": partial(nk.NearestOutliers, nk.CPML()),
}
PEERS = {
    "IForest": partial(IForest, random_state=0),
    "KNN": KNN,
    "KNN, 20, mean": partial(KNN, n_neighbors=20, method="mean"),
    "LOF": LOF,
    "ECOD": ECOD,
    "HBOS": HBOS,
}


def main() -> None:
    given = arguments(__doc__)
    path = given.output / "outliers.jsonl"
    rows = {tuple(row[name] for name in KEY): row for row in read_rows(path)}
    for dataset in given.sets or sorted(reference.set_sizes()):
        for split in splits(dataset):
            for row in trials(split, rows):
                append_rows([row], path)
                rows[tuple(row[name] for name in KEY)] = row
                print_status(" ".join(str(row[name]) for name in (*KEY, "auc")))
    write_page(list(rows.values()))


def splits(dataset):
    """Yield what is known of a trial, training rows and labels, and test rows."""
    X, y = BuiltIn(dataset).load()
    names, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    held = [names[i] for i in order if counts[i] >= LEAST_ROWS][:MOST_CLASSES]
    for repetition in range(REPEATS if len(y) <= SMALL else 1):
        rng = np.random.default_rng(seed_of(dataset, repetition))
        for name in held:
            normal = rng.permutation(np.flatnonzero(y != name))
            odd = rng.permutation(np.flatnonzero(y == name))[:MOST_TEST]
            train, test = np.array_split(normal, 2)
            train, test = train[:MOST_TRAIN], test[:MOST_TEST]
            known = {"dataset": dataset, "anomalies": str(name)}
            yield (
                known | {"repetition": repetition},
                (X[train], y[train]),
                (
                    np.vstack([X[test], X[odd]]),
                    np.repeat([0, 1], [len(test), len(odd)]),
                ),
            )


def trials(split, rows):
    """Yield the rows of a split that are not there yet."""
    known, (X, y), (test, is_odd) = split
    learned = LEARNED if len(np.unique(y)) > 1 else {}
    for method in (*OURS, *learned, *PEERS):
        key = (*known.values(), method)
        if key in rows:
            continue
        start = perf_counter()
        with no_warnings():
            scores = score(method, X, y, test)
        yield known | {
            "method": method,
            "auc": roc_auc_score(is_odd, scores),
            "n_train": len(X),
            "n_normal": int((is_odd == 0).sum()),
            "n_anomalies": int(is_odd.sum()),
            "seconds": perf_counter() - start,
        }


def score(method, X, y, test):
    """Return how unusual the test rows are."""
    if method in PEERS:
        coder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        U = coder.fit_transform(text(X))
        return PEERS[method]().fit(U).decision_function(coder.transform(text(test)))
    make, labels = (LEARNED[method], y) if method in LEARNED else (OURS[method], None)
    model = make().fit(X, labels)
    return -np.maximum(model.score_samples(test), -np.finfo(float).max)


def text(X):
    """Return rows with a word for missing values, which the encoder cannot sort."""
    return np.where(np.equal(X, None), "missing", X).astype(str)


def write_page(rows):
    """Write the tables of the rows."""
    methods = [*OURS, *LEARNED, *PEERS]
    sets = sorted({row["dataset"] for row in rows})
    auc, seconds = (means(rows, name, sets, methods) for name in ("auc", "seconds"))
    ratio = seconds / seconds[:, [methods.index("KNN, 20, mean")]]
    has_classes = np.isfinite(auc).all(axis=1)
    lines = [[name, *map(cell, auc[s])] for s, name in enumerate(sets)]
    below = [
        ["mean of all sets", *map(cell, auc.mean(axis=0))],
        ["mean where classes remain", *map(cell, auc[has_classes].mean(axis=0))],
        ["time ratio", *(f"{t:.2f}" for t in np.nanmedian(ratio, axis=0))],
    ]
    notes = [
        "`python -m benchmarks.tasks.outliers`. Each class with at least "
        f"{LEAST_ROWS} rows, among the {MOST_CLASSES} most frequent ones of a data "
        "set, serves once as the anomalies. The detectors are trained on half of the "
        f"other rows (the normal ones), at most {MOST_TRAIN:,}, and score the "
        f"remaining normal rows and the anomalies, at most {MOST_TEST:,} of each. A "
        "figure is the mean ROC AUC over these classes and, for data sets of at most "
        f"{SMALL:,} rows, over {REPEATS} samples; 0.5 is chance.",
        "The first five are `NearestOutliers` with default settings (20 neighbours), "
        "except for the method of the fifth, under distances that need no labels. "
        "`vdm` and `cpml` learn the distance from the labels of the normal rows, "
        "which requires two classes or more; otherwise there is no figure. The last "
        "six are those of PyOD on one-hot columns with default settings, except for "
        "KNN, 20, mean. Numeric columns are left out. The time ratio is the median, "
        "over data sets, of the time for fitting and scoring relative to KNN, 20, "
        "mean.",
        versions("nearkind", "pyod", "scikit-learn", "numpy"),
    ]
    table = ResultTable("ROC AUC", ["set", *methods], [*lines, *below], notes)
    page = f"# Outliers compared with PyOD\n\n{table.markdown()}"
    (PAGES / "tasks-outliers.md").write_text(page)
    print(page)


def means(rows, score, sets, methods):
    """Return the mean of a score for each set and method, nan where there is none."""
    found = {(dataset, method): [] for dataset in sets for method in methods}
    for row in rows:
        found[row["dataset"], row["method"]].append(row[score])
    figures = [np.mean(each) if each else np.nan for each in found.values()]
    return np.array(figures).reshape(len(sets), len(methods))


def cell(figure):
    """Return a figure, nothing if there is none."""
    return f"{figure:.3f}" if np.isfinite(figure) else ""


if __name__ == "__main__":
    main()
