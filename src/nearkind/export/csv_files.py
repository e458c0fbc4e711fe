"""CSV: all values with their vectors; the rows that vote in a second file."""

from pathlib import Path
from typing import Any

import numpy as np

from nearkind.export.portable import PortableClassifier, PortableModel, as_text
from nearkind.io import Columns
from nearkind.io.atomic_write import atomic_write, text_writer
from nearkind.io.delimited import write_delimited
from nearkind.protocols import Array


def write(model: PortableModel, path: Path) -> list[Path]:
    """Write feature, kind, value, v0, v1, ...; of a classifier also PATH.rows.csv."""
    _write(_values(model), path)
    if model.classifier is None:
        return [path]
    rows = path.with_name(f"{path.name.removesuffix('.csv')}.rows.csv")
    _write(_rows(model.classifier), rows)
    return [path, rows]


def _write(columns: Columns, path: Path) -> None:
    with atomic_write(path) as file, text_writer(file, packed=False) as write:
        write_delimited(columns, write)


def _values(model: PortableModel) -> Columns:
    table = [(f.name, *entry) for f in model.features for entry in f.entries()]
    names, kinds, values = zip(*table, strict=True)
    vectors = np.concatenate([feature.vectors for feature in model.features])
    texts = [None if value is None else as_text(value) for value in values]
    return {
        "feature": list(names),
        "kind": list(kinds),
        "value": texts,
        **_axes("v", vectors),
    }


def _rows(classifier: PortableClassifier) -> Columns:
    labels = [f"class {as_text(label)}" for label in classifier.labels]
    return {
        "number": classifier.numbers.tolist(),
        "count": classifier.counts.tolist(),
        **dict(zip(labels, classifier.shares.T.tolist(), strict=True)),
        **_axes("v", classifier.vectors),
    }


def _axes(letter: str, vectors: Array) -> dict[str, list[Any]]:
    return {f"{letter}{axis}": x.tolist() for axis, x in enumerate(vectors.T)}
