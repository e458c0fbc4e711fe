"""Our search compared with other libraries for categorical and mixed tables.

    python -m benchmarks.libraries --folder DATA [--folder DATA ...]

Needs `pip install catboost skrub metric-learn==0.7.0 gower "scikit-learn<1.8"` in an
environment of its own. A quarter of at most 1,500 rows is held out, stratified, twice,
the same rows for all methods.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import nearkind as nk
from benchmarks.tasks.results import PAGES, markdown, rows_of, versions

SETS = (
    "balance",
    "monks2",
    "tic_tac_toe",
    "lymphography",
    "voting",
    "titanic",
    "dresses_sales",
    "mammographic",
    "credit_data",
    "cmc",
)
SPLITS = 2
MOST_ROWS = 1_500
N_NEIGHBORS = 5


def nearkind_search(X, y, X_test):
    """Return the predictions of CPMLClassifierCV as it comes."""
    return nk.CPMLClassifierCV(random_state=0).fit(X, y).predict(X_test)


def catboost(X, y, X_test):
    """Return the predictions of CatBoost as it comes, with its categorical columns."""
    from catboost import CatBoostClassifier

    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    X, X_test = (part.fillna(dict.fromkeys(words, "")) for part in (X, X_test))
    model = CatBoostClassifier(verbose=False, thread_count=1, allow_writing_files=False)
    return model.fit(X, y, cat_features=words).predict(X_test).ravel()


def skrub_pipeline(X, y, X_test):
    """Return the predictions of skrub's pipeline for tables."""
    from skrub import tabular_pipeline

    return tabular_pipeline("classifier").fit(X, y).predict(X_test)


def metric_learn_nca(X, y, X_test):
    """Return the votes of neighbours under NCA of metric-learn on indicators."""
    from metric_learn import NCA

    encode = OneHotEncoder(
        handle_unknown="ignore", sparse_output=False, max_categories=20
    )
    neighbors = KNeighborsClassifier(N_NEIGHBORS)
    model = make_pipeline(encode, NCA(random_state=0), neighbors)
    codes = np.unique(y, return_inverse=True)
    found = model.fit(X.astype(str), codes[1]).predict(X_test.astype(str))
    return codes[0][found]


def gower_neighbors(X, y, X_test):
    """Return the votes of neighbours under Gower's distance of the package gower."""
    import gower

    whole = pd.concat([X, X_test], ignore_index=True)
    words = [not pd.api.types.is_numeric_dtype(whole[name]) for name in whole]
    for name, is_text in zip(whole, words, strict=True):
        filler = "" if is_text else whole[name].median()  # it takes no missing cells
        whole[name] = whole[name].fillna(filler)
    d = gower.gower_matrix(whole, cat_features=words)
    n = len(X)
    model = KNeighborsClassifier(N_NEIGHBORS, metric="precomputed").fit(d[:n, :n], y)
    return model.predict(d[n:, :n])


METHODS = {
    "nearkind `CPMLClassifierCV`": nearkind_search,
    "CatBoost": catboost,
    "skrub `tabular_pipeline`": skrub_pipeline,
    "metric-learn NCA, one-hot, 5 neighbours": metric_learn_nca,
    "gower, 5 neighbours": gower_neighbors,
}


def read(name, folders):
    """Return features and labels of a data set."""
    path = next(p for f in folders if (p := Path(f) / f"{name}.csv.gz").exists())
    text = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    X = text.drop(columns="class")
    for column in X:
        numbers = pd.to_numeric(X[column], errors="coerce")
        if numbers.notna().sum() == X[column].notna().sum() and numbers.nunique() > 10:
            X[column] = numbers
        else:
            X[column] = X[column].astype(object).where(X[column].notna(), None)
    return X, text["class"].to_numpy(str)


def trial(folders, name, split, method):
    """Return the accuracy of a method on a split, and its CPU seconds."""
    X, y = read(name, folders)
    if len(y) > MOST_ROWS:
        X, _, y, _ = train_test_split(
            X, y, train_size=MOST_ROWS, random_state=0, stratify=y
        )
    is_rare = np.unique(y, return_counts=True)[1].min() < 2
    X, X_test, y, y_test = train_test_split(
        X, y, test_size=0.25, random_state=split, stratify=None if is_rare else y
    )
    start = time.process_time()
    found = METHODS[method](X.reset_index(drop=True), y, X_test.reset_index(drop=True))
    seconds = time.process_time() - start
    return {"accuracy": float(np.mean(np.asarray(found) == y_test)), "seconds": seconds}


def page(rows, sets):
    """Return the page of results."""
    cells = {name: {method: [] for method in METHODS} for name in sets}
    seconds = {method: [] for method in METHODS}
    for row in rows:
        name, _, method = row["key"]
        cells[name][method].append(row["accuracy"])
        seconds[method].append(row["seconds"])
    means = np.array([[np.mean(cells[n][m]) for m in METHODS] for n in sets])
    rows_of_means = [*means, means.mean(axis=0)]
    lines = [
        [name, *(f"{mean:.3f}" for mean in each)]
        for name, each in zip([*sets, "mean"], rows_of_means, strict=True)
    ]
    times = [f"{np.mean(seconds[m]):.1f}" for m in METHODS]
    lines.append(["CPU seconds", *times])
    return (
        "# Comparison with other libraries\n\n"
        f"Accuracy on a held-out quarter of at most {MOST_ROWS:,} rows, stratified, "
        f"mean of {SPLITS} splits, the same for all libraries, with default settings. "
        "kmodes clusters and predicts no classes, so it is not in the table.\n\n"
        + markdown(["data set", *METHODS], lines)
        + "\nCPU seconds are means of fitting and predicting on one thread of a busy "
        "machine. Command: `python -m benchmarks.libraries`. "
        + versions("catboost", "skrub", "metric-learn", "gower", "scikit-learn")
        + "\n"
    )


def main():
    """Run the trials that are not in the file, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", action="append", required=True)
    parser.add_argument("--data", type=Path, default=Path("build/libraries.jsonl"))
    given = parser.parse_args()
    keys = [(n, s, m) for n in SETS for s in range(SPLITS) for m in METHODS]
    rows = rows_of(given.data, keys, lambda *key: trial(given.folder, *key))
    (PAGES / "libraries.md").write_text(page(rows, SETS))


if __name__ == "__main__":
    main()
