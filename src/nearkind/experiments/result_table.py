"""Tables of text, written as Markdown, CSV and LaTeX."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from nearkind.io import write_text

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


def _markdown_row(texts: Sequence[str]) -> str:
    escaped = (text.replace("|", r"\|") for text in texts)
    return f"| {' | '.join(escaped)} |"


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
