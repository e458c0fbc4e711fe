"""What is said of a table that does not fit: columns, missing and unseen values.

Each sentence says what was found and where, and what to do next.
"""

import difflib
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.errors import ColumnError, MissingValueError, NearlyUniqueWarning
from nearkind.features import Feature, Levels

MANY_LEVELS = 100  # fewer are never called nearly unique


class Stranger(NamedTuple):
    """The values of one column that ``fit`` did not see."""

    d: int
    name: Any
    values: list[Any]


def refuse_missing(gaps: list[str]) -> None:
    """Raise if there is a clause on missing cells."""
    if gaps:
        raise MissingValueError(
            f"{_sentence(gaps)}; missing='error' refuses them. Fill or drop them, or "
            "pass missing='level' to make missing a value of its own, or "
            "missing='prior' to give them the class prior."
        )


def warn_if_nearly_unique(feature: Feature, n_rows: int) -> None:
    """Warn of a feature that has many levels and fewer than two rows a level."""
    n_levels = len(feature.code_of) if isinstance(feature, Levels) else 0
    if n_levels >= MANY_LEVELS and 2 * n_levels > n_rows:
        warnings.warn(
            f"Column {feature.name!r} has {n_levels} distinct values in {n_rows} rows, "
            "so it says little of new rows. Drop it if it is an identifier; otherwise "
            "pass cross_fit=True or smoothing='auto'.",
            NearlyUniqueWarning,
            stacklevel=4,
        )


def check_columns(fitted: list[Any], given: list[Any]) -> None:
    """Raise if a table lacks columns that fit saw, or has others."""
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


def _hint(name: Any, lost: list[Any]) -> str:
    near = difflib.get_close_matches(str(name), map(str, lost), n=1)
    by_text = {str(candidate): candidate for candidate in lost}
    return f" (did you mean {by_text[near[0]]!r}?)" if near else ""


def missing_clause(name: Any, rows: NDArray[np.intp]) -> str:
    """Return what to say of a column that has no value in these rows."""
    count = _count(len(rows), "missing value")
    return f"column {name!r} has {count}, the first in row {rows[0]}"


def unseen_sentence(strangers: list[Stranger]) -> str:
    """Return, without a full stop, which values of which columns are new."""
    return _sentence([_unseen_clause(stranger) for stranger in strangers])


def _unseen_clause(stranger: Stranger) -> str:
    count = _count(len(stranger.values), "value")
    shown = _listed([repr(value) for value in stranger.values], ", ")
    return f"column {stranger.name!r} has {count} not seen in fit: {shown}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _sentence(clauses: list[str]) -> str:
    text = _listed(clauses, "; ")
    return text[0].upper() + text[1:]


def _listed(items: list[str], separator: str, most: int = 5) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + more
