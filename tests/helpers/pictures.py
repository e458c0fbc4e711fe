"""One call for each picture, and models on which all of them must work."""

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import nearkind as nk
from helpers.estimator_tables import labelled_table

ODD = [
    'say "so"', "<b>bold</b>", "\N{GRINNING FACE}\N{BROCCOLI}", "$x_1$ and $5", "_",
    "y" * 200, "", "two\nlines", "\\$", "\N{CJK UNIFIED IDEOGRAPH-732B}",
]  # fmt: skip


class Case(NamedTuple):
    model: Any
    X: Any
    y: Any


DRAW = {
    "metric": lambda case, **on: nk.plot.metric(case.model, **on),
    "spectrum": lambda case, **on: nk.plot.spectrum(case.model, **on),
    "relevance": lambda case, **on: nk.plot.relevance(
        case.model, case.X, case.y, n_resamples=5, **on
    ),
    "values": lambda case, **on: nk.plot.values(case.model, case.X.columns[0], **on),
    "rows": lambda case, **on: nk.plot.rows(case.model, case.X, case.y, **on),
    "convergence": lambda case, **on: nk.plot.convergence(case.model, **on),
    "path": lambda case, **on: nk.plot.path(
        case.model, case.X, case.y, strengths=[0.1, 0.5], **on
    ),
    "explanation": lambda case, **on: nk.plot.explanation(
        case.model, case.X.iloc[[0]], case.X.iloc[[-1]], **on
    ),
}


def fitted(X, y, **settings):
    """Fit quickly; that a metric is zero is a case like any other."""
    model = nk.CPML(**{"tol": 0.1, "max_iter": 20, "n_jobs": 1, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Case(model.fit(X, y), X, y)


@cache
def small(**settings):
    return fitted(*labelled_table(), **settings)


@cache
def one_feature():
    X, y = labelled_table()
    return fitted(X[["shape"]], y)


@cache
def constant_column():
    X, y = labelled_table()
    return fitted(X.assign(same="a")[["same", "shape"]], y)


@cache
def wide():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 40)
    cells = (
        y[:, None] + (rng.random((40, 500)) < 0.6) * rng.integers(0, 3, (40, 500))
    ) % 3
    names = [f"column {d}" for d in range(500)]
    return fitted(pd.DataFrame(cells.astype(str), columns=names), y)


@cache
def many_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(24), np.arange(3, 27))
    X = pd.DataFrame({"a": (y + rng.integers(0, 2, len(y))) % 60, "b": y % 5}).astype(
        str
    )
    return fitted(X, np.array([f"class {k}" for k in y]))


@cache
def odd_values():
    rng = np.random.default_rng(0)
    y = np.array(ODD, dtype=object)[rng.integers(0, 3, 60)]
    at = (np.array([ODD.index(v) for v in y]) + rng.integers(0, 8, 60)) % len(ODD)
    cells = np.array(ODD, dtype=object)
    X = pd.DataFrame(
        {ODD[3]: cells[at], "y" * 200: cells[at // 2], ODD[2]: cells[at % 3]}
    )
    return fitted(X, y)


@cache
def equal_rows():
    X = pd.DataFrame({"a": ["x"] * 6, "b": ["z"] * 6})
    return fitted(X, ["p", "q"] * 3)


CASES = {
    make.__name__: make
    for make in (
        small, one_feature, constant_column, wide, many_classes, odd_values, equal_rows
    )
}  # fmt: skip
