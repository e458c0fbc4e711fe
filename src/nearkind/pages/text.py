"""Sentences at the head of a page: table, accuracy, model, proof."""

from typing import Any

import numpy as np

from nearkind.encoding.rows import row_keys
from nearkind.estimators.cpml import CPML
from nearkind.pages.data import ReportData
from nearkind.plot.text import count_text
from nearkind.solvers.solution import Stop
from nearkind.voting import FitReport, SoftRule, Voter
from nearkind.voting.voter import Rule

Line = tuple[str, str]
"""A title and a sentence."""
WEIGHTS = {"uniform": "all counting alike", "distance": "near ones counting more"}


def data_lines(data: ReportData) -> list[Line]:
    """Return the size of the table, and how many rows have unseen values."""
    n_rows, n_columns = len(data.codes), len(data.X)
    size = f"{count_text(n_rows, 'row')}, {count_text(n_columns, 'column')}"
    lines = [("Table", f"{data.where}, {size}")]
    n_unseen = int((data.codes[:, :n_columns] < 0).any(axis=1).sum())  # no crosses
    if n_unseen:
        unseen = (
            f"{count_text(n_unseen, 'row')} with a value, or a gap, that the model has "
            "not met; it counts as an average one."
        )
        lines.append(("Not seen in training", unseen))
    return lines


def accuracy_lines(data: ReportData) -> list[Line]:
    """Return how many rows are right, and whether they may be training rows."""
    known = data.true_class >= 0
    if data.y_pred is None or not known.any():
        return []
    n_right = int((data.true_class == data.predicted_class).sum())
    n = int(known.sum())
    wanted = f"that column {data.target!r} says" if data.target else "they are of"
    right = f"{n_right:,} of {n:,} rows ({n_right / n:.1%}) get the class {wanted}"
    n_equal = n_training_rows(data)
    where = ", on the rows it was fitted to" if n_equal == len(data.codes) else ""
    return [
        *_held_lines(data),
        ("Right", f"{right}{where}."),
        ("Read with care", training_overlap(n_equal, len(data.codes))),
    ]


def _held_lines(data: ReportData) -> list[Line]:
    """Return how many training rows were right while they were held out, if known."""
    if not data.view.was_searched:
        return []
    share = f"{data.model.held_accuracy_:.1%} of the training rows"
    return [
        (
            "Right on rows held out",
            f"{share}, each classified by a model that had not seen it; somewhat too "
            "good, as the model was chosen by that.",
        )
    ]


def n_training_rows(data: ReportData) -> int:
    """Return how many rows of the table equal a training row."""
    n_rows, known = len(data.codes), data.view.voter.rows.codes
    keys = row_keys(np.concatenate([data.codes, known]))
    return int(np.isin(keys[:n_rows], keys[n_rows:]).sum())


def training_overlap(n_equal: int, n_rows: int) -> str:
    """Return how many rows equal a training row, and what the accuracy is worth."""
    if n_equal == 0:
        return "No row here equals a training row, so all of them are new to the model."
    if n_equal == n_rows:
        return (
            "Every row here equals a training row in all columns; expect less on new "
            "rows."
        )
    return (
        f"{n_equal:,} of {n_rows:,} rows equal a training row in all columns. They may "
        "be training rows, on which a model does better than on new ones."
    )


def model_lines(data: ReportData) -> list[Line]:
    """Return the kind of the model, and its bound."""
    n_members, model = len(data.view.distances), data.model
    together = f", {n_members} distances that vote together" if n_members > 1 else ""
    kind = type(model).__name__
    named = kind if data.name == kind else f"{data.name}, a {kind}"
    lines = [("Model", f"{named}{together}")]
    if data.y_true is None:
        lines += _held_lines(data)
    if n_members > 1 or not data.view.report.is_learned:
        what = f"Columns, values, map and neighbours: {data.view.explained_by}."
        lines.append(("Explained by", what))
    return [*lines, *_bound_lines(data)]


def _bound_lines(data: ReportData) -> list[Line]:
    """Return the generalization bound of the distance, if it is a CPML."""
    metric = data.model if data.view.committee is None else data.model.metric_
    if not isinstance(metric, CPML):
        return []
    try:
        bound = metric.generalization_bound(data.X)
        sentence = f"{bound} It takes these rows for those it learned from."
    except ValueError as error:
        sentence = f"None. {error}"
    return [("Bound for new rows", sentence)]


def member_lines(report: FitReport, voter: Voter | None) -> list[Line]:
    """Return the settings of a distance, its vote, and what its fit reached."""
    lines = [("Distance", report.title)]
    if voter is not None:
        lines.append(("Vote", _vote(voter.rule)))
    fitted = report.diagnostics
    known = [(title, write) for title, name, write in FITTED if name in fitted]
    return [*lines, *((title, write(fitted)) for title, write in known)]


def _vote(rule: Rule) -> str:
    if isinstance(rule, SoftRule):
        return f"All rows, near ones more, at temperature {rule.temperature:.4g}"
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
        return f"{value:.6g}, without proof of how far from the best possible"
    share = f" ({gap / value:.2%})" if value > 0.0 else ""
    return f"{value:.6g}, proven at most {gap:.2g}{share} above the best possible"


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
