"""A look at a whole file before its batches: what only all of its rows decide."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from nearkind.io.cells import Written
from nearkind.io.labelled import Wanted, check_classes, warn_of_lost
from nearkind.io.parts import Cells, ListedCells

MOST_LABELS = 1_000_000
"""Different ones to count; there are too many of them by then."""


class Look:
    """What is known of a file after a look at its parts.

    Attributes
    ----------
    names : of all columns, in the order in which they came
    written : how the cells of each column are written
    n_rows, n_lost : with a label, and without
    labels : different ones, as text
    kinds : types of labels
    encoding : of text

    Examples
    --------
    >>> from nearkind.io.parts import of_columns
    >>> part = of_columns({"size": ["1", "NA"], "kind": ["cat", "dog"]})
    >>> look = Look(Wanted("pets.csv", "kind"), "pets.csv").at_all([part])
    >>> look.batch(part)
    ({'size': [1, None]}, ['cat', 'dog'])
    """

    def __init__(self, wanted: Wanted, where: str, encoding: str = "utf-8") -> None:
        self.wanted, self.where, self.encoding = wanted, where, encoding
        self.names: dict[str, None] = {}
        self.written: dict[str, Written] = {}
        self.n_rows = self.n_lost = 0
        self.labels: set[str] = set()
        self.kinds: set[type] = set()

    def at_all(self, parts: Iterable[dict[str, Cells]]) -> Self:
        """Look at every part."""
        for part in parts:
            self._add(part)
        return self

    @property
    def features(self) -> list[str]:
        """Columns to learn from."""
        return self.wanted.features(self.names, self.where)

    def check(self) -> Self:
        """Refuse a file to learn nothing from; say which rows are left out."""
        target, n_all = self.wanted.target, self.n_rows + self.n_lost
        _ = self.features
        warn_of_lost(self.n_lost, n_all, target, self.where)
        check_classes(len(self.labels), self.n_rows, target, self.where)
        return self

    def batch(self, part: dict[str, Cells]) -> tuple[dict[str, Any], Any]:
        """Return features and labels of a part, cells as the whole file decides."""
        labels, rows = self._labelled(part)
        X = {}
        for name in self.features:
            as_it_is = name in self.wanted.text
            cells = part.get(name) or ListedCells(name, [None] * len(rows))
            X[name] = cells.at(rows).values(None if as_it_is else self.written[name])
        y = labels.values(None)
        return X, list(map(str, y)) if len(self.kinds) > 1 else y

    def _add(self, part: dict[str, Cells]) -> None:
        self.names.update(dict.fromkeys(part))
        labels, rows = self._labelled(part)
        self.n_rows += len(labels)
        self.n_lost += len(rows) - len(labels)
        if len(self.labels) < MOST_LABELS:
            self.labels.update(map(str, labels.distinct()))
        self.kinds |= labels.kinds()
        for name in set(part).difference([self.wanted.target, *self.wanted.drop]):
            so_far = self.written.get(name, Written())
            if so_far.numbers:  # else nothing can change what becomes of it
                self.written[name] = so_far.with_(part[name].at(rows).written())

    def _labelled(self, part: dict[str, Cells]) -> tuple[Cells, Any]:
        """Return the labels that are known, and which rows have one."""
        target = self.wanted.target
        n_rows = len(next(iter(part.values())))
        labels = part.get(target) or ListedCells(target, [None] * n_rows)
        rows = labels.filled() if n_rows else np.zeros(0, dtype=bool)
        return labels.at(rows), rows
