"""Scores that select the model of a search, computed on held-out rows.

A score is a weighted mean of one term per row as far as it can be, so that two settings
can be compared row by row.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from nearkind.errors import did_you_mean
from nearkind.protocols import Array

BLUNT = 0.02
"""Share that every class gets before logarithms: a vote of none is not certainty."""
SMALLEST = 1e-15
"""The same for probabilities, where only a zero is to be kept from infinity."""
CONFIDENCE = 0.1
"""Weight of the mean log-likelihood beside a score of answers alone."""

Truth = NDArray[np.intp]


class Scoring(ABC):
    """A score, larger for the better; ``terms`` says which.

    Attributes
    ----------
    is_of_rows : bool
        Whether it is known what each row adds to it.
    has_factors : bool
        Whether other classes than the most probable ones may score higher.
    """

    is_of_rows: ClassVar[bool] = True
    has_factors: ClassVar[bool] = False

    @abstractmethod
    def terms(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return one number per row (..., n), whose weighted mean is the score.

        Parameters
        ----------
        shares : ndarray (..., n, C)
        truth : ndarray of int (n,)
        weights : ndarray (n,)
            Number of rows that each represents.
        """

    def row_factors(self, truth: Truth, weights: Array) -> Array:
        """Return how much each row matters (n,), one on the weighted mean."""
        return np.ones(len(truth))

    def score(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the score of each table (..., n, C)."""
        terms = self.terms(shares, truth, weights)
        return np.average(terms, axis=-1, weights=weights)

    def quality(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the score plus a little of the log-likelihood of each table."""
        factors = self.row_factors(truth, weights)
        sure = factors * log_chances(shares, truth)
        terms = self.terms(shares, truth, weights) + CONFIDENCE * sure
        return np.average(terms, axis=-1, weights=weights)

    def best(self, n_classes: int) -> float:
        """Return the quality of votes that are right and sure on every row."""
        return 1.0 + CONFIDENCE * _best_log_chance(n_classes)

    def row_effect(self, truth: Truth, weights: Array) -> float:
        """Return by how much the answer for one row may change the score."""
        return float(self.row_factors(truth, weights).max() / weights.sum())


class Accuracy(Scoring):
    """Share of rows that are predicted correctly.

    Examples
    --------
    >>> votes = np.array([[[1.0, 0.0]], [[0.6, 0.4]]])
    >>> first, second = Accuracy().quality(votes, np.array([0]), np.ones(1))
    >>> bool(first > second)
    True
    """

    def terms(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return 1 for a right answer, 0 for a wrong one."""
        return (shares.argmax(axis=-1) == truth).astype(float)


class BalancedAccuracy(Scoring):
    """Mean recall over the classes.

    Examples
    --------
    >>> votes = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    >>> float(BalancedAccuracy().score(votes, np.array([0, 0, 1]), np.ones(3)))
    0.5
    """

    has_factors = True

    def row_factors(self, truth: Truth, weights: Array) -> Array:
        """Return factors by which every class weighs as much as any other."""
        total = np.bincount(truth, weights)
        return weights.sum() / (np.count_nonzero(total) * total[truth])

    def terms(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the factor of its class for a right answer, 0 for a wrong one."""
        right = shares.argmax(axis=-1) == truth
        return right * self.row_factors(truth, weights)


class MacroF1(BalancedAccuracy):
    """Mean of F1 over the classes that the rows have.

    F1 is not a mean over rows. When two settings are compared row by row, every correct
    prediction has the same share of the F1 of its class, and the number of predictions
    of a class is taken as fixed.
    """

    def terms(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the part of the mean F1 that each right answer makes."""
        answers = shares.argmax(axis=-1)
        total = np.bincount(truth, weights, shares.shape[-1])
        flat = answers.reshape(-1, len(truth))
        predicted = np.array([np.bincount(a, weights, len(total)) for a in flat])
        both = (total + predicted)[:, truth].reshape(answers.shape)
        share = 2.0 * weights.sum() / (np.count_nonzero(total) * both)
        return (answers == truth) * share


class LogLoss(Scoring):
    """Mean logarithm of the probability of the true class: less the log loss."""

    def terms(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the logarithm of each row's chance, votes of none being blunted."""
        return log_chances(shares, truth)

    def score(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the mean logarithm of probabilities, which are not blunted."""
        sure = log_chances(shares, truth, SMALLEST)
        return np.average(sure, axis=-1, weights=weights)

    def quality(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the mean logarithm of blunted votes."""
        return np.average(log_chances(shares, truth), axis=-1, weights=weights)

    def best(self, n_classes: int) -> float:
        """Return the quality of votes that are right and sure on every row."""
        return _best_log_chance(n_classes)


@dataclass(frozen=True, eq=False)
class FunctionScoring(Scoring):
    """What a function says of labels and probabilities.

    Nothing is known of its rows: one may change the score by any amount, so no setting
    is clearly behind another on some folds, and no quality is the best.

    Parameters
    ----------
    function : callable
        From labels (n,) and probabilities (n, C), none of them zero, to a number, the
        larger the better.
    classes : ndarray (C,)
        Labels of the columns.
    """

    is_of_rows = False

    function: Callable[[NDArray[Any], Array], float]
    classes: NDArray[Any]

    def score(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return what the function says of each table (..., n, C)."""
        return self._numbers(shares, truth, SMALLEST)

    def quality(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return what the function says of blunted votes."""
        return self._numbers(shares, truth, BLUNT)

    def terms(self, shares: Array, truth: Truth, weights: Array) -> Array:
        """Return the quality for every row."""
        quality = self.quality(shares, truth, weights)
        return np.broadcast_to(quality[..., None], shares.shape[:-1])

    def best(self, n_classes: int) -> float:
        """Return infinity: no score is known to be the best."""
        return np.inf

    def row_effect(self, truth: Truth, weights: Array) -> float:
        """Return infinity."""
        return np.inf

    def _numbers(self, shares: Array, truth: Truth, blunt: float) -> Array:
        n_classes, labels = shares.shape[-1], self.classes[truth]
        tables = _blunted(shares, blunt, n_classes).reshape(-1, len(truth), n_classes)
        tables /= tables.sum(axis=2, keepdims=True)  # votes are in single precision
        found = [self._number(labels, table) for table in tables]
        return np.array(found).reshape(shares.shape[:-2])

    def _number(self, labels: NDArray[Any], probabilities: Array) -> float:
        found = self.function(labels, probabilities)
        if not isinstance(found, Real) or not isfinite(found):
            raise ValueError(
                "The function given as 'scoring' must return a finite number, the "
                f"larger the better; got {found!r}."
            )
        return float(found)


class ClassScoring(FunctionScoring):
    """What a function says of the classes of largest probability, such as F1."""

    has_factors = True


OF_CLASSES = {"f1", "f1_micro", "f1_weighted", "jaccard", "matthews_corrcoef"}
"""Scorers of scikit-learn of which that is so."""


class Answers(ClassifierMixin, BaseEstimator):
    """A classifier of rows that are probabilities, for scorers of scikit-learn.

    Parameters
    ----------
    classes : ndarray (C,)
    """

    def __init__(self, classes: Any) -> None:
        self.classes = self.classes_ = classes

    def predict_proba(self, X: Array) -> Array:
        """Return the rows."""
        return X

    def predict(self, X: Array) -> NDArray[Any]:
        """Return the most probable class of each row."""
        return self.classes[X.argmax(axis=1)]


def _by_scorer(
    scorer: Any, classes: NDArray[Any], kind: type[FunctionScoring]
) -> Scoring:
    """Return the score of a scorer of scikit-learn."""
    answers = Answers(classes)
    return kind(lambda y, shares: scorer(answers, shares, y), classes)


SCORINGS: dict[str, type[Scoring]] = {
    "accuracy": Accuracy,
    "balanced_accuracy": BalancedAccuracy,
    "f1_macro": MacroF1,
    "log_loss": LogLoss,
}


def check_scoring(model: Any) -> None:
    """Refuse a scoring that is neither a function nor a known name."""
    given = model.scoring
    if callable(given) or (isinstance(given, str) and given in scoring_names()):
        return
    listed = ", ".join(map(repr, SCORINGS))
    names = scoring_names()
    hint = f" {did_you_mean(given, names)}" if isinstance(given, str) else ""
    raise ValueError(
        f"The 'scoring' parameter of {type(model).__name__} must be one of {listed}, "
        "the name of another scorer of scikit-learn, a scorer, or a function of labels "
        f"and probabilities; got {given!r}.{hint}"
    )


def scoring_names() -> list[str]:
    """Return the scores that have a name: our own, and scorers of scikit-learn."""
    return list(dict.fromkeys([*SCORINGS, *get_scorer_names()]))


def scoring_of(model: Any, classes: NDArray[Any]) -> Scoring:
    """Return the Scoring that ``model.scoring`` names, or the one of a function."""
    check_scoring(model)
    given = model.scoring
    if isinstance(given, str) and given in SCORINGS:
        return SCORINGS[given]()
    if isinstance(given, str | type(get_scorer("accuracy"))):
        is_of_classes = isinstance(given, str) and given in OF_CLASSES
        kind = ClassScoring if is_of_classes else FunctionScoring
        return _by_scorer(get_scorer(given), classes, kind)
    return FunctionScoring(given, classes)


def log_chances(shares: Array, truth: Truth, blunt: float = BLUNT) -> Array:
    """Return the logarithm of the blunted share of each row's class (..., n)."""
    where = np.broadcast_to(truth, shares.shape[:-1])[..., None]
    chance = np.take_along_axis(shares, where, axis=-1)[..., 0]
    return np.log(_blunted(chance, blunt, shares.shape[-1]))


def _blunted(shares: Array, blunt: float, n_classes: int) -> Array:
    return (1.0 - blunt) * shares.astype(float, copy=False) + blunt / n_classes


def _best_log_chance(n_classes: int) -> float:
    return float(np.log(_blunted(np.ones(1), BLUNT, n_classes)[0]))
