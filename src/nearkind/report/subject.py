"""What a page is about: a model, a table, and what the one says of the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Codes


@dataclass(frozen=True)
class Subject:
    """A model beside a table.

    Parameters
    ----------
    model : fitted classifier, or a distance alone
    X : columns of the table that the model knows, in its order
    relevance : share of each feature in the distance between two rows
    name, where : what to call the model and the table
    said : class that the model says of each row; None for a distance alone
    truth : class that the table says of each row, None where it is missing
    target : column that these come from
    """

    model: Any
    X: dict[Any, list[Any]]
    relevance: Sequence[float]
    name: str = "model"
    where: str = "table"
    said: list[Any] | None = None
    truth: list[Any] | None = None
    target: str | None = None

    @cached_property
    def members(self) -> list[Any]:
        """The classifiers that vote together; none for a distance alone."""
        alone = [self.model] if hasattr(self.model, "predict") else []
        return list(getattr(self.model, "members_", alone))

    @cached_property
    def metrics(self) -> list[Any]:
        """The distance of each member, or the one there is."""
        return [member.metric_ for member in self.members] or [self.model]

    @property
    def metric(self) -> Any:
        """The distance that neighbours are found by."""
        return self.metrics[0]

    @cached_property
    def codes(self) -> Codes:
        """Codes of the rows for the first distance (n, D)."""
        return self.metric.codebook_.encode(self.X)

    @cached_property
    def classes(self) -> list[str]:
        """Classes of the model as text; for a distance alone, those of the table."""
        if self.members:
            return [str(label) for label in self.model.classes_.tolist()]
        return sorted({str(cell) for cell in self.truth or [] if cell is not None})

    @cached_property
    def true_class(self) -> NDArray[np.intp]:
        """Number of the class that the table says (n,).

        -1: it says none; the number of classes: one that the model does not know.
        """
        if self.truth is None:
            return np.full(len(self.codes), -1)
        number = {label: c for c, label in enumerate(self.classes)}
        number_of = (
            -1 if cell is None else number.get(str(cell), len(number))
            for cell in self.truth
        )
        return np.fromiter(number_of, dtype=np.intp)

    @cached_property
    def said_class(self) -> NDArray[np.intp]:
        """Number of the class that the model says (n,), -1 if it says none."""
        if self.said is None:
            return np.full(len(self.codes), -1)
        number = {label: c for c, label in enumerate(self.classes)}
        return np.fromiter((number[str(label)] for label in self.said), dtype=np.intp)
