"""Codebooks: names of columns, and how the values of each are coded."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from nearkind.encoding import Bins, Coordinate, Cross, Feature, Levels
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.crosses import as_setting, cross_name
from nearkind.errors import RefusedError
from nearkind.persistence.nodes import (
    Pack,
    Reader,
    Unpack,
    Writer,
    fields,
    refuse_collisions,
)
from nearkind.protocols import Array
from nearkind.tables import is_missing

_BOOK = "missing", "unseen", "numeric", "named", "names", "features"
LABELS = (str, int, float, bool, type(None), bytes, Decimal, Fraction)
"""Types of values and of names of columns; tuples of them are allowed too."""


def rising(value: Any, what: str) -> Array:
    """Return finite floats (n,), each larger than the one before."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        raise RefusedError(f"{what} is not an array of floats")
    if value.ndim != 1 or not np.isfinite(value).all():
        raise RefusedError(f"{what} of a column are not a list of finite numbers")
    if not (value[:-1] < value[1:]).all():
        raise RefusedError(f"{what} of a column are not in rising order")
    return value


def pack_codebook(writer: Writer, book: Codebook, what: str) -> Any:
    """Return the node of a fitted codebook."""
    names = [writer.node(name, "a column's name") for name in book.names_]
    both = zip(book.names_, book.features_, strict=True)
    features = [writer.node(f, f"a value of column {name!r}") for name, f in both]
    settings = book.missing, book.unseen, book.numeric, book.named_
    parts = dict(zip(_BOOK, (*settings, names, features), strict=True))
    if book.crosses or book.crosses_:
        setting = writer.node(book.crosses, "a column's name")
        pairs = [writer.node(cross, what) for cross in book.crosses_]
        parts["crosses"] = {"setting": setting, "pairs": pairs}
    return {"Codebook": parts}


def unpack_codebook(reader: Reader, payload: Any) -> Codebook:
    """Return a fitted codebook; it has reported no unseen value yet."""
    has_crosses = isinstance(payload, dict) and "crosses" in payload
    named_parts = (*_BOOK, *["crosses"] * has_crosses)
    missing, unseen, numeric, named, names, features, *more = fields(
        payload, *named_parts
    )
    names = reader.value(names)
    _check_names(names, named)
    made = reader.value(features)
    if len(made) != len(names) or not all(isinstance(f, _Feature) for f in made):
        raise RefusedError("the codebook does not have one name a column")
    parts = [feature.of(name) for feature, name in zip(made, names, strict=True)]
    setting, crosses = _crosses(reader, more[0], names, parts) if more else (0, [])
    book = Codebook(missing, unseen, numeric, setting)
    book.keep(names, named, parts, crosses)
    return book


def _crosses(
    reader: Reader, payload: Any, names: list[Any], features: list[Feature]
) -> tuple[Any, list[Cross]]:
    """Return the setting of crosses, and the crosses of a codebook."""
    setting, pairs = (reader.value(x) for x in fields(payload, "setting", "pairs"))
    if as_setting(setting) is None or not isinstance(pairs, list):
        raise RefusedError("the crosses of columns are no list of pairs")
    found: dict[frozenset[int], Cross] = {}
    for made in pairs:
        if not isinstance(made, _Cross):
            raise RefusedError("the crosses of columns are no list of pairs")
        cross = made.of(names, features)
        if frozenset(cross.parts) in found:
            raise RefusedError("a pair of columns is crossed twice")
        found[frozenset(cross.parts)] = cross
    taken = [*map(str, names), *(cross.name for cross in found.values())]
    if len(set(taken)) != len(taken):
        raise RefusedError("two columns have the same name")
    return setting, list(found.values())


def _check_names(names: Any, named: Any) -> None:
    if not isinstance(names, list) or not names or not are_labels(names):
        raise RefusedError("names of columns are not all text, numbers or tuples")
    refuse_collisions(names)
    if len(set(names)) != len(names) or type(named) is not bool:
        raise RefusedError("two columns have the same name")


def are_labels(values: list[Any]) -> bool:
    """Return whether all may be values or names of columns."""
    kinds = set(map(type, values))
    parts = [part for value in values if type(value) is tuple for part in value]
    return kinds <= {*LABELS, tuple} and (not parts or are_labels(parts))


def _has_missing(levels: list[Any]) -> bool:
    return any(map(is_missing, (x for x in levels if type(x) is not str)))


