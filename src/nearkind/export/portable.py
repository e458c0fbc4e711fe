"""A model without its library: how cells become codes, tables, and rows that vote."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances import FittedDistance, MismatchWeights, PairTables, ValueVectors
from nearkind.distances.pair_tables import overlap
from nearkind.export.portable_features import (
    CrossFeature,
    PortableFeature,
    portable_features,
    portable_value,
)
from nearkind.model_view import ModelView
from nearkind.neighbors import SOFT, WEIGHTS, TrainingRows
from nearkind.neighbors.k_nearest import ENOUGH
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.protocols import Array, Codes
from nearkind.voting import (
    Calibration,
    NearestRule,
    NumberCommittee,
    NumberVoter,
    SoftRule,
    Voter,
)

GRID_BITS = 52
"""Bits of a sum of table entries; a double holds one more."""
LEAST_EXPONENT_OF_TWO = -1074
"""Of the smallest double."""
LEAST_EXPONENT = -103.9
"""Soft votes of rows below this power of e are zero, as in single precision."""
TEMPERATURES = 1e-200, 1e200
"""Temperatures beyond which nothing changes, and quotients may overflow."""


@dataclass(frozen=True)
class PortableVotes:
    """The training rows that vote, equal ones merged, and how they vote.

    Attributes
    ----------
    rows : TrainingRows
    weights : {"uniform", "distance", "soft"}
    n_neighbors : float
        Rows that vote, all of them if there are fewer; not used by "soft".
    temperature : float or None
        Of "soft": votes fall by exp(-1) for so much more of the squared distance.
    """

    rows: TrainingRows
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
        return self.rows.k_nearest.n_nearest(self.n_neighbors)


@dataclass(frozen=True)
class PortableMember:
    """A distance, and the rows that vote under it.

    Attributes
    ----------
    features : list of PortableFeature
    tables : list of ndarray
        For each feature the vectors of its codes (s, q), or the distances between any
        two (s, s). Sums of entries are exact in any order: see ``on_grid``.
    has_vectors : bool
        Whether rows are sums of vectors, and distances Euclidean; else distances are
        sums over the features.
    votes : PortableVotes or None
        None for a distance alone.
    knots : ndarray (K,) or None, default=None
        Of a model of numbers: the numbers that shares of votes are on.
    trend : list of ndarray (s,), default=()
        What each code of each feature adds to the mean of the votes, if anything.
    """

    features: list[PortableFeature]
    tables: list[Array]
    has_vectors: bool
    votes: PortableVotes | None
    knots: Array | None = None
    trend: Sequence[Array] = ()

    @property
    def size(self) -> int:
        """Return how many numbers a vector has; zero if there are none."""
        return self.tables[0].shape[1] if self.has_vectors else 0

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The codes of the rows that vote (m, D), as places in the tables."""
        assert self.votes is not None
        return places(self.votes.rows.codes, [f.n_codes - 1 for f in self.features])

    @cached_property
    def ball(self) -> VectorRows:
        """The vectors of the rows that vote (m, q), with their centre and radius."""
        columns = zip(self.tables, self.codes.T, strict=True)
        return VectorRows(sum(table[code] for table, code in columns))


@dataclass(frozen=True)
class PortableModel:
    """What is exported of a model.

    Attributes
    ----------
    members : list of PortableMember
        The weighted mean of their votes counts.
    labels : list of str, bool, int or float
        Of the classes; none for a distance.
    calibration : Calibration or None
        From the mean of votes to probabilities.
    numbers : NumberCommittee or None, default=None
        Of a model of numbers: their scale, and the range of the mean of votes on it.
    weights : list of float, default=None
        Of the votes of each member; None: all count alike.
    """

    members: list[PortableMember]
    labels: list[Any]
    calibration: Calibration | None
    numbers: NumberCommittee | None = None
    weights: list[float] | None = None

    @property
    def voter_weights(self) -> list[float]:
        """The weight of the votes of each member; they add up to 1."""
        n = len(self.members)
        return self.weights or [1.0 / n] * n

    @property
    def columns(self) -> list[str]:
        """Return the names of all columns."""
        features = (f for member in self.members for f in member.features)
        names = (f.name for f in features if not isinstance(f, CrossFeature))
        return list(dict.fromkeys(names))


