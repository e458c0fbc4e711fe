"""Diagnostics of a fit, as read from a file: what must hold of each by its name."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nearkind.baselines.coding import Coding
from nearkind.distances.checks import check_reals, check_tables
from nearkind.distances.form import FittedDistance
from nearkind.errors import RefusedError
from nearkind.estimators.fit_report import APART
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.persistence.nodes import Pack, Reader, Unpack, short_repr
from nearkind.projections.base import TableProjection
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.coordinates import Coordinates
from nearkind.projections.onehot import OneHot, PooledOneHot, Thermometer
from nearkind.projections.vdm import VDM
from nearkind.solvers.solution import Record, Stop

ROUNDING = 1e-7
"""Share of the largest entry by which a matrix may miss symmetry or positivity."""
STRUCTURES = {"Single": Single, "Multi": Multi, "Diagonal": Diagonal, "Full": Full}
PROJECTIONS = (
    VDM, OneHot, PooledOneHot, Thermometer, Concatenation, Cooccurrence,
    ChannelConcatenation, Coordinates, TableProjection,
)  # fmt: skip

Check = Callable[[Any, str], None]
"""Takes a value and its name; may refuse it."""


def check_diagnostics(
    model: object, form: FittedDistance, found: Mapping[str, object]
) -> None:
    """Refuse values that a fit cannot have, or that do not fit together.

    Parameters
    ----------
    model : estimator
        Not fitted yet: no value may stand in the way of one of its names.
    form : FittedDistance
        What was learned.
    found : dict
    """
    if not isinstance(found, dict):
        raise RefusedError("diagnostics are not values by name")
    for name, value in found.items():
        is_name = isinstance(name, str) and name.isidentifier() and name[-1:] == "_"
        is_taken = name in APART or hasattr(type(model), name)
        if not is_name or name[0] == "_" or is_taken:
            raise RefusedError(f"{short_repr(name)} is no name of a diagnostic")
        CHECKS.get(name, _check_any)(value, name)
    missing = [
        name for name in NEEDED.get(type(model).__name__, ()) if name not in found
    ]
    if missing:
        raise RefusedError(f"{type(model).__name__} lacks its attribute {missing[0]}")
    if "projection_" in found and "structure_" in found:
        _check_shape_of_metric(found, form.codebook.n_values)
    if "coding_" in found and "reduced_metric_" in found:
        _check_reduced_metric(found, form.codebook.n_values)


NEEDED = {
    "CPML": ("classes_", "metric_", "projection_", "structure_", "strength_"),
    **dict.fromkeys(
        ("ITML", "POLA", "DMLEig", "MMC"), ("classes_", "coding_", "reduced_metric_")
    ),
}
"""Diagnostics by which an estimator answers or goes on."""


def check_classes(value: object, what: str) -> None:
    """Refuse classes that are not sorted, or objects; an object array may be empty."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        raise RefusedError(f"{what} is not an array of labels")
    if not (value[:-1] < value[1:]).all():
        raise RefusedError(f"{what} are not sorted, or not distinct")
    if value.dtype.kind == "O" and len(value):
        raise RefusedError(f"{what} are objects instead of text or numbers")


def is_number(value: object) -> bool:
    """Return whether it is a number; NaN is one, for a gap that is not known."""
    return type(value) is float or (type(value) is int and abs(value) < 2**63)


def is_count(value: object) -> bool:
    """Return whether it is a whole number >= 0."""
    return type(value) is int and value >= 0


def is_history(value: object) -> bool:
    """Return whether it is a list of records or of numbers."""
    return type(value) is list and {type(line) for line in value} <= {Record, float}


def wanted(is_right: Callable[[Any], bool], words: str) -> Check:
    """Return a check that refuses what a function returns False of."""

    def check(value: object, what: str) -> None:
        if not is_right(value):
            raise RefusedError(f"{what} is {short_repr(value)} instead of {words}")

    return check


