"""What the benchmarks share: the clock, compilation before it, printed tables."""

import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from subprocess import run
from time import perf_counter
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from rich.console import Console
from rich.table import Table

import nearkind as nk
from nearkind.experiments.rows import versions

KEPT = "NEARKIND_BENCH"
"""Environment variable with the file that lines of tables are added to, if any."""
PIPE_WIDTH = 130
"""Width of a table where there is no terminal to ask."""


def seconds_of(run: Callable[[], Any]) -> float:
    """Return the time of one run."""
    start = perf_counter()
    run()
    return perf_counter() - start


def best_seconds(run: Callable[[], Any], n_runs: int) -> float:
    """Return the shortest time of several runs."""
    return min(seconds_of(run) for _ in range(n_runs))


def growth_exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return b of the fit costs ~ sizes^b."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def compile_solvers(**settings: Any) -> None:
    """Fit a small set by both solvers, as the first fit by numba takes seconds longer.

    Parameters
    ----------
    **settings
        Settings of CPML.
    """
    data = nk.datasets.make_synthetic(600, random_state=0)
    with no_warnings():
        for solver in ("proximal", "stochastic"):
            nk.CPML(**settings, solver=solver, max_iter=20).fit(data.X, data.y)


@contextmanager
def no_warnings() -> Iterator[None]:
    """Hide warnings of early stops and unseen values."""
    with catch_warnings():
        simplefilter("ignore")
        yield


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Iterable[str] = (),
) -> None:
    """Print a table, numbers to the right, and a line for each note."""
    console = Console()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left")
    kept = []
    for row in rows:
        table.add_row(*row)
        kept.append(list(row))
    console.print(table)
    if path := os.environ.get(KEPT):
        keep_lines(Path(path), title, list(columns), kept)
    for note in notes:
        console.print(note, highlight=False)


def keep_lines(
    path: Path, title: str, columns: list[str], lines: Sequence[list[str]]
) -> None:
    """Add the lines of a table to a file of JSON lines, with what they were made by."""
    git = ["git", "describe", "--always", "--dirty"]
    commit = run(git, capture_output=True, text=True, check=False).stdout.strip()
    facts = {
        "benchmark": Path(sys.argv[0]).stem,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "versions": versions(),
        "machine": f"{platform.platform()}, {_processor()}",
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "title": title,
        "columns": columns,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({**facts, "cells": line}) + "\n" for line in lines)


def _processor() -> str:
    """Return the name of the processor, as Linux says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.processor()).strip()


def print_status(text: str) -> None:
    """Print on standard error what is being measured, as that may take minutes."""
    print(text, file=sys.stderr, flush=True)
