"""Models that can be saved: class, settings and fitted attributes.

A distance is its form and the diagnostics of its fit; a classifier is its committee and
what a search found. ``older_files`` makes these of files of versions 0.1 and 0.2.
Classes stand in a table by their names; a file cannot name another.
"""

from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from nearkind.distances.form import FittedDistance
from nearkind.encoding.codebook import Codebook
from nearkind.errors import RefusedError
from nearkind.estimators.base import Distance, TableEstimator, keep_codebook
from nearkind.estimators.classifier import CPMLClassifier, check_settings, hold
from nearkind.estimators.distance_names import distance_classes
from nearkind.estimators.fit_report import fit_report
from nearkind.estimators.regressor import CPMLRegressor, hold_committee
from nearkind.estimators.weights import check_class_weight
from nearkind.model_view import is_fitted
from nearkind.persistence import codebooks, dataclass_nodes, diagnostics, values
from nearkind.persistence.diagnostics import check_diagnostics
from nearkind.persistence.nodes import (
    Pack,
    Reader,
    Unpack,
    Writer,
    dump_json,
    fields,
    parse_json,
    short_repr,
)
from nearkind.persistence.older_files import renewed
from nearkind.protocols import Array
from nearkind.search.classifier_cv import CPMLClassifierCV
from nearkind.search.regressor_cv import CPMLRegressorCV
from nearkind.search.scoring import check_scoring
from nearkind.tasks.fitted_distance import DistanceTask
from nearkind.tasks.imputation import NeighborImputer
from nearkind.tasks.medoids import KMedoids
from nearkind.tasks.nearest_rows import NearestRows
from nearkind.tasks.outliers import NearestOutliers
from nearkind.tasks.oversampler import Oversampler
from nearkind.tasks.prototypes import Prototypes
from nearkind.voting import Committee, NumberCommittee


def to_json(model: object) -> tuple[bytes, bytes]:
    """Return a fitted model as JSON text and arrays."""
    writer = Writer(packs())
    node = pack_fitted(writer, model)
    versions = {name: version(name) for name in ("nearkind", "numpy")}
    tree = {"about": about(model), "versions": versions, "model": node}
    return dump_json(tree), bytes(writer.arrays)


def from_json(text: bytes, arrays: bytes, text_limit: int) -> Any:
    """Return the fitted model of JSON text and arrays.

    Parameters
    ----------
    text, arrays : bytes
        As ``to_json`` returns them.
    text_limit : int
        Bytes that arrays of text may take.
    """
    tree = parse_json(text)
    *_, node = fields(tree, "about", "versions", "model")
    reader = Reader(unpacks(), arrays, text_limit)
    model = reader.value(node)
    reader.finish()
    if type(model) not in estimator_classes().values() or not is_fitted(model):
        raise RefusedError("it holds no fitted model")
    return model


def about(model: Any) -> str:
    """Return a line for people who look into a file; nothing reads it."""
    n_classes = len(getattr(model, "classes_", []))
    n_columns = len(model.codebook_.names_)
    over = ""
    if isinstance(model, DistanceTask):
        over = f" over {type(model.distance_).__name__}"
    elif not isinstance(model, Distance):
        methods = [voter.report.method for voter in model.committee_.voters]
        over = f" over {', '.join(methods)}"
    return f"{type(model).__name__}{over}, {n_columns} columns, {n_classes} classes"


def packs() -> dict[type, Pack]:
    """Return what writes each kind of value; of estimators, their settings."""
    return {
        **values.PACKS,
        Codebook: codebooks.pack_codebook,
        **dataclass_nodes.PACKS,
        **diagnostics.PACKS,
        **dict.fromkeys(estimator_classes().values(), pack_settings),
    }


def unpacks() -> dict[str, Unpack]:
    """Return what reads each kind of value, by its name."""
    return {
        **values.UNPACKS,
        "Codebook": codebooks.unpack_codebook,
        **dataclass_nodes.UNPACKS,
        **diagnostics.UNPACKS,
        **{
            name: partial(unpack_estimator, kind)
            for name, kind in estimator_classes().items()
        },
    }


def estimator_classes() -> dict[str, type]:
    """Return the estimators that a file may hold, by name; it can name no others."""
    others = CPMLClassifier, CPMLClassifierCV, *REGRESSORS, *TASKS
    return {**distance_classes(), **{kind.__name__: kind for kind in others}}


