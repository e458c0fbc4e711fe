"""What others ask of a fitted model: its distance, its members, its training rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.codebook import Codebook
from nearkind.estimators.base import TableEstimator
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.neighbors import TrainingRows
from nearkind.search.calibration import Calibration
from nearkind.search.classifier_cv import CPMLClassifierCV


@dataclass(frozen=True)
class ModelView:
    """A fitted model of nearkind, whatever its kind.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.

    Examples
    --------
    >>> import nearkind as nk
    >>> view = ModelView(nk.baselines.Hamming().fit([["a"], ["b"]]))
    >>> view.classifies, view.distance is view.model, view.members
    (False, True, [])
    """

    model: Any

    def __post_init__(self) -> None:
        if not is_model(self.model):
            raise TypeError(
                "Wanted a fitted CPML, CPMLClassifier, CPMLClassifierCV or baseline; "
                f"got {type(self.model).__name__}. Take the model out of what holds "
                "it, a Pipeline for example."
            )
        check_is_fitted(self.model)

    @cached_property
    def members(self) -> list[CPMLClassifier]:
        """The classifiers that vote together; none for a distance alone."""
        if isinstance(self.model, CPMLClassifierCV):
            return list(self.model.members_)
        return [self.model] if isinstance(self.model, CPMLClassifier) else []

    @property
    def classifies(self) -> bool:
        """Whether it tells classes, not distances alone."""
        return bool(self.members)

    @property
    def was_searched(self) -> bool:
        """Whether it was chosen by a search, and so has ``best_score_``."""
        return isinstance(self.model, CPMLClassifierCV)

    @property
    def calibration(self) -> Calibration | None:
        """What turns shares of votes into probabilities, if anything does."""
        return self.model.calibration_ if self.was_searched else None

    @cached_property
    def distances(self) -> list[Any]:
        """The distance of each member, or the one there is."""
        return [member.metric_ for member in self.members] or [self.model]

    @property
    def distance(self) -> Any:
        """The distance that neighbours are found by: the first member's."""
        return self.distances[0]

    @property
    def codebook(self) -> Codebook:
        """How the first distance codes rows."""
        return self.distance.codebook_

    @property
    def training_rows(self) -> TrainingRows:
        """The rows that vote in the first member."""
        return self.members[0].training_rows_


def is_model(value: Any) -> bool:
    """Return whether a value is a model of nearkind, fitted or not."""
    return isinstance(value, TableEstimator)


def is_fitted(model: TableEstimator) -> bool:
    """Return whether a model of nearkind has been fitted."""
    return hasattr(model, "codebook_")
