"""A table beyond memory on one machine: speed, memory, growth, agreement.

Writes a Parquet file of 20 features to a temporary folder, fits it by streaming in a
process of its own, and reports rows per second of each pass and the peak of memory.
Aim: 50 million rows in less than 2,000 MB.

``python -m benchmarks.scale [--rows N] [--agreement]``
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.harness import growth_exponent, print_status, print_table
from benchmarks.scale import agreement, streaming, synthetic
from nearkind.experiments.sandbox import call

SIZES = [1 << 14, 1 << 15, 1 << 16, 1 << 17]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000_000, help="of the table")
    parser.add_argument("--remember", type=int, default=20_000, help="rows that vote")
    parser.add_argument("--folder", help="of the temporary file")
    parser.add_argument("--agreement", action="store_true", help="real sets as well")
    wanted = parser.parse_args(arguments)
    with TemporaryDirectory(dir=wanted.folder) as folder:
        path = Path(folder, "rows.parquet")
        start = perf_counter()
        synthetic.write(path, wanted.rows)
        size = path.stat().st_size / 1e6
        print_status(f"scale: {size:,.0f} MB written in {perf_counter() - start:.0f} s")
        show_passes(path, wanted.rows, wanted.remember)
    show_growth()
    if wanted.agreement:
        show_agreement()


def show_passes(path: Path, n_rows: int, n_remembered: int) -> None:
    """Fit by streaming and show each pass."""
    found, facts = call(streaming.fit, path, n_remembered).value
    lines = [
        [
            p.what,
            f"{p.n_rows:,}",
            f"{p.seconds:.1f}",
            f"{p.speed:,.0f}",
            f"{p.peak:,.0f}",
        ]
        for p in found
    ]
    columns = ("pass", "rows", "seconds", "rows per second", "peak MB")
    notes = [", ".join(f"{name} {value}" for name, value in facts.items())]
    print_table(f"{n_rows:,} rows of 20 features; aim: 2,000 MB", columns, lines, notes)


def show_growth() -> None:
    """Show how time grows with rows."""
    seconds = call(streaming.seconds_by_size, SIZES).value
    lines = [
        [name, *(f"{s:.2f}" for s in each), f"{growth_exponent(SIZES, each):.2f}"]
        for name, each in seconds.items()
    ]
    columns = ("seconds", *(f"{size:,} rows" for size in SIZES), "exponent")
    print_table("Growth with rows", columns, lines, ["time ~ rows^exponent"])


def show_agreement() -> None:
    """Show what learning from batches gives up."""
    lines = []
    for name in agreement.SETS:
        print_status(f"scale: {name}")
        found = agreement.agreement(name)
        lines.append(
            [name, f"{found.whole:.4f}", f"{found.batches:.4f}", f"{found.excess:+.2%}"]
        )
    columns = ("set", "whole table", "batches", "excess")
    print_table("Objective on one sample", columns, lines, ["aim: 0.5 %"])


if __name__ == "__main__":
    main()
