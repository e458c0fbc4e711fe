"""Filled cells beside those of scikit-learn's imputers.

    python -m benchmarks.tasks.imputation --output FOLDER [--sets NAME ...] [--page]

hides 10 % and 30 % of the cells of each table at random, or 30 % by value, runs what
FOLDER/imputation.jsonl lacks, and with --page writes docs/results/tasks-imputation.md.
The tables are in the folder that NEARKIND_MORE names.
"""

import json
import os
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.preprocessing import OrdinalEncoder

import nearkind as nk
from benchmarks.harness import no_warnings
from benchmarks.tasks.results import (
    arguments,
    chosen,
    markdown,
    rows_of,
    versions,
    write_page,
)

FOLDER = Path(os.environ.get("NEARKIND_MORE", "more"))
SETS = (
    "autos", "cmc", "credit_data", "eucalyptus", "heart_cleveland", "horse_colic",
    "hr_attrition", "student_por", "telco_churn", "titanic",
)  # fmt: skip
HIDDEN = ("random", 0.1), ("random", 0.3), ("by value", 0.3)
MOST_ROWS = 1000


def table(name):
    """Return the columns of a set of mixed tables, numbers as numbers."""
    about = json.loads((FOLDER / "datasets.json").read_text())
    found = next(each for each in about if each["name"] == name)
    X = pd.read_csv(FOLDER / f"{name}.csv.gz", dtype=str).iloc[:, :-1]
    for column in set(found["numeric"]) & set(X.columns):
        X[column] = pd.to_numeric(X[column])
    return X.sample(min(len(X), MOST_ROWS), random_state=0).reset_index(drop=True)


def hide(X, how, share, rng):
    """Return which known cells to hide: any, or rather the larger half of a column."""
    known = X.notna().to_numpy()
    chance = np.full(X.shape, share)
    if how == "by value":
        ranks = X.apply(lambda column: column.rank(pct=True)).to_numpy()
        chance = np.where(ranks > 0.5, 1.8 * share, 0.2 * share)
    return known & (rng.random(X.shape) < chance)


class OrdinalCodes:
    """An imputer of scikit-learn on ordinal codes, rounded to the nearest code."""

    def __init__(self, imputer):
        self.imputer = imputer

    def fit_transform(self, X):
        words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
        encoder = OrdinalEncoder(encoded_missing_value=np.nan)
        codes = X.copy()
        codes[words] = encoder.fit_transform(X[words].astype(object))
        filled = pd.DataFrame(self.imputer.fit_transform(codes), columns=X.columns)
        for name, values in zip(words, encoder.categories_, strict=True):
            known = [value for value in values if value == value and value is not None]
            at = np.clip(np.rint(filled[name]), 0, len(known) - 1).astype(int)
            filled[name] = np.array(known, dtype=object)[at]
        return filled


class Usual:
    """The most frequent word and the median number."""

    def fit_transform(self, X):
        return X.apply(
            lambda column: column.fillna(
                column.median()
                if pd.api.types.is_numeric_dtype(column)
                else column.mode().iloc[0]
            )
        )


METHODS = {
    "usual": Usual,
    "KNNImputer": lambda: OrdinalCodes(KNNImputer()),
    "forest": lambda: OrdinalCodes(
        IterativeImputer(
            RandomForestRegressor(10, max_depth=8, random_state=0), max_iter=2,
            random_state=0,
        )
    ),
    "nearkind, 5": nk.NeighborImputer,
    "nearkind, 20": lambda: nk.NeighborImputer(n_neighbors=20),
}  # fmt: skip


def trial(name, how, share, method):
    """Return accuracy of words, error of numbers and processor time of one method."""
    X = table(name)
    hidden = hide(X, how, share, np.random.default_rng(0))
    start = process_time()
    with no_warnings():
        filled = METHODS[method]().fit_transform(X.mask(hidden))
    seconds = process_time() - start
    right, errors = [], []
    for d, column in enumerate(X):
        at = hidden[:, d]
        truth, found = X[column][at], filled[column][at]
        if not at.any():
            continue
        if pd.api.types.is_numeric_dtype(X[column]):
            spread = (X[column] - X[column].median()).abs().mean() or 1.0
            errors.append(float((found - truth).abs().mean() / spread))
        else:
            right.append(float((found == truth).mean()))
    return {
        "n_rows": len(X),
        "accuracy": float(np.mean(right)) if right else None,
        "error": float(np.mean(errors)) if errors else None,
        "seconds": seconds,
    }


def main() -> None:
    given = arguments(__doc__, 1)
    keys = [
        (name, how, share, method)
        for name in given.sets or SETS
        for how, share in HIDDEN
        for method in METHODS
    ]
    rows = rows_of(given.output / "imputation.jsonl", keys, trial)
    parts = [part(rows, how, share) for how, share in HIDDEN]
    page = (
        "# Imputation compared with scikit-learn\n\n`python -m "
        f"benchmarks.tasks.imputation{chosen(rows, len(SETS))}`, on "
        f"{len({row['key'][0] for row in rows})} mixed tables of at most "
        f"{MOST_ROWS:,} rows. Accuracy is that of categories, averaged over columns, "
        "then tables; error is the mean absolute error of numbers, divided by the "
        "mean absolute deviation of the column from its median. *usual* is the most "
        "frequent category and the median number; KNNImputer and *forest* "
        "(IterativeImputer with 10 trees and 2 rounds) use ordinal codes, rounded. "
        "Time is the median CPU time over tables, relative to ours with 5 "
        "neighbours, on a busy "
        f"machine.\n\n{''.join(parts)}{versions('nearkind', 'scikit-learn', 'numpy')}\n"
    )
    write_page(given, "tasks-imputation.md", page)


def part(rows, how, share):
    """Return the table of one way to hide cells."""
    here = [row for row in rows if tuple(row["key"][1:3]) == (how, share)]
    base = {r["key"][0]: r["seconds"] for r in here if r["key"][3] == "nearkind, 5"}
    ranks = pd.DataFrame(
        [(r["key"][0], r["key"][3], r["accuracy"]) for r in here],
        columns=["set", "method", "accuracy"],
    ).pivot(index="set", columns="method", values="accuracy")
    ranks = ranks.rank(axis=1, ascending=False).mean()
    lines = []
    for method in METHODS:
        mine = [row for row in here if row["key"][3] == method]
        times = [row["seconds"] / base[row["key"][0]] for row in mine]
        right = np.mean([r["accuracy"] for r in mine if r["accuracy"] is not None])
        wrong = np.mean([r["error"] for r in mine if r["error"] is not None])
        lines.append(
            (method, f"{right:.1%}", f"{ranks[method]:.1f}", f"{wrong:.2f}",
             f"{np.median(times):.1f}")
        )  # fmt: skip
    head = "method", "accuracy", "mean rank", "error", "time"
    return f"## {share:.0%} of the cells hidden, {how}\n\n{markdown(head, lines)}\n"


if __name__ == "__main__":
    main()
