"""The rows of a table under audit: read once, with their labels and numbers."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.labels import checked_labels, partial_labels
from nearkind.protocols import Array, LabelArray, TableLike
from nearkind.tables import FactorizedTable, read_column, read_table

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class AuditedRows:
    """Rows of a table, some of which have a label.

    Attributes
    ----------
    table : FactorizedTable
    classes : ndarray (C,)
        Sorted labels; empty if no row has one.
    y : ndarray of int (n,)
        Class numbers, -1 where the label is not known.
    numbers : ndarray of int (n,)
        What the user calls the rows.

    Examples
    --------
    >>> rows = AuditedRows.of([["a"], ["b"], ["a"]], ["no", None, "yes"])
    >>> rows.y.tolist(), rows.labelled.numbers.tolist()
    ([0, -1, 1], [0, 2])
    """

    table: FactorizedTable
    classes: LabelArray
    y: Numbers
    numbers: Numbers

    @classmethod
    def of(cls, X: TableLike, y: object, row_numbers: object = None) -> "AuditedRows":
        """Read a table of any kind, its labels, and the numbers of its rows.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,)
            Labels, None or NaN where there is none.
        row_numbers : array-like of int (n,), default=None
            None: 0, 1, 2 and so on.
        """
        table = read_table(X).factorize()
        if y is None:
            checked_labels(y, table.n_rows, "audit")  # says what is wanted
        _refuse_several(y)
        classes, numbers = partial_labels(y, table.n_rows)
        given = classes[numbers[numbers >= 0]]
        checked_labels(given, len(given), "audit")  # refuses measurements
        return cls(table, classes, numbers, _numbers(row_numbers, table.n_rows))

    @classmethod
    def of_numbers(
        cls, X: TableLike, y: object, row_numbers: object = None
    ) -> tuple["AuditedRows", Array]:
        """Read a table whose targets are numbers, NaN where there is none.

        Returns
        -------
        rows : AuditedRows
            Without labels.
        y : ndarray (n,)
        """
        table, numbers = read_table(X).factorize(), read_column(y).numeric
        if numbers is None:
            raise ValueError(
                "audit takes y for numbers, and y holds values that are none. Pass "
                'task="class" for labels.'
            )
        if len(numbers) != table.n_rows:
            raise ValueError(
                f"X has {table.n_rows} rows, y has {len(numbers)} numbers. Give one "
                "number per row, None where there is none."
            )
        none = np.full(table.n_rows, -1)
        rows = cls(table, np.empty(0), none, _numbers(row_numbers, table.n_rows))
        return rows, np.where(np.isfinite(numbers), numbers, np.nan)

    def with_values(self, y: Array) -> "AuditedRows":
        """Return the rows with numbers as their labels, NaN where there is none."""
        classes, places = np.unique(y, return_inverse=True)  # one NaN, the last
        return replace(self, classes=classes, y=np.where(np.isnan(y), -1, places))

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """Number of different labels."""
        return len(self.classes)

    @property
    def labelled(self) -> "AuditedRows":
        """Those that have a label."""
        return self.take(np.flatnonzero(self.y >= 0))

    def take(self, rows: Numbers) -> "AuditedRows":
        """Return some rows, by their place here."""
        if len(rows) == len(self):
            return self
        return replace(
            self,
            table=self.table.take(rows),
            y=self.y[rows],
            numbers=self.numbers[rows],
        )

    def without(self, names: Collection[object]) -> "AuditedRows":
        """Return the rows without some columns; all columns if none would be left."""
        kept = [name for name in self.table.names if name not in names]
        if not kept or len(kept) == len(self.table.names):
            return self
        return replace(self, table=self.table.select(kept))


def _refuse_several(y: object) -> None:
    """Refuse labels of several values each."""
    for row, label in enumerate(y if isinstance(y, list | tuple) else ()):
        if isinstance(label, list | set | dict):
            raise TypeError(
                f"Row {row} of y holds a {type(label).__name__}, {label!r:.60}; a "
                "label must be one value, such as text or a number. Join it to text."
            )


def _numbers(given: object, n_rows: int) -> Numbers:
    if given is None:
        return np.arange(n_rows)
    numbers = np.asarray(given)
    if numbers.shape != (n_rows,) or numbers.dtype.kind not in "iu":
        raise ValueError(
            "The 'row_numbers' parameter of audit must have one whole number for each "
            f"of {n_rows} rows; got {numbers.dtype} of shape {numbers.shape}."
        )
    return numbers.astype(np.intp)
