"""Neighbours among a million rows: the kinds of FAISS indexes against our exact search.

Rows of 20 columns under a random metric of 16 directions, half of each row's values
those of one of 50 kinds of rows; queries are new rows of the same kinds. Every index
answers the same queries in the same number of threads. Aim: recall@5 >= 0.99.

``python -m benchmarks.index [--rows N] [--queries N] [--graph]`` measures other sizes,
and a graph (HNSW), which takes minutes to build.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import nearkind as nk
from benchmarks.report import say, show
from benchmarks.scale.growth import exponent
from nearkind.cells import row_keys
from nearkind.estimators.threads import in_threads
from nearkind.neighbors import Approximate, Exact, Near, Reach, joined
from nearkind.neighbors.approximate import Searchable
from nearkind.neighbors.searchers import Flat, Lists, faiss, one_thread, single
from nearkind.neighbors.sites import Sites
from nearkind.neighbors.tuning import tuned
from nearkind.typing import Array
from nearkind.value_tables import ValueTables

N_COLUMNS, N_VALUES, N_DIRECTIONS, N_KINDS, K = 20, 8, 16, 50, 5
AT_ONCE = 1 << 21
COLUMNS = ("rows", "index", "built in s", "queries a second", "to exact", "recall@5")
COLUMNS += ("measured when built", "effort")


class Graph(Flat):
    """Walks a graph of near vectors (HNSW)."""

    kind = "hnsw"

    def __init__(self, V: Array) -> None:
        self._index = faiss().IndexHNSWFlat(V.shape[1], 16)
        with one_thread():
            self._index.add(single(V))

    def efforts(self) -> Iterator[int]:
        effort = 16
        while effort < len(self):
            self._index.hnsw.efSearch = effort
            yield effort
            effort += effort // 3


class Measured(NamedTuple):
    """What one index did."""

    n_rows: int
    kind: str
    built: float
    speed: float  # queries a second
    ratio: float
    recall: float
    promised: float
    effort: str

    def line(self) -> list[str]:
        shown = f"{self.n_rows:,}", self.kind, f"{self.built:.1f}"
        rates = f"{self.speed:,.0f}", f"{self.ratio:.1f}"
        return [
            *shown, *rates, f"{self.recall:.4f}", f"{self.promised:.4f}", self.effort
        ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--graph", action="store_true", help="HNSW as well")
    wanted = parser.parse_args(arguments)
    kinds = [Flat, Lists, Graph][: 2 + wanted.graph]
    found: list[Measured] = []
    for size in (wanted.rows // 8, wanted.rows // 4, wanted.rows // 2, wanted.rows):
        found += measure(size, wanted.queries, kinds)
    title = f"{K} neighbours of {wanted.queries:,} new rows; aim: recall 0.99"
    show(title, COLUMNS, [one.line() for one in found], list(exponents(found)))


def measure(n_rows: int, n_queries: int, kinds: Sequence[Any]) -> Iterator[Measured]:
    """Yield what the exact index and each kind do with one table."""
    U, queries = table(n_rows, n_queries)
    metric = nk.baselines.Euclidean()
    truth, slowest = answered(Exact(metric, U, K), queries)
    yield Measured(len(U), "exact", 0.0, n_queries / slowest, 1.0, 1.0, 1.0, "")
    for kind in kinds:
        say(f"index: {len(U):,} rows, {kind.kind}")
        index, effort = built(Approximate(metric, U, K), kind)
        near, seconds = answered(index, queries)
        yield Measured(
            len(U), kind.kind, index.seconds, n_queries / seconds, slowest / seconds,
            recall(near, truth), index.recall_, str(effort),
        )  # fmt: skip


def table(n_rows: int, n_queries: int) -> tuple[Array, Array]:
    """Return vectors of distinct rows and of new ones."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, N_VALUES, (N_KINDS, N_COLUMNS))
    shape = n_rows + n_queries, N_COLUMNS
    codes = kinds[rng.integers(N_KINDS, size=shape[0])]
    codes = np.where(rng.random(shape) < 0.5, rng.integers(0, N_VALUES, shape), codes)
    _, first = np.unique(row_keys(codes), return_index=True)
    codes = codes[np.sort(first)].astype(np.int32)
    sizes = rng.uniform(0.2, 1.5, N_COLUMNS)
    vectors = [size * rng.normal(size=(N_VALUES, N_DIRECTIONS)) for size in sizes]
    U = ValueTables(vectors).embed(codes)
    return U[:-n_queries], U[-n_queries:]


def built(index: Approximate, kind: Any) -> tuple[Approximate, Any]:
    """Build an index of one kind, whatever its size; return its effort too."""
    start = perf_counter()
    sites = Sites.of(index.cells)
    searcher = kind(sites.vectors)
    efforts: list[int] = []
    searcher.efforts = lambda walk=searcher.efforts: noted(walk(), efforts)
    promised = tuned(sites, searcher, K)
    del searcher.efforts
    found = Searchable(sites, searcher, promised, perf_counter() - start)
    vars(index)["_built"] = found
    return index, efforts[-1]


def noted(efforts: Iterator[int], into: list[int]) -> Iterator[int]:
    for effort in efforts:
        into.append(effort)
        yield effort


def answered(index: Any, queries: Array) -> tuple[Near, float]:
    """Return what an index finds, and how long that takes."""
    reach = Reach(np.ones(index.n_rows))
    index.near(queries[:1], reach, K)
    blocks = index.blocks(len(queries), AT_ONCE)
    start = perf_counter()
    parts = in_threads(lambda at: index.near(queries[at], reach, K), blocks)
    seconds = perf_counter() - start
    numbers = [np.arange(len(queries))[at] for at in blocks]
    return joined(parts, numbers), seconds


def recall(near: Near, truth: Near) -> float:
    """Return the share of the true neighbours that were found."""
    found = set(zip(near.query.tolist(), near.cell.tolist(), strict=True))
    true = set(zip(truth.query.tolist(), truth.cell.tolist(), strict=True))
    return len(found & true) / len(true)


def exponents(found: Sequence[Measured]) -> Iterator[str]:
    """Say how the time of a query, and of building, grows with the rows."""
    for kind in dict.fromkeys(one.kind for one in found):
        mine = [one for one in found if one.kind == kind]
        sizes = [one.n_rows for one in mine]
        query = exponent(sizes, [1.0 / one.speed for one in mine])
        text = f"{kind}: a query takes n^{query:.2f}"
        if kind != "exact":
            text += f", building n^{exponent(sizes, [one.built for one in mine]):.2f}"
        yield text


if __name__ == "__main__":
    main()
