"""Laws: invariances of estimators that can be checked on any table.

A law fits copies of an unfitted estimator to a table and to the same table told in
another way, and compares what they answer. It takes any estimator with the methods of
scikit-learn, ours or not: a classifier answers by ``predict_proba`` or ``predict``, a
distance by ``pairwise_distances``, and a transformer by the distances between the rows
that it makes. A broken law raises an ``AssertionError`` that says which answer moved.

``LAWS`` lists those that every estimator without randomness should keep.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import has_fit_parameter

__all__ = [
    "LAWS",
    "check_column_order",
    "check_duplicated_table",
    "check_input_unchanged",
    "check_integer_weights",
    "check_own_label",
    "check_row_order",
    "check_value_names",
]

Table = NDArray[Any]


def check_integer_weights(
    estimator: Any, X: Any, y: Any, tol: float = 1e-6, seed: int = 0
) -> None:
    """Check that a row of weight m counts as m equal rows, and one of weight 0 as none.

    Parameters
    ----------
    estimator : estimator
        Unfitted; one whose ``fit`` takes no ``sample_weight`` passes.
    X : table of shape (n, D)
        pandas, polars, NumPy or lists.
    y : array-like of shape (n,)
        Labels.
    tol : float, default=1e-6
        By how much an answer may move, as a share of the largest; 0: by no bit.
    seed : int, default=0
        Of the weights, 0 to 3, that are drawn.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[0, 1], [0, 2], [1, 1], [1, 2]], [0, 1, 1, 0]
    >>> check_integer_weights(DecisionTreeClassifier(random_state=0), X, y)
    """
    if not has_fit_parameter(estimator, "sample_weight"):
        return
    table, labels = _read(X, y)
    counts = np.random.default_rng(seed).integers(0, 4, len(labels))
    counts[np.unique(labels, return_index=True)[1]] = 2  # every class stays
    rows = np.repeat(np.arange(len(labels)), counts)
    weighted = clone(estimator).fit(table, labels, sample_weight=counts.astype(float))
    repeated = clone(estimator).fit(table[rows], labels[rows])
    _compare_fits(
        estimator, "rows repeated instead of weighted", weighted, repeated, table, tol
    )


def check_row_order(
    estimator: Any, X: Any, y: Any, tol: float = 1e-6, seed: int = 0
) -> None:
    """Check that the order of rows does not matter.

    Parameters
    ----------
    estimator, X, y, tol : as in ``check_integer_weights``
    seed : int, default=0
        Of the order.
    """
    table, labels = _read(X, y)
    order = np.random.default_rng(seed).permutation(len(labels))
    plain = clone(estimator).fit(table, labels)
    other = clone(estimator).fit(table[order], labels[order])
    _compare_fits(estimator, "its rows in another order", plain, other, table, tol)


def check_column_order(
    estimator: Any, X: Any, y: Any, tol: float = 1e-6, seed: int = 0
) -> None:
    """Check that the order of columns does not matter.

    Parameters
    ----------
    estimator, X, y, tol : as in ``check_integer_weights``
    seed : int, default=0
        Of the order.
    """
    table, labels = _read(X, y)
    other = table[:, np.random.default_rng(seed).permutation(table.shape[1])]
    what = "its columns in another order"
    _compare_tables(estimator, what, table, other, labels, tol)


def check_value_names(
    estimator: Any, X: Any, y: Any, tol: float = 1e-6, seed: int = 0
) -> None:
    """Check that the names of values do not matter; numbers and missing ones stay.

    Parameters
    ----------
    estimator, X, y, tol : as in ``check_integer_weights``
    seed : int, default=0
        Of the new names and their order.
    """
    table, labels = _read(X, y)
    rng, other = np.random.default_rng(seed), table.copy()
    for column in other.T:  # a view
        names = sorted({value for value in column if isinstance(value, str)})
        new = dict(zip(names, rng.permutation(len(names)), strict=True))
        column[:] = [
            f"value {new[value]}" if isinstance(value, str) else value
            for value in column
        ]
    _compare_tables(
        estimator, "its values under other names", table, other, labels, tol
    )


def check_input_unchanged(estimator: Any, X: Any, y: Any) -> None:
    """Check that ``fit`` and the answers leave the table and its labels as they are.

    Parameters
    ----------
    estimator, X, y : as in ``check_integer_weights``
        Given to the estimator as they are.
    """
    before = deepcopy((X, y))
    model = clone(estimator).fit(X, y)
    _answers(model, X)
    for name, old, new in zip(("X", "y"), before, (X, y), strict=True):
        same = _same_cells(_cells(old), _cells(new))
        same &= list(getattr(old, "columns", ())) == list(getattr(new, "columns", ()))
        assert same, f"{estimator!r} changed the {name} that it was given."


def left_out(estimator: Any, X: Table, y: Table, row: int) -> Any:
    """Return what an estimator answers for a row after a fit to all others.

    It is fitted to all rows before, so that what it remembers of that fit shows.
    """
    model = clone(estimator).fit(X, y)
    others = np.delete(np.arange(len(y)), row)
    return _answers(model.fit(X[others], y[others]), X[[row]], X[others])


def check_own_label(
    estimator: Any,
    X: Any,
    y: Any,
    tol: float = 0.0,
    seed: int = 0,
    held_out: Callable[[Any, Table, Table, int], Any] = left_out,
    n_rows: int = 3,
) -> None:
    """Check that the label of a row does not move the row's own held-out prediction.

    Parameters
    ----------
    estimator, X, y : as in ``check_integer_weights``
    tol : float, default=0.0
        By how much an answer may move, as a share of the largest; 0: by no bit.
    seed : int, default=0
        Of the rows that get another label.
    held_out : callable, default=left_out
        From an estimator, a table, its labels and the number of a row to the prediction
        for this row that is claimed not to know its label. By default that of a model
        fitted to all rows and then again to all but this one.
    n_rows : int, default=3
        Rows that are tried.

    Examples
    --------
    A nearest neighbour that may find the row itself knows its label:

    >>> import nearkind as nk
    >>> def leaky(model, X, y, row):
    ...     return model.fit(X, y).predict(X[[row]])
    >>> nearest = nk.CPMLClassifier("hamming", n_neighbors=1)
    >>> X, y = [["a"], ["b"], ["c"], ["d"]], ["x", "y", "x", "y"]
    >>> check_own_label(nearest, X, y, held_out=leaky)
    Traceback (most recent call last):
    AssertionError: CPMLClassifier(metric='hamming', n_neighbors=1) given another \
