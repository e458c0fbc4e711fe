"""Columns of a table: their names, what they are for, and what their cells are.

What only a whole file decides (which columns there are, which hold numbers, whether
labels are of one type) is a ``Schema``, so that a batch has the cells that a reading of
the whole file would give it. ``match_levels`` is the same for a fitted model: a column
of a new file may look like numbers where the training file had words among them, and
the model decides.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self
from warnings import warn

import numpy as np

from nearkind.errors import did_you_mean
from nearkind.io.cells import Cells, ColumnType, ListCells, is_missing
from nearkind.io.dates import part_names
from nearkind.io.options import Columns, ReadingWarning
from nearkind.tables import parse_number, plain

MAX_LISTED = 12
FEW_CLASSES = 20
"""So many different labels are never too many."""
MANY_WHOLE = 200
"""More different whole numbers are amounts, not classes."""
MAX_LABELS = 1_000_000
"""Different labels to count; by then there are too many of them."""


def column_names(header: Sequence[str]) -> list[str]:
    """Return the names of a header without blanks around; one without is numbered.

    Raises
    ------
    ValueError
        If a name occurs twice.

    Examples
    --------
    >>> column_names(["size ", "colour"])
    ['size', 'colour']
    """
    names = [name.strip() for name in header]
    unnamed = [d for d, name in enumerate(names) if not name]
    for d in unnamed:
        names[d] = f"column {d + 1}"
    if unnamed:
        listed = ", ".join(repr(names[d]) for d in unnamed)
        warn(
            f"A column without a name is called {listed}; if it numbers the rows, "
            "leave it out with --drop.",
            ReadingWarning,
            stacklevel=2,
        )
    refuse_duplicates(names)
    return names


def refuse_duplicates(names: Iterable[str]) -> None:
    """Raise ``ValueError`` if a column name occurs twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(map(repr, twice[:MAX_LISTED]))
        raise ValueError(f"column {listed} occurs more than once; rename the copies")


def refuse_halves(columns: Columns) -> None:
    """Raise ``ValueError`` if a name or a cell is text that UTF-8 cannot hold.

    Examples
    --------
    >>> refuse_halves({"size": ["small", 1, None]})
    """
    for name, cells in columns.items():
        for text in (name, *cells):
            if isinstance(text, str) and not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError:
                    raise ValueError(
                        f"Column {name!r} is called or holds {text!r:.60}, with half "
                        "of a character, which cannot be written in UTF-8. Repair it."
                    ) from None


def require_column(name: str, names: Iterable[str], where: str) -> str:
    """Return the name of a column that must be there.

    Parameters
    ----------
    name : str
    names : iterable of str
        The columns that there are.
    where : str
        Name of the table, for the message.

    Raises
    ------
    ValueError
        If there is no such column; the message suggests others.

    Examples
    --------
    >>> require_column("size", ["size", "colour"], "a.csv")
    'size'
    """
    names = list(names)
    if name not in names:
        hint = _delimiter_hint(name, names) or did_you_mean(name, names)
        raise ValueError(f"There is no column {name!r} in {where}. {hint}")
    return name


def _delimiter_hint(name: str, names: list[str]) -> str | None:
    """Return what to say if the only column holds this name among others."""
    marks = {mark for mark in names[0] if not mark.isalnum()} if names else set()
    for mark in sorted(marks):
        if len(names) == 1 and name in names[0].split(mark):
            return (
                f"Its first line is one cell, {names[0]!r:.60}; if {mark!r} stands "
                f"between cells, pass --delimiter {mark!r}."
            )
    return None


