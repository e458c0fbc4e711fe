"""Sentences at the head of a page: table, accuracy, model, proof."""

from typing import Any

import numpy as np

from nearkind.estimators.cpml import CPML
from nearkind.pages.data import ReportData
from nearkind.plot.text import count_text
from nearkind.solvers.solution import Stop
from nearkind.voting import FitReport, LeafRule, SoftRule, Voter
from nearkind.voting.voter import Rule

Line = tuple[str, str]
"""A title and a sentence."""
WEIGHTS = {"uniform": "of equal weight", "distance": "weighted by distance"}


def data_lines(data: ReportData) -> list[Line]:
    """Return the size of the table, and how many rows have unseen values."""
    n_rows, n_columns = len(data.codes), len(data.X)
    size = f"{count_text(n_rows, 'row')}, {count_text(n_columns, 'column')}"
    lines = [("Table", f"{data.where}, {size}")]
    n_unseen = int((data.codes[:, :n_columns] == -1).any(axis=1).sum())  # no crosses
    if n_unseen:
        unseen = (
            f"{count_text(n_unseen, 'row')} with a value that was not seen in fit, or "
            "a missing one where none was; it counts as an average value."
        )
        lines.append(("Unseen values", unseen))
    return lines


def accuracy_lines(data: ReportData) -> list[Line]:
    """Return the accuracy, the majority-class baseline and what they are worth."""
    known = data.true_class >= 0
    if data.y_pred is None or not known.any():
        return []
    n_right = int((data.true_class == data.predicted_class).sum())
    n, counts = int(known.sum()), np.bincount(data.true_class[known])
    n_equal = data.view.n_training_rows(data.codes)
    rows = (
        "the training rows" if n_equal == len(data.codes) else "the rows of the table"
    )
    largest = [*data.classes, "a class unknown to the model"][counts.argmax()]
    wanted = f"; the true class is column {data.target!r}" if data.target else ""
    return [
        ("Accuracy", f"{n_right / n:.1%} on {rows} ({n_right:,} of {n:,}){wanted}."),
        *_held_lines(data),
        ("Majority-class baseline", f"{counts.max() / n:.1%}, the share of {largest}."),
        ("Training rows in the table", training_overlap(n_equal, len(data.codes))),
    ]


def _held_lines(data: ReportData) -> list[Line]:
    """Return the cross-validated accuracy, if it is known."""
    if not data.view.was_searched:
        return []
    return [
        (
            "Cross-validated accuracy",
            f"{data.model.held_accuracy_:.1%} on the training rows; also used for "
            "selection, so slightly optimistic.",
        )
    ]


def training_overlap(n_equal: int, n_rows: int) -> str:
    """Return how many rows equal a training row, and what the accuracy is worth."""
    if n_equal == 0:
        return "None: no row equals a training row in all columns."
    if n_equal == n_rows:
        return (
            "All: every row equals a training row in all columns. Expect a lower "
            "accuracy on new rows."
        )
    return (
        f"{n_equal:,} of {n_rows:,} rows equal a training row in all columns. If they "
        "are training rows, expect a lower accuracy on new rows."
    )


def model_lines(data: ReportData) -> list[Line]:
    """Return the kind of the model, and its bound."""
    n_members, model = len(data.view.distances), data.model
    together = f", {n_members} distances that vote together" if n_members > 1 else ""
    kind = type(model).__name__
    named = kind if data.name in (kind, "") else f"{data.name}, a {kind}"
    lines = [("Model", f"{named}{together}")]
    if data.view.factors_text:
        lines.append(("Classes predicted", data.view.factors_text))
    if data.y_true is None:
        lines += _held_lines(data)
    if n_members > 1 or not data.view.report.is_learned:
        what = f"Relevance, values and map are by {data.view.explained_by}."
        lines.append(("Distance shown", what))
    return [*lines, *_bound_lines(data)]


def _bound_lines(data: ReportData) -> list[Line]:
    """Return the generalization bound of the distance, if it is a CPML."""
    metric = data.model if data.view.committee is None else data.model.metric_
    if not isinstance(metric, CPML):
        return []
    try:
        bound = metric.generalization_bound(data.X)
        sentence = f"{bound} This assumes that the table is the training table."
    except ValueError as error:
        sentence = f"None. {error}"
    return [("Generalization bound", sentence)]


def member_lines(report: FitReport, voter: Voter | None, weight: float) -> list[Line]:
    """Return the settings of a distance, its vote, and what its fit reached."""
    lines = [("Distance", report.title)]
    if weight < 1.0:
        lines.append(("Weight", f"{weight:.0%} of the votes"))
    if voter is not None:
        lines.append(("Vote", _vote(voter.rule)))
    fitted = report.diagnostics
    known = [(title, write) for title, name, write in FITTED if name in fitted]
    return [*lines, *((title, write(fitted)) for title, write in known)]


def _vote(rule: Rule) -> str:
    if isinstance(rule, SoftRule):
        return (
            "All training rows vote, weighted by distance (temperature "
            f"{rule.temperature:.4g})"
        )
    if isinstance(rule, LeafRule):
        return "All training rows vote by the leaves that they share with a row"
    if rule.n_neighbors == 1:
        return "The nearest row alone"
    return f"{rule.n_neighbors} nearest rows, {WEIGHTS[rule.weights]}"


def _strength(fitted: dict[str, Any]) -> str:
    strength, most = fitted["strength_"], fitted.get("strength_max_", 0.0)
    share = f", {strength / most:.2%} of the largest useful one" if most else ""
    return f"{strength:.4g}{share}"


def _objective(fitted: dict[str, Any]) -> str:
    value, gap = fitted["objective_"], fitted.get("gap_", np.nan)
    if not np.isfinite(gap):
        return f"{value:.6g}, no proven optimality gap"
    share = f" ({gap / value:.2%})" if value > 0.0 else ""
    return f"{value:.6g}, proven optimality gap {gap:.2g}{share}"


def _stop_reason(fitted: dict[str, Any]) -> str:
    name = str(fitted["stop_reason_"])
    reason = Stop[name].value if name in Stop.__members__ else name
    return f"After {fitted['n_iter_']:,} iterations. {reason}"


FITTED = (
    ("Rank", "rank_", lambda fitted: f"{fitted['rank_']:,}"),
    ("Strength", "strength_", _strength),
    ("Objective", "objective_", _objective),
    ("Stopped", "stop_reason_", _stop_reason),
)
"""Title, diagnostic that a fit may have, and the text of it."""
