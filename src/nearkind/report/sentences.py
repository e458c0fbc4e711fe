"""What the head of a page says: data, model, proof, and how far to trust them."""

from typing import Any

import numpy as np

from nearkind.encoding.rows import row_keys
from nearkind.report.subject import Subject
from nearkind.solvers.solution import Stop

Line = tuple[str, str]
"""What it is about, and what there is to say."""
WEIGHTS = {"uniform": "all counting alike", "distance": "near ones counting more"}


def data_lines(subject: Subject) -> list[Line]:
    """Return what there is to say of the table."""
    n_rows, n_columns = subject.codes.shape
    size = f"{_counted(n_rows, 'row')}, {_counted(n_columns, 'column')}"
    lines = [("Table", f"{subject.where}, {size}")]
    n_strange = int((subject.codes < 0).any(axis=1).sum())
    if n_strange:
        strange = (
            f"{_counted(n_strange, 'row')} with a value, or a gap, that the model has "
            "not met; it counts as an average one."
        )
        lines.append(("Not seen in training", strange))
    return lines


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def accuracy_lines(subject: Subject) -> list[Line]:
    """Return how many rows are right, and whether the model may have learned them."""
    known = subject.true_class >= 0
    if subject.said is None or not known.any():
        return []
    right, n = int((subject.true_class == subject.said_class).sum()), int(known.sum())
    wanted = f"that column {subject.target!r} says" if subject.target else "they are of"
    said = f"{right:,} of {n:,} rows ({right / n:.1%}) get the class {wanted}."
    return [("Right", said), ("Read with care", familiarity(subject))]


def familiarity(subject: Subject) -> str:
    """Say how many rows equal a training row, and what that means for the accuracy."""
    n_rows, known = len(subject.codes), subject.members[0]._codes
    keys = row_keys(np.concatenate([subject.codes, known]))
    n_equal = int(np.isin(keys[:n_rows], keys[n_rows:]).sum())
    if n_equal == 0:
        return "No row here equals a training row, so all of them are new to the model."
    if n_equal == n_rows:
        return (
            "Every row here equals a training row in all columns. If this is the table "
            "that the model learned from, expect less on new rows."
        )
    return (
        f"{n_equal:,} of {n_rows:,} rows equal a training row in all columns. They may "
        "be training rows, on which a model does better than on new ones."
    )


def model_lines(subject: Subject) -> list[Line]:
    """Return what there is to say of the model as a whole."""
    n_metrics, model = len(subject.metrics), subject.model
    together = f", {n_metrics} distances that vote together" if n_metrics > 1 else ""
    lines = [("Model", f"{subject.name}, a {type(model).__name__}{together}")]
    if hasattr(model, "best_score_"):
        held = (
            f"{model.best_score_:.1%} right on training rows held out in turn; "
            "somewhat too good, as the model was chosen by that."
        )
        lines.append(("While it was chosen", held))
    return [*lines, *_bound(subject)]


def _bound(subject: Subject) -> list[Line]:
    """Return the generalization bound of the first distance, if theory has one."""
    bound = getattr(subject.metric, "generalization_bound", None)
    if bound is None:
        return []
    try:
        said = f"{bound(subject.X)} It takes these rows for those it learned from."
    except ValueError as error:
        said = f"None. {error}"
    return [("Bound for new rows", said)]


def member_lines(metric: Any, voter: Any) -> list[Line]:
    """Return what there is to say of one distance, and of its vote if it has one."""
    lines = [("Distance", " ".join(repr(metric).split()))]
    if voter is not None:
        lines.append(("Vote", _vote(voter)))
    known = [(title, say) for title, name, say in LEARNED if hasattr(metric, name)]
    return [*lines, *((title, say(metric)) for title, say in known)]


def _vote(voter: Any) -> str:
    if voter.n_neighbors == 1:
        return "The nearest row alone"
    return f"{voter.n_neighbors} nearest rows, {WEIGHTS[voter.weights]}"


def _rank(metric: Any) -> str:
    return f"{metric.rank_:,}"


def _strength(metric: Any) -> str:
    most = getattr(metric, "strength_max_", 0.0)
    share = f", {metric.strength_ / most:.2%} of the largest useful one" if most else ""
    return f"{metric.strength_:.4g}{share}"


def _objective(metric: Any) -> str:
    value, gap = metric.objective_, getattr(metric, "gap_", np.nan)
    if not np.isfinite(gap):
        return f"{value:.6g}, without proof of how far from the best possible"
    share = f" ({gap / value:.2%})" if value > 0.0 else ""
    return f"{value:.6g}, proven at most {gap:.2g}{share} above the best possible"


def _stopped(metric: Any) -> str:
    reason = str(metric.stop_reason_)
    said = Stop[reason].value if reason in Stop.__members__ else reason
    return f"After {metric.n_iter_:,} iterations. {said}"


LEARNED = (
    ("Rank", "rank_", _rank),
    ("Strength", "strength_", _strength),
    ("Objective", "objective_", _objective),
    ("Stopped", "stop_reason_", _stopped),
)
"""Title, attribute that a learned distance has, and what is said of it."""
