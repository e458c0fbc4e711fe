"""The training rows that a classifier keeps: nearest ones, and why they are near."""

from typing import Any, NamedTuple

import numpy as np

from nearkind.cli.contributions import contributions
from nearkind.protocols import Array, Codes


class Kept(NamedTuple):
    """A training row; equal rows are one cell."""

    row: int  # its number in the table that the model learned from
    cell: int
    distance: float


class Memory:
    """What a classifier remembers; of several that vote together, the first one.

    Parameters
    ----------
    model : fitted CPMLClassifier or CPMLClassifierCV
    """

    def __init__(self, model: Any) -> None:
        self._voter = getattr(model, "members_", [model])[0]
        self.metric = self._voter.metric_
        self.classes = self._voter.classes_.tolist()

    def nearest(self, row: Any, k: int) -> list[Kept]:
        """Return the k nearest training rows of a table of one row."""
        distances, numbers = self._voter.kneighbors(row, k)
        found = zip(numbers[0].tolist(), distances[0].tolist(), strict=True)
        return [
            Kept(number, self._voter.training_rows_.unique_of(number), d)
            for number, d in found
        ]

    def nearest_of_others(self, row: Any, label: Any) -> Kept:
        """Return the nearest training row among those that are mostly not ``label``."""
        codes = self.metric.codebook_.encode(row)
        rows = self._voter.training_rows_
        represented = self.metric.represent(rows.codes)
        d = self.metric.compare(self.metric.represent(codes), represented)[0]
        own = rows.shares.argmax(axis=1) == self.classes.index(label)
        cell = int(np.where(own, np.inf, d).argmin())
        return Kept(int(rows.row_numbers(cell)[0]), cell, float(d[cell]))

    def shares(self, cell: int) -> dict[Any, float]:
        """Return the classes of the equal rows of a cell, with their shares."""
        found = zip(
            self.classes, self._voter.training_rows_.shares[cell].tolist(), strict=True
        )
        some = {label: share for label, share in found if share > 0.0}
        return dict(sorted(some.items(), key=lambda item: -item[1]))

    def codes(self, cell: int) -> Codes:
        """Return the codes (D,) of a cell."""
        return self._voter.training_rows_.codes[cell]


def values_of(metric: Any, codes: Codes) -> list[Any]:
    """Return the values of a row that is known by its codes; None: missing."""
    book = metric.codebook_
    return [None if code < 0 else book.values(d)[code] for d, code in enumerate(codes)]


def parts(metric: Any, a: "Side", b: "Side") -> list[dict[str, Any]]:
    """Return what each feature adds to the distance, the largest first.

    Returns
    -------
    list of dict with feature, a, b, same (whether both have one code), contribution
    """
    found: Array = contributions(metric, a.codes, b.codes)
    names = metric.codebook_.names_
    return [
        {
            "feature": names[d],
            "a": a.values[d],
            "b": b.values[d],
            "same": bool(a.codes[d] == b.codes[d]),
            "contribution": float(found[d]),
        }
        for d in np.argsort(-found, kind="stable")
    ]


class Side(NamedTuple):
    """One of two rows that are compared."""

    codes: Codes  # (D,)
    values: list[Any]

    @classmethod
    def of_row(cls, metric: Any, row: dict[Any, list[Any]]) -> "Side":
        """Take a table of one row, with the cells that it has there."""
        codes = metric.codebook_.encode(row)[0]
        return cls(codes, metric.codebook_.cells_of(row))

    @classmethod
    def of_codes(cls, metric: Any, codes: Codes) -> "Side":
        """Take a row that is known by its codes."""
        return cls(codes, values_of(metric, codes))
