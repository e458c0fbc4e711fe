"""A table with a class a row, as a person asks for it."""

from collections.abc import Iterable
from typing import Any, NamedTuple
from warnings import warn

from nearkind.io.asked import Asked, Columns, ReadingWarning
from nearkind.io.cells import is_missing, typed
from nearkind.io.columns import pick
from nearkind.io.sources import read, short_name

FEW_CLASSES = 20
"""So many different labels are never too many."""


class Labelled(NamedTuple):
    """Features, one label a row, and the name of the column they came from."""

    X: Columns
    y: list[Any]
    target: str


class Wanted(NamedTuple):
    """Which table to read, and what its columns are for.

    Attributes
    ----------
    data : as ``read`` takes it
    target : column of labels
    drop : columns to leave out
    text : columns to take as text, numbers and words for missing cells included
    asked : how to read the file

    Examples
    --------
    >>> X, y, target = Wanted("monks1", "class", drop=("a2",)).read()
    >>> list(X), target, sorted(set(y))
    (['a1', 'a3', 'a4', 'a5', 'a6'], 'class', ['0', '1'])
    """

    data: str
    target: str
    drop: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    asked: Asked = Asked()

    def read(self) -> Labelled:
        """Read it; rows without a label are left out."""
        columns, where = read(self.data, self.asked), short_name(self.data)
        X = {name: columns[name] for name in self.features(columns, where)}
        labels = columns.pop(self.target)
        kept = [i for i, label in enumerate(labels) if not is_missing(label)]
        warn_of_lost(len(labels) - len(kept), len(labels), self.target, where)
        y = _of_one_type([labels[i] for i in kept])
        check_classes(len(set(map(str, y))), len(y), self.target, where)
        return Labelled(typed(_rows(X, kept), self.text), y, self.target)

    def features(self, names: Iterable[str], where: str) -> list[str]:
        """Return the columns to learn from, refusing a table that lacks what is asked.

        Examples
        --------
        >>> Wanted("a.csv", "class", drop=("id",)).features(["id", "x", "class"], "")
        ['x']
        """
        columns: Columns = {name: [] for name in names}
        for name in (self.target, *self.drop, *self.text):
            pick(name, columns, where)
        kept = [n for n in columns if n != self.target and n not in self.drop]
        if not kept:
            raise ValueError(
                f"{where} has no column beside {self.target!r} to learn from."
            )
        return kept


def warn_of_lost(n_lost: int, n_rows: int, target: str, where: str) -> None:
    """Say how many rows have no label, if some have one."""
    if 0 < n_lost < n_rows:
        warn(
            f"{where}: {n_lost} of {n_rows} rows have no {target!r}; they are "
            "left out, and rows are counted without them.",
            ReadingWarning,
            stacklevel=3,
        )


def _rows(columns: Columns, kept: list[int]) -> Columns:
    """Return some rows; the columns themselves if these are all."""
    if len(kept) == len(next(iter(columns.values()))):
        return columns
    return {name: [cells[i] for i in kept] for name, cells in columns.items()}


def _of_one_type(labels: list[Any]) -> list[Any]:
    """Return labels as they are, as text if their types differ."""
    return labels if len(set(map(type, labels))) == 1 else list(map(str, labels))


def check_classes(n_classes: int, n_rows: int, target: str, where: str) -> None:
    """Refuse labels that are all one, or nearly all different."""
    if n_classes < 2:
        raise ValueError(
            f"Column {target!r} of {where} holds {n_classes or 'no'} class; two at "
            "least are needed to learn what tells them apart."
        )
    if n_classes > max(FEW_CLASSES, n_rows // 2):
        raise ValueError(
            f"Column {target!r} of {where} holds {n_classes} different values in "
            f"{n_rows} rows, so it names no classes; choose another column, or "
            "cut its numbers into ranges first."
        )
