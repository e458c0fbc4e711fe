"""Checks that a model and its labels can be drawn."""

from typing import Any

from nearkind.distances import ValueVectors
from nearkind.estimators.cpml import CPML
from nearkind.model_view import ModelView
from nearkind.plot.canvas import require_matplotlib
from nearkind.tables.values import plain

NO_LABEL = "no label"


def view_model(model: object) -> ModelView:
    """Return the view of a fitted model; every picture begins here.

    Raises
    ------
    ValueError
        If matplotlib is not installed.
    TypeError
        If it is no model of nearkind.
    NotFittedError
        If it is not fitted.
    """
    require_matplotlib()
    return ModelView(model)


def require_cpml(model: Any) -> CPML:
    """Return the fitted CPML of a model; raise ValueError if it has another distance.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    """
    view = view_model(model)
    learner = model if view.committee is None else model.metric_
    if not isinstance(learner, CPML):
        raise ValueError(
            f"The distance of this {type(model).__name__} is "
            f"{view.report.method}, which has no matrix. Fit CPML, or draw its "
            "rows with nearkind.plot.rows."
        )
    return learner


def require_vectors(model: object) -> ValueVectors:
    """Return the distance of a model; raise ValueError if values have no vectors."""
    view = view_model(model)
    if not isinstance(view.distance, ValueVectors):
        raise ValueError(
            f"{view.report.method} has no value vectors, which this plot "
            "needs. Fit CPML, or a baseline with value_vectors_, such as Euclidean "
            "or NCA."
        )
    return view.distance


def require_transform(model: object) -> ModelView:
    """Return the view of a model; raise ValueError if it has no ``transform``."""
    view = view_model(model)
    if not hasattr(view.distance, "transform"):
        raise ValueError(
            f"{view.report.method} has distances but no coordinates, which a map "
            "needs. Fit CPML, or a baseline with transform, such as Hamming or "
            "Euclidean."
        )
    return view


def check_labels(y: Any, n_rows: int) -> list[Any]:
    """Return one label per row; a missing one becomes "no label".

    Parameters
    ----------
    y : array-like of shape (n,)
    n_rows : int
        How many labels there must be.
    """
    labels = [plain(label) for label in y]
    if len(labels) != n_rows:
        raise ValueError(
            f"y has {len(labels)} labels, but X has {n_rows} rows. Pass one label per "
            "row, or y=None."
        )
    return [NO_LABEL if label is None else label for label in labels]
