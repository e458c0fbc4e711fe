"""``nk.nearest_change`` compared with counterfactuals of DiCE for the same model.

The model, ``CPMLClassifierCV()``, is fitted to at most 1,500 rows of a data set,
without columns of more than 50 values. For test rows whose values all occurred in
training, every method computes one changed row of the second most probable class:
``nk.nearest_change``, and the methods "random" and "genetic" of DiCE with one
counterfactual and default settings, except for the seed and, for "genetic", the weight
of the proximity of numbers, which is zero because there are none. The methods process
each row one after the other, so that all are timed under the same load. A method that
has used its time on a data set stops.

Columns and rows are limited for DiCE, which refuses a row with a value that its table
lacks: with all columns of ``adult`` it refused 19 of 20 rows.

    python -m benchmarks.tasks.changes --output FOLDER
"""

import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

import nearkind as nk
from benchmarks.tasks.results import PAGES, markdown, rows_of, versions

SETS = "tic_tac_toe", "car", "nursery", "krvskp", "mushroom", "adult"
MOST_ROWS = 1_500
MOST_VALUES = 50
SETTINGS: dict[str, dict[str, Any]] = {
    "random": {"random_seed": 0},
    "genetic": {"proximity_weight": 0.0},
}
"""Of the peer's methods. The proximity of "genetic" is one of columns of numbers, and
without any it fails."""
LABEL = "the class"
PAGE = PAGES / "tasks-changes.md"


