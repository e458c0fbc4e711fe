"""The methods that are compared: how each is fitted, selected and tested.

A distance is fitted on the training part with every setting to try, the one that does
best on the validation part is selected, and that one is scored on the test part. A
classifier makes its own choices on training and validation part together.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from nearkind import baselines
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.cpml import CPML
from nearkind.experiments.design import Design
from nearkind.experiments.scores import accuracies, accuracy, has_triplets
from nearkind.experiments.splits import Part, Split, joined, subsample
from nearkind.search.classifier_cv import CPMLClassifierCV

BEYOND = 1e300
"""A strength at which a fit only finds ``strength_max_``."""
TINY = np.finfo(float).tiny
STATED = {"rank": int, "objective": float, "gap": float, "stop_reason": str}
"""Attributes of a fitted distance, without underscore, that become fields of a row."""


class Method(Protocol):
    """A method of an experiment.

    Law: the result depends on parts, seed and design alone.
    """

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Learn and test; return the fields of a row that this method knows."""


class FittedDistance(NamedTuple):
    """A distance, fitted with one of the settings to try.

    Attributes
    ----------
    model : estimator
        The distance. It may be fitted again for the next setting: copy it to keep it.
    seconds : float
        Time of the fit.
    strength, strength_share : float or None, default=None
        The strength, and its share of ``strength_max_``.
    """

    model: Any
    seconds: float
    strength: float | None = None
    strength_share: float | None = None

    @property
    def stop_reason(self) -> str | None:
        """Name of the reason for which the fit ended, if the distance states one."""
        return getattr(self.model, "stop_reason_", None)

    @property
    def gap_share(self) -> float | None:
        """Proven gap as a share of the objective, None if there is no proof."""
        gap = getattr(self.model, "gap_", None)
        if gap is None or not np.isfinite(gap):
            return None
        return float(gap / max(abs(self.model.objective_), TINY))


class Selection(NamedTuple):
    """The fitted distance that does best on the validation part.

    Attributes
    ----------
    distance : FittedDistance
        The distance.
    classifier : CPMLClassifier
        All training rows under this distance.
    n_neighbors : int
        Number of neighbours that does best.
    valid_accuracy : float
        Accuracy on the validation part.
    n_training_used : int
        Number of rows from which the distance was learned.
    search_seconds : float, default=0.0
        Time of all fits.
    stops : mapping of str to int, default={}
        How often each reason ended a fit of the search.
    largest_gap : float or None, default=None
        Largest proven gap of these fits, as a share of the objective.
    """

    distance: FittedDistance
    classifier: CPMLClassifier
    n_neighbors: int
    valid_accuracy: float
    n_training_used: int
    search_seconds: float = 0.0
    stops: Mapping[str, int] = MappingProxyType({})
    largest_gap: float | None = None

    def facts(self) -> dict[str, Any]:
        """Return what was selected and what the distance states, for a row."""
        model, seconds, strength, share = self.distance
        stated = {name: getattr(model, f"{name}_", None) for name in STATED}
        return {
            "strength": strength,
            "strength_share": share,
            "n_neighbors": self.n_neighbors,
            "valid_accuracy": self.valid_accuracy,
            "n_training_used": self.n_training_used,
            "fit_seconds": seconds,
            "search_seconds": self.search_seconds,
            "stops": dict(self.stops),
            "largest_gap": self.largest_gap,
            **{name: STATED[name](x) for name, x in stated.items() if x is not None},
        }


