"""``make bench``: the benchmarks in 20 minutes, each in a process of its own.

Tables are smaller than those of the pages in docs/results, which name their own
commands. What has not ended after 20 minutes is stopped and named. Every line of every
table is kept in ``build/bench.jsonl`` with the version and the machine;
``python -m benchmarks.history`` draws them over versions.

``python -m benchmarks NAME ...`` runs some; ``--minutes`` sets another limit.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from subprocess import TimeoutExpired, run
from time import perf_counter

from benchmarks.harness import KEPT, print_status

BENCHMARKS: dict[str, Sequence[str]] = {
    "search": ("car", "krvskp", "soybean_large", "voting", "--cap", "60"),
    "prediction": ("--sets", "nursery:10000", "adult:10000", "rule:300000"),
    "engine": ("2000", "8000"),
    "solvers": ("audiology", "balance", "car", "--cap", "20"),
    "encoding": (),
    "neighbors": (),
    "latency": (),
    "files": ("--rows", "200000"),
    "large": ("--rows", "50000"),
    "baselines": ("--cap", "20"),
    "nca": (),
    "exports": (),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks of these names, all without any; return how many failed."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=20.0)
    wanted = parser.parse_args(arguments)
    names = wanted.names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in BENCHMARKS]:
        listed = ", ".join(BENCHMARKS)
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are {listed}.")
    end, failed = perf_counter() + 60.0 * wanted.minutes, 0
    environment = {KEPT: "build/bench.jsonl", **os.environ}
    for name in names:
        command = [sys.executable, "-m", f"benchmarks.{name}", *BENCHMARKS[name]]
        start = perf_counter()
        try:
            left = max(0.0, end - start)
            failed += run(command, env=environment, timeout=left).returncode != 0
        except TimeoutExpired:
            failed += 1
            print_status(f"{name}: not done after {wanted.minutes:g} minutes in all")
        else:
            print_status(f"{name}: {perf_counter() - start:.0f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main())
