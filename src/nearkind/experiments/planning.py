"""Which trials there are: repetitions x sets x methods, small sets first."""

from collections.abc import Iterable, Mapping
from itertools import product

from nearkind.errors import did_you_mean
from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.splits import load
from nearkind.experiments.trial import Trial


def plan(
    sets: Iterable[str],
    methods: Iterable[str],
    repetitions: int,
    design: Design,
    table: Mapping[str, Method] = METHODS,
) -> list[Trial]:
    """Return all trials, repetition by repetition, in each the small sets first.

    Raises
    ------
    ValueError, FileNotFoundError
        If there is no such set or method, or the set's file is not there.

    Examples
    --------
    >>> trials = plan(["balance", "monks1"], ["eskin", "lmnn"], 1, Design())
    >>> [(trial.dataset, trial.name) for trial in trials][:3]
    [('balance', 'eskin'), ('balance', 'lmnn'), ('monks1', 'eskin')]
    """
    names = list(dict.fromkeys(methods))
    chosen = {name: _method(name, table) for name in names}
    by_size = sorted(dict.fromkeys(sets), key=_size)
    return [
        Trial(dataset, name, chosen[name], repetition, design)
        for repetition, dataset, name in product(range(repetitions), by_size, names)
    ]


def _method(name: str, table: Mapping[str, Method]) -> Method:
    if name in table:
        return table[name]
    hint = did_you_mean(name, table, max_listed=50)
    raise ValueError(f"There is no method {name!r}. {hint}")


def _size(name: str) -> tuple[int, str]:
    """Return the number of cells of a set, read here once: it may not be there."""
    return load(name).X.size, name
