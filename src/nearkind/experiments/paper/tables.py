"""One table, written as Markdown, CSV and LaTeX."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

_SPECIAL = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "±": r"$\pm$"}


@dataclass(frozen=True)
class Table:
    """Cells of text under a head.

    Attributes
    ----------
    title : one line
    head : names of columns
    rows : cells, as many as columns each
    notes : lines below the table

    Examples
    --------
    >>> table = Table("Shares", ["p", "share"], [["1", "2 %"]], ["by count"])
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
        """Return it for Markdown."""
        lines = [_line(self.head), "|---" * len(self.head) + "|"]
        body = "\n".join(lines + [_line(row) for row in self.rows])
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{body}\n{notes}"

    def csv(self) -> str:
        """Return it as comma-separated values, without title and notes."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()

    def latex(self) -> str:
        """Return it as a LaTeX table with its caption."""
        columns = "l" + "r" * (len(self.head) - 1)
        lines = [" & ".join(map(_escaped, line)) for line in (self.head, *self.rows)]
        head, *rest = (rf"{line} \\" for line in lines)
        body = "\n".join([r"\hline", head, r"\hline", *rest, r"\hline"])
        return (
            "\\begin{table}\n\\centering\n"
            f"\\caption{{{_escaped(self.title)}}}\n"
            f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n\\end{{table}}\n"
        )

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write all three forms; return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        forms = {"md": self.markdown(), "csv": self.csv(), "tex": self.latex()}
        written = [folder / f"{name}.{ending}" for ending in forms]
        for path, text in zip(written, forms.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        return written


def _line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
