"""Regressors evaluated on a user's table: R2 and errors on the same splits."""

from time import perf_counter
from typing import Any

import numpy as np
import typer

from nearkind import CPMLRegressorCV
from nearkind.cli.comparison import rank
from nearkind.cli.methods import SEARCH, name_of
from nearkind.cli.number_fits import numbered_table, predicts_number
from nearkind.cli.options import Trials
from nearkind.cli.progress import progress_bar
from nearkind.cli.usable_columns import declare, without_aside
from nearkind.datasets.readers import read_data
from nearkind.errors import did_you_mean
from nearkind.io import Columns, LabelledSource, short_name
from nearkind.io.sources import can_be_read_once
from nearkind.protocols import Array
from nearkind.tables import FactorizedTable

HELD = 5
"""One row in so many is held out."""
RIVALS = "mean", "ridge", "forest", "boosting", "neighbors"
"""Names of the methods of scikit-learn."""


def rivals(words: list[int], numbers: list[int]) -> dict[str, Any]:
    """Return scikit-learn's regressors by name, of columns of codes and of numbers."""
    from sklearn.compose import make_column_transformer
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import RidgeCV
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

    def on(encoder: Any, model: Any) -> Any:
        scaled = make_pipeline(SimpleImputer(), StandardScaler())
        columns = make_column_transformer((encoder, words), (scaled, numbers))
        return make_pipeline(columns, model)

    one_hot = OneHotEncoder(handle_unknown="ignore")
    means = TargetEncoder(target_type="continuous", random_state=0)
    models = (
        DummyRegressor(),
        on(one_hot, RidgeCV(np.logspace(-2, 4, 13))),
        on(one_hot, RandomForestRegressor(100, random_state=0)),
        HistGradientBoostingRegressor(random_state=0),
        on(
            make_pipeline(means, StandardScaler()),
            KNeighborsRegressor(9, weights="distance"),
        ),
    )
    return dict(zip(RIVALS, models, strict=True))


def number_columns(source: LabelledSource, task: str) -> Columns | None:
    """Return the columns of a table whose target is a number, None if it is a class.

    What can be read only once is taken for classes, unless the task is stated.
    """
    if task == "class" or (task == "auto" and can_be_read_once(source.data)):
        return None
    columns = read_data(source.data, source.options)
    return columns if predicts_number(columns, source, task) else None


def number_scores(
    columns: Columns, source: LabelledSource, trials: Trials, ranked: bool
) -> dict[str, Any]:
    """Return the mean scores of regressors on the same splits, with ranks if wanted."""
    names = list(dict.fromkeys(map(name_of, trials.method or (SEARCH, *RIVALS))))
    for name in names:
        if name not in (SEARCH, *RIVALS):
            hint = did_you_mean(name, (SEARCH, *RIVALS))
            raise typer.BadParameter(f"no method {name!r} predicts numbers. {hint}")
    X, y = numbered_table(columns, source)
    where, known = short_name(source.data), np.flatnonzero(~np.isnan(y))
    if len(known) < 2 * HELD:
        raise ValueError(
            f"{where} has {len(known)} rows with a number; comparing takes at least "
            f"{2 * HELD}."
        )
    table = declare(without_aside(X, source.text, where), source.text).take(known)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    with progress_bar("fits", trials.repeats * len(names)) as advance:
        for repeat in range(trials.repeats):
            order = np.random.default_rng(repeat).permutation(len(known))
            parts = order[len(order) // HELD :], order[: len(order) // HELD]
            for name in names:
                found[name].append(_trial(name, table, y[known], parts, trials.seconds))
                advance(1)
    facts = {
        "data": where,
        "target": source.target,
        "task": "number",
        "rows": len(known),
        "features": len(table.names),
        "repeats": trials.repeats,
        "methods": [_means(name, scores) for name, scores in found.items()],
    }
    r2 = {name: [each["r2"] for each in scores] for name, scores in found.items()}
    return rank(facts, r2) if ranked else facts


def _means(name: str, scores: list[dict[str, float]]) -> dict[str, Any]:
    table = {key: np.array([each[key] for each in scores]) for key in scores[0]}
    means = {key: float(column.mean()) for key, column in table.items()}
    spread = {f"{key}_deviation": float(x.std()) for key, x in table.items()}
    del spread["seconds_deviation"]
    return {"method": name, "status": "done", **means, **spread}


def _trial(
    name: str, table: FactorizedTable, y: Array, parts: Any, seconds: float
) -> dict[str, float]:
    """Return the scores of a method on a split, and its seconds."""
    start, (train, test) = perf_counter(), parts
    if name == SEARCH:
        model = CPMLRegressorCV(time_budget=seconds).fit(table.take(train), y[train])
        predicted = model.predict(table.take(test))
    else:
        x, words = _matrix(table)
        models = rivals(words, [d for d in range(x.shape[1]) if d not in words])
        predicted = models[name].fit(x[train], y[train]).predict(x[test])
    errors, variance = predicted - y[test], float(y[test].var())
    return {
        "r2": 1.0 - float(np.mean(errors**2)) / max(variance, 1e-300),
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "mae": float(np.abs(errors).mean()),
        "seconds": perf_counter() - start,
    }


def _matrix(table: FactorizedTable) -> tuple[Array, list[int]]:
    """Return numbers, or the codes of words (n, D), and which columns are words."""
    found, words = [], []
    for d, (column, codes) in enumerate(zip(table.columns, table.codes.T, strict=True)):
        if column.numeric is None:
            words.append(d)
        found.append(codes if column.numeric is None else column.numeric[codes])
    return np.column_stack(found).astype(float), words
