"""Codebooks: names of columns, and how the values of each are coded."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from nearkind.encoding import (
    Bins,
    Coordinate,
    Cross,
    Feature,
    Levels,
    NumberLine,
    Ordinal,
)
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.crosses import as_setting, cross_name
from nearkind.errors import RefusedError
from nearkind.persistence.nodes import Reader, Writer, fields, refuse_collisions
from nearkind.tables import is_missing

_BOOK = "missing", "unseen", "numeric", "named", "names", "features"
LABELS = (str, int, float, bool, type(None), bytes, Decimal, Fraction)
"""Types of values and of names of columns; tuples of them are allowed too."""


def pack_codebook(writer: Writer, book: Codebook, what: str) -> Any:
    """Return the node of a fitted codebook."""
    names = [writer.node(name, "a column's name") for name in book.names_]
    both = zip(book.names_, book.features_, strict=True)
    features = [_pack_feature(writer, f, f"a value of column {n!r}") for n, f in both]
    settings = book.missing, book.unseen, book.numeric, book.named_
    parts = dict(zip(_BOOK, (*settings, names, features), strict=True))
    if book.crosses or book.crosses_:
        setting = writer.node(book.crosses, "a column's name")
        pairs = [_pack_cross(writer, cross, what) for cross in book.crosses_]
        parts["crosses"] = {"setting": setting, "pairs": pairs}
    return {"Codebook": parts}


def unpack_codebook(reader: Reader, payload: object) -> Codebook:
    """Return a fitted codebook; it has reported no unseen value yet."""
    has_crosses = isinstance(payload, dict) and "crosses" in payload
    named_parts = (*_BOOK, *["crosses"] * has_crosses)
    missing, unseen, numeric, named, names, nodes, *more = fields(payload, *named_parts)
    names = reader.value(names)
    _check_names(names, named)
    if not isinstance(nodes, list) or len(nodes) != len(names):
        raise RefusedError("the codebook does not have one name a column")
    both = zip(names, nodes, strict=True)
    features = [_unpack_feature(reader, name, node) for name, node in both]
    setting, crosses = _crosses(reader, more[0], names, features) if more else (0, [])
    book = Codebook(missing, unseen, numeric, setting)
    book.keep(names, named, features, crosses)
    return book


def _crosses(
    reader: Reader, payload: object, names: list[Any], features: list[Feature]
) -> tuple[Any, list[Cross]]:
    """Return the setting of crosses, and the crosses of a codebook."""
    setting, pairs = fields(payload, "setting", "pairs")
    setting = reader.value(setting)
    if as_setting(setting) is None or not isinstance(pairs, list):
        raise RefusedError("the crosses of columns are no list of pairs")
    crosses = [_unpack_cross(reader, node, names, features) for node in pairs]
    if len({frozenset(cross.parts) for cross in crosses}) < len(crosses):
        raise RefusedError("a pair of columns is crossed twice")
    taken = [*map(str, names), *(cross.name for cross in crosses)]
    if len(set(taken)) != len(taken):
        raise RefusedError("two columns have the same name")
    return setting, crosses


def _check_names(names: object, named: object) -> None:
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


def _pack_cross(writer: Writer, cross: Cross, what: str) -> Any:
    levels = writer.node(cross.levels.astype(np.int64), what)
    return {"Cross": {"parts": list(cross.parts), "levels": levels}}


def _unpack_cross(
    reader: Reader, node: object, names: list[Any], features: list[Feature]
) -> Cross:
    """Return the cross of two features, after checking it."""
    if not isinstance(node, dict) or set(node) != {"Cross"}:
        raise RefusedError("the crosses of columns are no list of pairs")
    parts, levels = fields(node["Cross"], "parts", "levels")
    levels = reader.value(levels)
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


PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Levels: lambda feature: {"levels": list(feature.code_of)},
    Ordinal: lambda feature: {"levels": list(feature.code_of)},
    Bins: lambda feature: {"edges": feature.edges},
    Coordinate: lambda feature: {
        "places": feature.places,
        "positions": feature.positions[: len(feature.places)],
    },
    NumberLine: lambda feature: {"numbers": feature.numbers},
}
"""What a file keeps of a feature, beside its name and whether missing is a level."""


def _pack_feature(writer: Writer, feature: Feature, what: str) -> Any:
    kept = PARTS[type(feature)](feature)
    parts = {name: writer.node(part, what) for name, part in kept.items()}
    return {type(feature).__name__: {**parts, "missing": feature.missing_code >= 0}}


def _unpack_feature(reader: Reader, name: object, node: object) -> Feature:
    """Return a feature of this name, after checking it."""
    if not isinstance(node, dict) or not set(node) <= set(CHECKED) or len(node) != 1:
        raise RefusedError("the codebook does not have one feature a column")
    ((kind, payload),) = node.items()
    feature, names, check = CHECKED[kind]
    *nodes, missing = fields(payload, *names, "missing")
    parts = [reader.value(part) for part in nodes]
    check(*parts)
    if type(missing) is not bool:
        raise RefusedError("the entry missing of a column is not true or false")
    return feature(name, *parts, missing)


def _check_levels(levels: object) -> None:
    if not isinstance(levels, list) or not are_labels(levels):
        raise RefusedError("values of a column are not all text, numbers or tuples")
    refuse_collisions(levels)
    has_missing = any(is_missing(x) for x in levels if type(x) is not str)
    if has_missing or len(set(levels)) != len(levels):
        raise RefusedError("values of a column are missing or repeated")


def check_edges(edges: Any, what: str = "edges") -> None:
    """Refuse what are not finite floats (n,), each larger than the one before."""
    is_float = isinstance(edges, np.ndarray) and edges.dtype == np.float64
    if not is_float or edges.ndim != 1 or not np.isfinite(edges).all():
        raise RefusedError(f"{what} of a column are not a list of finite numbers")
    if not (edges[:-1] < edges[1:]).all():
        raise RefusedError(f"{what} of a column are not in rising order")


def _check_coordinate(places: Any, positions: Any) -> None:
    check_edges(places, "places")
    if not len(places) or np.shape(positions) != places.shape:
        raise RefusedError("a coordinate does not have as many positions as places")
    if not np.isfinite(positions).all():
        raise RefusedError("a coordinate has a position that is not finite")


def _check_numbers(numbers: Any) -> None:
    check_edges(numbers, "numbers")
    if not len(numbers):
        raise RefusedError("a column of numbers has none")


CHECKED: dict[str, tuple[Any, tuple[str, ...], Callable[..., None]]] = {
    "Levels": (Levels, ("levels",), _check_levels),
    "Ordinal": (Ordinal, ("levels",), _check_levels),
    "Bins": (Bins, ("edges",), check_edges),
    "Coordinate": (Coordinate, ("places", "positions"), _check_coordinate),
    "NumberLine": (NumberLine, ("numbers",), _check_numbers),
}
"""Kind of feature -> its class, names of its parts in a file, and what checks them."""
