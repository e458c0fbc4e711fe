"""Write a model to a target: JSON, CSV, SQL or ONNX."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from nearkind.errors import did_you_mean

TARGETS = {
    "json": "nearkind.export.json_file",
    "csv": "nearkind.export.csv_files",
    "sql": "nearkind.export.sql_script",
    "onnx": "nearkind.export.onnx_file",
}
"""Name of a target -> module whose ``write(model, path, **options)`` writes it."""


def write(model: Any, path: Any, to: str = "json", **options: Any) -> list[Path]:
    """Write a fitted model for programs that do not have nearkind.

    Of a distance with vectors of values, such as CPML, the embedding is written; of a
    classifier over one also the training rows, and how they vote.

    Parameters
    ----------
    model : CPML, another distance with vectors, CPMLClassifier or CPMLClassifierCV
        Fitted; a CPMLClassifierCV must have chosen a single distance.
    path : path-like
        What is there is replaced, whole or not at all.
    to : {"json", "csv", "sql", "onnx"}, default="json"
    **options : dict
        Of SQL ``dialect``, ``table``, ``key`` and ``name``
        (:func:`nearkind.export.sql_script.write`), of ONNX ``inputs``
        (:func:`nearkind.export.onnx_file.write`).

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
    from nearkind.export.portable import portable_model

    if to not in TARGETS:
        raise ValueError(f"There is no export to {to!r}. {did_you_mean(to, TARGETS)}")
    write_target = import_module(TARGETS[to]).write
    _check_options(to, write_target, options)
    return write_target(portable_model(model), Path(path), **options)


def _check_options(to: str, write_target: Any, options: dict[str, Any]) -> None:
    known = list(signature(write_target).parameters)[2:]
    for name in options:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise TypeError(
                f"Export to {to} takes no option {name!r}; its options: {listed}."
            )
