"""A reproduction of the paper: its settings, its output folder and its tables."""

import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.paper.protocol import PROTOCOLS, Protocol
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.rows import Row
from nearkind.experiments.runner import run
from nearkind.experiments.sandbox import Limits
from nearkind.experiments.sets import BuiltIn, Synthetic
from nearkind.io import write_text
from nearkind.io.atomic_write import atomic_write


@dataclass(frozen=True)
class TrialGroup:
    """Trials of some methods on some sets.

    Parameters
    ----------
    sets : sequence of BuiltIn or Synthetic
        The sets.
    methods : sequence of str
        Names of methods in ``table``.
    repeats : int
        Repetitions of each trial.
    design : Design
        What is common to all trials.
    table : mapping of str to Method, default=METHODS
        Methods by name.
    is_timed : bool, default=False
        Whether a trial is one fit whose time counts, so that it runs alone.
    """

    sets: Sequence[BuiltIn] | Sequence[Synthetic]
    methods: Sequence[str]
    repeats: int
    design: Design
    table: Mapping[str, Method] = field(default_factory=lambda: METHODS)
    is_timed: bool = False

    @property
    def n_rows(self) -> list[int]:
        """Number of rows of each trial."""
        most = self.design.rows or 10**9
        sizes = (each.n_samples for each in self.sets)
        return [min(n, most) for n in sizes] * (len(self.methods) * self.repeats)


@dataclass(frozen=True)
class Reproduction:
    """A reproduction of the paper's tables and figures.

    Parameters
    ----------
    folder : Path
        Folder of tables and figures, and of rows.jsonl, which a second run continues.
        If there is only rows.jsonl.gz, rows are taken from it.
    protocol : Protocol, default=PROTOCOLS["quick"]
        How often and on how much data.
    jobs : int or None, default=None
        Trials at once; None is one for each core.
    seconds : float or None, default=600.0
        Time after which a trial is given up.
    largest : int or None, default=None
        Leave out sets of more rows than this; None leaves out none.
    """

    folder: Path
    protocol: Protocol = PROTOCOLS["quick"]
    jobs: int | None = None
    seconds: float | None = 600.0
    largest: int | None = None

    def rows(self, groups: Iterable[TrialGroup]) -> list[Row]:
        """Return the rows of all trials, running those that are missing."""
        return [
            row
            for group in groups
            if group.sets
            for row in run(
                group.sets,
                group.methods,
                group.repeats,
                self._results(),
                design=group.design,
                limits=Limits(self.seconds),
                jobs=1 if group.is_timed else self.jobs,
                table=group.table,
            )
        ]

    def _results(self) -> Path:
        """Return the path of the rows, unpacked if they are only there packed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        results = self.folder / "rows.jsonl"
        packed = self.folder / "rows.jsonl.gz"
        if not results.exists() and packed.exists():
            write_text(gzip.decompress(packed.read_bytes()).decode(), results)
        return results

    def write(self, name: str, *made: Any) -> list[Path]:
        """Write tables as Markdown, CSV and LaTeX, figures as SVG and PNG.

        Parameters
        ----------
        name : str
            Name of the files, without ending.
        *made : ResultTable or Figure
            What is written; the paths are returned in the same order.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        written = []
        for each in made:
            if isinstance(each, ResultTable):
                written += each.write(self.folder, name)
                continue
            for form in ("svg", "png"):
                written.append(self.folder / f"{name}.{form}")
                with atomic_write(written[-1]) as file:
                    each.savefig(file, format=form, bbox_inches="tight", dpi=150)
        return written
