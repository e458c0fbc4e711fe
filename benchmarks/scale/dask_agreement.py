"""Learning on a cluster of two processes: agreement with one machine, and speed.

Real sets: histograms against those of the whole table, objectives of both metrics on
one sample. A generated table in Parquet: rows per second, memory of workers.

``python -m benchmarks.scale.dask_agreement [--rows N] [--sets NAME ...]``
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import dask.dataframe as dd
import numpy as np
from distributed import Client, LocalCluster

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table
from benchmarks.scale import synthetic
from benchmarks.scale.agreement import BATCH, SETS, objective_of
from benchmarks.sets import load_categorical
from nearkind.dask.partitions import labelled_partitions
from nearkind.dask.passes import Passes
from nearkind.estimators.batches import N_REFERENCE, BatchSummarizer
from nearkind.experiments.sandbox import peak_megabytes
from nearkind.streaming import read_batches

WORKERS = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the table")
    parser.add_argument("--sets", nargs="*", default=SETS, help="real ones")
    parser.add_argument("--folder", help="of the temporary file")
    wanted = parser.parse_args(arguments)
    with no_warnings():
        show_agreement(wanted.sets)
        show_speed(wanted.rows, wanted.folder)


def show_agreement(names: Sequence[str]) -> None:
    """Show whether the cluster learns what one machine learns."""
    table = []
    for name in names:
        with cluster():
            table.append(agreement(name))
        print_status(f"dask: {' '.join(table[-1])}")
    columns = "set", "histograms", "whole table", "cluster", "excess", "s", "cluster s"
    if table:
        print_table("Objective on one sample", columns, table, ["aim: 0.5 %"])


def agreement(name: str, seed: int = 0) -> list[str]:
    """Fit a set both ways and compare the objectives."""
    data = load_categorical(name)
    shuffled = np.random.default_rng(seed).permutation(len(data.y))
    X, y = data.X.iloc[shuffled], data.y.iloc[shuffled]
    whole, whole_seconds = _timed(lambda: nk.CPML(random_state=seed).fit(X, y))
    parts = dd.from_pandas(X.reset_index(drop=True), chunksize=BATCH)
    labels = dd.from_pandas(y.reset_index(drop=True), chunksize=BATCH)
    model = nk.CPML(random_state=seed, strength=whole.strength_)
    found, seconds = _timed(lambda: model.fit(parts, labels))
    both = zip(found.projection_.tables, whole.projection_.tables, strict=True)
    is_same = all(np.array_equal(mine, theirs) for mine, theirs in both)
    objective = objective_of(whole, X, y, seed)
    a, b = objective(whole), objective(found)
    return [
        name,
        "equal" if is_same else "DIFFER",
        f"{a:.4f}",
        f"{b:.4f}",
        f"{b / a - 1.0:+.2%}",
        f"{whole_seconds:.1f}",
        f"{seconds:.1f}",
    ]


def show_speed(n_rows: int, folder: str | None) -> None:
    """Show rows per second of learning from a file and of answering."""
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place, "rows.parquet")
        synthetic.write(path, n_rows)
        with cluster() as client:
            table = dd.read_parquet(path, split_row_groups=True)
            shown = [[*phase, max(_peaks(client))] for phase in phases(table)]
    lines = [
        [what, f"{seconds:.1f}", f"{n_rows / seconds:,.0f}", f"{peak:,.0f}"]
        for what, seconds, peak in shown
    ]
    columns = "phase", "seconds", "rows per second", "peak MB of a worker"
    notes = [f"{table.npartitions} partitions, {WORKERS} workers"]
    print_table(f"{n_rows:,} rows of 20 features", columns, lines, notes)


def phases(table: Any) -> Iterator[tuple[str, float]]:
    """Yield what is done with a table, and the seconds it took."""
    model, X = nk.CPML(random_state=0, tol=1e-3), table.drop(columns="class")
    yield "count alone", _timed(lambda: _count(table))[1]
    yield "fit", _timed(lambda: model.fit(table, "class"))[1]
    yield "transform", _timed(model.transform(X).sum().compute)[1]


def _count(table: Any) -> None:
    read = BatchSummarizer("CPML", "auto", 0, N_REFERENCE)
    Passes(1).summarize(read, read_batches(labelled_partitions(table, "class")))


@contextmanager
def cluster() -> Iterator[Client]:
    """Give a cluster of fresh processes with one thread each."""
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "processes": True}
    with (
        LocalCluster(**options, dashboard_address=":0") as found,
        Client(found) as client,
    ):
        yield client


def _peaks(client: Client) -> list[float]:
    return list(client.run(peak_megabytes).values())


def _timed(task: Any) -> tuple[Any, float]:
    start = perf_counter()
    return task(), perf_counter() - start


if __name__ == "__main__":
    main()
