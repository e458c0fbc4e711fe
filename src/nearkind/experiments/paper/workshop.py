"""Where an item is made: folder, repetitions, and rows that are there or are run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nearkind.experiments import Design, Limits, Row, run
from nearkind.experiments.paper.tables import Table

LARGE = 4_000
"""Rows beyond which a set is cut, for all methods alike."""
CUT = Design(rows=LARGE)
MOST_OF_LARGE = 3
"""Repetitions of a large set."""


@dataclass(frozen=True)
class Workshop:
    """What every item is made with.

    Attributes
    ----------
    folder : tables and figures go there, and rows.jsonl, which a second run continues
    repeats : repetitions of each trial
    jobs : trials at once; None: one a core
    seconds : of one trial, then it is given up
    largest : rows of a set beyond which it is left out; None: none is
    """

    folder: Path
    repeats: int = 10
    jobs: int | None = None
    seconds: float | None = 600.0
    largest: int | None = None

    def rows(
        self, sets: Iterable[str], methods: Sequence[str], design: Design | None = None
    ) -> list[Row]:
        """Return the rows of all trials, running those that are not there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        repeats = min(self.repeats, MOST_OF_LARGE) if design is CUT else self.repeats
        limits = Limits(seconds=self.seconds, jobs=self.jobs)
        results = self.folder / "rows.jsonl"
        wanted = list(sets)
        if not wanted:
            return []
        return run(wanted, methods, repeats, results, design=design, limits=limits)

    def write(self, table: Table, name: str) -> list[Path]:
        """Write a table in all forms."""
        return table.write(self.folder, name)

    def save(self, figure: Any, name: str) -> list[Path]:
        """Write a figure as SVG and PNG."""
        self.folder.mkdir(parents=True, exist_ok=True)
        paths = [self.folder / f"{name}.{ending}" for ending in ("svg", "png")]
        for path in paths:
            figure.savefig(path, bbox_inches="tight", dpi=150)
        return paths
