"""What a report is about: a fitted model, a table, and the model's predictions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.model_view import ModelView
from nearkind.protocols import Array, Codes


@dataclass(frozen=True)
class ReportData:
    """A fitted model and a table.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    X : dict of list
        Columns of the table that the model knows, in its order.
    relevance : array-like of shape (D,)
        Share of each feature in the distance between two rows.
    name, where : str
        Names of the model and of the table.
    y_pred : list, default=None
        Predicted class of each row; None for a distance alone.
    y_true : list, default=None
        Class of each row in the table, None where it is missing.
    target : str, default=None
        Column of the classes.
    groups : ndarray of int (n,), default=None
        Group of each row, for a table without labels.
    odd_rows : list of (str, str), default=()
        Rows unlike all others, and why.
    numbers : (ndarray (n,), ndarray (n,)), default=None
        True and predicted numbers of the rows, where the model is the distance of a
        regressor; NaN where the true one is not known.
    """

    model: Any
    X: dict[Any, list[Any]]
    relevance: Sequence[float] | Array
    name: str = "model"
    where: str = "table"
    y_pred: list[Any] | None = None
    y_true: list[Any] | None = None
    target: str | None = None
    groups: NDArray[np.intp] | None = None
    odd_rows: Sequence[tuple[str, str]] = ()
    numbers: tuple[Array, Array] | None = None

    @cached_property
    def view(self) -> ModelView:
        """The committee or the distance of the model."""
        return ModelView(self.model)

    @cached_property
    def codes(self) -> Codes:
        """Codes of the rows for the distance that explains (n, D)."""
        return self.view.codebook.encode(self.X)

    @cached_property
    def classes(self) -> list[str]:
        """Classes of the model as text; else groups, or the classes of the table."""
        if self.view.class_committee is not None:
            return [str(label) for label in self.view.class_committee.classes.tolist()]
        if self.groups is not None:
            return [f"group {c}" for c in range(int(self.groups.max()) + 1)]
        return sorted({str(label) for label in self.y_true or [] if label is not None})

    @cached_property
    def true_class(self) -> NDArray[np.intp]:
        """Class number of each row in the table (n,).

        It is -1 where the table has no class, and the number of classes where the model
        does not know the class.
        """
        return self._class_numbers(self.y_true)

    @cached_property
    def predicted_class(self) -> NDArray[np.intp]:
        """Predicted class number of each row (n,), -1 for a distance alone."""
        return self._class_numbers(self.y_pred)

    def _class_numbers(self, labels: list[Any] | None) -> NDArray[np.intp]:
        if labels is None:
            return np.full(len(self.codes), -1)
        number = {label: c for c, label in enumerate(self.classes)}
        numbers = (
            -1 if label is None else number.get(str(label), len(number))
            for label in labels
        )
        return np.fromiter(numbers, dtype=np.intp)

    @property
    def shown_class(self) -> NDArray[np.intp]:
        """Class numbers that colour the map: of the table, else groups or predicted."""
        if self.groups is not None:
            return self.groups
        return self.predicted_class if self.y_true is None else self.true_class