@dataclass(frozen=True)
class DistanceMethod:
    """A distance with its default settings: only the number of neighbours is searched.

    Parameters
    ----------
    make : callable
        Returns the unfitted distance. Must be importable, as it goes to a sandbox.
    largest : int or None, default=None
        Learn from a stratified sample of so many rows of a larger training part.
    """

    make: Callable[[], Any]
    largest: int | None = None

    def fits(self, part: Part, seed: int, design: Design) -> Iterator[FittedDistance]:
        """Yield the distance fitted with each of the settings, the simplest first."""
        yield fit_timed(seeded(self.make(), seed), part)

    def select(self, parts: Split, seed: int, design: Design) -> Selection:
        """Return the best distance and number of neighbours, the first of equal ones.

        Only the training and the validation part are used.
        """
        best, seconds = None, 0.0
        stops: Counter[str] = Counter()
        gaps: list[float] = []
        part = subsample(parts.train, self.largest, seed)
        for fitted in self.fits(part, seed, design):
            seconds += fitted.seconds
            stops.update([fitted.stop_reason] if fitted.stop_reason else [])
            gaps += [] if fitted.gap_share is None else [fitted.gap_share]
            kept = fitted._replace(model=copy(fitted.model))  # it is fitted again
            classifier = CPMLClassifier().fit_over(kept.model, *parts.train)
            for k in design.neighbors:
                answers = classifier.set_params(n_neighbors=k).predict(parts.valid.X)
                right = accuracy(answers, parts.valid.y)
                if best is None or right > best.valid_accuracy:
                    best = Selection(kept, classifier, k, right, len(part.y))
        if best is None:
            raise ValueError(f"{type(self).__name__}.fits yielded no fitted distance.")
        largest_gap = max(gaps, default=None)
        return best._replace(
            search_seconds=seconds, stops=stops, largest_gap=largest_gap
        )

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Select on the validation part, score on the test part."""
        selection = self.select(parts, seed, design)
        return {**selection.facts(), **_test_scores(selection, parts)}


class StrengthPath(DistanceMethod):
    """A distance with a ``strength``, which is searched from strong to weak.

    One object is fitted along the path, so with ``warm_start`` each fit starts from
    the last one. Parameters are those of ``DistanceMethod``.
    """

    def fits(self, part: Part, seed: int, design: Design) -> Iterator[FittedDistance]:
        """Yield the distance fitted at each strength, the strongest first."""
        probe = self.model(seed, design).set_params(strength=BEYOND)
        strength_max = probe.fit(*part).strength_max_
        model = self.model(seed, design)
        for strength in design.path(strength_max):
            share = strength / strength_max if strength_max > 0.0 else None
            fitted = fit_timed(model.set_params(strength=strength), part)
            yield fitted._replace(strength=strength, strength_share=share)

    def model(self, seed: int, design: Design) -> Any:
        """Return the unfitted distance."""
        return seeded(self.make(), seed)


class CPMLPath(StrengthPath):
    """CPML along its strengths, with the parameters of the design."""

    def model(self, seed: int, design: Design) -> Any:
        """Return the unfitted distance."""
        return seeded(self.make(), seed).set_params(**design.of_cpml)


@dataclass(frozen=True)
class ClassifierMethod:
    """A classifier that makes its own choices on training and validation rows.

    Parameters
    ----------
    make : callable
        Returns the unfitted classifier. Must be importable, as it goes to a sandbox.
    """

    make: Callable[[], Any]

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Fit on all rows but the test part, score on the test part."""
        known = joined(parts.train, parts.valid)
        model, seconds, *_ = fit_timed(seeded(self.make(), seed), known)
        return {
            "fit_seconds": seconds,
            "search_seconds": seconds,
            "n_training_used": len(known.y),
            **accuracies(model.predict(parts.test.X), parts.test.y, known.y),
        }


def seeded(model: Any, seed: int) -> Any:
    """Return the model with its ``random_state`` set, if it has one."""
    takes_one = "random_state" in model.get_params()
    return model.set_params(random_state=seed) if takes_one else model


def fit_timed(model: Any, part: Part) -> FittedDistance:
    """Return the model, fitted, with the time that it took."""
    start = perf_counter()
    model.fit(*part)
    return FittedDistance(model, perf_counter() - start)


def _test_scores(selection: Selection, parts: Split) -> dict[str, float | None]:
    X, y = parts.test
    classifier = selection.classifier.set_params(n_neighbors=selection.n_neighbors)
    triplets = selection.distance.model.triplet_accuracy if has_triplets(y) else None
    return {
        **accuracies(classifier.predict(X), y, parts.train.y),
        "triplet_accuracy": None if triplets is None else float(triplets(X, y)),
    }


METHODS: dict[str, Method] = {
    "cpml-s": CPMLPath(partial(CPML, "single", warm_start=True)),
    "cpml-m": CPMLPath(partial(CPML, "multi", warm_start=True)),
    "cpml-cv": ClassifierMethod(CPMLClassifierCV),
    **{name: DistanceMethod(make) for name, make in baselines.all().items()},
    "helic": StrengthPath(baselines.HELIC, largest=1_100),
    "nca": DistanceMethod(baselines.NCA, largest=4_000),
}
"""Every method by name: ours, and all baselines."""
