"""Data sets that are derived from others."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nearkind.datasets.dataset import Dataset


class Derivation(NamedTuple):
    """How a set is made of another.

    Attributes
    ----------
    parent : str
        Name of the other set.
    derive : callable
        Returns the set, given the other.
    about : str
        What is done, in words.
    """

    parent: str
    derive: Callable[[Dataset], Dataset]
    about: str


def complete_rows(data: Dataset) -> Dataset:
    """Return the rows without a missing value.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    Dataset

    Examples
    --------
    >>> X = np.array([["y", None], ["n", "y"]], dtype=object)
    >>> complete_rows(Dataset(["a", "b"], "class", X, X[:, 0])).X.tolist()
    [['n', 'y']]
    """
    complete = np.array([None not in row for row in data.X.tolist()])  # (n,)
    return data._replace(X=data.X[complete], y=data.y[complete])


def plain_letters(data: Dataset) -> Dataset:
    """Return DNA in the four letters of the StatLog set, labels in lower case.

    Rows with the ambiguity letters D, R or S are dropped and N is read as G, as StatLog
    did. The rows are those of its file; their order is that of ``data``.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    Dataset

    Examples
    --------
    >>> X = np.array([["A", "N"], ["D", "C"]], dtype=object)
    >>> plain_letters(Dataset(["p1", "p2"], "class", X, X[:, 0])).X.tolist()
    [['A', 'G']]
    """
    kept = ~np.isin(data.X, ["D", "R", "S"]).any(axis=1)  # (n,)
    X = data.X[kept]
    X[X == "N"] = "G"
    y = np.array([label.lower() for label in data.y[kept]], dtype=object)
    return data._replace(X=X, y=y)


DERIVED = {
    "dna_nominal": Derivation(
        "splice",
        plain_letters,
        "no row with D, R or S, N read as G, rows in its order",
    ),
    "housevotes": Derivation("voting", complete_rows, "rows without a missing value"),
}
"""Name of a set to what it is derived from."""
