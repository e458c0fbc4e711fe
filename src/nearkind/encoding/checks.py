"""Checks of a table against a codebook: columns, missing and unseen values.

Each message says what was found and where, and what to do next.
"""

import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from nearkind.encoding import MAX_LEVELS_OF_NUMBERS, Cross, Feature, Levels
from nearkind.errors import (
    ColumnError,
    FreeTextError,
    MissingValueError,
    MixedValuesWarning,
    NearlyUniqueWarning,
    Parameter,
    UnseenValueError,
    UnseenValueWarning,
    nearest_names,
)
from nearkind.tables import as_float

MAX_REPORTED = 1000  # values per column; then it is known to bring new ones
MANY_LEVELS = 100  # fewer are never called nearly unique
MANY_TEXTS = 20  # fewer are never called free text
MANY_WORDS = 8  # in the middle one of all texts: a sentence, not a name or an address


class UnseenValues(NamedTuple):
    """The values of one column that ``fit`` did not see, and those that it saw."""

    d: int
    name: Any
    values: list[Any]
    seen: Collection[Any] = ()


class UnseenReports:
    """Values without a code of which nothing need be said again, by feature."""

    def __init__(self, n_features: int) -> None:
        self._known: list[set[Any]] = [set() for _ in range(n_features)]

    def has(self, d: int, value: object) -> bool:
        """Return whether a value of a feature, None if it is missing, is known."""
        known = self._known[d]
        return value in known or len(known) >= MAX_REPORTED

    def add(self, unseen: UnseenValues) -> UnseenValues:
        """Take note of values, and return those not known before."""
        known = self._known[unseen.d]
        if len(known) >= MAX_REPORTED:
            return unseen._replace(values=[])
        fresh = [value for value in unseen.values if value not in known]
        known.update(fresh[:MAX_REPORTED])
        return unseen._replace(values=fresh)


def refuse_missing(gaps: list[str]) -> None:
    """Raise if there is a clause on missing cells."""
    if gaps:
        raise MissingValueError(
            f"{_sentence(gaps)}; ",
            Parameter("missing", "error"),
            " refuses them. Pass ",
            Parameter("missing", "level"),
            " to make missing a value of its own, or ",
            Parameter("missing", "prior"),
            " to give them the class prior.",
        )


def warn_if_nearly_unique(feature: Feature | Cross, n_rows: int) -> None:
    """Warn of a feature that has many levels and fewer than two rows per level."""
    n_levels = len(_levels(feature))
    if n_levels >= MANY_LEVELS and 2 * n_levels > n_rows:
        is_cross = isinstance(feature, Cross)
        warning = NearlyUniqueWarning(
            f"{'Cross' if is_cross else 'Column'} {feature.name!r} has {n_levels} "
            f"distinct values in {n_rows} rows, so it hardly helps with new rows. ",
            "Drop it" if is_cross else Parameter("drop", feature.name),
            " if it is an identifier, or merge its rare values.",
        )
        warnings.warn(warning, stacklevel=4)


@contextmanager
def column_warnings_ignored() -> Iterator[None]:
    """Ignore warnings of columns, which each distance of a search would repeat."""
    with warnings.catch_warnings():
        for category in (MixedValuesWarning, NearlyUniqueWarning):
            warnings.simplefilter("ignore", category)
        yield


def refuse_free_text(feature: Feature, n_cells: int) -> None:
    """Raise if nearly all cells of a feature are texts of their own, of many words.

    There must be 20 different texts, nine to ten cells that are not missing, and half
    of the texts must have eight words or more, divided by blanks. Identifiers, names
    and codes, however long, are no text.
    """
    texts = [level for level in _levels(feature) if isinstance(level, str)]
    if len(texts) < max(MANY_TEXTS, 0.9 * n_cells):
        return
    n_words = int(np.median([len(text.split()) for text in texts]))
    if n_words >= MANY_WORDS:
        raise FreeTextError(
            f"Column {feature.name!r} holds free text: {len(texts)} different texts in "
            f"{n_cells} cells, half of them of {n_words} words or more, such as "
            f"{texts[0]!r:.60}. ",
            Parameter("drop", feature.name),
            "; or, if its texts are categories, declare it categorical, with ",
            Parameter("categorical", feature.name),
            ".",
        )


