"""The result of one trial: a row, and its line in a results file."""

import json
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import NamedTuple, Self

DONE, TIMED_OUT, NO_MEMORY, FAILED = "done", "timed out", "out of memory", "failed"
PACKAGES = "nearkind", "numpy", "scipy", "scikit-learn", "numba"


class Key(NamedTuple):
    """What a row is the result of; in a results file the last row of a key counts."""

    dataset: str
    method: str
    repetition: int
    design: str


class Row(NamedTuple):
    """The result of one method on one set in one repetition; None is unknown.

    Attributes
    ----------
    dataset, method, repetition, design : str, str, int, str
        The key.
    seed : int
        Seed of split and method, which depends on set and repetition alone.
    status : str
        "done", "timed out", "out of memory", or "failed: " and the reason.
    n_features, n_train, n_valid, n_test : int
        Sizes of the parts.
    n_training_used : int
        Rows from which was learned. For a distance, all training rows vote; a
        classifier learns from training and validation rows.
    n_classes : int
        Number of classes that a classifier learned.
    strength, strength_share : float
        Chosen strength, and its share of ``strength_max_``.
    n_neighbors : int
        Chosen number of neighbours.
    valid_accuracy : float
        Accuracy of the chosen settings on the validation part.
    accuracy, balanced_accuracy : float
        Scores on the test part; the balanced one is the mean over its classes.
    majority_share : float
        Accuracy of always predicting the largest class of the training part.
    triplet_accuracy : float
        Score over all triplets of the test part; None if it has none.
    pair_accuracy : float
        Share of pairs of test rows that a threshold on the distance correctly assigns
        to one class or to two; None if no two validation rows or test rows are left.
    log_loss, brier, zero_share : float
        Scores of the predicted probabilities of a classifier.
    auc, average_precision : float
        Area under the ROC curve and average precision of the rarer of two classes.
    bins : list of list
        Reliability diagram of these: rows, sum of confidence, correct rows of each bin.
    fit_seconds, search_seconds, seconds : float
        Time of the chosen fit, of all fits and of the whole trial.
    fit_cpu_seconds, predict_seconds : float
        Processor time of the fit, and time of predicting probabilities.
    peak_memory : float
        Most memory that the process held, in MB, libraries included.
    rank, objective, gap, stop_reason : int, float, float, str
        Attributes of the chosen distance.
    stops : dict of str to int
        How often each reason ended a fit of the search.
    largest_gap : float
        Largest proven gap of these fits, as a share of the objective.
    noise_share, noise_relevance : float
        Share of noisy features in the metric, and in the mean squared distance.
    versions : dict
        Versions of Python and of the packages that compute.
    commit : str
        Commit of the benchmark that made the row.

    Examples
    --------
    >>> row = Row("monks1", "euclidean", 0, "shares, k=1", 7, accuracy=0.5)
    >>> Row.from_line(row.line()) == row
    True
    """

    dataset: str
    method: str
    repetition: int
    design: str
    seed: int
    status: str = DONE
    n_features: int | None = None
    n_train: int | None = None
    n_valid: int | None = None
    n_test: int | None = None
    n_training_used: int | None = None
    n_classes: int | None = None
    strength: float | None = None
    strength_share: float | None = None
    n_neighbors: int | None = None
    valid_accuracy: float | None = None
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    majority_share: float | None = None
    triplet_accuracy: float | None = None
    pair_accuracy: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    auc: float | None = None
    average_precision: float | None = None
    zero_share: float | None = None
    bins: list[list[float]] | None = None
    fit_seconds: float | None = None
    search_seconds: float | None = None
    seconds: float | None = None
    fit_cpu_seconds: float | None = None
    predict_seconds: float | None = None
    peak_memory: float | None = None
    rank: int | None = None
    objective: float | None = None
    gap: float | None = None
    stop_reason: str | None = None
    stops: dict[str, int] | None = None
    largest_gap: float | None = None
    noise_share: float | None = None
    noise_relevance: float | None = None
    versions: dict[str, str] | None = None
    commit: str | None = None

    @property
    def key(self) -> Key:
        """What this row is the result of."""
        return Key(self.dataset, self.method, self.repetition, self.design)

    @property
    def is_done(self) -> bool:
        """Whether the trial came to its end."""
        return self.status == DONE

    def line(self) -> str:
        """Return the known fields as one line of JSON; unknown are those not finite."""
        facts = {k: v for k, v in self._asdict().items() if _is_known(v)}
        return json.dumps(facts, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """Return the row of a line, without fields that this version does not know."""
        facts = json.loads(line)
        return cls(**{name: facts[name] for name in cls._fields if name in facts})


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that compute."""
    known = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:  # numba is optional
            continue
    return known


def _is_known(value: object) -> bool:
    return value is not None and (not isinstance(value, float) or isfinite(value))
