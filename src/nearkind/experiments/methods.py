"""The methods that are compared: how each is fitted, and what is searched for it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from nearkind import baselines
from nearkind.estimators.cpml import CPML
from nearkind.estimators.search.estimator import CPMLClassifierCV
from nearkind.experiments.design import Design
from nearkind.experiments.judging import Candidate, facts_of_distance, scores
from nearkind.experiments.splits import Part, Split

ENOUGH: dict[str, Any] = {"tol": 1e-2, "max_iter": 20}
"""Of a fit of CPML along a path: a tighter proof does not classify better."""
BEYOND = 1e300
"""A strength at which nothing is learned but ``strength_max_``."""


class Method(Protocol):
    """Law: what it says depends on parts, seed and design alone."""

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Learn, and return the fields of a row that it knows."""


class Judged:
    """Mixin of a method whose ``candidates`` are distances to choose from."""

    def facts(self: Any, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Choose on the validation part, judge on the test part."""
        return facts_of_distance(self, parts, seed, design)


@dataclass(frozen=True)
class AsItComes(Judged):
    """A distance with its own settings: nothing is searched.

    Attributes
    ----------
    make : returns the distance, unfitted; must be importable, as it goes to a child
    largest : how many rows to learn from at most; None: all
    """

    make: Callable[[], Any]
    largest: int | None = None

    def candidates(self, part: Part, seed: int, design: Design) -> Iterator[Candidate]:
        """Fit once."""
        yield _fitted(seeded(self.make(), seed), part)


@dataclass(frozen=True)
class AlongStrengths(Judged):
    """A distance with a ``strength``, fitted from the strongest to the weakest.

    One object goes along the path, so a ``warm_start`` starts where the last one ended.

    Attributes
    ----------
    make, largest : as in AsItComes
    """

    make: Callable[[], Any]
    largest: int | None = None

    def candidates(self, part: Part, seed: int, design: Design) -> Iterator[Candidate]:
        """Fit along the path."""
        probe = seeded(self.make(), seed).set_params(strength=BEYOND)
        strength_max = probe.fit(*part).strength_max_
        model = seeded(self.make(), seed)
        for strength in design.path(strength_max):
            share = strength / strength_max if strength_max > 0.0 else None
            found = _fitted(model.set_params(strength=strength), part)
            yield found._replace(strength=strength, strength_share=share)


@dataclass(frozen=True)
class Classifying:
    """A classifier that makes its own choices on training and validation part together.

    Attributes
    ----------
    make : returns the classifier, unfitted; must be importable
    """

    make: Callable[[], Any]

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Fit on what is not for testing, judge on the test part."""
        X = np.concatenate([parts.train.X, parts.valid.X])
        y = np.concatenate([parts.train.y, parts.valid.y])
        model = seeded(self.make(), seed)
        start = perf_counter()
        model.fit(X, y)
        seconds = perf_counter() - start
        return {
            "fit_seconds": seconds,
            "search_seconds": seconds,
            "n_training_used": len(y),
            **scores(model.predict(parts.test.X), parts.test.y, y),
        }


def seeded(model: Any, seed: int) -> Any:
    """Return the model with its ``random_state`` set, where it has one."""
    takes_one = "random_state" in model.get_params()
    return model.set_params(random_state=seed) if takes_one else model


def _fitted(model: Any, part: Part) -> Candidate:
    start = perf_counter()
    model.fit(*part)
    return Candidate(model, perf_counter() - start)


METHODS: dict[str, Method] = {
    "cpml-s": AlongStrengths(partial(CPML, "single", warm_start=True, **ENOUGH)),
    "cpml-m": AlongStrengths(partial(CPML, "multi", warm_start=True, **ENOUGH)),
    "cpml-cv": Classifying(CPMLClassifierCV),
    **{name: AsItComes(make) for name, make in baselines.all().items()},
    "helic": AlongStrengths(baselines.HELIC, largest=1_100),
    "nca": AsItComes(baselines.NCA, largest=4_000),
}
"""Every method by name: ours, and all baselines."""
