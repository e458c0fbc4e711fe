"""Write a model to a target: JSON, CSV, SQL or ONNX."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from nearkind.errors import require_known

TARGETS = {
    "json": "nearkind.export.json_file",
    "csv": "nearkind.export.csv_files",
    "sql": "nearkind.export.sql_script",
    "onnx": "nearkind.export.onnx_file",
}
"""Name of a target -> module whose ``write(model, path, **options)`` writes it."""

OF_NUMBERS = "json", "sql", "onnx"
"""Targets that models of numbers are written to."""


def write(model: Any, path: Any, to: str | None = None, **options: Any) -> list[Path]:
    """Write a fitted model for programs that do not have nearkind.

    Of a distance the vectors of values are written, or the distances between them; of a
    classifier or regressor also the training rows, and how they vote.

    Parameters
    ----------
    model : CPML, another distance, a classifier or a regressor
        Fitted, with vectors of values or tables of their distances; docs/export.md.
    path : path-like
        What is there is replaced, each file whole or not at all.
    to : {"json", "csv", "sql", "onnx"}, default=None
        None: by how the path ends; a folder, or a path without an ending, is for CSV.
    **options : dict
        Of SQL ``dialect``, ``table``, ``key`` and ``name``
        (:func:`nearkind.export.sql_script.write`), of ONNX ``inputs``
        (:func:`nearkind.export.onnx_file.write`).

    Returns
    -------
    list of Path
        The files written; CSV has several.

    Examples
    --------
    >>> import json, tempfile
    >>> from nearkind.baselines import Euclidean
    >>> model = Euclidean().fit([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
    >>> path, = write(model, Path(tempfile.mkdtemp()) / "model.json")
    >>> feature, = json.loads(path.read_text())["members"][0]["features"]
    >>> feature["values"], feature["vectors"][0]
    (['a', 'b'], [0.5, 0.5])
    """
    from nearkind.export.portable import portable_model

    place = Path(path)
    to = target_of(place) if to is None else to
    require_known(to, TARGETS, f"There is no export to {to!r}.")
    write_target = import_module(TARGETS[to]).write
    _check_options(to, write_target, options)
    found = portable_model(model)
    if found.numbers is not None and to not in OF_NUMBERS:
        raise ValueError(
            "A model that predicts numbers can be exported to "
            f"{', '.join(OF_NUMBERS)}, but not to {to}."
        )
    return write_target(found, place, **options)


def files(model: object, path: Path, to: str) -> list[Path]:
    """Return the files that ``write`` makes for a target."""
    from nearkind.export import csv_files
    from nearkind.export.portable import portable_model

    return csv_files.files(portable_model(model), path) if to == "csv" else [path]


def target_of(path: Path) -> str:
    """Return the target that a path asks for by its ending.

    Examples
    --------
    >>> target_of(Path("model.SQL")), target_of(Path("tables"))
    ('sql', 'csv')
    """
    to = path.suffix[1:].lower()
    if path.is_dir() or not to:
        return "csv"
    if to not in TARGETS:
        raise ValueError(
            f"The ending of {path.name!r} is none of {', '.join(TARGETS)}, so it does "
            "not say what to write. Choose one of these by to (--to)."
        )
    return to


def _check_options(to: str, write_target: Any, options: dict[str, Any]) -> None:
    known = list(signature(write_target).parameters)[2:]
    for name in options:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise TypeError(
                f"Export to {to} takes no option {name!r}; its options: {listed}."
            )