class ColumnRoles(NamedTuple):
    """What the columns of a labelled table are for.

    Attributes
    ----------
    target : str
        Column of labels.
    drop : tuple of str, default=()
        Columns to leave out.
    text : tuple of str, default=()
        Columns to take as text, numbers and words for missing cells included.
    """

    target: str
    drop: tuple[str, ...] = ()
    text: tuple[str, ...] = ()

    def features(self, names: Iterable[str], where: str) -> list[str]:
        """Return the columns to learn from.

        Raises
        ------
        ValueError
            If the table lacks a column that has a role, or has no others.

        Examples
        --------
        >>> ColumnRoles("class", drop=("id",)).features(["id", "x", "class"], "a.csv")
        ['x']
        """
        names = list(names)
        for name in (self.target, *self.drop, *self.text):
            require_column(name, names, where)
        if self.target in self.drop:
            raise ValueError(
                f"Column {self.target!r} is both the target and dropped. Name "
                "another target, or do not drop it."
            )
        kept = [n for n in names if n != self.target and n not in self.drop]
        if not kept:
            raise ValueError(
                f"{where} has no column beside {self.target!r} to learn from."
            )
        return kept


class Schema:
    """What a whole labelled file decides about the cells of each part.

    Parameters
    ----------
    roles : ColumnRoles
    where : str
        Name of the file, for messages.
    encoding : str, default="utf-8"
        Encoding of text.
    dates : {"dmy", "mdy"} or None, default=None
        How to read dates that can be read either way.

    Attributes
    ----------
    names : dict of str to None
        All columns, in the order in which they came.
    types : dict of str to ColumnType
        How the cells of each column are written.
    n_rows, n_unlabelled : int
        Rows with a label, and without.
    labels : set of str
        Different labels, as text.
    label_types : set of type
        Python types of labels.

    Examples
    --------
    >>> part = {"size": ListCells("size", ["1", "NA"])}
    >>> part["kind"] = ListCells("kind", ["cat", "dog"])
    >>> schema = Schema(ColumnRoles("kind"), "pets.csv").update([part])
    >>> schema.labelled_values(part)
    ({'size': [1, None]}, ['cat', 'dog'])
    """

    def __init__(
        self,
        roles: ColumnRoles,
        where: str,
        encoding: str = "utf-8",
        dates: str | None = None,
    ) -> None:
        self.roles, self.where, self.encoding = roles, where, encoding
        self.dates = dates
        self.names: dict[str, None] = {}
        self.types: dict[str, ColumnType] = {}
        self.n_rows = self.n_unlabelled = 0
        self.labels: set[str] = set()
        self.label_types: set[type] = set()

    def update(self, parts: Iterable[dict[str, Cells]]) -> Self:
        """Take account of parts of the file."""
        for part in parts:
            self._add(part)
        return self

    @property
    def features(self) -> list[str]:
        """Columns to learn from."""
        return self.roles.features(self.names, self.where)

    @property
    def feature_names(self) -> list[str]:
        """Names of what is learned from, parts in the place of dates."""
        found: list[str] = []
        for name in self.features:
            is_text = name in self.roles.text
            order = None if is_text else self.types[name].date_order(name, self.dates)
            found += part_names(name) if order else [name]
        return found

    def check(self) -> Self:
        """Raise if the file cannot be learned from; warn of rows without a label."""
        target, n_missing = self.roles.target, self.n_unlabelled
        for name in self.features:
            if name not in self.roles.text:
                self.types[name].warn(name, self.dates)
        if self.n_rows and n_missing:
            warn(
                f"{n_missing} of {self.n_rows + n_missing} rows have no "
                f"{target!r}; they are left out.",
                ReadingWarning,
                stacklevel=2,
            )
        check_classes(self.labels, self.n_rows, target, self.where)
        return self

    def labelled_values(self, part: dict[str, Cells]) -> tuple[dict[str, Any], Any]:
        """Return features and labels of a part, the rows without a label left out."""
        labels, rows = self._labelled(part)
        X: dict[str, Any] = {}
        for name in self.features:
            cells = part.get(name) or ListCells(name, [None] * len(rows))
            kept = cells.filter(rows)
            if name in self.roles.text:
                X[name] = kept.texts()
            else:
                X |= self.types[name].columns(name, kept, self.dates)
        y = labels.values(None)
        return X, list(map(str, y)) if len(self.label_types) > 1 else y

    def _add(self, part: dict[str, Cells]) -> None:
        self.names.update(dict.fromkeys(part))
        labels, rows = self._labelled(part)
        self.n_rows += len(labels)
        self.n_unlabelled += len(rows) - len(labels)
        if len(self.labels) < MAX_LABELS:
            self.labels.update(map(str, labels.distinct()))
        self.label_types |= labels.python_types()
        target, drop, text = self.roles
        for name in set(part).difference([target, *drop, *text]):
            so_far = self.types.get(name, ColumnType())
            if any(so_far):  # else no further cell can change the type
                self.types[name] = so_far & part[name].filter(rows).infer_type()

    def _labelled(self, part: dict[str, Cells]) -> tuple[Cells, Any]:
        """Return the labels that are known, and which rows have one."""
        target = self.roles.target
        n_rows = len(next(iter(part.values())))
        labels = part.get(target) or ListCells(target, [None] * n_rows)
        rows = labels.present() if n_rows else np.zeros(0, dtype=bool)
        return labels.filter(rows), rows


