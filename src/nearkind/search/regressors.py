"""Regressors on a table whose target is a number: rivals, and trials on a split."""

from time import perf_counter
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from nearkind.protocols import Array
from nearkind.search.regressor_cv import CPMLRegressorCV
from nearkind.tables import FactorizedTable

REGRESSORS = "cv", "mean", "ridge", "forest", "boosting", "neighbors"
"""Names: CPMLRegressorCV, and methods of scikit-learn."""


def rivals(words: list[int], numbers: list[int]) -> dict[str, Any]:
    """Return scikit-learn's regressors by name, of columns of codes and of numbers."""

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
    return dict(zip(REGRESSORS[1:], models, strict=True))


def number_trial(
    name: str, table: FactorizedTable, y: Array, parts: Any, seconds: float
) -> dict[str, float]:
    """Return the scores of a method on a split, and its seconds."""
    start, (train, test) = perf_counter(), parts
    if name == REGRESSORS[0]:
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
