"""Every model that can be kept: its class, its settings and its fitted attributes.

Classes stand in a table by their names; a file cannot name another.
"""

from functools import partial
from importlib.metadata import version
from typing import Any

from nearkind.encoding.codebook import Codebook
from nearkind.errors import RefusedError
from nearkind.estimators.base import Distance
from nearkind.model_view import is_fitted
from nearkind.persistence import codebooks, dataclass_nodes, diagnostics, nodes, values
from nearkind.persistence.estimators import (
    estimator_classes,
    pack_fitted,
    pack_settings,
    unpack_estimator,
)
from nearkind.persistence.nodes import Pack, Reader, Unpack, Writer


def to_json(model: Any) -> tuple[bytes, bytes]:
    """Return a fitted model as JSON text and arrays."""
    writer = Writer(packs())
    node = pack_fitted(writer, model)
    versions = {name: version(name) for name in ("nearkind", "numpy")}
    tree = {"about": about(model), "versions": versions, "model": node}
    return nodes.dump_json(tree), bytes(writer.arrays)


def from_json(text: bytes, arrays: bytes, text_limit: int) -> Any:
    """Return the fitted model of JSON text and arrays.

    Parameters
    ----------
    text, arrays : bytes
        As ``to_json`` returns them.
    text_limit : int
        Bytes that arrays of text may take.
    """
    tree = nodes.parse_json(text)
    *_, node = nodes.fields(tree, "about", "versions", "model")
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
    if not isinstance(model, Distance):
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
