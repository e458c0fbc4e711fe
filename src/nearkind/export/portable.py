"""A model without its library: how cells become codes, tables, and rows that vote."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines import Hamming
from nearkind.baselines.pair_tables import overlap
from nearkind.baselines.pairwise import TableDistance
from nearkind.encoding import Bins, Coordinate, Levels
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.crosses import Cross
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.model_view import ModelView
from nearkind.neighbors import WEIGHTS, Reach, is_soft
from nearkind.neighbors.reach import ENOUGH
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.protocols import Array, Codes
from nearkind.tables import as_floats
from nearkind.voting.calibration import Calibration

GRID_BITS = 52
"""Bits of a sum of table entries; a double holds one more."""
LEAST_EXPONENT_OF_TWO = -1074
"""Of the smallest double."""
LEAST_EXPONENT = -103.9
"""Soft votes of rows below this power of e are zero, as in single precision."""
TEMPERATURES = 1e-200, 1e200
"""Temperatures beyond which nothing changes, and quotients may overflow."""


class Entry(NamedTuple):
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
class Feature(ABC):
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

    def entries(self) -> list[Entry]:
        """Return an entry for each code."""
        known = self.known()
        has_missing = self.n_codes > len(known) + 1
        return [*known, *[Entry("missing", None)] * has_missing, Entry("unseen", None)]

    @abstractmethod
    def known(self) -> list[Entry]:
        """Return the entries of values."""


@dataclass(frozen=True)
class ValueFeature(Feature):
    """A feature with one code for each value.

    Attributes
    ----------
    values : list of str, bool, int or float
        In the order of their codes.
    name, missing, n_codes : as in ``Feature``

    Examples
    --------
    >>> ValueFeature("size", 2, 3, ["1", 1]).entries()[1:]
    [Entry(kind='number', value=1), Entry(kind='unseen', value=None)]
    """

    values: list[Any]

    def known(self) -> list[Entry]:
        """Return the entries of values."""
        kinds = {str: "text", bool: "boolean"}
        return [Entry(kinds.get(type(x), "number"), x) for x in self.values]


@dataclass(frozen=True)
class IntervalFeature(Feature):
    """A feature of numbers with one code for each ``edges[k - 1] <= x < edges[k]``.

    Attributes
    ----------
    edges : list of float
        Rising.
    name, missing, n_codes : as in ``Feature``
    """

    edges: list[float]

    def known(self) -> list[Entry]:
        """Return the entries of intervals."""
        return [Entry("from", edge) for edge in (float("-inf"), *self.edges)]


@dataclass(frozen=True)
class CrossFeature(Feature):
    """A feature with one code for each pair of codes of two others.

    Attributes
    ----------
    parts : (int, int)
        Numbers of the two features, which come before.
    pairs : list of (int, int)
        Codes of the two, in the order of their own code.
    name, missing, n_codes : as in ``Feature``
    """

    parts: tuple[int, int]
    pairs: list[tuple[int, int]]

    def known(self) -> list[Entry]:
        """Return the entries of pairs."""
        return [Entry("pair", pair) for pair in self.pairs]


@dataclass(frozen=True)
class Voters:
    """The training rows that vote, equal ones merged, and how they vote.

    Attributes
    ----------
    codes : ndarray of int of shape (m, D)
        Of the unique rows, those of unseen values being the last of their feature.
    counts : ndarray of shape (m,)
        How many rows each stands for.
    shares : ndarray of shape (m, C)
        Share of each class among those.
    numbers : ndarray of int of shape (m,)
        Number of the first of those in the table given to fit.
    weights : {"uniform", "distance", "soft"}
    n_neighbors : float
        Rows that vote, all of them if there are fewer; not used by "soft".
    temperature : float or None
        Of "soft": votes fall by exp(-1) for so much more of the squared distance.
    """

    codes: NDArray[np.intp]
    counts: Array
    shares: Array
    numbers: NDArray[np.intp]
    weights: str
    n_neighbors: float
    temperature: float | None

    @property
    def enough(self) -> float:
        """Return the count at which the k-th row is reached."""
        return self.n_neighbors * ENOUGH

    @property
    def n_nearest(self) -> int:
        """Return how many of the nearest unique rows are sure to hold the k-th row."""
        return Reach(self.counts).n_nearest(self.n_neighbors)


@dataclass(frozen=True)
class PortableMember:
    """A distance, and the rows that vote under it.

    Attributes
    ----------
    features : list of Feature
    tables : list of ndarray
        For each feature the vectors of its codes (s, q), or the distances between any
        two (s, s). Sums of entries are exact in any order: see ``on_grid``.
    has_vectors : bool
        Whether rows are sums of vectors, and distances Euclidean; else distances are
        sums over the features.
    voters : Voters or None
        None for a distance alone.
    """

    features: list[Feature]
    tables: list[Array]
    has_vectors: bool
    voters: Voters | None

    @property
    def size(self) -> int:
        """Return how many numbers a vector has; zero if there are none."""
        return self.tables[0].shape[1] if self.has_vectors else 0

    @cached_property
    def ball(self) -> VectorRows:
        """The vectors of the rows that vote (m, q), with their centre and radius."""
        assert self.voters is not None
        columns = zip(self.tables, self.voters.codes.T, strict=True)
        return VectorRows(sum(table[code] for table, code in columns))


@dataclass(frozen=True)
class PortableModel:
    """What is exported of a model.

    Attributes
    ----------
    members : list of PortableMember
        The mean of their votes counts.
    labels : list of str, bool, int or float
        Of the classes; none for a distance.
    calibration : Calibration or None
        From the mean of votes to probabilities.
    """

    members: list[PortableMember]
    labels: list[Any]
    calibration: Calibration | None

    @property
    def columns(self) -> list[str]:
        """Return the names of all columns."""
        features = (f for member in self.members for f in member.features)
        names = (f.name for f in features if not isinstance(f, CrossFeature))
        return list(dict.fromkeys(names))


def portable_model(model: Any) -> PortableModel:
    """Return what is exported of a fitted model, or raise if it cannot be exported."""
    view = ModelView(model)
    voting: Sequence[CPMLClassifier | None] = view.members or [None]
    pairs = zip(view.distances, voting, strict=True)
    labels = view.members[0].classes_.tolist() if view.classifies else []
    return PortableModel(
        [portable_member(distance, member) for distance, member in pairs],
        [portable_value(label, "y") for label in labels],
        view.calibration,
    )


def portable_member(metric: Any, member: CPMLClassifier | None) -> PortableMember:
    """Return a distance and, of a classifier, the rows that vote under it."""
    features = portable_features(metric.codebook_)
    tables = on_grid(_tables(metric, features))
    voters = None if member is None else portable_voters(member)
    return PortableMember(features, tables, metric.has_vectors, voters)


def _tables(metric: Any, features: Sequence[Feature]) -> Sequence[Array]:
    if metric.has_vectors:
        return metric.value_tables_.vectors
    if isinstance(metric, Hamming):
        return [overlap(feature.n_codes) / len(features) for feature in features]
    if isinstance(metric, TableDistance):
        return metric.pair_tables_.tables
    raise ValueError(
        f"{type(metric).__name__} has neither vectors of values nor tables of their "
        "distances, of which an export is made. Fit CPML instead, or a baseline with "
        "value_vectors_ or pair_tables_, such as Euclidean, NCA or Hamming."
    )


def on_grid(tables: Sequence[Array]) -> list[Array]:
    """Return tables whose entries are multiples of one power of two.

    It is so small that nothing visible changes, and so large that sums of one entry of
    each table, and their differences, are exact: they have the same bits in any order.

    Examples
    --------
    >>> tables = on_grid([np.array([[0.1]]), np.array([[0.2]]), np.array([[0.3]])])
    >>> a, b, c = (float(table[0, 0]) for table in tables)
    >>> a + (b + c) == (a + b) + c, round(a, 12)
    (True, 0.1)
    """
    largest = sum(float(np.abs(table).max(initial=0.0)) for table in tables)
    if not np.isfinite(largest):
        raise ValueError("The distance has infinite entries and cannot be exported.")
    exponent = max(int(np.frexp(largest)[1]) - GRID_BITS, LEAST_EXPONENT_OF_TWO)
    step = np.ldexp(1.0, exponent)
    return [np.round(table / step) * step for table in tables]


def portable_voters(model: CPMLClassifier) -> Voters:
    """Return the rows that vote and how, or raise if they cannot be exported."""
    if model.weights not in WEIGHTS:
        raise ValueError(
            "The weights of this CPMLClassifier are a function, which cannot be "
            'exported. Call set_params(weights="uniform") or "distance" first.'
        )
    rows = model.training_rows_
    temperature = model.temperature_ if is_soft(model.weights) else None
    return Voters(
        codes=places(rows.codes, model.codebook_),
        counts=rows.weights,
        shares=rows.shares,
        numbers=rows.groups.first_rows,
        weights=model.weights,
        n_neighbors=min(float(model.n_neighbors), float(rows.weights.sum())),
        temperature=temperature and float(np.clip(temperature, *TEMPERATURES)),
    )


def places(codes: Codes, book: Codebook) -> NDArray[np.intp]:
    """Return codes (n, D), those of unseen values as the last place.

    Examples
    --------
    >>> book = Codebook()
    >>> places(book.fit_encode([["red"], ["blue"]]) - 1, book).tolist()
    [[0], [2]]
    """
    return np.where(codes < 0, book.n_values, codes).astype(np.intp)


def portable_features(book: Codebook) -> list[Feature]:
    """Return how a codebook turns cells into codes."""
    names = [as_text(name) for name in book.feature_names]
    for name in names:
        _encodable(name, name)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            f"Two columns are called {min(twice)!r} as text; rename one and fit again."
        )
    columns = zip(names, book.features_, strict=False)  # crosses come after them
    of_columns = [FEATURES[type(feature)](name, feature) for name, feature in columns]
    return [*of_columns, *map(_cross_feature, book.crosses_)]


def _value_feature(name: str, feature: Levels) -> Feature:
    values = [portable_value(value, name) for value in feature.code_of]
    check_distinct_doubles(values, name)
    return ValueFeature(name, *_missing_and_size(feature), values)


def _interval_feature(name: str, feature: Any) -> Feature:
    return IntervalFeature(name, *_missing_and_size(feature), feature.edges.tolist())


def _cross_feature(cross: Cross) -> Feature:
    pairs = [(a, b) for a, b in cross.levels.tolist()]
    unseen = cross.n_values
    return CrossFeature(cross.name, unseen, unseen + 1, cross.parts, pairs)


FEATURES: dict[type, Callable[[str, Any], Feature]] = {
    Levels: _value_feature,
    Bins: _interval_feature,
    Coordinate: _interval_feature,
}


def _missing_and_size(feature: Any) -> tuple[int, int]:
    unseen = feature.n_values
    return unseen if feature.missing_code < 0 else feature.missing_code, unseen + 1


def portable_value(value: Any, column: str) -> Any:
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


def non_texts(values: Sequence[Any]) -> list[Any]:
    """Return the values that are numbers or booleans."""
    return [value for value in values if not isinstance(value, str)]


def as_double(value: Any) -> float:
    """Return a number or boolean as a float, infinite if it is too large for one."""
    return float(as_floats([value])[0])


def check_distinct_doubles(values: Sequence[Any], column: str) -> None:
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


def as_text(value: Any) -> str:
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