def warn_if_mixed(feature: Feature) -> None:
    """Warn of many numbers that are levels because there are words among them."""
    levels = _levels(feature)
    words = [level for level in levels if isinstance(level, str)]
    n_numbers = sum(type(level) in (int, float, Decimal) for level in levels)
    if words and n_numbers > MAX_LEVELS_OF_NUMBERS:
        shown = _listed([repr(word) for word in words], ", ")
        warnings.warn(
            f"Column {feature.name!r} holds {n_numbers} different numbers and also "
            f"{shown}, so every number is a separate category. If the words mean "
            "missing numbers, pass None for them; if the numbers are names of "
            "categories, pass the column as text.",
            MixedValuesWarning,
            stacklevel=5,
        )


def _levels(feature: Feature | Cross) -> Collection[Any]:
    """Return the values that are a code each."""
    if isinstance(feature, Cross):
        return feature.levels
    return feature.code_of if isinstance(feature, Levels) else ()


def column_places(fitted: list[Any], given: list[Any]) -> list[int]:
    """Return where the columns that fit saw stand in a table, refusing others."""
    if given == fitted:
        return list(range(len(fitted)))
    known, came = set(fitted), set(given)
    lost = [name for name in fitted if name not in came]
    extra = [name for name in given if name not in known]
    clauses = [
        f"column {name!r} was not seen in fit{_hint(name, lost)}" for name in extra
    ]
    clauses += [f"column {name!r} is missing" for name in lost]
    if clauses:
        raise ColumnError(
            f"{_sentence(clauses)}. Pass the columns that fit saw, in any order."
        )
    place = {name: i for i, name in enumerate(given)}
    return [place[name] for name in fitted]


def _hint(name: object, lost: list[Any]) -> str:
    near = nearest_names(name, lost, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def missing_clause(name: object, n_missing: int, where: str = "") -> str:
    """Return what to say of a column that lacks some values."""
    return f"column {name!r} has {_count(n_missing, 'missing value')}{where}"


def report_unseen(unseen: list[UnseenValues], is_error: bool) -> None:
    """Refuse or warn of values of columns that are new."""
    text = _sentence([_unseen_clause(each) for each in unseen])
    if is_error:
        raise UnseenValueError(
            f"{text}. Pass ",
            Parameter("unseen", "prior"),
            " to give them the class prior, or fit again with these rows.",
        )
    warning = UnseenValueWarning(
        f"{text}; they get the class prior. Pass ",
        Parameter("unseen", "error"),
        " to refuse them, or fit again with these rows.",
    )
    warnings.warn(warning, stacklevel=5)


def _unseen_clause(unseen: UnseenValues) -> str:
    count = _count(len(unseen.values), "value")
    shown = _listed([repr(value) for value in unseen.values], ", ")
    alike = _alike_clause(unseen.values, unseen.seen)
    return f"column {unseen.name!r} has {count} not seen in fit: {shown}{alike}"


def _alike_clause(values: Iterable[object], seen: Iterable[object]) -> str:
    """Return a clause on the first value that reads like one that fit saw."""
    seen_by_reading = {_reading(value): value for value in seen}
    for value in values:
        known = seen_by_reading.get(_reading(value))
        if known is not None and value is not None:
            return f" ({_typed(value)} is passed, and fit saw {_typed(known)})"
    return ""


def _reading(value: object) -> Any:
    """Return a value as people may read it: a number, or text in small letters."""
    if isinstance(value, Number) and not isinstance(value, bool):
        return as_float(value)
    text = str(value).strip().lower()
    try:
        return float(text)
    except ValueError:
        return text


def _typed(value: object) -> str:
    kind = "text" if isinstance(value, str) else type(value).__name__
    is_number = kind in ("int", "float", "Decimal")
    return f"the {'number' if is_number else kind} {value!r}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _sentence(clauses: list[str]) -> str:
    text = _listed(clauses, "; ")
    return text[0].upper() + text[1:]


def _listed(items: list[str], separator: str, most: int = 5) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + more
