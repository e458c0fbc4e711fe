"""Columns of a model without Python or nearkind: how cells become codes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from nearkind.encoding import Feature, Levels
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.crosses import Cross
from nearkind.encoding.features import NumberFeature
from nearkind.tables import as_floats


class PortableEntry(NamedTuple):
    """What a code of a feature stands for.

    Attributes
    ----------
    kind : str
        "text", "number" or "boolean" for a value; "from" for all numbers from this one
        up to that of the next entry; "pair" for two codes of other features; "missing";
        "unseen".
    value : str, bool, int, float, (int, int) or None
        None for the last two.
    """

    kind: str
    value: Any


@dataclass(frozen=True)
class PortableFeature(ABC):
    """How cells of a row become a code; the last code is that of unseen values.

    Attributes
    ----------
    name : str
        Name of the column; of a pair, both.
    missing : int
        Code of missing values; the last if they count as unseen.
    n_codes : int
    """

    name: str
    missing: int
    n_codes: int

    def entries(self) -> list[PortableEntry]:
        """Return an entry for each code."""
        known = self.known()
        has_missing = self.n_codes > len(known) + 1
        return [
            *known,
            *[PortableEntry("missing", None)] * has_missing,
            PortableEntry("unseen", None),
        ]

    @abstractmethod
    def known(self) -> list[PortableEntry]:
        """Return the entries of values."""


@dataclass(frozen=True)
class ValueFeature(PortableFeature):
    """A feature with one code for each value.

    Attributes
    ----------
    values : list of str, bool, int or float
        In the order of their codes.
    name, missing, n_codes : as in ``PortableFeature``

    Examples
    --------
    >>> ValueFeature("size", 2, 3, ["1", 1]).entries()[1:]
    [PortableEntry(kind='number', value=1), PortableEntry(kind='unseen', value=None)]
    """

    values: list[Any]

    def known(self) -> list[PortableEntry]:
        """Return the entries of values."""
        kinds = {str: "text", bool: "boolean"}
        return [PortableEntry(kinds.get(type(x), "number"), x) for x in self.values]


@dataclass(frozen=True)
class IntervalFeature(PortableFeature):
    """A feature of numbers with one code for each ``edges[k - 1] <= x < edges[k]``.

    Attributes
    ----------
    edges : list of float
        Rising.
    name, missing, n_codes : as in ``PortableFeature``
    """

    edges: list[float]

    def known(self) -> list[PortableEntry]:
        """Return the entries of intervals."""
        return [PortableEntry("from", edge) for edge in (float("-inf"), *self.edges)]


@dataclass(frozen=True)
class CrossFeature(PortableFeature):
    """A feature with one code for each pair of codes of two others.

    Attributes
    ----------
    parts : (int, int)
        Numbers of the two features, which come before.
    pairs : list of (int, int)
        Codes of the two, in the order of their own code.
    name, missing, n_codes : as in ``PortableFeature``
    """

    parts: tuple[int, int]
    pairs: list[tuple[int, int]]

    def known(self) -> list[PortableEntry]:
        """Return the entries of pairs."""
        return [PortableEntry("pair", pair) for pair in self.pairs]


def portable_features(book: Codebook) -> list[PortableFeature]:
    """Return how a codebook turns cells into codes."""
    names = [as_text(name) for name in book.feature_names]
    for name in names:
        _encodable(name, name)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            f"Two columns are called {min(twice)!r} as text; rename one and fit again."
        )
    of_columns = map(_column_feature, names, book.features_)  # crosses come after them
    return [*of_columns, *map(_cross_feature, book.crosses_)]


def _column_feature(name: str, feature: Feature) -> PortableFeature:
    unseen = feature.n_values
    missing = unseen if feature.missing_code < 0 else feature.missing_code
    if isinstance(feature, NumberFeature):
        return IntervalFeature(name, missing, unseen + 1, feature.edges.tolist())
    assert isinstance(feature, Levels)
    values = [portable_value(value, name) for value in feature.code_of]
    check_distinct_doubles(values, name)
    return ValueFeature(name, missing, unseen + 1, values)


def _cross_feature(cross: Cross) -> PortableFeature:
    pairs = [(a, b) for a, b in cross.levels.tolist()]
    unseen = cross.n_values
    return CrossFeature(cross.name, unseen, unseen + 1, cross.parts, pairs)


def portable_value(value: object, column: str) -> Any:
    """Return a value as text, bool, int or float, which every target can hold.

    Parameters
    ----------
    value : object
        Not missing.
    column : str
        Its column, for the message.

    Examples
    --------
    >>> portable_value(Decimal("1.5"), "size"), portable_value("1.5", "size")
    (1.5, '1.5')
    """
    if isinstance(value, str):
        return _encodable(value, column)
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Decimal | Fraction):
        return float(value)
    raise ValueError(
        f"Column {column!r} holds {value!r:.60}, a {type(value).__name__}, and only "
        "text, numbers and booleans can be exported. Turn it into text and fit again."
    )


def _encodable(text: str, column: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"Column {column!r} is called or holds {text!r:.60}, with half of a "
            "character, which cannot be written in UTF-8. Repair it and fit again."
        ) from None
    return text


def non_texts(values: Sequence[object]) -> list[Any]:
    """Return the values that are numbers or booleans."""
    return [value for value in values if not isinstance(value, str)]


def as_double(value: object) -> float:
    """Return a number or boolean as a float, infinite if it is too large for one."""
    return float(as_floats([value])[0])


def check_distinct_doubles(values: Sequence[object], column: str) -> None:
    """Refuse numbers that are equal as doubles, which other programs use."""
    seen: dict[float, Any] = {}
    for value in non_texts(values):
        other = seen.setdefault(as_double(value), value)
        if other is not value:
            raise ValueError(
                f"Column {column!r} holds {other!r:.60} and {value!r:.60}, which are "
                "equal as double-precision numbers. Turn the column into text and fit "
                "again."
            )


def as_text(value: object) -> str:
    """Return a value as people write it: whole numbers without a point, true, false.

    Examples
    --------
    >>> [as_text(value) for value in ("a", 2.0, 0.5, True)]
    ['a', '2', '0.5', 'true']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)