def check_classes(
    labels: Collection[str], n_rows: int, target: str, where: str
) -> None:
    """Raise ``ValueError`` if labels are all one, nearly all different, or measured.

    Measured are more than 20 different numbers that are not all whole, or more than 200
    whole ones.
    """
    n_classes = len(labels)
    if n_classes < 2:
        raise ValueError(
            f"Column {target!r} of {where} holds {n_classes or 'no'} class; at "
            "least two are needed."
        )
    most = max(FEW_CLASSES, n_rows // 2)
    words = [label for label in labels if parse_number(label) is None]
    if not words:
        are_whole = all(float(parse_number(x) or 0).is_integer() for x in labels)
        if n_classes > min(most, MANY_WHOLE if are_whole else FEW_CLASSES):
            raise ValueError(
                f"Column {target!r} of {where} holds {n_classes} different numbers, so "
                "this looks like regression: nearkind fit --task number predicts "
                "numbers. Name another column with --target if they are not the target."
            )
    if n_classes > most:
        few = f", all numbers but {len(words)}, such as {words[0]!r:.40}"
        raise ValueError(
            f"Column {target!r} of {where} holds {n_classes} different values in "
            f"{n_rows} rows{few * (len(words) < n_classes / 2)}, so they are not "
            "classes. Name another column with --target."
        )


def match_levels(columns: Columns, levels: Mapping[str, Collection[Any]]) -> Columns:
    """Return the columns that a model knows, each cell as the model has it.

    Parameters
    ----------
    columns : dict of str to list
        Cells as they were read.
    levels : mapping of str to collection
        The model's columns, with the values that each had in training; empty where
        numbers were not kept one by one.

    Returns
    -------
    dict of str to list
        The columns of ``levels`` that are there, in its order. A text that a column
        did not have in training, but only in another case, is that text.

    Examples
    --------
    >>> match_levels({"id": [7], "size": ["1", "2"]}, {"size": {"1", "x"}})
    {'size': ['1', '2']}
    >>> match_levels({"size": ["1", "NA"]}, {"size": {1, 2}})
    {'size': [1, None]}
    >>> match_levels({"size": ["Large", "small"]}, {"size": {"large", "small"}})
    {'size': ['large', 'small']}
    """
    return {
        name: ListCells(name, columns[name]).mapped(_matching(known))
        for name, known in levels.items()
        if name in columns
    }


def folded(text: str) -> str:
    """Return a text by which spellings of different case and blanks are equal.

    Examples
    --------
    >>> folded("New  York") == folded("new york")
    True
    """
    return " ".join(text.casefold().split())


def _matching(known: Collection[Any]) -> Callable[[Any], Any]:
    """Return what gives a cell as a column of known values has it."""
    words = [value for value in known if isinstance(value, str)]
    has_words = bool(words)
    n_spellings = Counter(map(folded, words))
    by_spelling = {folded(x): x for x in words if n_spellings[folded(x)] == 1}

    def match(cell: object) -> Any:
        if cell in known:
            return cell
        if is_missing(cell):
            return None
        if not isinstance(cell, str):
            text = str(plain(cell))
            return text if text in known else cell
        value = parse_number(cell)
        is_number = value is not None and (value in known or not has_words)
        return value if is_number else by_spelling.get(folded(cell), cell)

    return match
