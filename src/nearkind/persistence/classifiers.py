"""Classifiers: a distance, the rows that vote and their votes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.search.candidates import Candidate
from nearkind.estimators.search.classifier_cv import CPMLClassifierCV
from nearkind.neighbors import INDEXES, RowGroups, TrainingRows
from nearkind.persistence import checks as c
from nearkind.persistence.container import RefusedError
from nearkind.persistence.nodes import Reader, Writer, fields
from nearkind.protocols import Array

_ROWS = "metric_", "classes_", "codes", "weights", "votes", "rows", "starts"
_SEARCH = (
    "members_", "classes_", "best_params_", "best_score_", "cv_results_", "refused_",
    "search_seconds_", "refit_seconds_",
)  # fmt: skip

_RESULTS = {
    "best_params_": dict, "best_score_": float, "cv_results_": dict, "refused_": dict,
    "search_seconds_": float, "refit_seconds_": float,
}  # fmt: skip


def pack_classifier(writer: Writer, model: CPMLClassifier) -> dict[str, Any]:
    """Return the fitted attributes of a classifier; cells by their codes, as counts."""
    kept = model.training_rows_
    parts = {
        "classes_": model.classes_,
        "codes": kept.codes,
        "weights": kept.weights,
        "votes": kept.shares,
        "rows": kept.groups.rows.astype(np.int64),
        "starts": kept.groups.starts.astype(np.int64),
    }
    return {
        "metric_": writer.fitted(model.metric_),
        **{name: writer.node(part, name) for name, part in parts.items()},
    }


def restore_classifier(reader: Reader, payload: Any, model: CPMLClassifier) -> None:
    """Give a classifier its fitted attributes, once they are found sound."""
    parts = [reader.value(part) for part in fields(payload, *_ROWS)]
    metric, classes, codes, weights, votes, rows, starts = parts
    book = getattr(metric, "codebook_", None)
    if book is None or not hasattr(metric, "represent"):
        raise RefusedError("metric_ of a classifier is no fitted distance")
    if not INDEXES[model.index].takes(metric):
        raise RefusedError("metric_ of a classifier is none that its index can search")
    _check_labels(classes)
    _check_codes(codes, np.asarray(book.n_values))
    _check_votes(weights, votes, (len(codes), len(classes)))
    _check_rows(rows, starts, len(codes))
    groups = RowGroups(
        rows.astype(np.intp, copy=False), starts.astype(np.intp, copy=False)
    )
    counts = _as_counted(votes * weights[:, None])
    model.metric_, model.classes_ = metric, classes
    model.n_samples_fit_ = int(rows.max()) + 1
    model.set_codebook(book)
    model.set_training_rows(
        TrainingRows(book, classes, codes, weights, counts, votes, groups)
    )


def pack_search(writer: Writer, model: CPMLClassifierCV) -> dict[str, Any]:
    """Return the fitted attributes of a search: its members and what was tried."""
    return {
        "members_": [writer.fitted(member) for member in model.members_],
        **{
            name: writer.node(getattr(model, name), f"{name} of CPMLClassifierCV")
            for name in _SEARCH[1:]
        },
    }


def restore_search(reader: Reader, payload: Any, model: CPMLClassifierCV) -> None:
    """Give a search its fitted attributes, once they are found sound."""
    parts = [reader.value(part) for part in fields(payload, *_SEARCH)]
    found = dict(zip(_SEARCH, parts, strict=True))
    members, classes = found["members_"], found["classes_"]
    _check_labels(classes)
    if not members or not all(type(m) is CPMLClassifier for m in members):
        raise RefusedError("members_ are not classifiers")
    for member in members:
        if not hasattr(member, "classes_") or not _same(member.classes_, classes):
            raise RefusedError("members_ are of other classes")
    _check_results(found)
    for name, value in found.items():
        setattr(model, name, value)
    model.set_codebook(model.metric_.codebook_)


def _as_counted(weights: Array) -> Array:
    """Return weights, as whole numbers where they are up to rounding."""
    whole = np.rint(weights)
    return np.where(np.abs(weights - whole) <= 1e-9 * np.abs(whole), whole, weights)


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return a.dtype == b.dtype and np.array_equal(a, b)


def _check_labels(classes: Any) -> None:
    c.check_classes(classes, "classes_")
    if len(classes) < 2:
        raise RefusedError("classes_ of a classifier are fewer than two")


def _check_codes(codes: Any, n_values: NDArray[np.intp]) -> None:
    if not isinstance(codes, np.ndarray) or codes.dtype != np.int32:
        raise RefusedError("codes of rows are no whole numbers")
    if codes.ndim != 2 or codes.shape[1] != len(n_values) or not len(codes):
        raise RefusedError("codes of rows have not one a column")
    if (codes < -1).any() or (codes >= n_values).any():
        raise RefusedError("a code of a row stands for no value")


def _check_votes(weights: Any, votes: Any, shape: tuple[int, int]) -> None:
    if c.reals(weights, "weights", 1).shape != shape[:1] or not (weights > 0.0).all():
        raise RefusedError("weights are not one a row, each above zero")
    if c.reals(votes, "votes", 2).shape != shape or (votes < 0.0).any():
        raise RefusedError("votes are not one a row and class")
    if (np.abs(votes.sum(axis=1) - 1.0) > 1e-6).any():
        raise RefusedError("votes of a row do not add up to one")


def _check_rows(rows: Any, starts: Any, n_cells: int) -> None:
    for part in (rows, starts):
        if not isinstance(part, np.ndarray) or part.dtype != np.int64 or part.ndim != 1:
            raise RefusedError("numbers of rows are no whole numbers")
    spans = len(starts) == n_cells + 1 and starts[0] == 0 and starts[-1] == len(rows)
    if not spans or (np.diff(starts) < 1).any():
        raise RefusedError("rows are not shared out among distinct ones")
    if (rows < 0).any() or (np.diff(np.sort(rows)) < 1).any():
        raise RefusedError("a row has a number below zero or one of another")
    steps = np.diff(rows) > 0
    steps[starts[1:-1] - 1] = True  # from one cell to the next
    if not steps.all():
        raise RefusedError("equal rows are not in their order")


def _check_results(found: dict[str, Any]) -> None:
    for name, kind in _RESULTS.items():
        if type(found[name]) is not kind:
            raise RefusedError(f"{name} is no {kind.__name__}")
    columns = found["cv_results_"].values()
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in columns):
        raise RefusedError("cv_results_ are no columns")
    if len({len(part) for part in columns}) > 1:
        raise RefusedError("cv_results_ have columns of several lengths")


def pack_candidate(writer: Writer, value: Candidate, what: str) -> Any:
    """Return the node of a candidate, its distance unfitted."""
    return {
        "Candidate": {
            "name": value.name,
            "metric": writer.node(value.metric, what),
            "strengths": writer.node(value.strengths, what),
        }
    }


def unpack_candidate(reader: Reader, payload: Any) -> Candidate:
    """Return a candidate."""
    parts = fields(payload, "name", "metric", "strengths")
    name, metric, strengths = (reader.value(part) for part in parts)
    if type(name) is not str or type(strengths) not in (tuple, list):
        raise RefusedError("a candidate has no name, or no strengths")
    return Candidate(name, metric, strengths)
