"""Rows of two tables that belong together, each pair with its reason."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from nearkind.distances.form import FittedDistance
from nearkind.encoding.rows import row_keys
from nearkind.errors import require_known
from nearkind.neighbors import PlainIndex
from nearkind.protocols import Array, Codes, TableLike
from nearkind.tables import FactorizedTable, Table, frame, read_table
from nearkind.tasks.nearest_rows import NearestRows, differences
from nearkind.validation import parameters
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import in_threads

Numbers = NDArray[np.intp]


class RowPairing(NamedTuple):
    """Pairs of a row of A and a row of B.

    Attributes
    ----------
    a, b : ndarray of int (n,)
        Row numbers.
    distance : ndarray (n,)
    """

    a: Numbers
    b: Numbers
    distance: Array

    @classmethod
    def joined(cls, parts: Iterable["RowPairing"]) -> "RowPairing":
        """Return the pairs of several pairings."""
        return cls(*map(np.concatenate, zip(NO_PAIRS, *parts, strict=True)))

    def take(self, places: Numbers) -> "RowPairing":
        """Return some of the pairs."""
        return RowPairing(self.a[places], self.b[places], self.distance[places])


def match(
    A: TableLike,
    B: TableLike,
    metric: object = "gower",
    *,
    caliper: object = None,
    columns: Iterable[object] | None = None,
    exact: Iterable[object] = (),
    one_to_one: bool = True,
    n_neighbors: int = 1,
) -> Any:
    """Return pairs of similar rows of two tables, each with its reason.

    One-to-one pairs are an optimal assignment: as many pairs as the caliper and the
    exact columns allow, with the smallest sum of distances. With more than 4 million
    possible pairs, only the pairs of each row with its 50 nearest rows of the other
    table are considered, and rows left over are matched in further rounds.

    Parameters
    ----------
    A, B : tables of any kind
        With the same columns, unless ``columns`` names those to compare.
    metric : distance, FittedDistance, classifier or str, default="gower"
        A fitted distance is used as it is; an unfitted one, or the name of one, is
        fitted to the rows of both tables.
    caliper : float or dict, default=None
        Largest distance of a pair. A dict gives the largest difference in numeric
        columns, in their own units, and under the key None the largest distance.
        Missing numbers do not exclude a pair.
    columns : sequence, default=None
        Names of the columns to compare; None: all.
    exact : sequence, default=()
        Names of columns in which the rows of a pair must have the same value.
    one_to_one : bool, default=True
        Whether each row is in one pair at most. If not, each row of A is paired with
        its nearest rows of B.
    n_neighbors : int, default=1
        Number of rows of B for each row of A, if pairs are not one-to-one.

    Returns
    -------
    data frame with columns a, b, distance, reason
        Row numbers in A and B, in the order of A; ``reason`` names the columns that
        differ most. Of the library of A, else of pandas (a dict of columns where there
        is none).

    Notes
    -----
    The assignment is found by shortest augmenting paths on the sparse graph of the
    pairs allowed: Jonker and Volgenant, *A shortest augmenting path algorithm for dense
    and sparse linear assignment problems*, Computing 38, 1987.

    Examples
    --------
    >>> import nearkind as nk
    >>> A = {"name": ["ada", "bob"], "age": [36, 41]}
    >>> B = {"name": ["bob", "eve", "ada"], "age": [40, 41, 36]}
    >>> pairs = nk.match(A, B)
    >>> list(pairs["b"]), list(pairs["reason"])
    ([2, 0], ['equal', 'age: 41, 40'])
    """
    k = parameters.check_whole(n_neighbors, "n_neighbors", "match")
    a, b = read_table(A), read_table(B)
    names, keys = _names(a, b, columns), _names(a, b, exact)
    limits = _calipers(caliper)
    largest = limits.pop(None, np.inf)
    used = list(dict.fromkeys([*names, *keys, *_names(a, b, limits)]))
    both, n = a.select(used).stacked(b.select(used)).factorize(), a.n_rows
    compared = both.select(names)
    search = NearestRows(metric).fit(compared)
    codes = search.distance_.encode(compared)
    numbers = [(_numbers(both, name), most) for name, most in limits.items()]
    apart = [(x[:n], x[n:], most) for x, most in numbers]
    candidates = PairCandidates(search.distance_, codes[:n], codes[n:], largest, apart)
    chosen = [
        candidates.assigned(*rows) if one_to_one else candidates.nearest(*rows, k)
        for rows in _blocks(both, keys, n)
    ]
    found = RowPairing.joined(chosen)
    found = found.take(np.lexsort((found.b, found.distance, found.a)))
    order = search.codebook_.order_of(compared, "match")
    cells = list(zip(*(compared.column(d).cells() for d in order), strict=True))
    told = [
        differences(search.distance_, codes[i], cells[i], codes[j], cells[j])
        for i, j in zip(found.a.tolist(), (found.b + n).tolist(), strict=True)
    ]
    return frame({**found._asdict(), "reason": told}, library=a.library)


@dataclass(frozen=True)
class PairCandidates:
    """The pairs of rows of two tables that may be chosen.

    Attributes
    ----------
    distance : FittedDistance
    a, b : ndarray of int (n, D), (m, D)
        Codes of the rows of both tables.
    caliper : float
        The largest distance.
    limits : list of (ndarray (n,), ndarray (m,), float)
        Numbers of the rows of both, and how much they may differ.
    n_whole : int, default=4_000_000
        Number of pairs up to which each may be chosen.
    n_nearest : int, default=50
        Of more pairs, how many nearest rows of the other table each row has.
    """

    distance: FittedDistance
    a: Codes
    b: Codes
    caliper: float
    limits: list[tuple[Array, Array, float]]
    n_whole: int = 4_000_000
    n_nearest: int = 50

    @property
    def swapped(self) -> "PairCandidates":
        """The same with the tables in each other's place."""
        limits = [(y, x, most) for x, y, most in self.limits]
        return replace(self, a=self.b, b=self.a, limits=limits)

    def nearest(self, a: Numbers, b: Numbers, k: int) -> RowPairing:
        """Return the k nearest of the rows b of each of the rows a, ties in order."""
        index = PlainIndex(self.distance, self.distance.represent(self.b[b]), 1)

        def near(at: slice) -> RowPairing:
            rows = a[at]
            d, tie = index.distances(self.distance.represent(self.a[rows]))
            allowed = np.isfinite(d) & (d <= self.caliper + tie[:, None])
            for x, y, most in self.limits:
                with np.errstate(invalid="ignore"):  # of two infinite numbers
                    apart = np.abs(x[rows][:, None] - y[b])
                allowed &= ~(apart > most)  # NaN is allowed
            d[~allowed] = np.inf
            if k < len(b):
                allowed &= d <= np.partition(d, k - 1, axis=1)[:, [k - 1]]
            query, place = np.nonzero(allowed)
            order = np.lexsort((place, d[query, place], query))
            query, place = query[order], place[order]
            rank = np.arange(len(query)) - np.searchsorted(query, query)
            query, place = query[rank < k], place[rank < k]
            return RowPairing(rows[query], b[place], d[query, place])

        chunks = index.chunks(len(a), distances_at_once())
        return RowPairing.joined(in_threads(near, chunks))

    def assigned(self, a: Numbers, b: Numbers) -> RowPairing:
        """Return the optimal pairs of rows a and rows b, each in one at most."""
        found: list[RowPairing] = []
        while len(a) and len(b):
            is_whole = len(a) * len(b) <= self.n_whole
            some = self.nearest(a, b, len(b) if is_whole else self.n_nearest)
            if not is_whole:
                of_b, of_a, d = self.swapped.nearest(b, a, self.n_nearest)
                some = RowPairing.joined([some, RowPairing(of_a, of_b, d)])
            found.append(optimal(some))
            if is_whole or not len(found[-1].a):
                break
            a, b = np.setdiff1d(a, found[-1].a), np.setdiff1d(b, found[-1].b)
        return RowPairing.joined(found)


