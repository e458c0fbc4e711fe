"""The numbers that the paper prints, read from the folder ``printed``."""

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

METHODS = ("euclidean", "cpml-s", "cpml-m", "kdml", "lmnn", "helic", "dm3")
"""Columns of the paper's tables of accuracies, by the names of our methods."""


class MeanAndDeviation(NamedTuple):
    """A mean and a standard deviation."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.deviation:.3f}"


class SetSize(NamedTuple):
    """The size of a data set: a row of the paper's table."""

    rows: int
    features: int
    classes: int


@cache
def accuracies(kind: str) -> dict[tuple[str, str], MeanAndDeviation]:
    """Return the printed accuracies by set and method.

    Parameters
    ----------
    kind : {"triplets", "classification"}
        Which table.

    Examples
    --------
    >>> str(accuracies("triplets")["balance", "cpml-s"])
    '0.848 ± 0.025'
    """
    return {
        (row["dataset"], method): MeanAndDeviation(
            float(row[method]), float(row[f"{method} sd"])
        )
        for row in _read(kind)
        for method in METHODS
    }


@cache
def set_sizes() -> dict[str, SetSize]:
    """Return the printed sizes of the data sets, by name.

    Examples
    --------
    >>> set_sizes()["monks2"]
    SetSize(rows=12958, features=8, classes=4)
    """
    return {
        row["dataset"]: SetSize(*(int(row[name]) for name in SetSize._fields))
        for row in _read("sets")
    }


@cache
def set_notes() -> dict[str, str]:
    """Return what is to be said of the printed size of each data set, if anything.

    Examples
    --------
    >>> set_notes()["monks1"]
    'repeats the row of Voting'
    """
    return {row["dataset"]: row["note"] for row in _read("sets")}


@cache
def noise() -> dict[tuple[int, int], MeanAndDeviation]:
    """Return the printed shares of noisy features, by their number and by p.

    Examples
    --------
    >>> noise()[13, 1].mean
    0.017
    """
    return {
        (int(row["noisy"]), p): MeanAndDeviation(
            float(row[f"{p}"]), float(row[f"{p} sd"])
        )
        for row in _read("noise")
        for p in (1, 2, 3)
    }


def _read(name: str) -> list[dict[str, str]]:
    path = files("nearkind.experiments.paper").joinpath(f"printed/{name}.csv")
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))
