"""Learn, choose on the validation part, judge once on the test part.

The same for every distance; what differs is in ``methods``.
"""

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.classifier import CPMLClassifier
from nearkind.experiments.design import Design
from nearkind.experiments.splits import Part, Split, subsample


class Candidate(NamedTuple):
    """A fitted distance, and what its fit took."""

    model: Any
    seconds: float
    strength: float | None = None
    strength_share: float | None = None


class Distances(Protocol):
    """Law: candidates depend on part, seed and design alone, the simplest comes first.

    A candidate may be fitted again for the next one: who keeps it takes a copy.
    """

    @property
    def largest(self) -> int | None:
        """How many rows to learn from at most; None: all."""

    def candidates(self, part: Part, seed: int, design: Design) -> Iterator[Candidate]:
        """Fit on a part with each of the settings to choose from."""


class Chosen(NamedTuple):
    """The candidate that does best on the validation part."""

    candidate: Candidate
    classifier: CPMLClassifier
    n_neighbors: int
    valid_accuracy: float
    n_training_used: int
    search_seconds: float = 0.0  # of all fits


def facts_of_distance(
    method: Distances, parts: Split, seed: int, design: Design
) -> dict[str, Any]:
    """Return what a row says of a distance."""
    chosen = choose(method, parts, seed, design)
    return {**_outcome(chosen), **judge(chosen, parts)}


def choose(method: Distances, parts: Split, seed: int, design: Design) -> Chosen:
    """Return the best of all candidates and numbers of neighbours, the first if tied.

    Only the training and the validation part are looked at.
    """
    best, seconds = None, 0.0
    learned_from = subsample(parts.train, method.largest, seed)
    for candidate in method.candidates(learned_from, seed, design):
        seconds += candidate.seconds
        kept = candidate._replace(model=copy(candidate.model))  # it is fitted again
        classifier = CPMLClassifier().fit_over(kept.model, *parts.train)
        for k in design.neighbors:
            answers = classifier.set_params(n_neighbors=k).predict(parts.valid.X)
            right = accuracy(answers, parts.valid.y)
            if best is None or right > best.valid_accuracy:
                best = Chosen(kept, classifier, k, right, len(learned_from.y))
    if best is None:
        raise ValueError("The method gave no candidate to choose from.")
    return best._replace(search_seconds=seconds)


def judge(chosen: Chosen, parts: Split) -> dict[str, float | None]:
    """Return the scores on the test part."""
    X, y = parts.test
    answers = chosen.classifier.set_params(n_neighbors=chosen.n_neighbors).predict(X)
    triplets = chosen.candidate.model.triplet_accuracy if has_triplets(y) else None
    return {
        **scores(answers, y, parts.train.y),
        "triplet_accuracy": None if triplets is None else float(triplets(X, y)),
    }


def scores(
    answers: NDArray[Any], y: NDArray[Any], y_train: NDArray[Any]
) -> dict[str, float | None]:
    """Return the accuracies of answers, and of always giving the largest class."""
    return {
        "accuracy": accuracy(answers, y),
        "balanced_accuracy": balanced_accuracy(answers, y),
        "majority_share": majority_share(y_train, y),
    }


def accuracy(answers: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the share of right answers."""
    return float(np.mean(answers == y))


def balanced_accuracy(answers: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the mean, over the classes of y, of the share of right answers.

    Examples
    --------
    >>> balanced_accuracy(np.array(["a", "a", "a"]), np.array(["a", "a", "b"]))
    0.5
    """
    numbers = np.unique(y, return_inverse=True)[1]
    right = np.bincount(numbers, answers == y) / np.bincount(numbers)
    return float(right.mean())


def majority_share(y_train: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the accuracy of always answering the largest class of the training part.

    Examples
    --------
    >>> majority_share(np.array(["a", "b", "b"]), np.array(["a", "b"]))
    0.5
    """
    classes, counts = np.unique(y_train, return_counts=True)
    return accuracy(classes[counts.argmax()], y)


def has_triplets(y: NDArray[Any]) -> bool:
    """Say whether some row has another of its class and one of a different class."""
    counts = np.unique(y, return_counts=True)[1]
    return len(counts) > 1 and bool(counts.max() > 1)


def _outcome(chosen: Chosen) -> dict[str, Any]:
    """Return what was chosen, and what the fitted distance states of itself."""
    candidate = chosen.candidate
    stated = {
        "rank": int,
        "objective": float,
        "gap": float,
        "stop_reason": str,
    }
    return {
        "strength": candidate.strength,
        "strength_share": candidate.strength_share,
        "n_neighbors": chosen.n_neighbors,
        "valid_accuracy": chosen.valid_accuracy,
        "n_training_used": chosen.n_training_used,
        "fit_seconds": candidate.seconds,
        "search_seconds": chosen.search_seconds,
    } | {
        name: plain(getattr(candidate.model, f"{name}_"))
        for name, plain in stated.items()
        if hasattr(candidate.model, f"{name}_")
    }