NO_PAIRS = RowPairing(np.empty(0, int), np.empty(0, int), np.empty(0))


def optimal(pairs: RowPairing) -> RowPairing:
    """Return as many pairs as there can be without a row twice, at the least distance.

    A row that stays alone is paired with a row of its own, at a cost above that of any
    number of pairs.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> optimal(RowPairing(a, b, np.array([0.1, 0.2, 0.3]))).b.tolist()
    [1, 0]
    """
    if not len(pairs.a):
        return pairs
    rows, a = np.unique(pairs.a, return_inverse=True)
    columns, b = np.unique(pairs.b, return_inverse=True)
    n, m = len(rows), len(columns)
    keys, first = np.unique(a * m + b, return_index=True)
    a, b, distance = a[first], b[first], pairs.distance[first]
    cost = 1.0 + distance / (distance.max() or 1.0)  # an edge of cost 0 is none
    each, alone = np.arange(n), np.full(n, 3.0 + min(n, m))
    ends = np.concatenate([a, each]), np.concatenate([b, m + each])
    graph = csr_array((np.concatenate([cost, alone]), ends), shape=(n, m + n))
    row, column = min_weight_full_bipartite_matching(graph)
    is_pair = column < m
    chosen = np.searchsorted(keys, row[is_pair] * m + column[is_pair])
    return pairs.take(first[chosen])


