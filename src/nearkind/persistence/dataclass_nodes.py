"""Dataclasses as nodes of a model file, by their fields.

A dataclass is written as an object of one entry, its name, that holds its fields. On
the way back each field must be of the type that the class annotates, and the object's
own ``check`` says whether its fields fit together. A class whose fields are all there
is to know needs nothing else to be kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache, partial
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from nearkind.baselines.coding import Coding
from nearkind.distances import FORMS, PairTables
from nearkind.distances.dependence import ValuePairs
from nearkind.distances.trees import CodeTrees
from nearkind.errors import RefusedError
from nearkind.metrics.value_tables import ValueTables
from nearkind.neighbors import RowGroups, TrainingRows
from nearkind.persistence.nodes import Pack, Reader, Unpack, Writer
from nearkind.search.candidates import Candidate
from nearkind.tasks.groups import Group, GroupValue
from nearkind.tasks.imputation import Donors
from nearkind.tasks.outlier_scores import LocalOutlierFactor, MeanDistance
from nearkind.voting import (
    Calibration,
    Committee,
    ConformalScores,
    FitReport,
    HeldErrors,
    LeafRule,
    LinearScale,
    LogScale,
    NearestRule,
    NumberCommittee,
    NumberVoter,
    QuantileScale,
    SoftRule,
    Voter,
)

KEPT: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *FORMS.values(), Calibration, Candidate, CodeTrees, Coding, Committee,
        ConformalScores, Donors, FitReport, Group, GroupValue, HeldErrors, LeafRule,
        LinearScale, LocalOutlierFactor, LogScale, MeanDistance, NearestRule,
        NumberCommittee, NumberVoter, QuantileScale, RowGroups, SoftRule,
        TrainingRows, ValuePairs, ValueTables, Voter,
    )
}  # fmt: skip
"""Dataclasses that a file may hold, by name."""


RENAMED = {"turn": "stage"}
"""Fields that files of version 0.2 have under another name."""


def pack_fields(writer: Writer, value: object, what: str) -> Any:
    """Return the node of a dataclass: its name and its fields."""
    name = type(value).__name__
    parts = {
        field.name: writer.node(getattr(value, field.name), f"{field.name} of {name}")
        for field in _kept_fields(type(value))
    }
    return {name: parts}


def unpack_fields(kind: type, reader: Reader, payload: object) -> Any:
    """Return a dataclass of its fields, after checking them."""
    name, hints = kind.__name__, _hints(kind)
    known = {field.name: field for field in _kept_fields(kind)}
    if isinstance(payload, list) and len(payload) == len(known):
        payload = dict(zip(known, payload, strict=True))  # as version 0.1 wrote them
    if isinstance(payload, dict):
        payload = {RENAMED.get(each, each): part for each, part in payload.items()}
    if not isinstance(payload, dict) or not set(payload) <= set(known):
        raise RefusedError(f"{name} has fields that it does not have here")
    found = {}
    for each, field in known.items():
        if each not in payload:
            if field.default is MISSING and field.default_factory is MISSING:
                raise RefusedError(f"{name} lacks its field {each}")
            continue
        value = reader.value(payload[each])
        if not is_of_type(value, hints[each]):
            kind_of_value = type(value).__name__
            raise RefusedError(f"{each} of {name} is of type {kind_of_value}")
        found[each] = value
    made = kind(**found)
    if (check := getattr(made, "check", None)) is not None:
        check()
    return made


def is_of_type(value: Any, hint: Any) -> bool:
    """Return whether a value is of an annotated type, its items left aside.

    Examples
    --------
    >>> is_of_type([1.0], Sequence[float]), is_of_type(None, int | None)
    (True, True)
    >>> is_of_type(True, int), is_of_type("a", bytes)
    (False, False)
    """
    if hint is Any:
        return True
    if isinstance(hint, UnionType) or get_origin(hint) is UnionType:
        return any(is_of_type(value, each) for each in get_args(hint))
    origin = get_origin(hint) or hint
    if origin is Callable:
        return callable(value)
    if origin is Sequence:
        return isinstance(value, list | tuple)
    if origin is float:
        return type(value) in (float, int)
    if origin in (int, bool, str):
        return type(value) is origin
    return isinstance(value, origin)


def _kept_fields(kind: type) -> list[Field[Any]]:
    """Return the fields that a file keeps: all but those that say otherwise."""
    return [each for each in fields(kind) if each.metadata.get("is_kept", True)]


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _unpack_pair_tables(reader: Reader, payload: object) -> Any:
    """Return a form, or the tables that stood for it in files of version 0.2."""
    if isinstance(payload, list):
        (tables,) = reader.value(payload)
        return tables
    return unpack_fields(PairTables, reader, payload)


PACKS: dict[type, Pack] = dict.fromkeys(KEPT.values(), pack_fields)
UNPACKS: dict[str, Unpack] = {
    **{name: partial(unpack_fields, kind) for name, kind in KEPT.items()},
    "PairTables": _unpack_pair_tables,
}