def check_positive_semidefinite(value: object, what: str) -> None:
    """Refuse what is no symmetric matrix, or stack, without negative eigenvalues."""
    ndim = value.ndim if isinstance(value, np.ndarray) and value.ndim == 3 else 2
    M = check_reals(value, what, (None,) * ndim)
    if M.shape[-1] != M.shape[-2]:
        raise RefusedError(f"{what} is not square")
    largest = np.abs(M).max(initial=0.0)
    transposed = M.swapaxes(-1, -2)
    if (np.abs(M - transposed) > ROUNDING * largest).any():
        raise RefusedError(f"{what} is not symmetric")
    shift = (ROUNDING * largest or 1.0) * np.eye(M.shape[-1])
    try:
        np.linalg.cholesky(0.5 * (M + transposed) + shift)  # cheaper than eigenvalues
    except np.linalg.LinAlgError:
        raise RefusedError(f"{what} is not positive semi-definite") from None


def check_kind(*kinds: type) -> Check:
    """Return a check for values of some types."""
    names = " or ".join(kind.__name__ for kind in kinds)
    return wanted(lambda value: type(value) in kinds, names)


def _check_any(value: object, what: str) -> None:
    """Refuse arrays of numbers that are not finite; other values are taken."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        check_reals(value, what, (None,) * value.ndim)


CHECKS: dict[str, Check] = {
    "classes_": check_classes,
    **dict.fromkeys(("metric_", "reduced_metric_"), check_positive_semidefinite),
    **dict.fromkeys(
        ("rank_", "n_iter_", "n_samples_seen_"),
        wanted(is_count, "a whole number >= 0"),
    ),
    **dict.fromkeys(
        ("objective_", "gap_", "strength_", "strength_max_", "threshold_",
         "objective_scale_"), wanted(is_number, "a number"),
    ),
    "history_": wanted(is_history, "a list of records or of numbers"),
    "stop_reason_": wanted(
        Stop.__members__.__contains__, f"one of {', '.join(Stop.__members__)}"
    ),
    "contexts_": check_kind(dict),
    "groups_": check_kind(list),
    "bounds_": check_kind(tuple),
    "coding_": check_kind(Coding),
    "projection_": check_kind(TableProjection),
    "structure_": check_kind(*STRUCTURES.values()),
}  # fmt: skip


def _check_shape_of_metric(found: Mapping[str, Any], n_values: Any) -> None:
    """Refuse M of another size than projection and structure make."""
    tables = found["projection_"].tables
    check_tables(tables, "projection_", n_values, n_axes=3)
    channels = {table.shape[2] for table in tables}
    n_rows = sum(table.shape[1] for table in tables)
    shape = found["structure_"].shape(n_rows, max(channels))
    if len(channels) > 1 or found["metric_"].shape != (*shape, shape[1]):
        raise RefusedError("metric_ does not fit projection and structure")
    if check_reals(found.get("spectrum_"), "spectrum_", (None, None)).shape != shape:
        raise RefusedError("spectrum_ does not fit metric_")
    counts = found.get("class_count_", found["classes_"])
    if len(counts) != len(found["classes_"]):
        raise RefusedError("class_count_ does not have one count per class")


def _check_reduced_metric(found: Mapping[str, Any], n_values: Any) -> None:
    """Refuse M over other directions than those of the coding."""
    coding: Coding = found["coding_"]
    check_tables(coding.tables, "coding_", n_values)
    widths = [table.shape[1] for table in coding.tables]
    bases = [check_reals(b, "coding_", (None, None)).shape[1] for b in coding.bases]
    if widths != bases or found["reduced_metric_"].shape != (sum(widths),) * 2:
        raise RefusedError("reduced_metric_ does not fit coding_")


def _unpack_projection(reader: Reader, payload: Any) -> TableProjection:
    projection = TableProjection()
    projection.tables = reader.value(list(payload))
    return projection


def _unpack_record(reader: Reader, payload: Any) -> Record:
    record = Record(*reader.value(list(payload)))
    if [type(number) for number in record] != [int, float, float, float]:
        raise RefusedError(
            "a record of history_ does not hold one whole number and three floats"
        )
    return record


PACKS: dict[type, Pack] = {
    Record: lambda writer, value, what: {"Record": writer.node(list(value), what)},
    **dict.fromkeys(  # whatever made its tables: a fitted projection gathers rows
        PROJECTIONS,
        lambda writer, value, what: {
            "projection": writer.node(list(value.tables), what)
        },
    ),
    **dict.fromkeys(
        STRUCTURES.values(),
        lambda writer, value, what: {"structure": type(value).__name__},
    ),
}
UNPACKS: dict[str, Unpack] = {
    "Record": _unpack_record,
    "projection": _unpack_projection,
    "structure": lambda reader, payload: STRUCTURES[payload](),
}
