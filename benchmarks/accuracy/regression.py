r"""R2, RMSE, MAE and intervals of CPMLRegressorCV beside those of other regressors.

    NEARKIND_REGRESSION=FOLDER python -m benchmarks.accuracy.regression \
        [ROWS.jsonl] [--rows N] [--splits N] [--methods NAME ...]

FOLDER holds NAME.csv.gz, the last column of each being the target, and datasets.json,
which lists the numeric columns. Of each set 3,000 rows at most by default, three
quarters of them to learn from, in splits that all methods share. Methods whose package
is not installed are left out. Rows that the file has are not run again; the tables go
to standard output.
"""

import argparse
import json
import os
import sys
import warnings
from collections import defaultdict
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

import nearkind as nk

FOLDER = Path(os.environ.get("NEARKIND_REGRESSION", "."))
SETS = (
    "ames", "bikeshare", "diamonds", "gss_wages", "imports85_price",
    "insurance_charges", "isl_wage", "student_por",
)  # fmt: skip
FIRST_SEED, COVERAGES = 31, (0.8, 0.9, 0.95)
STRENGTHS = np.logspace(-2, 4, 13)


def columns(table):
    """Return the names of the columns of words, and of numbers."""
    numeric = set(table.select_dtypes("number").columns)
    return [c for c in table if c not in numeric], [c for c in table if c in numeric]


def coded(table, words, sparse=True):
    """Return a transformer: words by an encoder, numbers standardised."""
    names, numbers = columns(table)
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    return make_column_transformer(
        (words, names), (scaled, numbers), sparse_threshold=0.3 if sparse else 0.0
    )


def one_hot():
    """Return an encoder by indicators."""
    return OneHotEncoder(handle_unknown="ignore")


def target_coded():
    """Return an encoder by the mean of the target."""
    return make_pipeline(
        TargetEncoder(target_type="continuous", random_state=0), StandardScaler()
    )


def with_codes(table, model):
    """Return a model on whole numbers for words."""
    words = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    names, numbers = columns(table)
    return make_pipeline(
        make_column_transformer((words, names), ("passthrough", numbers)), model
    )


def near(table):
    """Return nearest neighbours on target encoding, k by cross-validation."""
    grid = {"n_neighbors": [3, 5, 9, 15, 25], "weights": ["uniform", "distance"]}
    search = GridSearchCV(KNeighborsRegressor(), grid, cv=3)
    return make_pipeline(coded(table, target_coded()), search)


def catboost(table):
    """Return CatBoost as it comes."""
    from catboost import CatBoostRegressor

    settings = {"random_state": 0, "verbose": False, "thread_count": 1}
    words = columns(table)[0]
    return CatBoostRegressor(cat_features=words, allow_writing_files=False, **settings)


def lightgbm(table):
    """Return LightGBM as it comes, with its own categories."""
    from lightgbm import LGBMRegressor

    return LGBMRegressor(random_state=0, n_jobs=1, verbose=-1)


def mlkr(table):
    """Return metric-learn's MLKR on indicators, and the nearest rows under it."""
    from metric_learn import MLKR

    if len(table) > 1_200:
        raise ImportError("too many rows")
    return make_pipeline(
        coded(table, one_hot(), sparse=False),
        MLKR(random_state=0, max_iter=30),
        KNeighborsRegressor(9, weights="distance"),
    )


METHODS = {
    "nearkind": lambda table: nk.CPMLRegressorCV(),
    "forest": lambda table: make_pipeline(
        coded(table, one_hot()), RandomForestRegressor(300, random_state=0)
    ),
    "histogram boosting": lambda table: with_codes(
        table, HistGradientBoostingRegressor(random_state=0)
    ),
    "LightGBM": lightgbm,
    "CatBoost": catboost,
    "ridge, one-hot": lambda table: make_pipeline(
        coded(table, one_hot()), RidgeCV(STRENGTHS)
    ),
    "ridge, target encoding": lambda table: make_pipeline(
        coded(table, target_coded()), RidgeCV(STRENGTHS)
    ),
    "neighbours, target encoding": near,
    "MLKR, one-hot": mlkr,
}
GIVING_NEIGHBOURS = "nearkind", "neighbours, target encoding", "MLKR, one-hot"


def load(name, seed, most_rows):
    """Return tables and targets to learn from and to predict."""
    listed = json.loads((FOLDER / "datasets.json").read_text())
    numeric = next(each["numeric"] for each in listed if each["name"] == name)
    table = pd.read_csv(FOLDER / f"{name}.csv.gz", dtype=str, keep_default_na=False)
    y = table.pop("target").astype(float).to_numpy()
    for column in table:
        if column in numeric:
            table[column] = pd.to_numeric(table[column])
        else:
            table[column] = table[column].replace("", "(missing)").astype(object)
    rows = np.random.default_rng(seed).permutation(len(y))[:most_rows]
    n = 3 * len(rows) // 4
    train, test = rows[:n], rows[n:]
    return table.iloc[train], y[train], table.iloc[test], y[test]