label of row 2: its answer for row 0 is 'y', and was 'x'.
    """
    table, labels = _read(X, y)
    classes = np.unique(labels)
    for row in np.random.default_rng(seed).permutation(len(labels))[:n_rows]:
        flipped = labels.copy()
        flipped[row] = classes[
            (np.searchsorted(classes, labels[row]) + 1) % len(classes)
        ]
        plain, other = (
            held_out(clone(estimator), table, each, int(row))
            for each in (labels, flipped)
        )
        _compare(estimator, f"another label of row {row}", plain, other, tol)


def check_duplicated_table(
    estimator: Any, X: Any, y: Any, tol: float = 1e-6, seed: int = 0
) -> None:
    """Check that a table written twice, one copy below the other, answers the same.

    This is no law of those who compare a row with others of its class, of which its
    copy is now one, or who count without replacement.

    Parameters
    ----------
    estimator, X, y, tol : as in ``check_integer_weights``
    seed : int, default=0
        Not used: nothing is drawn.
    """
    table, labels = _read(X, y)
    once = clone(estimator).fit(table, labels)
    twice = clone(estimator).fit(np.vstack([table, table]), np.r_[labels, labels])
    _compare_fits(estimator, "its table twice", once, twice, table, tol)


LAWS = [
    check_integer_weights,
    check_row_order,
    check_column_order,
    check_value_names,
    check_own_label,
    check_input_unchanged,
]
"""Every law that holds whatever is learned, each called as ``law(estimator, X, y)``."""


def _read(X: Any, y: Any) -> tuple[Table, Table]:
    """Return a table as objects (n, D), and labels."""
    return _cells(X), np.asarray(y)


def _cells(table: Any) -> Table:
    return np.array(table, dtype=object)


def _same_cells(a: Table, b: Table) -> bool:
    return a.shape == b.shape and all(
        type(u) is type(v) and (u is v or u == v or (u != u and v != v))
        for u, v in zip(a.ravel(), b.ravel(), strict=True)
    )


def _answers(model: Any, X: Any, seen: Any = None) -> Any:
    """Return what a fitted model answers for rows, one line each.

    Distances are those to the rows ``seen``, by default X itself.
    """
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    if hasattr(model, "predict"):
        return model.predict(X)
    seen = X if seen is None else seen
    if hasattr(model, "pairwise_distances"):
        return model.pairwise_distances(X, seen)
    return pairwise_distances(model.transform(X), model.transform(seen))


def _compare_tables(
    estimator: Any, what: str, table: Table, other: Table, labels: Table, tol: float
) -> None:
    """Compare what models answer that are fitted to two tables, each on its own."""
    plain, changed = (
        _answers(clone(estimator).fit(each, labels), each) for each in (table, other)
    )
    _compare(estimator, what, plain, changed, tol)


def _compare_fits(
    estimator: Any, what: str, plain: Any, other: Any, table: Any, tol: float
) -> None:
    """Raise an ``AssertionError`` if two fitted models answer a table differently."""
    _compare(estimator, what, _answers(plain, table), _answers(other, table), tol)


def _compare(estimator: Any, what: str, plain: Any, other: Any, tol: float) -> None:
    """Raise an ``AssertionError`` that names the answer that moved most."""
    plain, other = np.asarray(plain), np.asarray(other)
    if plain.dtype.kind in "biuf":
        sizes = np.abs(plain[np.isfinite(plain)])
        with np.errstate(invalid="ignore"):  # infinite less infinite
            moved = np.where(plain == other, 0.0, np.abs(plain - other))
        wrong = ~(moved <= tol * sizes.max(initial=0.0))
    else:
        moved = wrong = plain != other
    if wrong.any():
        where = np.unravel_index(np.argmax(moved), moved.shape)
        raise AssertionError(
            f"{estimator!r} given {what}: its answer for row {where[0]} is "
            f"{other[where].item()!r}, and was {plain[where].item()!r}."
        )
