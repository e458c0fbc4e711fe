"""The methods that are compared: how each is fitted, and what is searched for it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from nearkind import baselines
from nearkind.estimators.learner import CPML
from nearkind.experiments.design import Design
from nearkind.experiments.splits import Part

ENOUGH: dict[str, Any] = {"tol": 1e-2, "max_iter": 60}
"""Of a fit of CPML: a tighter proof does not classify better."""
BEYOND = 1e300
"""A strength at which nothing is learned but ``strength_max_``."""


class Candidate(NamedTuple):
    """A fitted distance, and what its fit took."""

    model: Any
    seconds: float
    strength: float | None = None
    strength_share: float | None = None


class Method(Protocol):
    """Law: candidates depend on part, seed and design alone, the simplest comes first.

    A candidate may be fitted again for the next one: who keeps it takes a copy.
    """

    @property
    def largest(self) -> int | None:
        """How many rows to learn from at most; None: all."""

    def candidates(self, part: Part, seed: int, design: Design) -> Iterator[Candidate]:
        """Fit on a part with each of the settings to choose from."""


@dataclass(frozen=True)
class AsItComes:
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
class AlongStrengths:
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
    **{name: AsItComes(make) for name, make in baselines.all().items()},
    "helic": AlongStrengths(baselines.HELIC),
    "nca": AsItComes(baselines.NCA, largest=4_000),
}
"""Every method by name: ours, and all baselines."""
