"""Exact neighbours of new rows: ours against SciPy's tree, FAISS and scikit-learn.

Three kinds of rows: those of ``benchmarks.index``, half of whose values are those of
one of 50 kinds of rows, under a random metric of few directions; uniform noise; and
those of a set under CPML, learned from some of them, which spread in fewer directions
than they have. All answer the same queries, one after another, in every round; the best
round of each counts. Ours finds all ties, in double precision; FAISS works in single
precision. Aim: as fast as the fastest of the others, or faster.

``python -m benchmarks.neighbors [--rows N] [--queries N] [--rounds N] [--set NAME]``
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from os import cpu_count
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table, seconds_of
from benchmarks.index import table
from benchmarks.latency import N_LEARNED, words_and_numbers
from nearkind.encoding.rows import row_keys
from nearkind.neighbors import ExactIndex, KNearest
from nearkind.protocols import Array
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import in_threads

K = 5
DIMENSIONS = 6, 16
STRENGTHS = 0.01, "auto"
"""Of CPML: some directions, and as many as it chooses."""
PEERS = "cKDTree", "FAISS flat", "scikit-learn brute"
COLUMNS = "rows", "directions", "search", "queries a second", *PEERS, "to the best"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=125_000)
    parser.add_argument("--queries", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", default="census")
    wanted = parser.parse_args(arguments)
    kinds = [
        *(t for q in DIMENSIONS for t in tables(wanted.rows, wanted.queries, q)),
        *learned(wanted.set, wanted.rows, wanted.queries),
    ]
    lines = [measured(name, wanted.rounds, *vectors) for name, vectors in kinds]
    title = f"{K} neighbours of {wanted.queries:,} new rows among {wanted.rows:,}"
    notes = ["Peers: our queries a second for each of theirs. Aim: to the best, 1."]
    print_table(title, COLUMNS, lines, notes)


def tables(
    n_rows: int, n_queries: int, q: int
) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """Yield the name, rows and queries of each kind of table."""
    yield "kinds of rows", table(n_rows, n_queries, q)
    rng = np.random.default_rng(0)
    yield "noise", (rng.random((n_rows, q)), rng.random((n_queries, q)))


def learned(
    name: str, n_rows: int, n_queries: int
) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """Yield the same of distinct rows of a set, under CPML of two strengths."""
    data = words_and_numbers(name)
    for strength in STRENGTHS:
        with no_warnings():
            metric = nk.CPML(strength=strength, random_state=0)
            metric.fit(data.X[:N_LEARNED], data.y[:N_LEARNED])
            codes = metric.codebook_.encode(data.X)
        first = np.sort(np.unique(row_keys(codes), return_index=True)[1])
        U = metric.distance_.represent(codes[first[: n_rows + n_queries]])
        yield f"{name}, learned", (U[:-n_queries], U[-n_queries:])


def measured(kind: str, n_rounds: int, U: Array, queries: Array) -> list[str]:
    """Return a line of the table."""
    n_queries, q = queries.shape
    print_status(f"neighbors: {kind}, {q} directions")
    euclidean = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1]).distance_
    index = ExactIndex(euclidean, U, K)
    runs = [ours(index, queries), *peers(U, queries)]
    rounds = [[seconds_of(run) for run in runs] for _ in range(n_rounds + 1)]
    own, *others = np.min(rounds[1:], axis=0)  # what is built late is built in one
    ratios = [f"{other / own:.1f}" for other in (*others, min(others))]
    search = type(index.search).__name__.removesuffix("Search").lower()
    return [kind, str(q), search, f"{n_queries / own:,.0f}", *ratios]


def ours(index: ExactIndex, queries: Array) -> Callable[[], Any]:
    """Return what finds our neighbours, as a classifier does."""
    k_nearest = KNearest(np.ones(index.n_rows))

    def run() -> Any:
        chunks = index.chunks(len(queries), distances_at_once())
        return in_threads(lambda at: index.near(queries[at], k_nearest, K), chunks)

    return run


def peers(U: Array, queries: Array) -> Iterator[Callable[[], Any]]:
    """Yield what finds neighbours by the others, built, in as many threads as cores."""
    import faiss

    tree = cKDTree(U)
    yield lambda: tree.query(queries, K, workers=cpu_count() or 1)
    flat = faiss.IndexFlatL2(U.shape[1])
    flat.add(U.astype(np.float32))
    yield lambda: flat.search(queries.astype(np.float32), K)
    brute = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=-1).fit(U)
    yield lambda: brute.kneighbors(queries)


if __name__ == "__main__":
    main()
