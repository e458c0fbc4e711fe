"""From a fitted model to what is drawn of it, or why it cannot be."""

from typing import Any

from nearkind.estimators.base import TableEstimator, check_is_fitted
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.cpml import CPML
from nearkind.estimators.search.classifier_cv import CPMLClassifierCV
from nearkind.plot.canvas import check_installed
from nearkind.tables.values import plain

NO_LABEL = "no label"


def distance_of(model: Any) -> Any:
    """Return the fitted distance: a classifier's, of a committee the first's.

    Every picture begins here.
    """
    check_installed()
    if not isinstance(model, TableEstimator) or isinstance(model, type):
        raise TypeError(
            "nearkind.plot draws a fitted CPML, CPMLClassifier, CPMLClassifierCV or "
            f"baseline; got {type(model).__name__}. Take the model out of what holds "
            "it, a Pipeline for example."
        )
    check_is_fitted(model)
    voters = (CPMLClassifier, CPMLClassifierCV)
    return model.metric_ if isinstance(model, voters) else model


def learner_of(model: Any) -> CPML:
    """Return the fitted CPML, or say that there is none."""
    distance = distance_of(model)
    if not isinstance(distance, CPML):
        raise ValueError(
            f"The distance of this {type(model).__name__} is {_name(distance)}, which "
            "has no matrix that a CPML would have learned. Fit CPML, or draw its rows "
            "with nearkind.plot.rows."
        )
    return distance


def vectors_of(model: Any) -> Any:
    """Return the fitted distance if its values have vectors, or say that not."""
    distance = distance_of(model)
    if not hasattr(distance, "value_tables_"):
        raise ValueError(
            f"{_name(distance)} gives values no vectors, of which this picture is "
            "made. Fit CPML, or a baseline with value_vectors_, such as Euclidean or "
            "NCA."
        )
    return distance


def embedding_of(model: Any) -> Any:
    """Return the fitted distance if its rows have coordinates, or say that not."""
    distance = distance_of(model)
    if not hasattr(distance, "transform"):
        raise ValueError(
            f"{_name(distance)} has distances but no coordinates, and a map needs "
            "them. Fit CPML, or a baseline with transform, such as Hamming or "
            "Euclidean."
        )
    return distance


def labels_of(y: Any, n_rows: int) -> list[Any]:
    """Return one label a row; what is missing reads "no label"."""
    labels = [plain(label) for label in y]
    if len(labels) != n_rows:
        raise ValueError(
            f"y has {len(labels)} labels, but X has {n_rows} rows. Pass one label a "
            "row, or y=None."
        )
    return [NO_LABEL if label is None else label for label in labels]


def _name(distance: Any) -> str:
    return type(distance).__name__
