"""Loss and gradient over every triplet, against the two matrix products in them.

24 features, 10 classes, rows as ``CPML.fit`` hands them to the solver. The limit is two
products in single precision of the same shape, all distances and all weights times the
rows, measured in the same run on all cores. Aims: at 12,000 rows at most 5 times the
limit; time grows with the rows to the power 2.2 or less, memory to the power 1; at
12,000 rows at least 200 times faster than a compiled triple loop over all triplets.
Soft neighbours, loss and gradient in a factor, are measured against their own three
products; aim: at most 2 times these.

``python -m benchmarks.engine [ROWS ...]`` measures other sizes; memory is compared
between the last two, and below 6,000 rows chunks of distances still grow with them.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks import enumeration
from benchmarks.harness import best_seconds, growth_exponent, print_status, print_table
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.experiments.sandbox import call
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.compression import compress
from nearkind.metrics.spectrum import identity
from nearkind.metrics.structures import Single
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.validation.threads import thread_map

N_FEATURES, N_CLASSES = 24, 10
SIZES = (2_000, 4_000, 12_000, 32_000)
LARGEST_OF_NUMPY = 4_000
ONCE_BEYOND = 12_000
BASELINE_ROWS, ENUMERATED_ROWS, LITERAL_ROWS = 500, 400, 150
LOSSES = {"hinge": Hinge(), "smoothed": SmoothedHinge(0.5)}
COLUMNS = ("rows", "by", "precision", "products", *LOSSES, "ratios to products")


class Measured(NamedTuple):
    """Seconds of one evaluation by each loss, and of the products."""

    n_rows: int
    by: str
    precision: str
    limit: float
    seconds: dict[str, float]

    def cells(self) -> list[str]:
        """Return the row of the table."""
        return [
            f"{self.n_rows:,}",
            self.by,
            self.precision,
            f"{self.limit:.3f} s",
            *(f"{seconds:.3f} s" for seconds in self.seconds.values()),
            " ".join(f"{s / self.limit:5.1f}" for s in self.seconds.values()),
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", type=int, help="sizes to measure")
    sizes = sorted(parser.parse_args(arguments).rows) or SIZES
    gradient_seconds(problem(SIZES[0]), n_runs=1)  # compiles
    found = [line for n_rows in sizes for line in measure(n_rows)]
    exact = [m for m in found if (m.by, m.precision) == ("numba", "double")]
    notes = [*growth(exact), *memory(sizes), *against_enumeration(exact)]
    title = f"Loss and gradient, {N_FEATURES} features, {N_CLASSES} classes"
    print_table(
        f"{title}: ratio 5 or less at 12,000",
        COLUMNS,
        map(Measured.cells, found),
        notes,
    )
    print_table(
        "Soft neighbours, loss and gradient in a factor: ratio 2 or less",
        ("rows", "rank", "products", "seconds", "ratio"),
        [soft_neighbors(n, rank) for n in (1_000, 4_000) for rank in (8, 32, 128)],
    )


def soft_neighbors(n_rows: int, rank: int, n_runs: int = 5) -> list[str]:
    """Return a line: soft neighbours, in single precision, against their products."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(1, n_rows, 1, rank)).astype(np.float32)
    weighted = WeightedLabels(labels(n_rows), np.ones(n_rows))
    constraints = SoftNeighbors().bind(weighted)
    F = 0.3 * np.eye(rank)[None]
    with thread_map(None) as run:
        posed = Objective(Z, constraints, Schatten(1.0), 0.01, map=run)
        seconds = best_seconds(partial(posed.factor_gradient, F), n_runs)
    U, V = Z[0, :, 0], Z[0, :, 0].copy()
    E = np.empty((n_rows, n_rows), np.float32)

    def multiply() -> None:
        np.matmul(U, V.T, out=E)
        np.matmul(E, V)
        np.matmul(E.T, V)

    limit = best_seconds(multiply, n_runs)
    cells = [f"{limit:.3f} s", f"{seconds:.3f} s", f"{seconds / limit:.1f}"]
    return [f"{n_rows:,}", str(rank), *cells]


def measure(n_rows: int) -> list[Measured]:
    """Return the lines of one size."""
    print_status(f"engine: {n_rows:,} rows")
    n_runs = 3 if n_rows <= ONCE_BEYOND else 1
    double = problem(n_rows)
    limit = products(double.Z, n_runs)
    engines = {"numba": nullcontext()}
    if n_rows <= LARGEST_OF_NUMPY:
        engines["numpy"] = patch(
            "nearkind.losses.pair_sums.has_compiler", lambda: False
        )
    found = []
    for by, chosen in engines.items():
        with chosen:
            for name, each in (("double", double), ("single", double.in_single())):
                seconds = gradient_seconds(each, n_runs)
                found.append(Measured(n_rows, by, name, limit, seconds))
    return found


def problem(n_rows: int) -> Objective:
    """Return random rows with random labels."""
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.ones(N_CLASSES), size=(n_rows, N_FEATURES))
    Z = compress(np.ascontiguousarray(Single().blocks(phi))).Z
    constraints = AllTriplets().bind(WeightedLabels(labels(n_rows), np.ones(n_rows)))
    return Objective(Z, constraints, Schatten(1.0), 0.01)


def labels(n_rows: int) -> np.ndarray:
    """Return sorted classes of about equal size."""
    return np.sort(np.random.default_rng(1).integers(0, N_CLASSES, n_rows))