def portable_model(model: object) -> PortableModel:
    """Return what is exported of a fitted model, or raise if it cannot be exported."""
    view = ModelView(model)
    committee = view.committee
    if committee is None:
        member = portable_member(view.distance, view.report.method, None)
        return PortableModel([member], [], None)
    members = [
        portable_member(v.distance, v.report.method, v) for v in committee.voters
    ]
    if isinstance(committee, NumberCommittee):
        return PortableModel(members, [], None, committee)
    if committee.class_factors is not None:
        raise ValueError(
            "This model weighs its probabilities to predict classes, as its 'scoring' "
            'asks, and exports do not hold that. Fit with scoring="accuracy" or '
            '"log_loss" to export it, or save it as a file.'
        )
    return PortableModel(
        members,
        [portable_value(label, "y") for label in committee.classes.tolist()],
        committee.calibration,
        weights=None if committee.weights is None else committee.weights.tolist(),
    )


def portable_member(
    distance: FittedDistance, method: str, voter: Voter | None
) -> PortableMember:
    """Return a distance, named in errors by its method, and the rows that vote."""
    features = portable_features(distance.codebook)
    tables = on_grid(portable_tables(distance, method))
    votes = None if voter is None else portable_votes(voter)
    found = PortableMember(features, tables, distance.has_vectors, votes)
    if not isinstance(voter, NumberVoter):
        return found
    trend = () if voter.trend is None else voter.trend.vectors
    return replace(found, knots=voter.knots, trend=[table[:, 0] for table in trend])


@singledispatch
def portable_tables(distance: FittedDistance, method: str) -> Sequence[Array]:
    """Return for each feature the vectors of its codes, or distances between any two.

    Parameters
    ----------
    distance : FittedDistance
    method : str
        What learned it, for the message if it has neither.
    """
    if distance.votes_by_leaves:
        raise ValueError(
            f"{method} votes by the leaves of trees, which are not exported. Save the "
            "model as a file, or fit without it: CPMLClassifierCV(forest=False), or "
            "nearkind fit --no-forest."
        )
    raise ValueError(
        f"{method} cannot be exported: it has neither vectors of values nor "
        "tables of their distances. Fit CPML instead, or a baseline that has "
        "them, such as Euclidean, NCA, ValueDifference or Hamming."
    )


@portable_tables.register
def _vectors(distance: ValueVectors, method: str) -> Sequence[Array]:
    return distance.tables.vectors


@portable_tables.register
def _pair_tables(distance: PairTables, method: str) -> Sequence[Array]:
    return distance.tables


@portable_tables.register
def _mismatches(distance: MismatchWeights, method: str) -> Sequence[Array]:
    sizes = zip(distance.weights, distance.codebook.n_values, strict=True)
    return [weight * overlap(n_values + 1) for weight, n_values in sizes]


def numbered(name: str, count: int, mark: str = "_") -> list[str]:
    """Return a name for each of several, numbered from 1 if there are more than one.

    Examples
    --------
    >>> numbered("vector", 1), numbered("vector", 2)
    (['vector'], ['vector_1', 'vector_2'])
    """
    return [name] if count == 1 else [f"{name}{mark}{i + 1}" for i in range(count)]


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


def portable_votes(voter: Voter) -> PortableVotes:
    """Return the rows that vote and how, or raise if they cannot be exported."""
    rows, rule = voter.rows, voter.rule
    k = rows.k_nearest.at_most(float(rule.n_neighbors))
    if isinstance(rule, SoftRule):
        temperature = float(np.clip(rule.temperature, *TEMPERATURES))
        return PortableVotes(rows, SOFT, k, temperature)
    assert isinstance(rule, NearestRule)  # tables of others are refused
    if rule.weights not in WEIGHTS:
        raise ValueError(
            "The weights of the votes are a function, which cannot be "
            'exported. Call set_params(weights="uniform") or "distance" first.'
        )
    return PortableVotes(rows, rule.weights, k, None)


def places(codes: Codes, n_values: Sequence[int]) -> NDArray[np.intp]:
    """Return codes (n, D), those of unseen values as the last place.

    Examples
    --------
    >>> places(np.array([[0, 2], [-1, -1]]), [2, 3]).tolist()
    [[0, 2], [2, 3]]
    """
    return np.where(codes < 0, n_values, codes).astype(np.intp)
