"""One trial: a set is split, and a method says what a row is to say."""

import warnings
from time import perf_counter
from typing import Any, NamedTuple

from nearkind.experiments.design import Design
from nearkind.experiments.methods import Method
from nearkind.experiments.rows import Key, Row, versions
from nearkind.experiments.splits import load, seed_of, split


class Trial(NamedTuple):
    """What a row is to be of; a process of its own can do it from this alone."""

    dataset: str
    name: str
    method: Method
    repetition: int
    design: Design

    @property
    def key(self) -> Key:
        """The key of its row."""
        return Key(self.dataset, self.name, self.repetition, self.design.label)

    @property
    def seed(self) -> int:
        """Depends on set and repetition alone."""
        return seed_of(self.dataset, self.repetition)

    def row(self, **facts: Any) -> Row:
        """Return its row with these facts."""
        return Row(*self.key, seed=self.seed, versions=versions(), **facts)


def make_row(trial: Trial) -> Row:
    """Run a trial here and now."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the row says how the fit ended
        whole = load(trial.dataset, trial.seed, numbers=trial.design.numbers)
        parts = split(whole, trial.seed, trial.design.rows)
        facts = trial.method.facts(parts, trial.seed, trial.design)
    return trial.row(
        n_features=parts.train.X.shape[1],
        n_train=len(parts.train.y),
        n_valid=len(parts.valid.y),
        n_test=len(parts.test.y),
        seconds=perf_counter() - start,
        **facts,
    )
