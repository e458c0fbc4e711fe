"""Distances by name."""

from functools import partial
from importlib import import_module
from typing import Any

from nearkind.errors import require_known
from nearkind.estimators.base import Distance
from nearkind.estimators.cpml import CPML
from nearkind.estimators.spec import STRUCTURES
from nearkind.validation import parameters


def named_distances() -> dict[str, Any]:
    """Return what makes each distance, by name: structures of CPML and baselines."""
    structures = {name: partial(CPML, name) for name in STRUCTURES}
    printed = {"cpml-s": partial(CPML, "single"), "cpml-m": partial(CPML, "multi")}
    baselines = import_module("nearkind.baselines")  # which stand above this package
    return {
        "cpml": CPML,
        **structures,
        **printed,
        **baselines.all(),
        **baselines.OF_NUMBERS,
    }


def distance_classes() -> dict[str, Any]:
    """Return the class of each estimator of a distance, by its name."""
    baselines = import_module("nearkind.baselines")
    others = {**baselines.all(), **baselines.OF_NUMBERS}
    return {kind.__name__: kind for kind in (CPML, *others.values())}


def distance_of(value: object, model: object, parameter: str = "metric") -> Any:
    """Return the unfitted distance that a parameter stands for.

    Parameters
    ----------
    value : None, str or distance
        None stands for ``CPML()``, a name for a distance with its default settings.
    model : estimator
        Whose parameter it is, for the message if it is wrong.
    parameter : str, default="metric"
        Name of the parameter.

    Examples
    --------
    >>> distance_of("multi", None), distance_of("hamming", None)
    (CPML(structure='multi'), Hamming())
    """
    if value is None:
        return CPML()
    if isinstance(value, Distance):
        return value
    if not isinstance(value, str):
        wanted = "None, a distance, such as CPML(), or the name of one"
        raise parameters.wrong(model, parameter, wanted)
    known, owner = named_distances(), type(model).__name__
    require_known(
        value, known, f"There is no distance {value!r} for {parameter} of {owner}."
    )
    return known[value]()
