"""Neighbours among a million rows: the kinds of FAISS indexes against our exact search.

Rows of 20 columns under a random metric of 16 directions, half of each row's values
those of one of 50 kinds of rows; queries are new rows of the same kinds. Every index
answers the same queries in the same number of threads, three times: the best of the
last two counts. Aim: recall@5 >= 0.99.

``python -m benchmarks.index [--rows N ...] [--queries N] [--kinds KIND ...]`` measures
other sizes, or some kinds only: a graph (hnsw) takes minutes to build.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import nearkind as nk
from benchmarks.harness import best_seconds, growth_exponent, print_status, print_table
from nearkind.encoding.rows import row_keys
from nearkind.metrics.value_tables import ValueTables
from nearkind.neighbors import ExactIndex, FaissIndex, KNearest, Near, join_near
from nearkind.neighbors.faiss_search import FlatSearch, GraphSearch, ListSearch
from nearkind.protocols import Array
from nearkind.validation.threads import in_threads

N_COLUMNS, N_VALUES, N_DIRECTIONS, N_KINDS, K = 20, 8, 16, 50, 5
ROWS = 125_000, 250_000, 500_000, 1_000_000
KINDS: dict[str, type[FlatSearch]] = {
    kind.kind: kind for kind in (FlatSearch, ListSearch, GraphSearch)
}
AT_ONCE, N_TIMES = 1 << 21, 2
COLUMNS = ("rows", "index", "built in s", "queries a second", "to exact", "recall@5")
COLUMNS += ("measured when built", "effort")


class Measured(NamedTuple):
    """Measures of one index."""

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
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    wanted = parser.parse_args(arguments)
    kinds = [KINDS[name] for name in wanted.kinds]
    found: list[Measured] = []
    for size in wanted.rows:
        found += measure(size, wanted.queries, kinds)
    title = f"{K} neighbours of {wanted.queries:,} new rows; aim: recall 0.99"
    notes = growth_notes(found) if len(wanted.rows) > 1 else ()
    print_table(title, COLUMNS, [one.line() for one in found], notes)


def measure(
    n_rows: int, n_queries: int, kinds: Sequence[type[FlatSearch]]
) -> Iterator[Measured]:
    """Yield the measures of the exact index and of each kind, on one table."""
    U, queries = table(n_rows, n_queries)
    metric = nk.baselines.Euclidean()
    truth, slowest = answered(ExactIndex(metric, U, K), queries)
    yield Measured(len(U), "exact", 0.0, n_queries / slowest, 1.0, 1.0, 1.0, "")
    for kind in kinds:
        print_status(f"index: {len(U):,} rows, {kind.kind}")
        index = built(FaissIndex(metric, U, K), kind)
        near, seconds = answered(index, queries)
        yield Measured(
            len(U), kind.kind, index.seconds, n_queries / seconds, slowest / seconds,
            recall(near, truth), index.recall_, str(index.built.searcher.effort),
        )  # fmt: skip


def table(
    n_rows: int, n_queries: int, n_directions: int = N_DIRECTIONS
) -> tuple[Array, Array]:
    """Return vectors of distinct rows and of new ones."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, N_VALUES, (N_KINDS, N_COLUMNS))
    shape = n_rows + n_queries, N_COLUMNS
    codes = kinds[rng.integers(N_KINDS, size=shape[0])]
    codes = np.where(rng.random(shape) < 0.5, rng.integers(0, N_VALUES, shape), codes)
    _, first = np.unique(row_keys(codes), return_index=True)
    codes = codes[np.sort(first)].astype(np.int32)
    sizes = rng.uniform(0.2, 1.5, N_COLUMNS)
    vectors = [size * rng.normal(size=(N_VALUES, n_directions)) for size in sizes]
    U = ValueTables(vectors).embed(codes)
    return U[:-n_queries], U[-n_queries:]


def built(index: FaissIndex, kind: type[FlatSearch]) -> FaissIndex:
    """Build an index of one kind, whatever its size."""
    with patch("nearkind.neighbors.faiss_index.searcher_for", lambda n: kind):
        return index.build()


def answered(index: Any, queries: Array) -> tuple[Near, float]:
    """Return what an index finds, and its shortest time."""
    k_nearest = KNearest(np.ones(index.n_rows))
    chunks = index.chunks(len(queries), AT_ONCE)

    def parts() -> list[Near]:
        return in_threads(lambda at: index.near(queries[at], k_nearest, K), chunks)

    numbers = [np.arange(len(queries))[at] for at in chunks]
    return join_near(parts(), numbers), best_seconds(parts, N_TIMES)


def recall(near: Near, truth: Near) -> float:
    """Return the share of the true neighbours that were found."""
    found = set(zip(near.query.tolist(), near.unique_row.tolist(), strict=True))
    true = set(zip(truth.query.tolist(), truth.unique_row.tolist(), strict=True))
    return len(found & true) / len(true)


def growth_notes(found: Sequence[Measured]) -> Iterator[str]:
    """Yield notes on how the time of a query and of building grows with the rows."""
    for kind in dict.fromkeys(one.kind for one in found):
        mine = [one for one in found if one.kind == kind]
        sizes = [one.n_rows for one in mine]
        query = growth_exponent(sizes, [1.0 / one.speed for one in mine])
        text = f"{kind}: a query takes n^{query:.2f}"
        if kind != "exact":
            built = growth_exponent(sizes, [one.built for one in mine])
            text += f", building n^{built:.2f}"
        yield text


if __name__ == "__main__":
    main()
