"""Checks of labels: class numbers of rows."""

import warnings
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import MeasuredLabelsWarning
from nearkind.estimators.weights import check_weights, class_factors
from nearkind.protocols import LabelArray, TableLike
from nearkind.tables import is_missing, read_column, read_table
from nearkind.validation.parameters import is_whole

FEW_CLASSES = 20
"""So many different numbers are never called measurements."""
FEW_ROWS = 2
"""Rows that most classes have at most, if numbers look like measurements."""


def labelled_rows(
    X: TableLike,
    y: object,
    sample_weight: object,
    book: Codebook,
    owner: str,
    class_weight: object = None,
) -> CodedRows:
    """Read a table with a label for every row, once, and code it.

    Parameters
    ----------
    X : table of any kind, or CodedRows
        Rows that have been read already are taken with their labels and weights.
    y : array-like (n,)
        One label per row.
    sample_weight : array-like (n,) or None
        One weight >= 0 per row; rows of weight zero are left out.
    book : Codebook
        Fitted to the rows if it is not fitted yet.
    owner : str
        Who to name in messages.
    class_weight : "balanced", dict or None, default=None
        Factors of the weights.

    Returns
    -------
    CodedRows
    """
    if isinstance(X, CodedRows):
        return X
    table = read_table(X)
    weights = check_weights(sample_weight, table.n_rows)
    labels = checked_labels(y, table.n_rows, owner)
    numbers = np.zeros(table.n_rows, dtype=np.intp)
    counted = weights > 0.0
    classes, numbers[counted] = np.unique(labels[counted], return_inverse=True)
    _check_classes(classes, owner)
    if class_weight is not None:
        totals = np.bincount(numbers, weights, len(classes)).astype(float)
        factors = class_factors(class_weight, classes, totals, owner)
        weights = weights * factors[numbers]
    return CodedRows.of(table, book, classes, numbers, weights)


def semi_supervised_rows(
    X: TableLike, y: object, sample_weight: object, book: Codebook, owner: str
) -> CodedRows:
    """Read a table in which some rows have a label, once, and code it.

    Parameters
    ----------
    X, sample_weight, book, owner : as in ``labelled_rows``
        No weights are taken here.
    y : array-like (n,)
        Labels, None or NaN where there is none.
    """
    if sample_weight is not None:
        raise ValueError(
            f"{owner} takes no sample_weight where labels are missing. Repeat rows "
            "instead, or drop those without a label."
        )
    table = read_table(X)
    classes, numbers = partial_labels(y, table.n_rows)
    _check_classes(classes, owner)
    _check_targets(classes[numbers[numbers >= 0]])
    return CodedRows.of(table, book, classes, numbers)


def constraint_rows(
    X: TableLike, y: object, book: Codebook, may_lack_labels: bool
) -> CodedRows:
    """Read a table whose rows may all lack a label, once, and code it.

    Parameters
    ----------
    X : table of any kind, or CodedRows
    y : array-like (n,) or None
        Labels, None or NaN where unknown; -1 among whole numbers without such gaps.
    book : Codebook
        Fitted to the rows if it is not fitted yet.
    may_lack_labels : bool
        Whether something else is stated, so that y may be None.
    """
    if isinstance(X, CodedRows):
        return X.recode(book)
    table = read_table(X)
    classes, numbers = constraint_labels(y, table.n_rows, may_lack_labels)
    return CodedRows.of(table, book, classes, numbers)


def added_rows(
    X: TableLike,
    y: object,
    sample_weight: object,
    book: Codebook,
    classes: LabelArray,
    owner: str,
) -> CodedRows:
    """Read a table whose labels are among some classes, and code it.

    Parameters
    ----------
    X, y, sample_weight, owner : as in ``labelled_rows``
    book : Codebook
        Fitted.
    classes : ndarray (C,)
        Sorted labels; a row may have no other.
    """
    table = read_table(X)
    weights = check_weights(sample_weight, table.n_rows)
    found, numbers = batch_labels(y, owner)
    _check_length(len(numbers), table.n_rows)
    new = sorted(set(found.tolist()) - set(classes.tolist()))
    if new:
        raise ValueError(
            f"y holds {', '.join(map(repr, new[:5]))}, which {owner} did not see "
            "in fit. Add rows of known classes, or fit again on all rows."
        )
    numbers = np.searchsorted(classes, found)[numbers]
    return CodedRows.of(table, book, classes, numbers, weights)


def lacks_labels(y: object) -> bool:
    """Return whether some row has no label: None, NaN or the like."""
    return y is not None and not has_label(np.ravel(_as_array(y))).all()


