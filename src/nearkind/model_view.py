"""What others ask of a fitted model: its distance, its members, its training rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.codebook import Codebook
from nearkind.estimators.base import TableEstimator
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.neighbor_classifier import (
    NeighborClassifier,
    explainer_text,
    explaining,
)
from nearkind.neighbors import TrainingRows
from nearkind.protocols import Array
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
        return list(self.model.members_) if self.classifies else []

    @property
    def classifies(self) -> bool:
        """Whether it tells classes, not distances alone."""
        return isinstance(self.model, NeighborClassifier)

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
        return [member.distance_ for member in self.members] or [self.model]

    @property
    def place(self) -> int:
        """Place of the distance that explains: the first learned one, or the first."""
        return explaining(self.distances)

    @property
    def distance(self) -> Any:
        """The distance that neighbours, columns and values are explained by."""
        return self.distances[self.place]

    @property
    def explained_by(self) -> str:
        """That distance in words, and whether it is learned."""
        return explainer_text(self.distances)

    @property
    def codebook(self) -> Codebook:
        """How that distance codes rows."""
        return self.distance.codebook_

    @property
    def member(self) -> CPMLClassifier:
        """The member of that distance."""
        return self.members[self.place]

    @property
    def training_rows(self) -> TrainingRows:
        """The rows that vote in that member."""
        return self.member.training_rows_

    def relevance(self, X: Any) -> Array:
        """Return each feature's share of the mean distance between two rows (D,).

        Parameters
        ----------
        X : table
            The rows, for a distance alone; a classifier has rows of its own.
        """
        if self.classifies:
            return self.model.feature_relevance_
        codes = self.codebook.encode(X)
        return self.distance.relevance(codes, np.ones(len(codes)))


def is_model(value: Any) -> bool:
    """Return whether a value is a model of nearkind, fitted or not."""
    return isinstance(value, TableEstimator)


def is_fitted(model: TableEstimator) -> bool:
    """Return whether a model of nearkind has been fitted."""
    return hasattr(model, "codebook_")