class NumberedClasses:
    """A model that says numbers of classes, as DiCE wants it."""

    def __init__(self, model: Any, columns: list[str]) -> None:
        self.model, self.columns = model, columns

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of a table, whatever the order of columns."""
        return self.model.predict_proba(pd.DataFrame(X)[self.columns].astype(str))

    def predict(self, X: Any) -> Any:
        """Return the number of the most probable class."""
        return self.predict_proba(X).argmax(axis=1)


def measured(key: str, n_rows: int, seconds: float) -> dict[str, Any]:
    """Return what all methods say of some rows of a set."""
    data = nk.datasets.load(key)
    X, y = data.X.astype(object).fillna("missing").astype(str), np.asarray(data.y)
    X = X.loc[:, X.nunique() <= MOST_VALUES]
    order = np.random.default_rng(0).permutation(len(X))
    n_train = min(MOST_ROWS, 7 * len(X) // 10)
    train, test = order[:n_train], order[n_train:]
    known = {name: set(X[name].iloc[train]) for name in X}
    is_known = X.iloc[test].isin(known).all(axis=1).to_numpy()
    test = test[is_known][:n_rows]
    model = nk.CPMLClassifierCV(random_state=0).fit(X.iloc[train], y[train])
    methods = {"nearkind": ours(model)} | {
        name: peer(name, model, X.iloc[train], y[train]) for name in SETTINGS
    }
    answers: dict[str, list[Any]] = {name: [] for name in methods}
    spent = dict.fromkeys(methods, 0.0)
    for number in test:
        row = X.iloc[[number]].reset_index(drop=True)
        to = int(np.argsort(-model.predict_proba(row)[0], kind="stable")[1])
        for name, ask in methods.items():
            if spent[name] < seconds:
                start = perf_counter()
                answer = ask(row, to)
                took = perf_counter() - start
                spent[name] += took
                answers[name].append({"seconds": took, **answer})
    return {"n_train": n_train, "n_columns": X.shape[1], "answers": answers}


def judged(model: Any, row: pd.DataFrame, changed: pd.DataFrame, to: int) -> Any:
    """Return whether a changed row has the class, and how many columns differ."""
    said = model.predict(changed)[0]
    differs = row.iloc[0].astype(str) != changed.iloc[0].astype(str)
    return {"valid": bool(said == model.classes_[to]), "n_changes": int(differs.sum())}


def ours(model: Any) -> Callable[[pd.DataFrame, int], dict[str, Any]]:
    """Return what asks ``nearest_change``."""

    def ask(row: pd.DataFrame, to: int) -> dict[str, Any]:
        change = nk.nearest_change(model, row, to=model.classes_.tolist()[to])
        if not change.found:
            return {"valid": False, "failed": change.reason, "proven": change.proven}
        facts = judged(model, row, change.row, to)
        fewest = change.at_least == change.n_changes
        return {**facts, "proven": change.proven, "fewest": fewest}

    return ask


def peer(
    method: str, model: Any, X: pd.DataFrame, y: Any
) -> Callable[[pd.DataFrame, int], dict[str, Any]]:
    """Return what asks a method of DiCE, all of whose columns are categories."""
    import dice_ml

    numbers = np.searchsorted(model.classes_, y)
    table = X.assign(**{LABEL: numbers})
    data = dice_ml.Data(dataframe=table, continuous_features=[], outcome_name=LABEL)
    wrapped = NumberedClasses(model, list(X))
    explainer = dice_ml.Dice(
        data, dice_ml.Model(model=wrapped, backend="sklearn"), method=method
    )
    settings = SETTINGS[method]

    def ask(row: pd.DataFrame, to: int) -> dict[str, Any]:
        np.random.seed(0)  # noqa: NPY002 - what the peer draws from
        try:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                found = explainer.generate_counterfactuals(
                    row, total_CFs=1, desired_class=to, **settings
                )
            changed = found.cf_examples_list[0].final_cfs_df
        except Exception as error:  # whatever a peer fails of is told in the table
            return {"valid": False, "failed": f"{type(error).__name__}: {error}"[:200]}
        if changed is None or not len(changed):
            return {"valid": False, "failed": "none found"}
        return judged(model, row, changed[list(row)].iloc[[0]], to)

    return ask


def line(name: str, answers: list[dict[str, Any]], base: float) -> list[str]:
    """Return the cells of one method on one set; seconds as a ratio to ``base``."""
    valid = [answer for answer in answers if answer["valid"]]
    failed = sorted({a["failed"].split(":")[0] for a in answers if "failed" in a})
    changes = f"{np.mean([a['n_changes'] for a in valid]):.2f}" if valid else "-"
    took = float(np.median([answer["seconds"] for answer in answers]))
    proven = [f"{sum(a.get(k, False) for a in answers)}" for k in ("fewest", "proven")]
    return [
        name if name == "nearkind" else f"DiCE {name}",
        str(len(answers)),
        f"{len(valid)}",
        changes,
        f"{took / base:.1f}",
        *(proven if name == "nearkind" else ["-", "-"]),
        "; ".join(failed) or "-",
    ]


def fewer_counts(answers: dict[str, list[dict[str, Any]]], name: str) -> list[int]:
    """Return on how many rows that both changed we need fewer, as many, and more."""
    pairs = zip(answers["nearkind"], answers[name], strict=False)
    apart = [
        ours["n_changes"] - theirs["n_changes"]
        for ours, theirs in pairs
        if ours["valid"] and theirs["valid"]
    ]
    return [sum(a < 0 for a in apart), apart.count(0), sum(a > 0 for a in apart)]


def page(rows: list[dict[str, Any]], n_rows: int, seconds: float) -> str:
    """Return the page."""
    head = (
        "set", "method", "rows", "valid", "mean changes", "time, ours = 1",
        "proven fewest", "proven fewest and nearest", "failed",
    )  # fmt: skip
    lines, against = [], []
    for row in rows:
        answers = row["answers"]
        base = float(np.median([a["seconds"] for a in answers["nearkind"]]))
        for name, given in answers.items():
            lines.append([row["key"][0], *line(name, given, base)])
            if name != "nearkind":
                counts = map(str, fewer_counts(answers, name))
                against.append([row["key"][0], f"DiCE {name}", *counts])
    used = versions("nearkind", "dice-ml", "scikit-learn")
    return f"""# Counterfactuals

{" ".join(__doc__.partition("    python")[0].replace("``", "`").split())}

{markdown(head, lines)}
Number of changed columns on rows that both methods changed to the requested class:

{markdown(["set", "compared with", "ours fewer", "equal", "ours more"], against)}
Each method processed at most {n_rows} rows of a data set, and stopped after
{seconds:g} seconds. *Valid*: the model predicts the requested class for the changed
row. Time is the median over rows, relative to ours in the same run, on a busy machine.
Means are over the rows that each method processed and changed, which differ between
methods; the second table compares the same rows.

Command: `python -m benchmarks.tasks.changes --output FOLDER --rows {n_rows} --seconds
{seconds:g}`. {used}
"""


def main() -> None:
    """Measure what has not been, and write the page."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=40.0)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = rows_of(
        wanted.output / "changes.jsonl",
        [(name,) for name in wanted.sets],
        lambda name: measured(name, wanted.rows, wanted.seconds),
    )
    PAGE.write_text(page(rows, wanted.rows, wanted.seconds))


if __name__ == "__main__":
    main()