def gradient_seconds(objective: Objective, n_runs: int) -> dict[str, float]:
    """Return the time of loss and gradient, for each loss."""
    start = identity(1, objective.Z.shape[3])
    with thread_map(None) as run:
        timed = Objective(
            objective.Z, objective.constraints, objective.regularizer, 0.01, map=run
        )
        return {
            name: best_seconds(partial(timed.with_loss(loss).linearize, start), n_runs)
            for name, loss in LOSSES.items()
        }


def products(Z: np.ndarray, n_runs: int, chunk: int = 4_000) -> float:
    """Return the time of U U' and W U in single precision, in chunks, preallocated."""
    n_rows = Z.shape[1]
    U = Z.reshape(n_rows, -1).astype(np.float32)
    V = U.copy()  # of one array with itself only half is computed
    W, d2 = np.ones((2, min(chunk, n_rows), n_rows), np.float32)
    pulled = np.empty((len(W), U.shape[1]), np.float32)

    def multiply() -> None:
        for at in range(0, n_rows, chunk):
            size = min(chunk, n_rows - at)
            np.matmul(U[at : at + size], V.T, out=d2[:size])
            np.matmul(W[:size], U, out=pulled[:size])

    return best_seconds(multiply, n_runs)


def growth(exact: list[Measured]) -> list[str]:
    """Return a note on how time grows with the rows."""
    if len(exact) < 2:
        return []
    sizes = [m.n_rows for m in exact]
    powers = (
        f"{growth_exponent(sizes, [m.seconds[name] for m in exact]):.2f}"
        for name in LOSSES
    )
    return [f"time grows with the rows to the power {', '.join(powers)} (2.2 or less)"]


def memory(sizes: Sequence[int]) -> list[str]:
    """Return a note on how memory beyond that of a tiny problem grows with the rows."""
    if len(sizes) < 2:
        return []
    print_status("engine: memory")
    base = call(evaluate, BASELINE_ROWS).peak_memory
    sizes = sizes[-2:]
    beyond = [call(evaluate, n_rows).peak_memory - base for n_rows in sizes]
    per_thousand = 1e3 * np.diff(beyond)[0] / np.diff(sizes)[0]
    listed = ", ".join(
        f"{mb:,.0f} MB at {n_rows:,}" for n_rows, mb in zip(sizes, beyond, strict=True)
    )
    power = growth_exponent(sizes, beyond)
    return [
        f"memory grows with the rows to the power {power:.2f} (1 or "
        f"less): {listed}, {per_thousand:.1f} MB more each 1,000 rows"
    ]


def evaluate(n_rows: int) -> None:
    """Make a problem and compute loss and gradient once, in a process of its own."""
    gradient_seconds(problem(n_rows), n_runs=1)


def against_enumeration(exact: list[Measured]) -> list[str]:
    """Return notes on how much longer it would take to enumerate all triplets."""
    at = next((m for m in exact if m.n_rows == ONCE_BEYOND), exact[-1])
    ours = at.seconds["hinge"]
    seconds = seconds_of_literal_triplet() * enumeration.n_triplets(labels(at.n_rows))
    notes = [
        f"the paper's algorithm, compiled, one core: {seconds:,.0f} s for "
        f"{at.n_rows:,} rows, {seconds / ours:,.0f} times ours, all cores"
    ]
    for name, way, n_jobs in (
        ("a compiled triple loop, one core", enumeration.plain, 1),
        ("a compiled triple loop, all cores", enumeration.plain, None),
        ("the same vectorised by hand, all cores", enumeration.by_hand, None),
    ):
        seconds = seconds_of_triplet(way, n_jobs) * enumeration.n_triplets(
            labels(at.n_rows)
        )
        ratio = f"{seconds / ours:,.0f} times ours, all cores"
        notes.append(f"{name}: {seconds:,.0f} s for {at.n_rows:,} rows, {ratio}")
    return [*notes, "(from few rows, by the number of triplets; aim: 200 or more)"]


def seconds_of_literal_triplet() -> float:
    """Return the time of one triplet in the paper's algorithm."""
    y = labels(LITERAL_ROWS)
    Z = problem(LITERAL_ROWS).Z[0]  # (n, K, D)
    difference = Z[:, None] - Z
    A = np.einsum("ijkd,ijke->ijde", difference, difference).reshape(len(y), len(y), -1)
    d2 = (difference**2).sum(axis=(2, 3))
    G = np.zeros(A.shape[2])
    enumeration.literal(d2, y, 1.0, A, G)  # compiles
    seconds = best_seconds(lambda: enumeration.literal(d2, y, 1.0, A, G), 3)
    return seconds / enumeration.n_triplets(y)


def seconds_of_triplet(way: enumeration.Enumeration, n_jobs: int | None) -> float:
    """Return the time of one triplet in an enumeration."""
    y = labels(ENUMERATED_ROWS)
    objective = problem(ENUMERATED_ROWS)
    U = objective.Z.reshape(len(y), -1)
    d2 = ((U[:, None] - U) ** 2).sum(axis=2)
    mean = objective.linearize(identity(1, objective.Z.shape[3])).loss
    with thread_map(n_jobs) as run:
        loss, _ = enumeration.enumerate_triplets(way, d2, y, run)
        assert np.isclose(loss / enumeration.n_triplets(y), mean)
        seconds = best_seconds(
            lambda: enumeration.enumerate_triplets(way, d2, y, run), 10
        )
    return seconds / enumeration.n_triplets(y)


if __name__ == "__main__":
    main()
