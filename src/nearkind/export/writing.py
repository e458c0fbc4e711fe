"""The door: a model, a place, and what to write there."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from nearkind.errors import did_you_mean

TARGETS = {
    "json": "nearkind.export.json_file",
    "csv": "nearkind.export.csv_files",
    "sql": "nearkind.export.sql.file",
    "onnx": "nearkind.export.graphs.file",
}
"""What to write to the module whose ``write(model, path, **options)`` does."""


def write(model: Any, path: Any, to: str = "json", **options: Any) -> list[Path]:
    """Write a fitted model for programs that do not have nearkind.

    Parameters
    ----------
    model : fitted CPML or another distance with vectors of values: its embedding; a
        CPMLClassifier over such a one, or a CPMLClassifierCV that chose a single one:
        also the training rows, and how they vote
    path : of the file; what was there is replaced, at once or not at all
    to : "json", "csv", "sql" or "onnx"
    **options : of SQL ``dialect``, ``table``, ``key`` and ``name``
        (:func:`nearkind.export.sql.file.write`), of ONNX ``inputs``
        (:func:`nearkind.export.graphs.file.write`)

    Returns
    -------
    list of Path
        The files written; CSV has a second one for the rows of a classifier.

    Examples
    --------
    >>> import json, tempfile
    >>> from nearkind.baselines import Euclidean
    >>> model = Euclidean().fit([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
    >>> path, = write(model, Path(tempfile.mkdtemp()) / "model.json")
    >>> feature, = json.loads(path.read_text())["features"]
    >>> feature["values"], feature["vectors"][0]
    (['a', 'b'], [0.5, 0.5])
    """
    from nearkind.export.taking import portable

    pour = import_module(TARGETS[_known(to)]).write
    _check_options(to, pour, options)
    return pour(portable(model), Path(path), **options)


def _known(to: Any) -> str:
    if to not in TARGETS:
        raise ValueError(f"There is no export to {to!r}. {did_you_mean(to, TARGETS)}")
    return to


def _check_options(to: str, pour: Any, options: dict[str, Any]) -> None:
    taken = list(signature(pour).parameters)[2:]
    for name in options:
        if name not in taken:
            listed = ", ".join(taken) or "none"
            raise TypeError(
                f"Export to {to} takes no option {name!r}; its options: {listed}."
            )
