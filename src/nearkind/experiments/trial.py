"""One trial: split, learn, choose on the validation part, judge once on the test part.

The same for every method; what differs is in ``methods``.
"""

import warnings
from copy import copy
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.classifier import CPMLClassifier
from nearkind.experiments.design import Design
from nearkind.experiments.methods import Candidate, Method
from nearkind.experiments.rows import Key, Row, versions
from nearkind.experiments.splits import Part, Split, load, seed_of, split, subsample
from nearkind.typing import Array, Codes


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


class Chosen(NamedTuple):
    """The candidate that does best on the validation part."""

    candidate: Candidate
    classifier: CPMLClassifier
    n_neighbors: int
    valid_accuracy: float
    search_seconds: float = 0.0  # of all fits


class Learned:
    """A fitted distance that a classifier takes as it is, without fitting it again."""

    def __init__(self, model: Any) -> None:
        self.model, self.codebook_ = model, model.codebook_

    def __sklearn_clone__(self) -> "Learned":
        """Return itself: it is fitted for good."""
        return self

    def fit(self, X: Any, y: Any) -> "Learned":
        """Learn nothing."""
        return self

    def represent(self, codes: Codes) -> Any:
        """Return what ``compare`` needs of rows."""
        return self.model.represent(codes)

    def compare(self, a: Any, b: Any) -> Array:
        """Return distances (n, m) between represented rows."""
        return self.model.compare(a, b)


def make_row(trial: Trial) -> Row:
    """Run a trial here and now."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the row says how the fit ended
        whole = load(trial.dataset, trial.seed)
        parts = split(whole, trial.seed, trial.design.rows)
        learned_from = subsample(parts.train, trial.method.largest, trial.seed)
        chosen = choose(trial, learned_from, parts)
        facts = {**_outcome(chosen), **judge(chosen, parts)}
    return trial.row(
        n_features=parts.train.X.shape[1],
        n_train=len(parts.train.y),
        n_valid=len(parts.valid.y),
        n_test=len(parts.test.y),
        n_training_used=len(learned_from.y),
        seconds=perf_counter() - start,
        **facts,
    )


def choose(trial: Trial, learned_from: Part, parts: Split) -> Chosen:
    """Return the best of all candidates and numbers of neighbours, the first if tied.

    Only the training and the validation part are looked at.
    """
    best, seconds = None, 0.0
    candidates = trial.method.candidates(learned_from, trial.seed, trial.design)
    for candidate in candidates:
        seconds += candidate.seconds
        kept = candidate._replace(model=copy(candidate.model))  # it is fitted again
        classifier = CPMLClassifier(Learned(kept.model)).fit(*parts.train)
        for k in trial.design.neighbors:
            answers = classifier.set_params(n_neighbors=k).predict(parts.valid.X)
            right = accuracy(answers, parts.valid.y)
            if best is None or right > best.valid_accuracy:
                best = Chosen(kept, classifier, k, right)
    if best is None:
        raise ValueError(f"Method {trial.name!r} gave no candidate to choose from.")
    return best._replace(search_seconds=seconds)


def judge(chosen: Chosen, parts: Split) -> dict[str, float | None]:
    """Return the scores on the test part."""
    X, y = parts.test
    answers = chosen.classifier.set_params(n_neighbors=chosen.n_neighbors).predict(X)
    triplets = chosen.candidate.model.triplet_accuracy if has_triplets(y) else None
    return {
        "accuracy": accuracy(answers, y),
        "balanced_accuracy": balanced_accuracy(answers, y),
        "majority_share": majority_share(parts.train.y, y),
        "triplet_accuracy": None if triplets is None else float(triplets(X, y)),
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
        "fit_seconds": candidate.seconds,
        "search_seconds": chosen.search_seconds,
    } | {
        name: plain(getattr(candidate.model, f"{name}_"))
        for name, plain in stated.items()
        if hasattr(candidate.model, f"{name}_")
    }
