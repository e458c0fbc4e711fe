"""JSON: a few lines in any language embed and predict with it; docs/export.md."""

import json
from collections.abc import Callable
from math import isinf
from pathlib import Path
from typing import Any

from nearkind.export.portable import Feature, Listed, Portable, Ranged, Vote
from nearkind.io import write_text
from nearkind.neighbors import TIE

VERSION = 1
"""Rises when a reader of the shape would have to change."""


def write(model: Portable, path: Path) -> list[Path]:
    """Write one JSON object."""
    tree = {
        "format": "nearkind",
        "version": VERSION,
        "size": model.size,
        "features": [_feature(feature) for feature in model.features],
        "classifier": None if model.vote is None else _classifier(model.vote),
    }
    write_text(json.dumps(tree, ensure_ascii=False, allow_nan=False) + "\n", path)
    return [path]


def _feature(feature: Feature) -> dict[str, Any]:
    return {
        "name": feature.name,
        **KNOWN[type(feature)](feature),
        "missing": feature.missing,
        "vectors": feature.vectors.tolist(),
    }


def _values(feature: Listed) -> dict[str, Any]:
    for value in feature.values:
        if isinstance(value, float) and isinf(value):
            raise ValueError(
                f"Column {feature.name!r} holds {value!r}, for which JSON has no "
                "number. Replace it and fit again, or export to SQL, CSV or ONNX."
            )
    return {"values": feature.values}


def _edges(feature: Ranged) -> dict[str, Any]:
    return {"edges": feature.edges}


KNOWN: dict[type, Callable[[Any], dict[str, Any]]] = {Listed: _values, Ranged: _edges}


def _classifier(vote: Vote) -> dict[str, Any]:
    return {
        "classes": vote.labels,
        "n_neighbors": vote.n_neighbors,
        "weights": vote.weights,
        "tie": TIE,
        "rows": {
            "number": vote.numbers.tolist(),
            "count": vote.counts.tolist(),
            "shares": vote.shares.tolist(),
            "vectors": vote.vectors.tolist(),
        },
    }
