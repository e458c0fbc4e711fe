"""Data sets by name: built-in sets, synthetic draws and users' tables.

A trial runs in another process and gets only the name of its set, from which ``load``
makes the rows there.
"""

import json
import re
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind import datasets
from nearkind.datasets.readers import read_labelled
from nearkind.experiments.splits import Part
from nearkind.io import LabelledSource, ReadOptions, short_name

NUMERIC = {
    "adult": {
        "age",
        "fnlwgt",
        "education-num",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
    },
    "census": {
        "age",
        "wage_per_hour",
        "capital_gains",
        "capital_losses",
        "dividends_from_stocks",
        "instance_weight",
        "num_persons_worked_for_employer",
        "weeks_worked_in_year",
    },
}
"""Columns of numbers of the built-in sets, which the paper leaves out."""
_LATER = ("reading", "distinct")
"""Settings that a name lacks by default: the seeds of older rows hang on the name."""
_SYNTHETIC = re.compile(r"synthetic\((.*)\)")
_KEY = re.compile(r"(\w+)=")
_TABLE = re.compile(r"table\((.*)\)", re.DOTALL)


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
    >>> Synthetic.from_name(synthetic.name) == synthetic
    True
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

    @classmethod
    def from_name(cls, name: str) -> "Synthetic | None":
        """Return the settings in a name, None if it is not that of a synthetic set."""
        found = _SYNTHETIC.fullmatch(name)
        if found is None:
            return None
        settings: dict[str, Any] = json.loads("{" + _KEY.sub(r'"\1":', found[1]) + "}")
        return cls(**settings)

    def draw(self, seed: int) -> Part:
        """Return the rows and labels of one draw."""
        data = datasets.make_synthetic(
            **self._asdict(), random_state=seed, as_frame=False
        )
        return Part(data.X, data.y)


class UserTable(NamedTuple):
    """A table in a file, with everything that is needed to read it.

    Attributes
    ----------
    source : LabelledSource
        Path, target and how to read the file. Not standard input, which can be read
        only once.
    given_name : str or None, default=None
        Name to show to people; None is the name of the file. The split of the rows
        depends on this name, not on the folder of the file.

    Examples
    --------
    >>> table = UserTable(LabelledSource("folder/pets.csv", "kind"))
    >>> UserTable.from_name(table.name) == table
    True
    >>> table.display_name
    'pets.csv'
    """

    source: LabelledSource
    given_name: str | None = None

    @property
    def display_name(self) -> str:
        """Name to show to people."""
        return self.given_name or short_name(self.source.data)

    @property
    def name(self) -> str:
        """Name of the set."""
        return f"table({json.dumps([self.source, self.given_name])})"

    @classmethod
    def from_name(cls, name: str) -> "UserTable | None":
        """Return the table of a name, None if it is not that of a user's table."""
        found = _TABLE.fullmatch(name)
        if found is None:
            return None
        (data, target, drop, text, options), given_name = json.loads(found[1])
        options = ReadOptions(*options)
        source = LabelledSource(data, target, tuple(drop), tuple(text), options)
        return cls(source, given_name)

    def read(self) -> Part:
        """Return values (n, D) and labels (n,)."""
        X, y, *_ = read_labelled(self.source)
        values = np.empty((len(y), len(X)), dtype=object)
        for d, column in enumerate(X.values()):
            values[:, d] = column
        return Part(values, np.array(y))


def display_name(name: str) -> str:
    """Return the name of a set to show to people: of a user's table, its file's name.

    Examples
    --------
    >>> display_name("monks1")
    'monks1'
    """
    table = UserTable.from_name(name)
    return name if table is None else table.display_name


def seed_of(dataset: str, repetition: int) -> int:
    """Return the seed of a repetition, a hash of it and of the set's display name.

    Examples
    --------
    >>> seed_of("monks1", 0) == seed_of("monks1", 0) != seed_of("monks1", 1)
    True
    """
    digest = sha256(f"{display_name(dataset)}\n{repetition}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1  # every generator takes 31 bits


def load(name: str, seed: int = 0, numbers: bool = False) -> Part:
    """Return the rows of a set as strings, without its columns of numbers.

    Parameters
    ----------
    name : str
        Name of a built-in set, of a ``Synthetic`` set or of a ``UserTable``.
    seed : int, default=0
        Seed of the draw of a synthetic set.
    numbers : bool, default=False
        Keep columns of numbers, as floats. The paper leaves them out.

    Examples
    --------
    >>> load("monks1").X.shape
    (432, 6)
    """
    if (synthetic := Synthetic.from_name(name)) is not None:
        return synthetic.draw(seed)
    if (table := UserTable.from_name(name)) is not None:
        return table.read()
    data = datasets.load(name, as_frame=False)
    numeric = NUMERIC.get(name, set())
    if numbers and numeric:
        return Part(_with_floats(data, numeric), data.y)
    kept = [d for d, column in enumerate(data.feature_names) if column not in numeric]
    return Part(data.X[:, kept], data.y)


def _with_floats(data: Any, numeric: set[str]) -> NDArray[Any]:
    """Return values (n, D), those of numeric columns as floats or None if missing."""
    X = data.X.astype(object)
    for d, column in enumerate(data.feature_names):
        if column in numeric:
            X[:, d] = [None if value is None else float(value) for value in X[:, d]]
    return X
