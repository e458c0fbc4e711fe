"""CSV: all values with their vectors or distances, and the rows that vote."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.export.portable import PortableMember, PortableModel, numbered
from nearkind.export.portable_features import as_text
from nearkind.io import Columns
from nearkind.io.atomic_write import atomic_write, text_writer
from nearkind.io.csv_text import write_delimited
from nearkind.neighbors import TrainingRows
from nearkind.protocols import Array

FIRST = "model.csv"
"""Name of the first file in a folder."""


def write(model: PortableModel, path: Path) -> list[Path]:
    """Write feature, code, kind, value, v0, v1, ...; of a classifier also rows.

    Parameters
    ----------
    model : PortableModel
    path : Path
        NAME.csv; another name is that of a folder, in which NAME is "model". Beside it
        are NAME.distances.csv of a distance without vectors, and NAME.rows.csv of a
        classifier. Of several members the first has NAME.1.csv, and so on.
    """
    if path.suffix != ".csv" and path.parent.is_dir():
        path.mkdir(exist_ok=True)
    for member, name in _names(model, path):
        tables = [_values(member)]
        if not member.has_vectors:
            tables.append(_distances(member))
        if member.votes is not None:
            tables.append(_rows(member, member.votes.rows, model.labels))
        for columns, file in zip(tables, _files_of(member, name), strict=True):
            _write(columns, file)
    return files(model, path)


def files(model: PortableModel, path: Path) -> list[Path]:
    """Return the files that ``write`` makes, in their order."""
    return [
        file for member, name in _names(model, path) for file in _files_of(member, name)
    ]


def _names(model: PortableModel, path: Path) -> Iterator[tuple[PortableMember, Path]]:
    """Yield each member with its first file."""
    first = path if path.suffix == ".csv" else path / FIRST
    stems = numbered(first.stem, len(model.members), mark=".")
    for member, stem in zip(model.members, stems, strict=True):
        yield member, first.with_name(f"{stem}.csv")


def _files_of(member: PortableMember, path: Path) -> list[Path]:
    """Return the files of a member: values and, if it has any, distances and rows."""
    kinds = {
        "": True,
        ".distances": not member.has_vectors,
        ".rows": member.votes is not None,
    }
    return [path.with_name(f"{path.stem}{kind}.csv") for kind in kinds if kinds[kind]]


def _write(columns: Columns, path: Path) -> None:
    with atomic_write(path) as file, text_writer(file, packed=False) as write:
        write_delimited(columns, write)


def _values(member: PortableMember) -> Columns:
    lines = (
        (feature.name, code, kind, _shown(value))
        for feature in member.features
        for code, (kind, value) in enumerate(feature.entries())
    )
    named = _columns(("feature", "code", "kind", "value"), lines)
    return named | (_axes(np.concatenate(member.tables)) if member.has_vectors else {})


def _shown(value: object) -> str | None:
    """Return a value as text; the codes of a pair with a blank between."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return None if value is None else as_text(value)


def _distances(member: PortableMember) -> Columns:
    pairs = zip(member.features, member.tables, strict=True)
    lines = (
        (feature.name, code, other, float(distance))
        for feature, table in pairs
        for (code, other), distance in np.ndenumerate(table)
    )
    return _columns(("feature", "code", "other", "distance"), lines)


def _columns(names: Iterable[str], lines: Iterable[tuple[object, ...]]) -> Columns:
    """Return lines, of which there is at least one, as columns of these names."""
    return dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))


def _rows(member: PortableMember, rows: TrainingRows, labels: list[Any]) -> Columns:
    shares = zip(labels, rows.shares.T, strict=True)
    codes = zip(member.features, member.codes.T, strict=True)
    return {
        "number": rows.groups.first_rows.tolist(),
        "count": rows.weights.tolist(),
        **{f"class {as_text(label)}": share.tolist() for label, share in shares},
        **{f"code {feature.name}": code.tolist() for feature, code in codes},
        **(_axes(member.ball.vectors) if member.has_vectors else {}),
    }


def _axes(vectors: Array) -> dict[str, list[Any]]:
    return {f"v{axis}": x.tolist() for axis, x in enumerate(vectors.T)}
