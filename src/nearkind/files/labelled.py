"""A table with a class a row, as a person asks for it."""

from typing import Any, NamedTuple
from warnings import warn

from nearkind.files.asked import Asked, Columns, ReadingWarning
from nearkind.files.cells import is_missing, typed
from nearkind.files.columns import pick
from nearkind.files.sources import read, short_name

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
        target = self.target
        for name in (target, *self.drop, *self.text):
            pick(name, columns, where)
        labels = columns.pop(target)
        X = {name: columns[name] for name in columns if name not in self.drop}
        if not X:
            raise ValueError(f"{where} has no column beside {target!r} to learn from.")
        kept = _rows_with_label(labels, target, where)
        y = _of_one_type([labels[i] for i in kept])
        _check_classes(y, target, where)
        return Labelled(typed(_rows(X, kept), self.text), y, target)


def _rows_with_label(labels: list[Any], target: str, where: str) -> list[int]:
    kept = [i for i, label in enumerate(labels) if not is_missing(label)]
    n_lost = len(labels) - len(kept)
    if n_lost and kept:
        warn(
            f"{where}: {n_lost} of {len(labels)} rows have no {target!r}; they are "
            "left out, and rows are counted without them.",
            ReadingWarning,
            stacklevel=3,
        )
    return kept


def _rows(columns: Columns, kept: list[int]) -> Columns:
    """Return some rows; the columns themselves if these are all."""
    if len(kept) == len(next(iter(columns.values()))):
        return columns
    return {name: [cells[i] for i in kept] for name, cells in columns.items()}


def _of_one_type(labels: list[Any]) -> list[Any]:
    """Return labels as they are, as text if their types differ."""
    return labels if len(set(map(type, labels))) == 1 else list(map(str, labels))


def _check_classes(labels: list[Any], target: str, where: str) -> None:
    n_classes = len(set(map(str, labels)))
    if n_classes < 2:
        raise ValueError(
            f"Column {target!r} of {where} holds {n_classes or 'no'} class; two at "
            "least are needed to learn what tells them apart."
        )
    if n_classes > max(FEW_CLASSES, len(labels) // 2):
        raise ValueError(
            f"Column {target!r} of {where} holds {n_classes} different values in "
            f"{len(labels)} rows, so it names no classes; choose another column, or "
            "cut its numbers into ranges first."
        )
