"""JSON, from which a few lines in any language embed and predict; docs/export.md."""

import json
from math import isinf
from pathlib import Path
from typing import Any

from nearkind.export.portable import (
    CrossFeature,
    IntervalFeature,
    PortableFeature,
    PortableMember,
    PortableModel,
    PortableVotes,
    ValueFeature,
)
from nearkind.io import write_text
from nearkind.neighbors import TIE
from nearkind.voting import Calibration

VERSION = 2
"""Raised when readers of the file would have to change."""


def write(model: PortableModel, path: Path) -> list[Path]:
    """Write one JSON object."""
    tree = {
        "format": "nearkind",
        "version": VERSION,
        "members": [_member(member) for member in model.members],
        "classes": model.labels or None,
        "calibration": model.calibration and _calibration(model.calibration),
    }
    write_text(json.dumps(tree, ensure_ascii=False, allow_nan=False) + "\n", path)
    return [path]


def _calibration(calibration: Calibration) -> dict[str, Any]:
    return {
        "sharpness": calibration.sharpness,
        "prior_share": calibration.prior_share,
        "prior": calibration.prior.tolist(),
    }


def _member(member: PortableMember) -> dict[str, Any]:
    tables = zip(member.features, member.tables, strict=True)
    entries = "vectors" if member.has_vectors else "distances"
    return {
        "size": member.size if member.has_vectors else None,
        "features": [{**_feature(f), entries: table.tolist()} for f, table in tables],
        "votes": member.votes and _votes(member, member.votes),
    }


def _feature(feature: PortableFeature) -> dict[str, Any]:
    return {"name": feature.name, **_known(feature), "missing": feature.missing}


def _known(feature: PortableFeature) -> dict[str, Any]:
    if isinstance(feature, IntervalFeature):
        return {"edges": feature.edges}
    if isinstance(feature, CrossFeature):
        return {"parts": feature.parts, "pairs": feature.pairs}
    assert isinstance(feature, ValueFeature)
    for value in feature.values:
        if isinstance(value, float) and isinf(value):
            raise ValueError(
                f"Column {feature.name!r} holds {value!r}, for which JSON has no "
                "number. Replace it and fit again, or export to SQL, CSV or ONNX."
            )
    return {"values": feature.values}


def _votes(member: PortableMember, votes: PortableVotes) -> dict[str, Any]:
    rows = {
        "number": votes.rows.groups.first_rows.tolist(),
        "count": votes.rows.weights.tolist(),
        "shares": votes.rows.shares.tolist(),
        "codes": member.codes.tolist(),
    }
    return {
        "weights": votes.weights,
        "n_neighbors": votes.n_neighbors,
        "temperature": votes.temperature,
        "tie": TIE,
        "centre": member.ball.centre.tolist() if member.has_vectors else None,
        "radius": member.ball.radius if member.has_vectors else None,
        "rows": rows,
    }