def fitted(method, X, y, X_test):
    """Return a model, its predictions, and the seconds of CPU of both."""
    if method == "LightGBM":
        words = columns(X)[0]
        kinds = {c: pd.CategoricalDtype(sorted(set(X[c]))) for c in words}
        X, X_test = X.astype(kinds), X_test.astype(kinds)
    start = process_time()
    model = METHODS[method](X).fit(X, y)
    answers = model.predict(X_test)
    return model, answers, process_time() - start


def mapie_intervals(X, y, X_test):
    """Return intervals of MAPIE on a forest by coverage, by cross-validation."""
    from mapie.regression import CrossConformalRegressor

    model = METHODS["forest"](X).set_params(randomforestregressor__n_estimators=100)
    held = CrossConformalRegressor(model, confidence_level=COVERAGES, cv=3)
    held.fit_conformalize(X.reset_index(drop=True), y)
    ends = held.predict_interval(X_test)[1]  # (n, 2, C)
    return {c: ends[:, :, i] for i, c in enumerate(COVERAGES)}


def interval_facts(ends, y):
    """Return the coverage of intervals, and their mean width in deviations."""
    held = (ends[:, 0] <= y) & (y <= ends[:, 1])
    return [float(held.mean()), float((ends[:, 1] - ends[:, 0]).mean() / y.std())]


def trial(name, seed, method, most_rows):
    """Return a row of results."""
    X, y, X_test, truth = load(name, seed, most_rows)
    row = {"set": name, "seed": seed, "method": method}
    if method == "MAPIE":
        ends = mapie_intervals(X, y, X_test)
    else:
        model, p, seconds = fitted(method, X, y, X_test)
        errors = p - truth
        row["rmse"] = float(np.sqrt(np.mean(errors**2)))
        row["mae"] = float(np.abs(errors).mean())
        row["r2"] = 1.0 - row["rmse"] ** 2 / float(truth.var())
        row["seconds"] = seconds
        if method != "nearkind":
            return row
        ends = {c: model.predict_interval(X_test, c) for c in COVERAGES}
    row["intervals"] = {str(c): interval_facts(e, truth) for c, e in ends.items()}
    return row


def run(given):
    """Run what a file of rows lacks, and return all rows."""
    path, seeds = given.path, range(FIRST_SEED, FIRST_SEED + given.splits)
    rows = [*map(json.loads, path.read_text().splitlines())] if path.exists() else []
    done = {(row["set"], row["seed"], row["method"]) for row in rows}
    for seed, name, method in product(seeds, SETS, given.methods):
        if (name, seed, method) in done:
            continue
        try:
            rows.append(trial(name, seed, method, given.rows))
        except (ImportError, TypeError) as error:
            print(f"{method} on {name}: {error}", file=sys.stderr)
            continue
        with path.open("a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
    return rows


def table_of(rows, score, digits, falling):
    """Return a table in Markdown: a set a line, the mean over splits, and ranks."""
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if score in row:
            found[row["set"]][row["method"]].append(row[score])
    names = [m for m in METHODS if any(m in each for each in found.values())]
    lines = [f"| set | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    ranks = defaultdict(list)
    for name, each in found.items():
        means = {method: float(np.mean(values)) for method, values in each.items()}
        order = sorted(means, key=means.get, reverse=falling)
        for rank, method in enumerate(order, start=1):
            ranks[method].append(rank)
        cells = [f"{means[m]:,.{digits}f}" if m in means else "" for m in names]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    mean = [f"{np.mean(ranks[m]):.2f}" for m in names]
    return "\n".join([*lines, f"| mean rank | {' | '.join(mean)} |"])


def interval_table(rows):
    """Return a table in Markdown: coverage and width of intervals."""
    head = [f"{c:.0%}: {what}" for c in COVERAGES for what in ("held", "width")]
    lines = [f"| method | set | {' | '.join(head)} |", "|---" * (len(head) + 2) + "|"]
    for method in ("nearkind", "MAPIE"):
        per_set = []
        for name in SETS:
            mine = [r for r in rows if r["set"] == name and r["method"] == method]
            if mine:
                facts = [[r["intervals"][str(c)] for c in COVERAGES] for r in mine]
                per_set.append(np.mean(facts, axis=0).ravel())
                lines.append(_line(method, name, per_set[-1]))
        if per_set:
            lines.append(_line(method, "mean", np.mean(per_set, axis=0)))
    return "\n".join(lines)


def _line(method, name, facts):
    cells = [f"{x:.2f}" if i % 2 else f"{x:.1%}" for i, x in enumerate(facts)]
    return f"| {method} | {name} | {' | '.join(cells)} |"


def main():
    """Run, and print tables."""
    warnings.simplefilter("ignore")
    everything = [*METHODS, "MAPIE"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default="regression.jsonl")
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--methods", nargs="+", default=everything, choices=everything)
    rows = run(parser.parse_args())
    titles = {
        "r2": ("R2", 3, True),
        "rmse": ("RMSE", 2, False),
        "mae": ("MAE", 2, False),
        "seconds": ("CPU seconds", 1, False),
    }
    for score, (title, digits, falling) in titles.items():
        print(f"## {title}\n\n{table_of(rows, score, digits, falling)}\n")
    print(f"## Intervals\n\n{interval_table(rows)}")


if __name__ == "__main__":
    main()