def require_labels(y: object, owner: str) -> None:
    """Raise ValueError if there are no labels at all."""
    if y is None:
        raise ValueError(
            f"{owner} requires y to be passed, but the target y is None. Pass one "
            "value per row."
        )


def checked_labels(y: Any, n_rows: int, owner: str) -> LabelArray:
    """Return the labels as an array, refusing what is no label."""
    require_labels(y, owner)
    y = column_or_1d(_as_array(y), warn=True)
    _check_length(len(y), n_rows)
    _refuse_missing(y)
    y = _typed(y)
    _check_targets(y)
    return y


def _check_targets(y: LabelArray) -> None:
    """Refuse labels that are measurements; warn of whole numbers that look like it."""
    advice = (
        "so this looks like regression. Use CPMLRegressor or CPMLRegressorCV, "
        "which predict numbers, or bin the numbers"
    )
    is_float = y.dtype.kind == "f"
    if is_float and not np.array_equal(y, np.floor(y)):
        raise ValueError(
            "Unknown label type: continuous. y holds numbers that are not whole, "
            f"{advice}; if they name classes, pass them as text, with y.astype(str) "
            "for example."
        )
    numbers = y if y.dtype.kind in "iuf" else y[:0]
    counts = np.unique(numbers, return_counts=True)[1]
    if len(counts) > FEW_CLASSES and np.median(counts) <= FEW_ROWS:
        warnings.warn(
            f"y holds {len(counts)} different numbers in {len(y)} rows, {advice}, "
            "unless they name classes.",
            MeasuredLabelsWarning,
            stacklevel=5,
        )
    else:  # scikit-learn would cast 1e300 to int
        check_classification_targets(
            np.unique(y, return_inverse=True)[1] if is_float else y
        )


def _typed(y: LabelArray) -> LabelArray:
    """Return labels held as objects in the type they all have."""
    kinds = sorted({type(label).__name__ for label in y}) if y.dtype == object else []
    if len(kinds) > 1 and not set(kinds) <= {"int", "float", "bool"}:
        raise TypeError(
            f"y mixes labels of types {', '.join(kinds)}, which have no common order. "
            "Turn them into one type, with y.astype(str) for example."
        )
    return label_array(y.tolist()) if kinds else y


def label_array(labels: list[Any]) -> LabelArray:
    """Return labels of one type as an array.

    Raises
    ------
    TypeError
        If labels are sequences themselves.
    ValueError
        If a label ends in a NUL character, which arrays of text do not keep, or is a
        whole number that arrays of floats round.

    Examples
    --------
    >>> label_array(["a", "b"]).tolist()
    ['a', 'b']
    """
    try:
        array = np.array(labels)
    except ValueError:  # sequences of several lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise TypeError(
            f"y must have one label per row, got {labels[0]!r:.60} in row 0. Turn "
            "labels into text or numbers."
        )
    if array.dtype.kind in "USf" and array.tolist() != labels:
        pairs = zip(array.tolist(), labels, strict=True)
        row = next(i for i, (kept, label) in enumerate(pairs) if kept != label)
        what = "ends in a NUL character, which arrays of text do not keep. Remove it."
        if array.dtype.kind == "f":
            what = (
                f"would be rounded to {float(labels[row]):.0f} in an array of floats, "
                "which alone holds all labels. Pass labels as text."
            )
        raise ValueError(f"The label {labels[row]!r} in row {row} {what}")
    return array


def _check_classes(classes: LabelArray, owner: str) -> None:
    if len(classes) < 2:
        raise ValueError(
            f"{owner} learns from the difference between classes, but y holds only one "
            f"class, {classes.tolist()[0]!r}. Give rows of at least two classes."
        )


def partial_labels(y: Any, n_rows: int) -> tuple[LabelArray, NDArray[np.intp]]:
    """Return classes and class numbers of partly labelled rows, -1 where unknown."""
    numbers = np.full(n_rows, -1, dtype=np.intp)
    if y is None:
        return np.empty(0, dtype=object), numbers
    y = column_or_1d(_as_array(y), warn=True)
    _check_length(len(y), n_rows)
    known = has_label(y)
    if not known.any():
        raise ValueError("y holds no label at all; pass y=None, or label some rows.")
    classes, numbers[known] = np.unique(_typed(y[known]), return_inverse=True)
    return classes, numbers


def has_label(y: LabelArray) -> NDArray[np.bool_]:
    """Say of each label whether it is one, and not missing (n,)."""
    return np.array([not is_missing(label) for label in y.tolist()], dtype=bool)