TASKS = (
    KMedoids, NearestOutliers, NearestRows, NeighborImputer, Oversampler, Prototypes,
)  # fmt: skip
"""What else a distance is for, as far as it is kept."""
COUNTS = "n_samples_fit_", "n_samples_seen_", "n_remembered_"
"""Numbers of rows given to fit of a classifier, and of those in batches."""
RESULTS: dict[str, type] = {
    "best_params_": dict,
    "best_score_": float,
    "cv_results_": dict,
    "refused_": dict,
    "search_seconds_": float,
    "refit_seconds_": float,
    "confusion_": np.ndarray,
}
"""What a search found, and its type; files of version 0.1 have no confusion_."""


REGRESSORS: dict[type, dict[str, type]] = {
    CPMLRegressor: {},
    CPMLRegressorCV: {
        "best_score_": float,
        "cv_results_": dict,
        "refused_": dict,
        "held_rows_": np.ndarray,
        "held_predictions_": np.ndarray,
    },
}
"""Regressors, and what a search of theirs found with its type."""


def pack_fitted(writer: Writer, model: Any) -> dict[str, Any]:
    """Return the node of a fitted estimator."""
    kind = type(model)
    if kind not in estimator_classes().values():
        raise RefusedError(
            f"a {kind.__module__}.{kind.__qualname__} is neither CPML, CPMLClassifier, "
            "CPMLClassifierCV, one of nearkind.baselines nor a task such as KMedoids; "
            "save one of those, or pickle what holds it"
        )
    if not is_fitted(model):
        raise RefusedError(f"this {kind.__name__} is not fitted; call fit first")
    ((name, parts),) = pack_settings(writer, model, "").items()
    if isinstance(model, DistanceTask):
        return {name: {**parts, "fitted": _nodes_of_task(writer, model)}}
    learned = _of_distance if isinstance(model, Distance) else _of_classifier
    fitted = {
        each: writer.node(value, f"{each} of {name}")
        for each, value in learned(model).items()
    }
    return {name: {**parts, "fitted": fitted}}


def pack_settings(writer: Writer, model: Any, what: str) -> dict[str, Any]:
    """Return the node of an estimator with its settings alone, as if not fitted."""
    owner = type(model).__name__
    settings = model.get_params(deep=False)
    if isinstance(model, DistanceTask) and is_fitted(model):
        if not (model.metric is None or isinstance(model.metric, str | Distance)):
            settings["metric"] = model.distance_  # of a classifier, or frozen
        elif isinstance(model.metric, Distance) and is_fitted(model.metric):
            settings["metric"] = model.distance_
    packed = {
        name: writer.node(value, f"the {name!r} setting of {owner}")
        for name, value in settings.items()
    }
    return {owner: {"settings": packed}}


def _of_distance(model: Any) -> dict[str, Any]:
    if not isinstance(getattr(model, "distance_", None), FittedDistance):
        raise RefusedError(
            f"this {type(model).__name__} lacks distance_; call fit again"
        )
    report = fit_report(model)
    return {
        "distance_": model.distance_,
        "output": _output(model),
        "diagnostics": dict(report.diagnostics),
    }


def _nodes_of_task(writer: Writer, model: DistanceTask) -> dict[str, Any]:
    """Return the node of each part of a task; an estimator in it is fitted."""
    is_known = type(model.metric_) in estimator_classes().values()
    parts = {
        "metric_": model.metric_ if is_known else None,
        "distance_": None if is_known else model.distance_,
        "output": _output(model),
        **model.parts,
    }
    return {
        name: pack_fitted(writer, part)
        if isinstance(part, TableEstimator)
        else writer.node(part, f"{name} of {type(model).__name__}")
        for name, part in parts.items()
    }


def _output(model: object) -> str | None:
    """Return what ``set_output`` has set."""
    output: str | None = vars(model).get("_sklearn_output_config", {}).get("transform")
    return output


def _of_classifier(model: Any) -> dict[str, Any]:
    names = REGRESSORS.get(type(model), (*COUNTS, *RESULTS))
    found = {name: vars(model)[name] for name in names if name in vars(model)}
    return {"committee_": model.committee_, **found}


def unpack_estimator(kind: Any, reader: Reader, payload: Any) -> Any:
    """Return an estimator, fitted or not, after checking all that it is made of."""
    reader.count_model()
    names = ("settings", "fitted") if "fitted" in payload else ("settings",)
    settings, *fitted = fields(payload, *names)
    known = kind().get_params(deep=False)
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise RefusedError(
            f"{kind.__name__} has no setting {short_repr(unknown[0])} here"
        )
    model = kind(**{name: reader.value(node) for name, node in settings.items()})
    for part in fitted:
        if not isinstance(part, dict):
            raise RefusedError(f"{kind.__name__} does not have its attributes")
        attributes = {name: reader.value(node) for name, node in part.items()}
        if not {"distance_", "committee_"} & set(attributes):
            attributes = renewed(model, attributes)
        restore = restore_distance if issubclass(kind, Distance) else restore_classifier
        restore = restore_regressor if kind in REGRESSORS else restore
        restore = restore_task if kind in TASKS else restore
        restore(model, attributes)
    return model