class _Feature:
    """A feature whose name is not known yet."""

    def __init__(self, kind: Any, *parts: Any) -> None:
        self._kind, self._parts = kind, parts

    def of(self, name: Any) -> Feature:
        return self._kind(name, *self._parts)


class _Cross:
    """A cross of two features that are not known yet."""

    def __init__(self, parts: Any, levels: Any) -> None:
        self._parts, self._levels = parts, levels

    def of(self, names: list[Any], features: list[Feature]) -> Cross:
        parts, levels = self._parts, self._levels
        is_pair = isinstance(parts, list) and len(parts) == 2
        if not is_pair or not all(type(d) is int for d in parts):
            raise RefusedError("a cross is not of two columns")
        if parts[0] == parts[1] or not all(0 <= d < len(features) for d in parts):
            raise RefusedError("a cross is of columns that there are not")
        if any(features[d].positions is not None for d in parts):
            raise RefusedError("a cross is of a column of coordinates")
        sizes = [features[d].n_values for d in parts]
        is_table = isinstance(levels, np.ndarray) and levels.dtype == np.int64
        if not is_table or levels.ndim != 2 or levels.shape[1] != 2:
            raise RefusedError("the pairs of values of a cross are no whole numbers")
        if (levels < 0).any() or (levels >= sizes).any():
            raise RefusedError("a cross has a pair of values that its columns lack")
        a, b = parts
        cross = Cross(cross_name(names, (a, b)), (a, b), levels)
        if cross.encode_pairs(levels).tolist() != list(range(len(levels))):
            raise RefusedError("the pairs of values of a cross are not in rising order")
        return cross


def _pack_cross(writer: Writer, cross: Cross, what: str) -> Any:
    levels = writer.node(cross.levels.astype(np.int64), what)
    return {"Cross": {"parts": list(cross.parts), "levels": levels}}


def _unpack_cross(reader: Reader, payload: Any) -> _Cross:
    parts, levels = fields(payload, "parts", "levels")
    return _Cross(parts, reader.value(levels))


def _pack_levels(writer: Writer, feature: Levels, what: str) -> Any:
    levels = [writer.node(level, what) for level in feature.code_of]
    return {"Levels": {"levels": levels, "missing": feature.missing_code >= 0}}


def _unpack_levels(reader: Reader, payload: Any) -> _Feature:
    levels, missing = fields(payload, "levels", "missing")
    levels = reader.value(levels)
    if not isinstance(levels, list) or not are_labels(levels):
        raise RefusedError("values of a column are not all text, numbers or tuples")
    refuse_collisions(levels)
    if _has_missing(levels) or len(set(levels)) != len(levels):
        raise RefusedError("values of a column are missing or repeated")
    return _Feature(Levels, levels, _flag(missing))


def _pack_bins(writer: Writer, feature: Bins, what: str) -> Any:
    edges = writer.node(feature.edges, what)
    return {"Bins": {"edges": edges, "missing": feature.missing_code >= 0}}


def _unpack_bins(reader: Reader, payload: Any) -> _Feature:
    edges, missing = fields(payload, "edges", "missing")
    return _Feature(Bins, rising(reader.value(edges), "edges"), _flag(missing))


def _pack_coordinate(writer: Writer, feature: Coordinate, what: str) -> Any:
    places, positions = feature.places, feature.positions
    assert positions is not None
    return {
        "Coordinate": {
            "places": writer.node(places, what),
            "positions": writer.node(positions[: len(places)], what),
            "missing": feature.missing_code >= 0,
        }
    }


def _unpack_coordinate(reader: Reader, payload: Any) -> _Feature:
    places, positions, missing = fields(payload, "places", "positions", "missing")
    places = rising(reader.value(places), "places")
    positions = reader.value(positions)
    if not len(places) or np.shape(positions) != places.shape:
        raise RefusedError("a coordinate does not have as many positions as places")
    if not np.isfinite(positions).all():
        raise RefusedError("a coordinate has a position that is not finite")
    return _Feature(Coordinate, places, positions, _flag(missing))


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise RefusedError("the entry missing of a column is not true or false")
    return value


PACKS: dict[type, Pack] = {
    Codebook: pack_codebook,
    Levels: _pack_levels,
    Bins: _pack_bins,
    Coordinate: _pack_coordinate,
    Cross: _pack_cross,
}
UNPACKS: dict[str, Unpack] = {
    "Codebook": unpack_codebook,
    "Levels": _unpack_levels,
    "Bins": _unpack_bins,
    "Coordinate": _unpack_coordinate,
    "Cross": _unpack_cross,
}