def constraint_labels(
    y: Any, n_rows: int, may_lack: bool
) -> tuple[LabelArray, NDArray[np.intp]]:
    """Return classes and class numbers of rows given to ``fit_constraints``.

    Parameters
    ----------
    y : labels; where none is missing, -1 among whole numbers marks rows without one
    n_rows : of the table
    may_lack : whether something else is stated, so that y may be None
    """
    if y is None:
        if not may_lack:
            raise ValueError(
                "There is nothing to learn from: pass triplets, pairs or "
                "quadruplets, or pass y with some labels."
            )
        return partial_labels(None, n_rows)
    y = column_or_1d(_as_array(y), warn=True)
    marked = _marked_unknown(y)
    if marked.any():
        y = np.where(marked, None, y)
    classes, numbers = partial_labels(y, n_rows)
    _check_targets(classes[numbers[numbers >= 0]])
    if marked.any() and len(classes) < 2:
        raise ValueError(
            f"y holds only one class, {classes.tolist()[0]!r}, beside -1, which means "
            "unlabelled in fit_constraints. Label rows of another class; if -1 is one, "
            "rename it, with np.where(y == -1, 0, y) for example."
        )
    return classes, numbers


def _marked_unknown(y: LabelArray) -> NDArray[np.bool_]:
    """Say which labels are -1, if all are whole numbers and none is missing."""
    whole = all(_is_whole(label) for label in y.tolist())
    return y == -1 if whole else np.zeros(len(y), dtype=bool)


def _is_whole(label: object) -> bool:
    return is_whole(label) or (isinstance(label, float) and label.is_integer())


def _as_array(y: Any) -> LabelArray:
    if hasattr(y, "to_pylist"):  # pyarrow
        y = y.to_pylist()
    if hasattr(y, "to_numpy"):  # pandas, polars
        array = np.asarray(y.to_numpy())
        is_float = "float" in str(getattr(y, "dtype", "float")).lower()
        if is_float or array.dtype.kind != "f":
            return array
        y = y.to_list()  # whole numbers with gaps, which floats would round
    if not isinstance(y, list | tuple):
        return np.asarray(y)
    kinds = {type(label) for label in y}
    if len(kinds) > 1 or kinds & {list, tuple}:  # [1, "a", None] would become text
        return np.array(y, dtype=object)
    return label_array(list(y)) if kinds <= {str, bytes, int} else np.asarray(y)


def _check_length(n_labels: int, n_rows: int) -> None:
    if n_labels != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: X has "
            f"{n_rows} rows, y has {n_labels} labels. Give one label per row."
        )


def _refuse_missing(y: LabelArray) -> None:
    if y.dtype.kind not in "Of":
        return
    for what, is_bad in (
        ("NaN or other missing values", is_missing),
        ("infinity", lambda label: isinstance(label, float) and abs(label) == inf),
    ):
        rows = [row for row, label in enumerate(y.tolist()) if is_bad(label)]
        if rows:
            raise ValueError(
                f"Input y contains {what}: {len(rows)} of {len(y)}, the first in row "
                f"{rows[0]}. Drop these rows, or learn from partly labelled rows with "
                "CPML.fit_constraints(X, y=y)."
            )


def batch_labels(y: Any, owner: str) -> tuple[LabelArray, NDArray[np.intp]]:
    """Return the sorted classes of a batch and the class number of each row.

    Only distinct labels are looked at one by one; a batch may have one class, or none.

    Examples
    --------
    >>> [part.tolist() for part in batch_labels(["b", "a", "b"], "CPML")]
    [['a', 'b'], [1, 0, 1]]
    """
    if getattr(y, "ndim", 1) > 1:
        y = column_or_1d(y, warn=True)
    if y is None or not len(y):
        checked_labels(y if y is None else [0], 1, owner)
        return np.empty(0), np.empty(0, np.intp)
    column = read_column(y)
    gone = np.flatnonzero(column.missing)
    if len(gone):
        raise ValueError(
            f"Input y contains NaN or other missing values: {len(gone)} of {len(y)}, "
            f"the first in row {gone[0]}. Drop these rows."
        )
    used = np.flatnonzero(column.occurs)
    found = [column.values[i] for i in used]
    # Each of them twice and more: what occurs once only looks like a measurement.
    labels = checked_labels(found * 3, 3 * len(found), owner)[: len(found)]
    classes, numbers = np.unique(labels, return_inverse=True)
    place = np.zeros(len(column.values), np.intp)
    place[used] = numbers
    return classes, place[column.indices]
