"""The numbers that the paper prints, as files beside this one."""

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

METHODS = ("euclidean", "cpml-s", "cpml-m", "kdml", "lmnn", "helic", "dm3")
"""Columns of the paper's tables of accuracies, by our names."""


class Figure(NamedTuple):
    """A printed mean and standard deviation."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.deviation:.3f}"


class SetFacts(NamedTuple):
    """A printed row of the table of data sets."""

    rows: int
    features: int
    classes: int


@cache
def accuracies(kind: str) -> dict[tuple[str, str], Figure]:
    """Return printed accuracies by set and method.

    Parameters
    ----------
    kind : "triplets" or "classification"

    Examples
    --------
    >>> str(accuracies("triplets")["balance", "cpml-s"])
    '0.848 ± 0.025'
    """
    return {
        (row["dataset"], method): Figure(float(row[method]), float(row[f"{method} sd"]))
        for row in _read(kind)
        for method in METHODS
    }


@cache
def sets() -> dict[str, SetFacts]:
    """Return the printed table of data sets.

    Examples
    --------
    >>> sets()["monks2"]
    SetFacts(rows=12958, features=8, classes=4)
    """
    return {
        row["dataset"]: SetFacts(*(int(row[name]) for name in SetFacts._fields))
        for row in _read("sets")
    }


@cache
def noise() -> dict[tuple[int, int], Figure]:
    """Return the printed shares of noisy features, by their number and by p.

    Examples
    --------
    >>> noise()[13, 1].mean
    0.017
    """
    return {
        (int(row["noisy"]), p): Figure(float(row[f"{p}"]), float(row[f"{p} sd"]))
        for row in _read("noise")
        for p in (1, 2, 3)
    }


def _read(name: str) -> list[dict[str, str]]:
    text = (
        files("nearkind.experiments.paper")
        .joinpath(f"printed/{name}.csv")
        .read_text("utf-8")
    )
    return list(csv.DictReader(text.splitlines()))
