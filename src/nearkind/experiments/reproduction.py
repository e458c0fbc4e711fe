"""A reproduction of the paper: its settings, its output folder and its tables."""

import csv
import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.protocol import PROTOCOLS, Protocol
from nearkind.experiments.rows import Row
from nearkind.experiments.runner import Limits, run
from nearkind.io import write_text
from nearkind.io.atomic_write import atomic_write

_SPECIAL = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "±": r"$\pm$"}


@dataclass(frozen=True)
class ResultTable:
    """A table of text, to be written as Markdown, CSV and LaTeX.

    Parameters
    ----------
    title : str
        One line.
    head : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        Texts of each row, one for each column.
    notes : sequence of str, default=()
        Lines below the table.

    Examples
    --------
    >>> table = ResultTable("Shares", ["p", "share"], [["1", "2 %"]], ["by count"])
    >>> print(table.markdown())
    ### Shares
    <BLANKLINE>
    | p | share |
    |---|---|
    | 1 | 2 % |
    <BLANKLINE>
    by count
    <BLANKLINE>
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [_markdown_row(self.head), "|---" * len(self.head) + "|"]
        body = "\n".join(lines + [_markdown_row(row) for row in self.rows])
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{body}\n{notes}"

    def csv(self) -> str:
        """Return the table as comma-separated values, without title and notes."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()

    def latex(self) -> str:
        """Return the table as LaTeX, the title as its caption, without notes."""
        columns = "l" + "r" * (len(self.head) - 1)
        lines = [" & ".join(map(_latex, line)) for line in (self.head, *self.rows)]
        head, *rest = (rf"{line} \\" for line in lines)
        body = "\n".join([r"\hline", head, r"\hline", *rest, r"\hline"])
        return (
            "\\begin{table}\n\\centering\n"
            f"\\caption{{{_latex(self.title)}}}\n"
            f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n\\end{{table}}\n"
        )

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write the table in all three forms; return the paths."""
        folder.mkdir(parents=True, exist_ok=True)
        forms = {"md": self.markdown(), "csv": self.csv(), "tex": self.latex()}
        paths = [folder / f"{name}.{suffix}" for suffix in forms]
        for path, text in zip(paths, forms.values(), strict=True):
            write_text(text, path)
        return paths


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

    def rows(
        self,
        sets: Iterable[str],
        methods: Iterable[str],
        repeats: int,
        *,
        design: Design | None = None,
        table: Mapping[str, Method] = METHODS,
        jobs: int | None = None,
    ) -> list[Row]:
        """Return the rows of all trials, running those that are missing.

        Parameters
        ----------
        sets, methods, table
            As in ``run``.
        repeats : int
            Repetitions of each trial.
        design : Design or None, default=None
            What is common to all trials; None is that of the protocol.
        jobs : int or None, default=None
            Trials at once; None is as the reproduction has it.
        """
        names = list(sets)
        if not names:
            return []
        limits = Limits(seconds=self.seconds, jobs=jobs or self.jobs)
        design = design or self.protocol.design
        results = self._results()
        return run(
            names, methods, repeats, results, design=design, limits=limits, table=table
        )

    def _results(self) -> Path:
        """Return the path of the rows, unpacked if they are only there packed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        results = self.folder / "rows.jsonl"
        packed = self.folder / "rows.jsonl.gz"
        if not results.exists() and packed.exists():
            write_text(gzip.decompress(packed.read_bytes()).decode(), results)
        return results

    def write_table(self, table: ResultTable, name: str) -> list[Path]:
        """Write a table as Markdown, CSV and LaTeX; return the paths."""
        return table.write(self.folder, name)

    def write_figure(self, figure: Any, name: str) -> list[Path]:
        """Write a figure as SVG and PNG; return the paths."""
        self.folder.mkdir(parents=True, exist_ok=True)
        paths = [self.folder / f"{name}.{suffix}" for suffix in ("svg", "png")]
        for path in paths:
            with atomic_write(path) as file:
                form = path.suffix[1:]
                figure.savefig(file, format=form, bbox_inches="tight", dpi=150)
        return paths


def _markdown_row(texts: Sequence[str]) -> str:
    escaped = (text.replace("|", r"\|") for text in texts)
    return f"| {' | '.join(escaped)} |"


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
