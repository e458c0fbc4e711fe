"""Classes and probabilities of rows, and how many are right where that is known."""

from pathlib import Path
from typing import Any, NamedTuple

import typer

from nearkind.cli.models import Rows
from nearkind.io import Columns, check_ending, require_column
from nearkind.io.cells import is_missing
from nearkind.protocols import Array


class Score(NamedTuple):
    """How many answers agree with a column of DATA."""

    column: str
    n_right: int
    n_rows: int

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        return self.n_right / self.n_rows

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"{self.n_right:,} of {self.n_rows:,} rows ({self.accuracy:.1%}) have the "
            f"class that column {self.column!r} says."
        )


class Answers(NamedTuple):
    """What a model says of each row."""

    labels: list[Any]
    classes: list[Any]
    shares: Array  # (n, n_classes)
    score: Score | None

    def columns(self, beside: Columns) -> Columns:
        """Return a table of answers, beside these columns."""
        found: Columns = dict(beside)
        found[_unused("predicted", found)] = self.labels
        for c, label in enumerate(self.classes):
            found[_unused(f"p_{label}", found)] = self.shares[:, c].round(6).tolist()
        return found

    def facts(self) -> dict[str, Any]:
        """Return it for programs."""
        score = self.score
        rows = zip(self.labels, self.shares.tolist(), strict=True)
        return {
            "target": score.column if score else None,
            "accuracy": score.accuracy if score else None,
            "rows": [
                {
                    "row": number,
                    "class": label,
                    "probabilities": dict(zip(self.classes, shares, strict=True)),
                }
                for number, (label, shares) in enumerate(rows)
            ],
        }


def answer(model: Any, rows: Rows, target: str | None = None) -> Answers:
    """Return the model's answers; of several classes tied the first."""
    shares = model.predict_proba(rows.X)
    best = shares >= shares.max(axis=1, keepdims=True) - 1e-9
    labels = model.classes_[best.argmax(axis=1)].tolist()
    classes = model.classes_.tolist()
    return Answers(labels, classes, shares, _score(labels, classes, rows, target))


def check_output(path: Path) -> None:
    """Refuse an ending that cannot be written as bad usage."""
    try:
        check_ending(path)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--output") from None


def _score(
    labels: list[Any], classes: list[Any], rows: Rows, target: str | None
) -> Score | None:
    """Compare with a column: the one asked for, or the only one that holds classes."""
    column = target and require_column(target, rows.columns, rows.where)
    column = column or _column_of_classes(rows, set(map(str, classes)))
    if column is None:
        return None
    pairs = zip(labels, rows.columns[column], strict=True)
    right = [str(label) == str(cell) for label, cell in pairs if not is_missing(cell)]
    return Score(column, sum(right), len(right)) if right else None


def _column_of_classes(rows: Rows, classes: set[str]) -> str | None:
    others = [name for name in rows.columns if name not in rows.X]
    found = [name for name in others if _holds(rows.columns[name], classes)]
    return found[0] if len(found) == 1 else None


def _holds(cells: list[Any], classes: set[str]) -> bool:
    named = {str(cell) for cell in cells if not is_missing(cell)}
    return bool(named) and named <= classes


def _unused(name: str, columns: Columns) -> str:
    while name in columns:
        name += "_"
    return name
