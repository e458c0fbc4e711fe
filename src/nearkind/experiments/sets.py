"""Data sets of experiments: built-in sets, synthetic draws and users' tables.

A trial runs in another process, which gets the set and reads or draws its rows there.
"""

import json
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nearkind import datasets
from nearkind.datasets.catalogue import CATALOGUE, NUMERIC
from nearkind.datasets.readers import read_labelled
from nearkind.experiments.splits import Part
from nearkind.io import LabelledSource

_LATER = ("reading", "distinct")
"""Settings that a name lacks by default: the seeds of older rows hang on the name."""


class DataSet(Protocol):
    """A data set: its rows, and the name by which people and result files know it."""

    @property
    def name(self) -> str:
        """Name of the set, on which the splits of its rows depend."""

    def load(self, seed: int = 0, numbers: bool = False) -> Part:
        """Return the rows.

        Parameters
        ----------
        seed : int, default=0
            Seed of the draw, if they are drawn.
        numbers : bool, default=False
            Keep columns of numbers, as floats, where the paper leaves them out.
        """


class BuiltIn(NamedTuple):
    """A set that :func:`nearkind.datasets.load` knows.

    Attributes
    ----------
    name : str
        Name of the set.

    Examples
    --------
    >>> BuiltIn("monks1").load().X.shape
    (432, 6)
    """

    name: str

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return CATALOGUE[self.name].n_samples

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return CATALOGUE[self.name].n_classes

    def load(self, seed: int = 0, numbers: bool = False) -> Part:
        """Return the rows as strings, without columns of numbers or these as floats."""
        data = datasets.load(self.name, as_frame=False)
        numeric = NUMERIC.get(self.name, set())
        if numbers and numeric:
            return Part(_with_floats(data, numeric), data.y)
        kept = [d for d, name in enumerate(data.feature_names) if name not in numeric]
        return Part(data.X[:, kept], data.y)


class Synthetic(NamedTuple):
    """The paper's synthetic data with these settings; each seed is another draw.

    Attributes
    ----------
    n_samples, n_features, n_classes, weight, n_noisy, reading, distinct
        As in :func:`nearkind.datasets.make_synthetic`. The name has the last two only
        where they are not the default.

    Examples
    --------
    >>> synthetic = Synthetic(n_features=5, weight=0.5)
    >>> synthetic.name
    'synthetic(n_samples=1000, n_features=5, n_classes=4, weight=0.5, n_noisy=0)'
    >>> Synthetic(distinct=True).name.split(", ")[-1]
    'distinct=true)'
    """

    n_samples: int = 1000
    n_features: int = 10
    n_classes: int = 4
    weight: float = 0.3
    n_noisy: int = 0
    reading: str = "raw"
    distinct: bool = False

    @property
    def name(self) -> str:
        """Name of the set."""
        settings = ", ".join(
            f"{key}={json.dumps(value)}"
            for key, value in self._asdict().items()
            if key not in _LATER or value != self._field_defaults[key]
        )
        return f"synthetic({settings})"

    def load(self, seed: int = 0, numbers: bool = False) -> Part:
        """Return the rows and labels of one draw."""
        data = datasets.make_synthetic(
            **self._asdict(), random_state=seed, as_frame=False
        )
        return Part(data.X, data.y)


class UserTable(NamedTuple):
    """A table in a file.

    Attributes
    ----------
    name : str
        Name of the table, on which the split of its rows depends.
    source : LabelledSource
        Path, target and how to read the file. Not standard input, which can be read
        only once.
    """

    name: str
    source: LabelledSource

    def load(self, seed: int = 0, numbers: bool = False) -> Part:
        """Return values (n, D) and labels (n,)."""
        table = read_labelled(self.source)
        values = np.empty((len(table.y), len(table.X)), dtype=object)
        for d, column in enumerate(table.X.values()):
            values[:, d] = column
        return Part(values, np.array(table.y))


def seed_of(name: str, repetition: int) -> int:
    """Return the seed of a repetition, a hash of it and of the name of the set.

    Examples
    --------
    >>> seed_of("monks1", 0) == seed_of("monks1", 0) != seed_of("monks1", 1)
    True
    """
    digest = sha256(f"{name}\n{repetition}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1  # every generator takes 31 bits


def _with_floats(data: Any, numeric: set[str]) -> NDArray[Any]:
    """Return values (n, D), those of numeric columns as floats or None if missing."""
    X = data.X.astype(object)
    for d, column in enumerate(data.feature_names):
        if column in numeric:
            X[:, d] = [None if value is None else float(value) for value in X[:, d]]
    return X
