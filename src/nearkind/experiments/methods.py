"""The methods that are compared: how each is fitted, selected and tested.

A distance is fitted on the training part with every setting to try, the one that does
best on the validation part is selected, and that one is scored on the test part. A
classifier makes its own choices on training and validation part together.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from nearkind import baselines
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.cpml import CPML
from nearkind.experiments.design import Design
from nearkind.experiments.scores import (
    accuracies,
    accuracy,
    has_triplets,
    pair_accuracy,
)
from nearkind.experiments.splits import Part, Split, joined, subsample
from nearkind.search.classifier_cv import CPMLClassifierCV

BEYOND = 1e300
"""A strength at which a fit only finds ``strength_max_``."""
PAIR_ROWS = 2_000
"""Rows of a part whose pairs are scored; larger parts are subsampled."""
TINY = np.finfo(float).tiny
STATED = {"rank": int, "objective": float, "gap": float, "stop_reason": str}
"""Attributes of a fitted distance, without underscore, that become fields of a row."""


class Method(Protocol):
    """A method of an experiment.

    Law: the result depends on parts, seed and design alone.
    """

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Learn and test; return the fields of a row that this method knows."""


class TimedModel(NamedTuple):
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

    def facts(self) -> dict[str, Any]:
        """Return what the distance states, as fields of a row."""
        stated = {name: getattr(self.model, f"{name}_", None) for name in STATED}
        return {
            "strength": self.strength,
            "strength_share": self.strength_share,
            "fit_seconds": self.seconds,
            **{name: STATED[name](x) for name, x in stated.items() if x is not None},
        }


class Selection(NamedTuple):
    """The candidate that does best on the validation part.

    Attributes
    ----------
    model : estimator
        The distance.
    classifier : CPMLClassifier
        All training rows under this distance.
    facts : dict
        What was selected and how the fits ended, as fields of a row.
    """

    model: Any
    classifier: CPMLClassifier
    facts: dict[str, Any]


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

    def fits(self, part: Part, seed: int, design: Design) -> Iterator[TimedModel]:
        """Yield the distance fitted with each of the settings, the simplest first."""
        yield fit_timed(seeded(self.make(), seed), part)

    def select(self, parts: Split, seed: int, design: Design) -> Selection:
        """Return the best distance and number of neighbours, the first of equal ones.

        Only the training and the validation part are used.
        """
        best: Selection | None = None
        fits = []
        part = subsample(parts.train, self.largest, seed)
        for candidate in self.fits(part, seed, design):
            model = copy(candidate.model)  # it is fitted again
            fits.append((candidate.seconds, candidate.stop_reason, candidate.gap_share))
            classifier = CPMLClassifier().fit_over(model, *parts.train)
            for k in design.neighbors:
                answers = classifier.set_params(n_neighbors=k).predict(parts.valid.X)
                right = accuracy(answers, parts.valid.y)
                if best is None or right > best.facts["valid_accuracy"]:
                    chosen = {"n_neighbors": k, "valid_accuracy": right}
                    best = Selection(model, classifier, {**candidate.facts(), **chosen})
        if best is None:
            raise ValueError(f"{type(self).__name__}.fits yielded no fitted distance.")
        best.classifier.set_params(n_neighbors=best.facts["n_neighbors"])
        seconds, reasons, gaps = zip(*fits, strict=True)
        common = {
            "n_training_used": len(part.y),
            "search_seconds": sum(seconds),
            "stops": dict(Counter(name for name in reasons if name)),
            "largest_gap": max((gap for gap in gaps if gap is not None), default=None),
        }
        return best._replace(facts={**best.facts, **common})

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Select on the validation part, score on the test part."""
        model, classifier, facts = self.select(parts, seed, design)
        X, y = parts.test
        scores: dict[str, float] = {}
        if has_triplets(y):
            scores["triplet_accuracy"] = float(model.triplet_accuracy(X, y))
        if min(len(parts.valid.y), len(y)) > 1:
            some = (subsample(p, PAIR_ROWS, seed) for p in (parts.valid, parts.test))
            sides = [(model.pairwise_distances(p.X), p.y) for p in some]
            scores["pair_accuracy"] = pair_accuracy(*sides[0], *sides[1])
        return {
            **facts,
            **accuracies(classifier.predict(X), y, parts.train.y),
            **scores,
        }


class StrengthPath(DistanceMethod):
    """A distance with a ``strength``, which is searched from strong to weak.

    One object is fitted along the path, so with ``warm_start`` each fit starts from
    the last one. Parameters are those of ``DistanceMethod``.
    """

    def fits(self, part: Part, seed: int, design: Design) -> Iterator[TimedModel]:
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


def fit_timed(model: Any, part: Part) -> TimedModel:
    """Return the model, fitted, with the time that it took."""
    start = perf_counter()
    model.fit(*part)
    return TimedModel(model, perf_counter() - start)


METHODS: dict[str, Method] = {
    "cpml-s": CPMLPath(partial(CPML, "single", warm_start=True)),
    "cpml-m": CPMLPath(partial(CPML, "multi", warm_start=True)),
    "cpml-cv": ClassifierMethod(CPMLClassifierCV),
    **{name: DistanceMethod(make) for name, make in baselines.all().items()},
    "helic": StrengthPath(baselines.HELIC, largest=1_100),
    "nca": DistanceMethod(baselines.NCA, largest=4_000),
}
"""Every method by name: ours, and all baselines."""
