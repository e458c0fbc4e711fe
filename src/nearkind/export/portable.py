"""A model without its library: vectors of values, and the training rows that vote."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding import Bins, Coordinate, Cross, Levels
from nearkind.encoding.codebook import Codebook
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.model_view import ModelView
from nearkind.neighbors import VOTE_WEIGHTS
from nearkind.neighbors.reach import ENOUGH
from nearkind.protocols import Array
from nearkind.tables import as_floats


class Entry(NamedTuple):
    """What a vector of a feature stands for.

    Attributes
    ----------
    kind : str
        "text", "number" or "boolean" for a value; "from" for all numbers from this one
        up to that of the next entry; "pair" for two values; "missing"; "unseen".
    value : str, bool, int, float or None
        Of a pair the places of its two values, such as "0 3"; None for the last two.
    """

    kind: str
    value: Any


@dataclass(frozen=True)
class ValueFeature:
    """A feature with one vector for each value.

    Attributes
    ----------
    name : str
        Name of the column.
    values : list of str, bool, int or float
        One a vector.
    missing : int
        Place of the vector of missing values; the last if they count as unseen.
    vectors : ndarray of shape (s, q)
        The last is that of unseen values.

    Examples
    --------
    >>> ValueFeature("size", ["1", 1], 2, np.zeros((3, 1))).entries()[1:]
    [Entry(kind='number', value=1), Entry(kind='unseen', value=None)]
    """

    name: str
    values: list[Any]
    missing: int
    vectors: Array

    def entries(self) -> list[Entry]:
        """Return an entry for each vector."""
        kinds = {str: "text", bool: "boolean"}
        known = [Entry(kinds.get(type(x), "number"), x) for x in self.values]
        return _with_missing_and_unseen(known, len(self.vectors))


@dataclass(frozen=True)
class IntervalFeature:
    """A feature of numbers with one vector for each ``edges[k - 1] <= x < edges[k]``.

    Attributes
    ----------
    edges : list of float
        Rising.
    name, missing, vectors : as in ``ValueFeature``
    """

    name: str
    edges: list[float]
    missing: int
    vectors: Array

    def entries(self) -> list[Entry]:
        """Return an entry for each vector."""
        known = [Entry("from", edge) for edge in (float("-inf"), *self.edges)]
        return _with_missing_and_unseen(known, len(self.vectors))


@dataclass(frozen=True)
class CrossFeature:
    """A feature with one vector for each pair of values of two others.

    Attributes
    ----------
    parts : (int, int)
        Numbers of the two features, which come before it.
    pairs : list of (int, int)
        One a vector: the places of the two values' vectors in their features.
    name, missing, vectors : as in ``ValueFeature``
        No value is missing; any other pair has the last vector.

    Examples
    --------
    >>> CrossFeature("a x b", (0, 1), [(0, 3)], 1, np.zeros((2, 1))).entries()[0]
    Entry(kind='pair', value='0 3')
    """

    name: str
    parts: tuple[int, int]
    pairs: list[tuple[int, int]]
    missing: int
    vectors: Array

    def entries(self) -> list[Entry]:
        """Return an entry for each vector."""
        known = [Entry("pair", f"{a} {b}") for a, b in self.pairs]
        return _with_missing_and_unseen(known, len(self.vectors))


Feature = ValueFeature | IntervalFeature | CrossFeature


@dataclass(frozen=True)
class PortableClassifier:
    """The training rows that vote, equal ones merged, and how they vote.

    Attributes
    ----------
    labels : list of str, bool, int or float
        Of the classes.
    n_neighbors : float
        Rows that vote; all of them if there are fewer.
    weights : {"uniform", "distance"}
    vectors : ndarray of shape (m, q)
        Of the unique rows.
    counts : ndarray of shape (m,)
        How many rows each stands for.
    shares : ndarray of shape (m, C)
        Share of each class among those.
    numbers : ndarray of shape (m,)
        Number of the first of those in the table given to fit.
    """

    labels: list[Any]
    n_neighbors: float
    weights: str
    vectors: Array
    counts: Array
    shares: Array
    numbers: NDArray[np.intp]

    @property
    def enough(self) -> float:
        """Return the count at which the k-th row is reached."""
        return self.n_neighbors * ENOUGH

    @property
    def n_nearest(self) -> int:
        """Return how many of the nearest unique rows are sure to hold the k-th row."""
        lightest_first = np.cumsum(np.sort(self.counts))
        reached = int(np.searchsorted(lightest_first, self.enough))
        return min(reached + 1, len(self.counts))


@dataclass(frozen=True)
class PortableModel:
    """What is exported of a model; ``classifier`` is None for a distance."""

    features: list[Feature]
    classifier: PortableClassifier | None

    @property
    def size(self) -> int:
        """Return how many numbers a vector has."""
        return self.features[0].vectors.shape[1]

    @property
    def crosses(self) -> dict[int, CrossFeature]:
        """Return the features that are crosses by their numbers, which are the last."""
        numbered = enumerate(self.features)
        return {d: f for d, f in numbered if isinstance(f, CrossFeature)}


def portable_model(model: Any) -> PortableModel:
    """Return what is exported of a fitted model, or raise if it cannot be exported."""
    view = ModelView(model)
    if len(view.members) > 1:
        raise ValueError(
            f"This CPMLClassifierCV votes with {len(view.members)} distances "
            "together, and an export holds one. Export the first, model.members_[0] "
            "(--member 1), or fit with max_members=1."
        )
    metric = view.distance
    if not metric.has_vectors:
        raise ValueError(
            f"{type(metric).__name__} gives values no vectors whose Euclidean distance "
            "is its own, and an export is made of those. Fit CPML instead, or a "
            "baseline with value_vectors_, such as Euclidean, NCA or LMNN."
        )
    classifier = portable_classifier(view.members[0]) if view.classifies else None
    features = portable_features(view.codebook, metric.value_tables_.vectors)
    return PortableModel(features, classifier)


def portable_classifier(model: CPMLClassifier) -> PortableClassifier:
    """Return the rows that vote and how, or raise if they cannot be exported."""
    if callable(model.weights) or model.weights not in VOTE_WEIGHTS:
        raise ValueError(
            "The weights of this CPMLClassifier are a function, which cannot be "
            'exported. Call set_params(weights="uniform") or "distance" first.'
        )
    rows = model.training_rows_
    return PortableClassifier(
        labels=[portable_value(label, "y") for label in model.classes_.tolist()],
        n_neighbors=min(float(model.n_neighbors), float(rows.weights.sum())),
        weights=model.weights,
        vectors=model.metric_.represent(rows.codes),
        counts=rows.weights,
        shares=rows.shares,
        numbers=rows.groups.first_rows,
    )


def portable_features(book: Codebook, tables: Sequence[Array]) -> list[Feature]:
    """Return the features of a codebook with the vectors of their values (s + 1, q)."""
    names = [as_text(name) for name in book.feature_names]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            f"Two columns are called {min(twice)!r} as text; rename one and fit again."
        )
    columns = zip(names, (*book.features_, *book.crosses_), tables, strict=True)
    return [FEATURES[type(f)](name, f, table) for name, f, table in columns]


def _value_feature(name: str, feature: Levels, vectors: Array) -> Feature:
    values = [portable_value(value, name) for value in feature.code_of]
    check_distinct_doubles(values, name)
    missing = _missing_place(feature.missing_code, vectors)
    return ValueFeature(name, values, missing, vectors)


def _interval_feature(name: str, feature: Any, vectors: Array) -> Feature:
    missing = _missing_place(feature.missing_code, vectors)
    return IntervalFeature(name, feature.edges.tolist(), missing, vectors)


def _cross_feature(name: str, cross: Cross, vectors: Array) -> Feature:
    pairs = [(a, b) for a, b in cross.levels.tolist()]
    return CrossFeature(name, cross.parts, pairs, len(pairs), vectors)


FEATURES: dict[type, Callable[[str, Any, Array], Feature]] = {
    Cross: _cross_feature,
    Levels: _value_feature,
    Bins: _interval_feature,
    Coordinate: _interval_feature,
}


def _missing_place(code: int, vectors: Array) -> int:
    return code if code >= 0 else len(vectors) - 1


def _with_missing_and_unseen(known: list[Entry], n_vectors: int) -> list[Entry]:
    has_missing = n_vectors > len(known) + 1
    return [*known, *[Entry("missing", None)] * has_missing, Entry("unseen", None)]


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
            f"Column {column!r} holds {text!r:.60}, half of a character, which cannot "
            "be written in UTF-8. Repair it and fit again."
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
