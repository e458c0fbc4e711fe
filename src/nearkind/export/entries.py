"""All values of a model in one long table, an entry a vector."""

from collections.abc import Callable
from typing import Any, NamedTuple

from nearkind.export.portable import Feature, Listed, Ranged

LOWEST = float("-inf")


class Entry(NamedTuple):
    """What a vector stands for.

    Attributes
    ----------
    kind : "text", "number" or "boolean", a value; "from", all numbers from this one up
        to that of the next entry; "missing"; "unseen"
    value : None for the last two
    """

    kind: str
    value: Any


def entries(feature: Feature) -> list[Entry]:
    """Return an entry for each vector of a feature.

    Examples
    --------
    >>> import numpy as np
    >>> entries(Listed("size", ["1", 1], 2, np.zeros((3, 1))))[1:]
    [Entry(kind='number', value=1), Entry(kind='unseen', value=None)]
    """
    known = ENTRIES[type(feature)](feature)
    has_missing = len(feature.vectors) > len(known) + 1
    return [*known, *[Entry("missing", None)] * has_missing, Entry("unseen", None)]


def _listed(feature: Listed) -> list[Entry]:
    return [Entry(_kind(value), value) for value in feature.values]


def _ranged(feature: Ranged) -> list[Entry]:
    return [Entry("from", edge) for edge in (LOWEST, *feature.edges)]


def _kind(value: Any) -> str:
    return KINDS.get(type(value), "number")


KINDS = {str: "text", bool: "boolean"}
ENTRIES: dict[type, Callable[[Any], list[Entry]]] = {Listed: _listed, Ranged: _ranged}
