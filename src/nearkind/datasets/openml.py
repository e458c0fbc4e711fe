"""Sets from OpenML, cleaned to the form of the files."""

import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from nearkind.datasets.catalogue import CATALOGUE, COLUMNS, OPENML
from nearkind.datasets.dataset import Dataset, ObjectArray

_SAME: Mapping[str, str] = MappingProxyType({})
_IDENTIFIERS = {"animal", "instance", "instance_name"}
_TIMEOUT = 30.0  # seconds of silence


class Recipe(NamedTuple):
    """How to get a set from OpenML.

    Attributes
    ----------
    data_id : int
        Number of the set there.
    values, labels : mapping of str to str
        Their names there to the names in the files.
    n_first : int or None, default=None
        Rows to keep; None: all.
    """

    data_id: int
    values: Mapping[str, str] = _SAME
    labels: Mapping[str, str] = _SAME
    n_first: int | None = None


RECIPES = {name: Recipe(**facts) for name, facts in OPENML.items()}
"""Name of a set to how it is had from OpenML."""


def fetch(name: str) -> Dataset:
    """Download a set.

    Parameters
    ----------
    name : str
        One of ``RECIPES``.

    Returns
    -------
    Dataset
        Columns named as in the files, whole numbers without a decimal point.

    Raises
    ------
    OSError, ValueError, ImportError
        If OpenML is out of reach, has another set under this number, or pandas is
        not installed.

    Examples
    --------
    >>> RECIPES["mushroom"].data_id
    24
    """
    recipe = RECIPES[name]
    X, labels = _features_and_label(_download(recipe.data_id))
    wanted = CATALOGUE[name]
    n_samples = recipe.n_first or len(X)
    y = _words(labels[:n_samples], recipe.labels)
    got = (n_samples, X.shape[1], len(set(y)))
    if got != wanted[:3]:
        raise ValueError(
            f"data set {recipe.data_id} there has {got} rows, features and classes "
            f"instead of {wanted[:3]}"
        )
    columns = [_words(X[column][:n_samples], recipe.values) for column in X]
    return Dataset(list(COLUMNS[name]), "class", np.stack(columns, axis=1), y)


def _download(data_id: int) -> Any:
    """Return what OpenML has under a number."""
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings(), _timeout():
        warnings.simplefilter("ignore")  # on retries; the caller checks the result
        return fetch_openml(data_id=data_id, as_frame=True, cache=False, n_retries=1)


@contextmanager
def _timeout() -> Iterator[None]:
    """Set a timeout of connections, which have none by default."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_TIMEOUT)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _features_and_label(data: Any) -> tuple[Any, Any]:
    """Return the columns and the label, the last column where none is named."""
    X, y = data.data, data.target
    if y is None:
        X, y = X.iloc[:, :-1], X.iloc[:, -1]
    return X[[column for column in X if column.lower() not in _IDENTIFIERS]], y


def _words(column: Any, names: Mapping[str, str]) -> ObjectArray:
    """Return a column as strings, None for a missing value."""
    codes, values = column.factorize()  # a missing value is -1, hence the last
    return np.array([*(_word(value, names) for value in values), None], object)[codes]


def _word(value: Any, names: Mapping[str, str]) -> str | None:
    """Return one value as the files spell it."""
    whole = isinstance(value, Real) and float(value).is_integer()
    word = str(int(value)) if whole else str(value).strip()
    return None if word == "?" else names.get(word, word)