def _names(a: Table, b: Table, names: Any) -> list[Any]:
    """Return columns that both tables have; all if none are named."""
    both = ("A", a), ("B", b)
    if names is None:
        lacking = [
            f"{mine} has columns that {other} lacks: {', '.join(map(repr, more))}"
            for (mine, x), (other, y) in (both, both[::-1])
            if (more := [name for name in x.names if name not in y.names])
        ]
        if lacking:
            raise ValueError(
                f"{'; '.join(lacking)}. Name the columns to compare: columns=[...], or "
                "--column on the command line."
            )
        return a.names
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        for what, table in both:
            require_known(name, table.names, f"{what} has no column {name!r}.")
    return names


def _calipers(caliper: Any) -> dict[Any, float]:
    """Return the largest difference by column, that of the distance under None."""
    if caliper is None:
        return {}
    limits = caliper if isinstance(caliper, Mapping) else {None: caliper}
    for name, most in limits.items():
        if not isinstance(most, Real) or isinstance(most, bool) or not float(most) >= 0:
            of = "" if name is None else f" of column {name!r}"
            raise ValueError(
                f"The caliper{of} must be a number >= 0; got {most!r:.40}."
            )
    return {name: float(most) for name, most in limits.items()}


def _numbers(table: Table, name: object) -> Array:
    """Return the numbers of a column with a caliper; raise if there are none."""
    column = table.column(table.names.index(name))
    if column.numeric is None or column.declared:
        raise ValueError(
            f"caliper names column {name!r}, which holds no numbers; a caliper is the "
            "largest difference of two numbers. For rows with the same value pass "
            f"exact=[{name!r}]."
        )
    return column.numeric


def _blocks(
    table: FactorizedTable, exact: list[Any], n: int
) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the rows of A and of B that are equal in some columns; A has n rows."""
    codes = table.codes[:, [table.names.index(name) for name in exact]]
    keys = row_keys(codes) if exact else np.zeros(table.n_rows, int)
    keys[(codes < 0).any(axis=1)] = -1
    order = np.argsort(keys, kind="stable")
    starts = np.searchsorted(keys[order], np.unique(keys[keys >= 0]))
    for rows in np.split(order, starts)[1:]:
        first, second = rows[rows < n], rows[rows >= n] - n
        if len(first) and len(second):
            yield first, second
