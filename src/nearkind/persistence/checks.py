"""What must hold of what was read from a file, before anything uses it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nearkind.encoding.codebook import Codebook
from nearkind.persistence.container import RefusedError
from nearkind.protocols import Array
from nearkind.solvers.solution import Record, Stop

LARGEST = 1e140
"""Of any number in a model: squares of such, and sums of many squares, are finite."""
ROUNDING = 1e-7
"""Share of the largest entry by which a matrix may miss symmetry or positivity."""

Check = Callable[[Any, str, Codebook], None]
"""Is given a fitted attribute, its name, and the codebook of its model."""


def reals(value: Any, what: str, ndim: int) -> Array:
    """Return an array of so many axes, of finite floats of a size to reckon with."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        raise RefusedError(f"{what} is no array of floats")
    if value.ndim != ndim:
        raise RefusedError(f"{what} has {value.ndim} axes instead of {ndim}")
    if not (np.abs(value) < LARGEST).all():
        raise RefusedError(f"{what} holds a number that is not finite or enormous")
    return value


def rising(value: Any, what: str) -> Array:
    """Return finite floats (n,), each larger than the one before."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        raise RefusedError(f"{what} is no array of floats")
    if value.ndim != 1 or not np.isfinite(value).all():
        raise RefusedError(f"{what} of a column are not a list of finite numbers")
    if not (value[:-1] < value[1:]).all():
        raise RefusedError(f"{what} of a column do not rise")
    return value


def positive_semidefinite(value: Any, what: str, ndim: int) -> Array:
    """Return a symmetric matrix, or a stack, without negative eigenvalue."""
    M = reals(value, what, ndim)
    if M.shape[-1] != M.shape[-2]:
        raise RefusedError(f"{what} is not square")
    largest = np.abs(M).max(initial=0.0)
    turned = M.swapaxes(-1, -2)
    if (np.abs(M - turned) > ROUNDING * largest).any():
        raise RefusedError(f"{what} is not symmetric")
    lifted = 0.5 * (M + turned) + (ROUNDING * largest or 1.0) * np.eye(M.shape[-1])
    try:
        np.linalg.cholesky(lifted)  # O(W^3), a tenth of the time of eigenvalues
    except np.linalg.LinAlgError:
        raise RefusedError(f"{what} is not positive semi-definite") from None
    return M


def check_classes(value: Any, what: str, book: Any = None) -> None:
    """Classes are a sorted array without repetition; none at all is an object array."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        raise RefusedError(f"{what} is no list of labels")
    if not (value[:-1] < value[1:]).all():
        raise RefusedError(f"{what} are not sorted, each once")
    if value.dtype.kind == "O" and len(value):
        raise RefusedError(f"{what} are objects")


def check_number(value: Any, what: str, book: Codebook) -> None:
    """Any number; NaN is a gap without proof."""
    is_whole = type(value) is int and abs(value) < 2**63
    if type(value) is not float and not is_whole:
        raise RefusedError(f"{what} is no number")


def check_amount(value: Any, what: str, book: Codebook) -> None:
    """A finite number >= 0."""
    check_number(value, what, book)
    if not 0.0 <= value < LARGEST:
        raise RefusedError(f"{what} is negative or not finite")


def check_count(value: Any, what: str, book: Codebook) -> None:
    """A whole number >= 0."""
    if type(value) is not int or value < 0:
        raise RefusedError(f"{what} is no count")


def check_reason(value: Any, what: str, book: Codebook) -> None:
    """The name of a reason for stopping."""
    if value not in Stop.__members__:
        raise RefusedError(f"{what} is no reason that there is")


def check_history(value: Any, what: str, book: Codebook) -> None:
    """A list of records, or of numbers."""
    if type(value) is not list or not {type(line) for line in value} <= {Record, float}:
        raise RefusedError(f"{what} is no list of records")


def check_reals(ndim: int) -> Check:
    """Finite floats with so many axes."""
    return lambda value, what, book: _nothing(reals(value, what, ndim))


def check_psd(ndim: int) -> Check:
    """A matrix, or a stack, that makes a metric."""
    return lambda value, what, book: _nothing(positive_semidefinite(value, what, ndim))


def check_kind(*kinds: type) -> Check:
    """One of some types."""

    def check(value: Any, what: str, book: Codebook) -> None:
        if type(value) not in kinds:
            raise RefusedError(f"{what} is a {type(value).__name__}")

    return check


def check_rows_of_values(
    tables: Sequence[Any], what: str, book: Codebook, ndim: int
) -> None:
    """One table a column, a row for each of its values and one for the unseen."""
    if len(tables) != len(book.n_values):
        raise RefusedError(f"{what} has not one table a column")
    for table, size in zip(tables, book.n_values, strict=True):
        if len(reals(table, what, ndim)) != size + 1:
            raise RefusedError(f"{what} has not one row a value")


def check_vectors(value: Any, what: str, book: Codebook) -> None:
    """Vectors of values: tables (s_d + 1, q), q the same for all and at least one."""
    check_rows_of_values(value.vectors, what, book, 2)
    widths = {table.shape[1] for table in value.vectors}
    if len(widths) > 1 or 0 in widths:
        raise RefusedError(f"{what} has vectors of several lengths")


def check_pairs(value: Any, what: str, book: Codebook) -> None:
    """Tables of pairs of values (s_d + 1, s_d + 1)."""
    check_rows_of_values(value.tables, what, book, 2)
    if any(table.shape[0] != table.shape[1] for table in value.tables):
        raise RefusedError(f"{what} has a table that is not square")


def _nothing(value: Any) -> None:
    """Drop what a check returns."""
