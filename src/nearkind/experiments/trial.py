"""Trials: one method on one set in one repetition."""

import warnings
from collections.abc import Iterable, Mapping
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

from nearkind.errors import did_you_mean
from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.rows import Key, Row, versions
from nearkind.experiments.sets import BuiltIn, DataSet, seed_of
from nearkind.experiments.splits import split


class Trial(NamedTuple):
    """Everything that another process needs to make a row.

    Attributes
    ----------
    dataset : DataSet
        The set.
    name : str
        Name of the method.
    method : Method
        The method.
    repetition : int
        Number of the repetition, from 0 on.
    design : Design
        What is common to all methods.
    """

    dataset: DataSet
    name: str
    method: Method
    repetition: int
    design: Design

    @property
    def key(self) -> Key:
        """The key of its row."""
        return Key(self.dataset.name, self.name, self.repetition, self.design.label)

    @property
    def seed(self) -> int:
        """Seed of split and method, which depends on set and repetition alone."""
        return seed_of(self.dataset.name, self.repetition)

    def row(self, **facts: Any) -> Row:
        """Return its row with these fields."""
        return Row(*self.key, seed=self.seed, **{"versions": versions(), **facts})

    def run(self) -> Row:
        """Load and split the set, learn and test in this process; return the row."""
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the row says how the fit ended
            whole = self.dataset.load(self.seed, self.design.numbers)
            parts = split(whole, self.seed, self.design.rows)
            facts = self.method.facts(parts, self.seed, self.design)
        return self.row(
            n_features=parts.train.X.shape[1],
            n_train=len(parts.train.y),
            n_valid=len(parts.valid.y),
            n_test=len(parts.test.y),
            seconds=perf_counter() - start,
            **facts,
        )


def plan(
    sets: Iterable[str | DataSet],
    methods: Iterable[str],
    repetitions: int,
    design: Design,
    table: Mapping[str, Method] = METHODS,
) -> list[Trial]:
    """Return all trials, repetition by repetition, in each the small sets first.

    Parameters
    ----------
    sets : iterable of str or DataSet
        Sets, built-in ones by their names; one that occurs twice counts once.
    methods : iterable of str
        Names of methods; one that occurs twice counts once.
    repetitions : int
        Number of repetitions.
    design : Design
        Design of all trials.
    table : mapping of str to Method, default=METHODS
        Methods by name.

    Raises
    ------
    ValueError, FileNotFoundError
        If there is no such set or method, or the file of a set is missing.

    Examples
    --------
    >>> trials = plan(["balance", "monks1"], ["eskin", "lmnn"], 1, Design())
    >>> [(trial.dataset.name, trial.name) for trial in trials][:3]
    [('balance', 'eskin'), ('balance', 'lmnn'), ('monks1', 'eskin')]
    """
    names = list(dict.fromkeys(methods))
    chosen = {name: _method(name, table) for name in names}
    known = (BuiltIn(each) if isinstance(each, str) else each for each in sets)
    by_size = sorted(dict.fromkeys(known), key=_size)
    return [
        Trial(dataset, name, chosen[name], repetition, design)
        for repetition, dataset, name in product(range(repetitions), by_size, names)
    ]


def _method(name: str, table: Mapping[str, Method]) -> Method:
    if name in table:
        return table[name]
    hint = did_you_mean(name, table, max_listed=50)
    raise ValueError(f"There is no method {name!r}. {hint}")


def _size(dataset: DataSet) -> tuple[int, str]:
    """Return the number of values of a set; loading it shows whether it is there."""
    return dataset.load().X.size, dataset.name