def restore_distance(model: Any, found: Mapping[str, object]) -> None:
    """Set what a distance has learned, after checking it."""
    form, output, diagnostics = fields(found, "distance_", "output", "diagnostics")
    if not isinstance(form, FittedDistance):
        raise RefusedError("distance_ is no fitted distance")
    check_diagnostics(model, form, diagnostics)
    for name, value in diagnostics.items():
        setattr(model, name, value)
    keep_codebook(model, form.codebook)
    model.distance_ = form
    _set_output(model, output)


def restore_task(model: DistanceTask, found: Mapping[str, object]) -> None:
    """Set what a task has learned, after checking it."""
    parts = dict(found)
    metric, form, output = (
        parts.pop(name, None) for name in ("metric_", "distance_", "output")
    )
    if metric is not None:
        if not isinstance(metric, Distance) or not is_fitted(metric):
            raise RefusedError("metric_ is no fitted estimator of a distance")
        form = metric.distance_
    if not isinstance(form, FittedDistance):
        raise RefusedError("distance_ is no fitted distance")
    model.restore(metric, form, parts)
    _set_output(model, output)


def _set_output(model: Any, output: Any) -> None:
    if output not in (None, "default", "pandas", "polars"):
        raise RefusedError(
            f"the output of transform is {short_repr(output)} instead of 'default', "
            "'pandas' or 'polars'"
        )
    if output is not None:
        model.set_output(transform=output)


def restore_classifier(model: Any, found: Mapping[str, Any]) -> None:
    """Set what a classifier has learned, after checking it."""
    committee, results = found.get("committee_"), dict(found)
    if type(committee) is not Committee:
        raise RefusedError("committee_ is no committee")
    del results["committee_"]
    check_class_weight(model)
    least = max(int(v.rows.groups.rows.max()) + 1 for v in committee.voters)
    for name, value in results.items():
        if name in COUNTS and (type(value) is not int or value < least):
            raise RefusedError(f"{name} is less than the number of a row")
        if name not in (*COUNTS, *RESULTS):
            raise RefusedError(f"{type(model).__name__} has no {short_repr(name)} here")
    if isinstance(model, CPMLClassifierCV):
        _check_results(results, len(committee.classes))
        check_scoring(model)
        model.committee_, model.classes_ = committee, committee.classes
        keep_codebook(model, model.distance_.codebook)
    else:
        if len(committee.voters) > 1 or committee.calibration is not None:
            raise RefusedError("a classifier has one voter, and no calibration")
        check_settings(model)
        (voter,) = committee.voters
        hold(model, voter, committee.classes, results.get("n_samples_fit_", least))
    for name, value in results.items():
        setattr(model, name, value)


def restore_regressor(model: object, found: Mapping[str, object]) -> None:
    """Set what a regressor has learned, after checking it."""
    results = REGRESSORS[type(model)]
    committee, *values = fields(found, "committee_", *results)
    if type(committee) is not NumberCommittee:
        raise RefusedError("committee_ is no committee of numbers")
    for (name, kind), value in zip(results.items(), values, strict=True):
        if type(value) is not kind:
            raise RefusedError(f"{name} is of type {type(value).__name__}")
        setattr(model, name, value)
    hold_committee(model, committee)


def _check_results(found: Mapping[str, Any], n_classes: int) -> None:
    for name, kind in RESULTS.items():
        value = found.get(name)
        if type(value) is not kind and (name != "confusion_" or value is not None):
            raise RefusedError(
                f"{name} is of type {type(value).__name__} instead of {kind.__name__}"
            )
    columns = found["cv_results_"].values()
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in columns):
        raise RefusedError("cv_results_ does not hold columns")
    if len({len(part) for part in columns}) > 1:
        raise RefusedError("cv_results_ has columns of different lengths")
    if (confusion := found.get("confusion_")) is not None:
        _check_confusion(confusion, n_classes)


def _check_confusion(confusion: Array, n_classes: int) -> None:
    is_square = confusion.shape == (n_classes, n_classes)
    is_counted = confusion.dtype == np.float64 and bool((confusion >= 0.0).all())
    if not is_square or not is_counted or not np.isfinite(confusion).all():
        raise RefusedError("confusion_ does not count rows of each class by class")
    if not confusion.any():
        raise RefusedError("confusion_ counts no row")
