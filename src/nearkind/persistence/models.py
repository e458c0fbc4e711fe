"""Every model that can be kept: its class, its settings and its fitted attributes.

Classes stand in a table by their names; a file cannot name another.
"""

from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

from nearkind.estimators.classifier import CPMLClassifier
from nearkind.model_view import ModelView, is_fitted
from nearkind.persistence import classifiers, codebooks, distances, values
from nearkind.persistence.container import RefusedError
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
from nearkind.search.calibration import Calibration
from nearkind.search.candidates import Candidate
from nearkind.search.classifier_cv import CPMLClassifierCV
from nearkind.search.conformal import ConformalScores

PackFitted = Callable[[Writer, Any], dict[str, Any]]
Restore = Callable[[Reader, Any, Any], None]

PACK_FITTED: dict[type, PackFitted] = {
    CPMLClassifier: classifiers.pack_classifier,
    CPMLClassifierCV: classifiers.pack_search,
    **dict.fromkeys(distances.KEPT, distances.pack_distance),
}
RESTORE: dict[type, Restore] = {
    CPMLClassifier: classifiers.restore_classifier,
    CPMLClassifierCV: classifiers.restore_search,
    **dict.fromkeys(distances.KEPT, distances.restore_distance),
}


def to_json(model: Any) -> tuple[bytes, bytes]:
    """Return a fitted model as JSON text and arrays."""
    writer = Writer(PACKS, _pack_fitted)
    node = writer.fitted(model)
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
    reader = Reader(UNPACKS, arrays, text_limit)
    model = reader.value(node)
    reader.finish()
    if type(model) not in PACK_FITTED or not is_fitted(model):
        raise RefusedError("it holds no fitted model")
    return model


def about(model: Any) -> str:
    """Return a line for people who look into a file; nothing reads it."""
    view = ModelView(model)
    is_one = view.classifies and not view.was_searched
    over = f" over {type(view.distance).__name__}" if is_one else ""
    n_classes = len(getattr(model, "classes_", []))
    n_columns = len(model.codebook_.names_)
    return f"{type(model).__name__}{over}, {n_columns} columns, {n_classes} classes"


def _pack_fitted(writer: Writer, model: Any) -> Any:
    """Return the node of a fitted model."""
    kind = type(model)
    if kind not in PACK_FITTED:
        raise RefusedError(
            f"a {kind.__module__}.{kind.__qualname__} is neither CPML, CPMLClassifier, "
            "CPMLClassifierCV nor one of nearkind.baselines; save one of those, or "
            "pickle what holds it"
        )
    if not is_fitted(model):
        raise RefusedError(f"this {kind.__name__} is not fitted; call fit first")
    ((name, parts),) = _pack_settings(writer, model, "").items()
    return {name: {**parts, "fitted": PACK_FITTED[kind](writer, model)}}


def _pack_settings(writer: Writer, model: Any, what: str) -> dict[str, Any]:
    """Return the node of a model with its settings alone, as if it were not fitted."""
    owner = type(model).__name__
    settings = model.get_params(deep=False).items()
    packed = {
        name: writer.node(value, f"the {name!r} setting of {owner}")
        for name, value in settings
    }
    return {owner: {"settings": packed}}


def _unpack_model(kind: Any, reader: Reader, payload: Any) -> Any:
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
        RESTORE[kind](reader, part, model)
    return model


PACKS: dict[type, Pack] = {
    **values.PACKS,
    **codebooks.PACKS,
    **distances.PACKS,
    **dict.fromkeys(PACK_FITTED, _pack_settings),
    Calibration: classifiers.pack_calibration,
    Candidate: classifiers.pack_candidate,
    ConformalScores: classifiers.pack_conformal,
}
UNPACKS: dict[str, Unpack] = {
    **values.UNPACKS,
    **codebooks.UNPACKS,
    **distances.UNPACKS,
    **{kind.__name__: partial(_unpack_model, kind) for kind in PACK_FITTED},
    "Calibration": classifiers.unpack_calibration,
    "Candidate": classifiers.unpack_candidate,
    "ConformalScores": classifiers.unpack_conformal,
}
