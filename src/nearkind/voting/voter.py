"""Voters: a distance, training rows and the rule of the vote."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import DistanceFromRow, FittedDistance, query_chunks
from nearkind.distances.leaf_codes import LeafCodes
from nearkind.encoding.rows import CodedRows, row_keys
from nearkind.errors import RefusedError
from nearkind.neighbors import (
    INDEXES,
    VOTE_WEIGHTS,
    LeafVotes,
    LeaveOneOut,
    PlainIndex,
    RankedNear,
    SoftVotes,
    TrainingRows,
    near_votes,
    vote_shares,
    vote_shares_by_k,
    weigher,
)
from nearkind.protocols import Array, Codes, Index
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import ALL_CORES, in_threads, thread_map


@dataclass(frozen=True)
class NearestRule:
    """The nearest rows vote.

    Attributes
    ----------
    n_neighbors : int
        How many, counted by their weights.
    weights : "uniform", "distance" or callable
        From distances to weights of votes.
    """

    n_neighbors: int
    weights: Any = "uniform"

    def check(self) -> None:
        """Raise ``RefusedError`` unless these are a number and known weights."""
        _check_number(self.n_neighbors)
        if not callable(self.weights) and self.weights not in VOTE_WEIGHTS:
            known = ", ".join(VOTE_WEIGHTS)
            raise RefusedError(
                f"weights of votes are {self.weights!r:.60} instead of one of {known}"
            )


@dataclass(frozen=True)
class SoftRule:
    """All rows vote, with the weight exp(-distance^2 / temperature).

    Attributes
    ----------
    temperature : float
    n_neighbors : int, default=5
        Rows to which ``score_samples`` looks, and how many an index expects to find.
    """

    temperature: float
    n_neighbors: int = 5

    def check(self) -> None:
        """Raise ``RefusedError`` unless the temperature is finite and above zero."""
        _check_number(self.n_neighbors)
        if not 0.0 < self.temperature < np.inf:
            raise RefusedError("temperature is not a finite number above zero")


@dataclass(frozen=True)
class LeafRule:
    """Rows vote that share leaves with a row in the trees of a forest.

    Attributes
    ----------
    n_neighbors : int, default=5
        Rows to which ``score_samples`` looks.
    """

    n_neighbors: int = 5

    def check(self) -> None:
        """Raise ``RefusedError`` unless the number is one."""
        _check_number(self.n_neighbors)


Rule = NearestRule | SoftRule | LeafRule


@dataclass(frozen=True)
class FitReport:
    """How a distance was learned.

    Attributes
    ----------
    method : str
        Name of the class of the estimator.
    title : str
        The estimator as text, with the settings that bear on what is learned.
    settings : dict
        Its parameters.
    is_learned : bool
        Whether the weights of features are learned from labels or constraints. For
        other distances, the shares of features do not show which features separate the
        classes: a column of row numbers may be first.
    temperature : float or None
        Of the soft votes that it was learned for, if it was.
    diagnostics : dict
        Values of the fit by name, such as ``gap_`` and ``history_``.
    own_kind : type or None
        The class of an estimator that is not of nearkind; files keep none.
    """

    method: str
    title: str
    settings: dict[str, Any]
    is_learned: bool
    temperature: float | None = None
    diagnostics: dict[str, Any] = field(default_factory=dict, repr=False)
    own_kind: type | None = field(
        default=None, repr=False, compare=False, metadata={"is_kept": False}
    )


@dataclass(frozen=True)
class Represented:
    """Rows as a distance represents them, made for each chunk when it is asked for.

    Vectors may be far longer than rows of codes; those of all rows are never held.
    """

    distance: FittedDistance
    codes: Codes

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, at: slice) -> Any:
        return self.distance.represent(self.codes[at])


@dataclass(frozen=True, eq=False)
class Voter:
    """A distance, the rows that vote, and how.

    Attributes
    ----------
    distance : FittedDistance
    rows : TrainingRows
        Coded by the codebook of the distance.
    rule : NearestRule, SoftRule or LeafRule
    report : FitReport
        How the distance was learned.
    index_kind : {"exact", "faiss"}, default="exact"
        What finds the nearest rows.
    """

    distance: FittedDistance
    rows: TrainingRows
    rule: Rule
    report: FitReport
    index_kind: str = "exact"

    @cached_property
    def index(self) -> Index:
        """What finds the nearest rows, built when it is first asked."""
        kind = INDEXES[self.index_kind]
        represented = self.distance.represent(self.rows.codes)
        return kind(self.distance, represented, self.rule.n_neighbors)

    @property
    def represented(self) -> Any:
        """The unique rows, as the distance represents them."""
        return self.index.rows

    @cached_property
    def soft_votes(self) -> SoftVotes:
        """The votes of all rows at the temperature of a soft rule."""
        assert isinstance(self.rule, SoftRule)
        weights, temperature = self.rows.weights, self.rule.temperature
        return SoftVotes(self.distance, self.represented, weights, temperature)

    @cached_property
    def leaf_votes(self) -> LeafVotes:
        """The votes of rows that share leaves."""
        assert isinstance(self.distance, LeafCodes)
        return LeafVotes(self.distance, self.rows)

    @property
    def is_soft(self) -> bool:
        """Whether all rows vote at a temperature."""
        return isinstance(self.rule, SoftRule)

    def encode(self, X: Any, owner: str | None = None) -> Codes:
        """Return the codes (n, D) of a table, or of rows that were coded elsewhere."""
        if isinstance(X, CodedRows):
            return X.coded_by(self.distance.codebook).codes
        return self.distance.encode(X, owner)

    def check(self) -> None:
        """Raise ``RefusedError`` unless the parts fit together."""
        self.rows.check_codes(self.distance.codebook)
        if self.index_kind not in INDEXES:
            known = ", ".join(INDEXES)
            raise RefusedError(
                f"index_kind is {self.index_kind!r:.60} instead of one of {known}"
            )
        if isinstance(self.rule, LeafRule) and not self.distance.votes_by_leaves:
            raise RefusedError(
                f"{type(self.distance).__name__} has no leaves that rows could share"
            )
        if not INDEXES[self.index_kind].takes(self.distance):
            raise RefusedError(
                f"index {self.index_kind!r} needs vectors, and the distance "
                f"{type(self.distance).__name__} has none"
            )

    def with_rows(self, rows: TrainingRows) -> "Voter":
        """Return a voter like this one in which other rows vote."""
        return replace(self, rows=rows)

    def shares(self, codes: Codes) -> Array:
        """Return the share of each class in the votes on rows (n, C)."""
        return self.shares_of(Represented(self.distance, codes))

    def shares_of(self, queries: Any) -> Array:
        """Return ``shares`` of rows that are represented, or will be.

        Of equal rows one is asked for soft votes.
        """
        if isinstance(self.rule, SoftRule):
            if isinstance(queries, Represented) and len(queries) > 1:
                keys = row_keys(queries.codes)
                _, first, at = np.unique(keys, return_index=True, return_inverse=True)
                if len(first) < len(keys):
                    different = Represented(self.distance, queries.codes[first])
                    found: Array = self.shares_of(different)[at]
                    return found
            votes = self.soft_votes

            def shares(at: slice) -> Array:
                return votes.shares(queries[at], self.rows.shares)

            chunks = votes.chunks(len(queries), distances_at_once())
            return np.concatenate(in_threads(shares, chunks or [slice(0)]))
        if isinstance(self.rule, LeafRule):
            by_leaves = self.leaf_votes
            chunks = query_chunks(
                len(queries), by_leaves.n_numbers, distances_at_once()
            )
            return np.concatenate(
                in_threads(
                    lambda at: by_leaves.shares(queries[at]), chunks or [slice(0)]
                )
            )
        k, weigh = self.rule.n_neighbors, weigher(self.rule.weights)

        def shares_near(at: slice) -> Array:
            some = queries[at]
            near = self.index.near(some, self.rows.k_nearest, k)
            return vote_shares(near, weigh, self.rows.shares, len(some))

        chunks = self.index.chunks(len(queries), distances_at_once())
        return np.concatenate(in_threads(shares_near, chunks or [slice(0)]))

    def shares_by_rule(self, codes: Codes, rules: Sequence[Rule]) -> Array:
        """Return ``shares`` under several rules (R, n, C), from one search.

        Parameters
        ----------
        codes : ndarray of int (n, D)
        rules : sequence of Rule
            Those of the same weights in a row.
        """
        queries = Represented(self.distance, codes)
        found = np.empty((len(rules), len(queries), self.rows.shares.shape[1]))
        near_by: list[tuple[Any, list[int], list[int]]] = []  # weights, places, ks
        nearest = []
        for place, rule in enumerate(rules):
            if isinstance(rule, NearestRule):
                nearest.append((place, rule))
            else:
                found[place] = replace(self, rule=rule).shares_of(queries)
        for weights, some in groupby(nearest, lambda item: item[1].weights):
            places, listed = zip(*some, strict=True)
            ks = [rule.n_neighbors for rule in listed]
            near_by.append((weigher(weights), list(places), ks))

        def vote(at: slice) -> None:
            near = self.index.near(queries[at], self.rows.k_nearest, most)
            ranked = RankedNear.of(near, self.rows.weights[near.unique_row])
            for weigh, places, ks in near_by:
                found[places, at] = vote_shares_by_k(
                    ranked, weigh, self.rows.shares, ks
                )

        if near_by:
            most = max(k for _, _, ks in near_by for k in ks)
            in_threads(vote, self.index.chunks(len(queries), distances_at_once()))
        return found

    def votes(self, query: Any, rows: Any = None) -> Array:
        """Return the share of the votes on one row that each unique row has (m,).

        Parameters
        ----------
        query : sequence of length 1
            The row, represented.
        rows : sequence of length m, default=None
            The unique rows, represented otherwise; None: as they are.
        """
        distance, rows = self.distance, self.represented if rows is None else rows
        weights = self.rows.weights
        if isinstance(self.rule, SoftRule):
            votes = SoftVotes(distance, rows, weights, self.rule.temperature)
            return votes.votes(query)[0]
        if isinstance(self.rule, LeafRule):
            return self.leaf_votes.votes(query)
        k = self.rule.n_neighbors
        near = PlainIndex(distance, rows, k).near(query, self.rows.k_nearest, k)
        found = np.zeros(len(self.rows))
        found[near.unique_row] = near_votes(near, weigher(self.rule.weights), 1)
        return found / found.sum()

    def shares_over(self, row: Codes, kept: NDArray[np.bool_]) -> Array:
        """Return the shares of the votes on one row over subsets of features (E, C).

        Parameters
        ----------
        row : ndarray of int (D,)
            Codes.
        kept : ndarray of bool (E, D)
            The features of each subset; in the others all training rows have the value
            of the row, so that they tell none from another.
        """
        if isinstance(self.rule, LeafRule):
            return self.leaf_votes.shares_over(row, kept)
        from_row = DistanceFromRow(self.distance.codebook, self.distance, row)
        return replace(self, distance=from_row, index_kind="exact").shares_of(kept)

    def kneighbors(self, codes: Codes | None, k: int) -> tuple[Array, NDArray[np.intp]]:
        """Return distances and numbers of the k nearest training rows (n, k).

        Ties are in the order of row numbers.

        Parameters
        ----------
        codes : ndarray of int (n, D) or None
            None: the training rows, each compared with the others.
        k : int
        """
        n_others = self.rows.n_rows - (codes is None)
        if k > n_others:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k} and "
                f"only {n_others} training rows can be neighbours."
            )
        groups, itself, queries = self.rows.groups, *self._queries(codes)

        def nearest(at: slice) -> tuple[Array, NDArray[np.intp]]:
            near = self.index.near(queries[at], groups.k_nearest, k + (codes is None))
            return groups.nearest(near, k, itself[at])

        chunks = self.index.chunks(len(queries), distances_at_once())
        found = zip(*in_threads(nearest, chunks), strict=True)
        distances, numbers = (np.concatenate(part) for part in found)
        return distances, numbers

    def radius_neighbors(
        self, codes: Codes | None, radius: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
        """Return all training rows within a distance, as pairs of a query and a row.

        Parameters
        ----------
        codes : ndarray of int (n, D) or None
            None: the training rows, each compared with the others.
        radius : float

        Returns
        -------
        queries, numbers, distances : ndarray
            By rising query, then distance, then row number.
        """
        itself, queries = self._queries(codes)
        index = PlainIndex(self.distance, self.represented, 1)

        def within(at: slice) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
            distances, tie = index.distances(queries[at])
            query, unique = np.nonzero(distances <= (radius + tie)[:, None])
            numbers, owner = self.rows.groups.members_of(unique)
            query, d = query[owner], distances[query, unique][owner]
            order = np.lexsort((numbers, d, query))
            order = order[numbers[order] != itself[at][query[order]]]
            return query[order] + at.start, numbers[order], d[order]

        chunks = index.chunks(len(queries), distances_at_once())
        found = zip(*in_threads(within, chunks), strict=True)
        queries, numbers, distances = (np.concatenate(part) for part in found)
        return queries, numbers, distances

    def typicality(self, codes: Codes | None) -> Array:
        """Return minus the mean distance to the nearest training rows (n,).

        Minus infinity where one of these is infinitely far or there is none.

        Parameters
        ----------
        codes : ndarray of int (n, D) or None
            None: the training rows, each compared with the others.
        """
        k_nearest, (_, queries) = self.rows.k_nearest, self._queries(codes)
        # A row is at distance zero of itself: with one more it adds nothing.
        itself = 0.0 if codes is not None else self.rows.weight_of_one
        k = k_nearest.at_most(self.rule.n_neighbors + itself)

        def total(at: slice) -> Array:
            some = queries[at]
            near = self.index.near(some, k_nearest, k)
            sums = np.bincount(near.query, near.votes * near.distance, len(some))
            return sums.astype(float)

        chunks = self.index.chunks(len(queries), distances_at_once())
        distances = np.concatenate(in_threads(total, chunks))
        n_others = k - itself
        if n_others < 1e-9:
            return np.full(len(queries), -np.inf)
        return 0.0 - distances / n_others  # never -0.0

    def _queries(self, codes: Codes | None) -> tuple[NDArray[np.intp], Any]:
        """Return each query's own row number (-1: none) and what represents it."""
        if codes is None:
            represented = self.distance.represent(self.rows.codes)
            return self.rows.groups.by_row(represented)
        return np.full(len(codes), -1), Represented(self.distance, codes)


def _check_number(n_neighbors: int) -> None:
    if n_neighbors < 1:
        raise RefusedError(f"n_neighbors is {n_neighbors} instead of at least 1")


def best_temperature(distance: FittedDistance, rows: TrainingRows) -> float:
    """Return the temperature at which rows left out in turn are likeliest."""
    left_out = LeaveOneOut(distance, distance.represent(rows.codes), rows)
    with thread_map(ALL_CORES, len(rows)) as each:
        return left_out.best_temperature(each)
