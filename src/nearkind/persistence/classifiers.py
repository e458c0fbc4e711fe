"""Classifiers: a distance, and the training rows that vote."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.base import Distance
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.labels import check_class_weight
from nearkind.model_view import is_fitted
from nearkind.neighbors import INDEXES, RowGroups, TrainingRows, is_soft
from nearkind.persistence import checks as c
from nearkind.persistence.container import RefusedError
from nearkind.persistence.nodes import Reader, Writer, fields
from nearkind.protocols import Array
from nearkind.search.calibration import SHARPEST, Calibration
from nearkind.search.candidates import Candidate
from nearkind.search.classifier_cv import CPMLClassifierCV
from nearkind.search.conformal import ConformalScores
from nearkind.search.scoring import check_scoring

_ROWS = "metric_", "classes_", "codes", "weights", "votes", "rows", "starts"
_SOFT = ("temperature_",)
_COUNTS = "n_samples_fit_", "n_samples_seen_", "n_remembered_"
"""Numbers of rows given to fit, and of those in batches. Older files lack them."""
_SEARCH = (
    "members_", "classes_", "best_params_", "best_score_", "cv_results_", "refused_",
    "search_seconds_", "refit_seconds_",
)  # fmt: skip

_LATER = "calibration_", "conformal_scores_", "confusion_"
"""What files of version 0.1.0 do not have; None stands for it."""

_CANDIDATE = "name", "metric", "strengths", "turn", "max_values", "needs_crosses"
_CALIBRATION = "sharpness", "prior_share", "prior"
_CONFORMAL = "scores", "truth", "weights"
_RESULTS = {
    "best_params_": dict, "best_score_": float, "cv_results_": dict, "refused_": dict,
    "search_seconds_": float, "refit_seconds_": float,
}  # fmt: skip


def pack_classifier(writer: Writer, model: CPMLClassifier) -> dict[str, Any]:
    """Return the fitted attributes of a classifier as JSON; rows by their codes."""
    rows = model.training_rows_
    parts: dict[str, Any] = {
        "classes_": model.classes_,
        "codes": rows.codes,
        "weights": rows.weights,
        "votes": rows.shares,
        "rows": rows.groups.rows.astype(np.int64),
        "starts": rows.groups.starts.astype(np.int64),
    }
    if _has_chosen(model):
        parts["temperature_"] = model.temperature_
    parts |= {name: getattr(model, name) for name in _COUNTS if hasattr(model, name)}
    return {
        "metric_": writer.fitted(model.distance_),
        **{name: writer.node(part, name) for name, part in parts.items()},
    }


def restore_classifier(reader: Reader, payload: Any, model: CPMLClassifier) -> None:
    """Set the fitted attributes of a classifier, after checking them."""
    counted = [n for n in _COUNTS if isinstance(payload, dict) and n in payload]
    names = (*_ROWS, *(_SOFT if _has_chosen(model) else ()), *counted)
    found = dict(zip(names, map(reader.value, fields(payload, *names)), strict=True))
    metric, classes, codes, weights, shares, rows, starts = (found[n] for n in _ROWS)
    if not isinstance(metric, Distance) or not is_fitted(metric):
        raise RefusedError("metric_ of a classifier is not a fitted distance")
    model.check_settings()
    if not INDEXES[model.index].takes(metric):
        raise RefusedError(
            f"index={model.index!r} needs vectors, and metric_ of type "
            f"{type(metric).__name__} has none"
        )
    book = metric.codebook_
    _check_labels(classes)
    c.check_codes(codes, "codes of rows", book)
    _check_shares(weights, shares, (len(codes), len(classes)))
    _check_row_numbers(rows, starts, len(codes))
    groups = RowGroups(
        rows.astype(np.intp, copy=False), starts.astype(np.intp, copy=False)
    )
    counts = _whole_where_close(shares * weights[:, None])
    model.distance_, model.classes_ = metric, classes
    least = int(rows.max()) + 1
    model.n_samples_fit_ = least
    for name in counted:
        c.check_count(found[name], name, book)
        if found[name] < least:
            raise RefusedError(f"{name} is less than the number of a row")
        setattr(model, name, found[name])
    model.set_codebook(book)
    model.set_training_rows(
        TrainingRows(book, classes, codes, weights, counts, shares, groups)
    )
    if "temperature_" in found:
        model.temperature_ = _check_temperature(found["temperature_"])


def pack_search(writer: Writer, model: CPMLClassifierCV) -> dict[str, Any]:
    """Return the fitted attributes of a search as JSON: members and what was tried."""
    return {
        "members_": [writer.fitted(member) for member in model.members_],
        **{
            name: writer.node(getattr(model, name), f"{name} of CPMLClassifierCV")
            for name in (*_SEARCH[1:], *_LATER)
        },
    }


def restore_search(reader: Reader, payload: Any, model: CPMLClassifierCV) -> None:
    """Set the fitted attributes of a search, after checking them."""
    if isinstance(payload, dict):
        payload = {**dict.fromkeys(_LATER), **payload}
    names = (*_SEARCH, *_LATER)
    parts = [reader.value(part) for part in fields(payload, *names)]
    found = dict(zip(names, parts, strict=True))
    members, classes = found["members_"], found["classes_"]
    _check_labels(classes)
    if not members or not all(type(m) is CPMLClassifier for m in members):
        raise RefusedError("members_ is not a list of one or more CPMLClassifier")
    for member in members:
        if not is_fitted(member) or not _same(member.classes_, classes):
            raise RefusedError("a member is not fitted, or has other classes")
    _check_results(found)
    _check_held(found, len(classes))
    check_class_weight(model)
    check_scoring(model)
    for name, value in found.items():
        setattr(model, name, value)
    model.set_codebook(model.distance_.codebook_)


def pack_calibration(writer: Writer, value: Calibration, what: str) -> Any:
    """Return the node of a calibration."""
    parts = {name: getattr(value, name) for name in _CALIBRATION}
    return {"Calibration": {name: writer.node(x, what) for name, x in parts.items()}}


def unpack_calibration(reader: Reader, payload: Any) -> Calibration:
    """Return a calibration, after checking it."""
    parts = [reader.value(part) for part in fields(payload, *_CALIBRATION)]
    sharpness, prior_share, prior = parts
    if type(sharpness) is not float or not 0.0 < sharpness <= 1.01 * SHARPEST:
        raise RefusedError(f"sharpness of a calibration is not in (0, {SHARPEST:g}]")
    if type(prior_share) is not float or not 0.0 < prior_share < 1.0:
        raise RefusedError("prior_share of a calibration is not in (0, 1)")
    if (c.reals(prior, "prior", 1) <= 0.0).any() or abs(prior.sum() - 1.0) > 1e-6:
        raise RefusedError("prior of a calibration is not of shares > 0 that sum to 1")
    return Calibration(sharpness, prior_share, prior)


def pack_conformal(writer: Writer, value: ConformalScores, what: str) -> Any:
    """Return the node of conformal scores."""
    scores = value.scores.astype(float, copy=False)  # older fits have single precision
    parts = (scores, value.truth.astype(np.int64), value.weights)
    nodes = [writer.node(part, what) for part in parts]
    return {"ConformalScores": dict(zip(_CONFORMAL, nodes, strict=True))}


def unpack_conformal(reader: Reader, payload: Any) -> ConformalScores:
    """Return conformal scores, after checking them."""
    parts = [reader.value(part) for part in fields(payload, *_CONFORMAL)]
    scores, truth, weights = parts
    c.reals(scores, "scores", 1)
    if not len(scores) or (np.diff(scores) < 0.0).any():
        raise RefusedError("conformal scores are none, or not in rising order")
    if scores[0] < -1e-6 or scores[-1] > 1.0:
        raise RefusedError("a conformal score is no probability")
    is_whole = isinstance(truth, np.ndarray) and truth.dtype == np.int64
    if not is_whole or truth.shape != scores.shape or (truth < 0).any():
        raise RefusedError("conformal scores do not have a class each")
    if c.reals(weights, "weights", 1).shape != scores.shape or (weights <= 0.0).any():
        raise RefusedError("conformal scores do not have a weight above zero each")
    return ConformalScores(scores, truth.astype(np.intp, copy=False), weights)


def pack_candidate(writer: Writer, value: Candidate, what: str) -> Any:
    """Return the node of a candidate, its distance unfitted."""
    return {
        "Candidate": {
            "name": value.name,
            "metric": writer.node(value.metric, what),
            "strengths": writer.node(value.strengths, what),
            "turn": value.turn,
            "max_values": value.max_values,
            "needs_crosses": value.needs_crosses,
        }
    }


def unpack_candidate(reader: Reader, payload: Any) -> Candidate:
    """Return a candidate."""
    if isinstance(payload, dict):
        payload = {"turn": 0, "max_values": None, "needs_crosses": False, **payload}
    parts = [reader.value(part) for part in fields(payload, *_CANDIDATE)]
    name, metric, strengths, turn, max_values, needs_crosses = parts
    if type(name) is not str or type(strengths) not in (tuple, list):
        raise RefusedError("a candidate has no name, or no list of strengths")
    if type(turn) is not int or type(needs_crosses) is not bool:
        raise RefusedError("a candidate has no turn, or no word on crosses")
    if max_values is not None and type(max_values) is not int:
        raise RefusedError("max_values of a candidate is no whole number")
    return Candidate(name, metric, strengths, turn, max_values, needs_crosses)


def _whole_where_close(weights: Array) -> Array:
    """Return weights, rounded to whole numbers where they are close to one."""
    whole = np.rint(weights)
    return np.where(np.abs(weights - whole) <= 1e-9 * np.abs(whole), whole, weights)


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return a.dtype == b.dtype and np.array_equal(a, b)


def _check_labels(classes: Any) -> None:
    c.check_classes(classes, "classes_")
    if len(classes) < 2:
        raise RefusedError("classes_ of a classifier are fewer than two")


def _check_shares(weights: Any, shares: Any, shape: tuple[int, int]) -> None:
    if c.reals(weights, "weights", 1).shape != shape[:1] or not (weights > 0.0).all():
        raise RefusedError("weights are not one above zero for each unique row")
    if c.reals(shares, "votes", 2).shape != shape or (shares < 0.0).any():
        raise RefusedError("votes are not one >= 0 for each unique row and class")
    if (np.abs(shares.sum(axis=1) - 1.0) > 1e-6).any():
        raise RefusedError("votes of a row do not add up to one")


def _has_chosen(model: CPMLClassifier) -> bool:
    """Return whether a classifier votes at a temperature chosen from its rows."""
    return is_soft(model.weights) and model.temperature == "auto"


def _check_temperature(value: Any) -> float:
    if type(value) is not float or not 0.0 < value < np.inf:
        raise RefusedError("temperature_ is not a finite number above zero")
    return value


def _check_row_numbers(rows: Any, starts: Any, n_unique: int) -> None:
    for part in (rows, starts):
        if not isinstance(part, np.ndarray) or part.dtype != np.int64 or part.ndim != 1:
            raise RefusedError("row numbers are not a list of whole numbers")
    spans = len(starts) == n_unique + 1 and starts[0] == 0 and starts[-1] == len(rows)
    if not spans or (np.diff(starts) < 1).any():
        raise RefusedError("row numbers are not split among the unique rows")
    if (rows < 0).any() or (np.diff(np.sort(rows)) < 1).any():
        raise RefusedError("a row number is negative, or is there twice")
    is_rising = np.diff(rows) > 0
    is_rising[starts[1:-1] - 1] = True  # from one unique row to the next
    if not is_rising.all():
        raise RefusedError("row numbers of a unique row are not in rising order")


def _check_results(found: dict[str, Any]) -> None:
    for name, kind in _RESULTS.items():
        if type(found[name]) is not kind:
            raise RefusedError(
                f"{name} is of type {type(found[name]).__name__} instead of "
                f"{kind.__name__}"
            )
    columns = found["cv_results_"].values()
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in columns):
        raise RefusedError("cv_results_ does not hold columns")
    if len({len(part) for part in columns}) > 1:
        raise RefusedError("cv_results_ has columns of different lengths")


def _check_held(found: dict[str, Any], n_classes: int) -> None:
    """Refuse what is said of rows held out unless it is of so many classes, or None."""
    calibration, held, confusion = (found[name] for name in _LATER)
    if calibration is not None and (
        not isinstance(calibration, Calibration) or len(calibration.prior) != n_classes
    ):
        raise RefusedError("calibration_ is no calibration of these classes")
    if held is not None and (
        not isinstance(held, ConformalScores) or (held.truth >= n_classes).any()
    ):
        raise RefusedError("conformal_scores_ are not of these classes")
    if confusion is None:
        return
    shape = c.reals(confusion, "confusion_", 2).shape
    if (
        shape != (n_classes, n_classes)
        or (confusion < 0.0).any()
        or not confusion.any()
    ):
        raise RefusedError("confusion_ does not count rows of each class by class")
