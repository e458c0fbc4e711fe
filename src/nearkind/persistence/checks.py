"""Checks of values read from a file, before anything uses them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nearkind.encoding.codebook import Codebook
from nearkind.persistence.container import RefusedError
from nearkind.persistence.nodes import short_repr
from nearkind.protocols import Array
from nearkind.solvers.solution import Record, Stop

MAX_NUMBER = 1e140
"""Bound of any number in a model: sums of many squares below it are finite."""
ROUNDING = 1e-7
"""Share of the largest entry by which a matrix may miss symmetry or positivity."""

Check = Callable[[Any, str, Codebook], None]
"""Takes a fitted attribute, its name and the codebook of its model; may refuse it."""


def reals(value: Any, what: str, ndim: int) -> Array:
    """Return an array of ``ndim`` axes of floats, none infinite, NaN or enormous."""
    value = _floats(value, what)
    if value.ndim != ndim:
        raise RefusedError(f"{what} has {value.ndim} axes instead of {ndim}")
    if not (np.abs(value) < MAX_NUMBER).all():
        raise RefusedError(f"{what} holds a number that is enormous or not finite")
    return value


def rising(value: Any, what: str) -> Array:
    """Return finite floats (n,), each larger than the one before."""
    value = _floats(value, what)
    if value.ndim != 1 or not np.isfinite(value).all():
        raise RefusedError(f"{what} of a column are not a list of finite numbers")
    if not (value[:-1] < value[1:]).all():
        raise RefusedError(f"{what} of a column are not in rising order")
    return value


def positive_semidefinite(value: Any, what: str, ndim: int) -> Array:
    """Return a symmetric matrix, or a stack of them, without negative eigenvalues."""
    M = reals(value, what, ndim)
    if M.shape[-1] != M.shape[-2]:
        raise RefusedError(f"{what} is not square")
    largest = np.abs(M).max(initial=0.0)
    transposed = M.swapaxes(-1, -2)
    if (np.abs(M - transposed) > ROUNDING * largest).any():
        raise RefusedError(f"{what} is not symmetric")
    shift = (ROUNDING * largest or 1.0) * np.eye(M.shape[-1])
    try:
        np.linalg.cholesky(
            0.5 * (M + transposed) + shift
        )  # O(W^3), a tenth of the time of eigenvalues
    except np.linalg.LinAlgError:
        raise RefusedError(f"{what} is not positive semi-definite") from None
    return M


def check_classes(value: Any, what: str, book: Any = None) -> None:
    """Refuse classes that are not sorted, or objects; an object array may be empty."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        raise RefusedError(f"{what} is not an array of labels")
    if not (value[:-1] < value[1:]).all():
        raise RefusedError(f"{what} are not sorted, or not distinct")
    if value.dtype.kind == "O" and len(value):
        raise RefusedError(f"{what} are objects instead of text or numbers")


def check_number(value: Any, what: str, book: Codebook) -> None:
    """Refuse what is no number; NaN is allowed, for a gap that is not known."""
    is_whole = type(value) is int and abs(value) < 2**63
    if type(value) is not float and not is_whole:
        raise RefusedError(f"{what} is {short_repr(value)} instead of a number")


def check_amount(value: Any, what: str, book: Codebook) -> None:
    """Refuse what is not a finite number >= 0."""
    check_number(value, what, book)
    if not 0.0 <= value < MAX_NUMBER:
        raise RefusedError(f"{what} is negative or not finite")


def check_count(value: Any, what: str, book: Codebook) -> None:
    """Refuse what is not a whole number >= 0."""
    if type(value) is not int or value < 0:
        raise RefusedError(
            f"{what} is {short_repr(value)} instead of a whole number >= 0"
        )


def check_reason(value: Any, what: str, book: Codebook) -> None:
    """Refuse what is not the name of a reason to stop."""
    if value not in Stop.__members__:
        known = ", ".join(Stop.__members__)
        raise RefusedError(f"{what} is {short_repr(value)} instead of one of {known}")


def check_history(value: Any, what: str, book: Codebook) -> None:
    """Refuse what is not a list of records or of numbers."""
    if type(value) is not list or not {type(line) for line in value} <= {Record, float}:
        raise RefusedError(f"{what} is not a list of records or of numbers")


def check_reals(ndim: int) -> Check:
    """Return a check for finite floats of ``ndim`` axes."""

    def check(value: Any, what: str, book: Codebook) -> None:
        reals(value, what, ndim)

    return check


def check_psd(ndim: int) -> Check:
    """Return a check for a positive semi-definite matrix, or a stack of them."""

    def check(value: Any, what: str, book: Codebook) -> None:
        positive_semidefinite(value, what, ndim)

    return check


def check_kind(*kinds: type) -> Check:
    """Return a check for values of some types."""

    def check(value: Any, what: str, book: Codebook) -> None:
        if type(value) not in kinds:
            names = " or ".join(kind.__name__ for kind in kinds)
            raise RefusedError(
                f"{what} is of type {type(value).__name__} instead of {names}"
            )

    return check


def check_rows_of_values(
    tables: Sequence[Any], what: str, book: Codebook, ndim: int
) -> None:
    """Refuse tables that lack a row for a value of a column, or for unseen ones."""
    if len(tables) != len(book.n_values):
        raise RefusedError(f"{what} does not have one table a column")
    for table, size in zip(tables, book.n_values, strict=True):
        if len(reals(table, what, ndim)) != size + 1:
            raise RefusedError(f"{what} does not have one row a value")


def check_vectors(value: Any, what: str, book: Codebook) -> None:
    """Refuse vectors of values unless tables are (s_d + 1, q), one q >= 1 for all."""
    check_rows_of_values(value.vectors, what, book, 2)
    widths = {table.shape[1] for table in value.vectors}
    if len(widths) > 1 or 0 in widths:
        raise RefusedError(f"{what} has vectors of different lengths, or of none")


def check_codes(value: Any, what: str, book: Codebook) -> None:
    """Refuse what are not codes (m, D) of rows, -1 for values unseen."""
    if not isinstance(value, np.ndarray) or value.dtype != np.int32:
        raise RefusedError(f"{what} are not an array of whole numbers")
    if value.ndim != 2 or value.shape[1] != len(book.n_values) or not len(value):
        raise RefusedError(f"{what} are not one a column, of at least one row")
    if (value < -1).any() or (value >= np.asarray(book.n_values)).any():
        raise RefusedError("a code of a row stands for no value")


def check_pairs(value: Any, what: str, book: Codebook) -> None:
    """Refuse tables of pairs of values that are not (s_d + 1, s_d + 1)."""
    check_rows_of_values(value.tables, what, book, 2)
    if any(table.shape[0] != table.shape[1] for table in value.tables):
        raise RefusedError(f"{what} has a table that is not square")


def check_distances(value: Any, what: str, book: Codebook) -> None:
    """Refuse tables of distances between values that are not square, or negative."""
    check_pairs(value, what, book)
    if any((table < 0.0).any() for table in value.tables):
        raise RefusedError(f"{what} has a negative distance")


def _floats(value: Any, what: str) -> Array:
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        raise RefusedError(f"{what} is not an array of floats")
    return value
