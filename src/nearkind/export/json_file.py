"""JSON, from which a few lines in any language embed and predict; docs/export.md."""

import json
from math import isinf
from pathlib import Path

import numpy as np

from nearkind.export.portable import PortableMember, PortableModel, PortableVotes
from nearkind.export.portable_features import (
    CrossFeature,
    IntervalFeature,
    PortableFeature,
    ValueFeature,
)
from nearkind.io import write_text
from nearkind.neighbors import TIE
from nearkind.voting import Calibration, NumberCommittee
from nearkind.voting.numbers import SCALES

VERSION, WEIGHTED = 2, 3
"""Raised when readers of the file would have to change; 3 if members have weights."""


def write(model: PortableModel, path: Path) -> list[Path]:
    """Write one JSON object."""
    tree = {
        "format": "nearkind",
        "version": VERSION if model.weights is None else WEIGHTED,
        "members": [_member(member) for member in model.members],
        "classes": model.labels or None,
        "calibration": model.calibration and _calibration(model.calibration),
    }
    if model.weights is not None:
        tree["weights"] = model.weights
    if model.numbers is not None:
        tree["numbers"] = _numbers(model.numbers)
    write_text(json.dumps(tree, ensure_ascii=False, allow_nan=False) + "\n", path)
    return [path]


def _numbers(committee: NumberCommittee) -> dict[str, object]:
    (kind,) = (name for name, each in SCALES.items() if type(committee.scale) is each)
    fields = vars(committee.scale).items()
    scale = {name: np.asarray(value).tolist() for name, value in fields}
    return {"scale": kind, **scale, "low": committee.low, "high": committee.high}


def _calibration(calibration: Calibration) -> dict[str, object]:
    return {
        "sharpness": calibration.sharpness,
        "prior_share": calibration.prior_share,
        "prior": calibration.prior.tolist(),
    }


def _member(member: PortableMember) -> dict[str, object]:
    tables = zip(member.features, member.tables, strict=True)
    entries = "vectors" if member.has_vectors else "distances"
    features = [{**_feature(f), entries: table.tolist()} for f, table in tables]
    for feature, trend in zip(features, member.trend, strict=False):
        feature["trend"] = trend.tolist()
    found: dict[str, object] = {
        "size": member.size if member.has_vectors else None,
        "features": features,
        "votes": member.votes and _votes(member, member.votes),
    }
    return found if member.knots is None else {**found, "knots": member.knots.tolist()}


def _feature(feature: PortableFeature) -> dict[str, object]:
    return {"name": feature.name, **_known(feature), "missing": feature.missing}


def _known(feature: PortableFeature) -> dict[str, object]:
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


def _votes(member: PortableMember, votes: PortableVotes) -> dict[str, object]:
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
