"""JSON, from which a few lines in any language embed and predict; docs/export.md."""

import json
from math import isinf
from pathlib import Path
from typing import Any

from nearkind.export.portable import (
    CrossFeature,
    Feature,
    PortableClassifier,
    PortableModel,
    ValueFeature,
)
from nearkind.io import write_text
from nearkind.neighbors import TIE

VERSION, VERSION_OF_CROSSES = 1, 2
"""Raised when readers of the file would have to change."""


def write(model: PortableModel, path: Path) -> list[Path]:
    """Write one JSON object."""
    tree = {
        "format": "nearkind",
        "version": VERSION_OF_CROSSES if model.crosses else VERSION,
        "size": model.size,
        "features": [_feature(feature) for feature in model.features],
        "classifier": model.classifier and _classifier(model.classifier),
    }
    write_text(json.dumps(tree, ensure_ascii=False, allow_nan=False) + "\n", path)
    return [path]


def _feature(feature: Feature) -> dict[str, Any]:
    return {
        "name": feature.name,
        **_known(feature),
        "missing": feature.missing,
        "vectors": feature.vectors.tolist(),
    }


def _known(feature: Feature) -> dict[str, Any]:
    if isinstance(feature, CrossFeature):
        return {"parts": feature.parts, "pairs": feature.pairs}
    if not isinstance(feature, ValueFeature):
        return {"edges": feature.edges}
    for value in feature.values:
        if isinstance(value, float) and isinf(value):
            raise ValueError(
                f"Column {feature.name!r} holds {value!r}, for which JSON has no "
                "number. Replace it and fit again, or export to SQL, CSV or ONNX."
            )
    return {"values": feature.values}


def _classifier(classifier: PortableClassifier) -> dict[str, Any]:
    return {
        "classes": classifier.labels,
        "n_neighbors": classifier.n_neighbors,
        "weights": classifier.weights,
        "tie": TIE,
        "rows": {
            "number": classifier.numbers.tolist(),
            "count": classifier.counts.tolist(),
            "shares": classifier.shares.tolist(),
            "vectors": classifier.vectors.tolist(),
        },
    }
