"""What every estimator on tables shares: a codebook, and what scikit-learn asks."""

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import did_you_mean
from nearkind.estimators import params
from nearkind.estimators.labels import check_weights, labelled_rows
from nearkind.estimators.limits import check_square
from nearkind.estimators.notebook import learned_html
from nearkind.protocols import Array, Codes
from nearkind.tables import frame, one_row, read_table

N_PAIRS = 400
"""Pairs of rows over which relevance is estimated where there is no formula."""


class TableEstimator:
    """Mixin of every estimator: its codebook, which codes later tables as in fit.

    Attributes
    ----------
    codebook_ : Codebook
        The values of each column that fit saw.
    """

    codebook_: Codebook

    def set_codebook(self, book: Codebook) -> None:
        """Keep a fitted codebook, and what scikit-learn asks of the columns."""
        self.codebook_ = book
        self.n_features_in_ = len(book.names_)
        if book.named_ and isinstance(book.names_[0], str):
            self.feature_names_in_ = object_array(book.names_)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def encode(self, X: Any) -> Codes:
        """Return the codes (n, D) of a table with the columns that fit saw."""
        if not hasattr(self, "codebook_"):
            check_is_fitted(self)  # says so; if all is well it takes longer than coding
        return self.codebook_.encode(X, owner=type(self).__name__)

    @property
    def categories_(self) -> dict[Any, list[Any]]:
        """Values of each feature, a missing one as None."""
        book = self.codebook_
        return {name: book.values(d) for d, name in enumerate(book.feature_names)}

    def _html_repr(self) -> str:  # scikit-learn's name for what notebooks show
        box: str = super()._html_repr()  # type: ignore[misc]
        return box + learned_html(self) if hasattr(self, "codebook_") else box

    def __sklearn_tags__(self) -> Tags:
        """Say what kind of input is taken."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


class Distance(TableEstimator):
    """Mixin of every distance: ``fit`` begins with ``code_rows``.

    Attributes
    ----------
    requires_labels : bool, default=False
        Whether ``fit`` needs y.
    has_coordinates : bool, default=False
        Whether a number may be one coordinate, as numeric="scale" makes it.
    is_euclidean : bool, default=False
        Whether ``represent`` gives vectors, and the distance is Euclidean between them.
    has_vectors : bool, default=False
        Whether, moreover, a row is the sum of vectors of its values, in
        ``value_tables_``.
    is_learned : bool, default=False
        Whether labels or constraints say how much each feature counts. Of other
        distances the shares of features do not say what tells classes apart: a column
        of row numbers may come first.
    contributions_to : str, default="distance"
        What ``contributions`` are parts of.
    """

    requires_labels: ClassVar[bool] = False
    has_coordinates: ClassVar[bool] = False
    is_euclidean: ClassVar[bool] = False
    has_vectors: ClassVar[bool] = False
    is_learned: ClassVar[bool] = False
    contributions_to: ClassVar[str] = "distance"
    classes_: NDArray[Any]

    @property
    def learned_temperature(self) -> float | None:
        """Temperature of the soft votes that it was learned for, if it was."""
        return None

    def code_rows(self, X: Any, y: Any = None, sample_weight: Any = None) -> CodedRows:
        """Read and code the rows to learn from, and keep their codebook and classes.

        Parameters
        ----------
        X : table of any kind, or CodedRows
            Rows that have been read bring their labels and weights, and are coded by
            the values that they have themselves.
        y : array-like (n,), default=None
            One label a row; not looked at where labels are not needed.
        sample_weight : array-like (n,), default=None
            One weight >= 0 a row; None: ones.

        Returns
        -------
        CodedRows
        """
        book = params.codebook(self)
        if isinstance(X, CodedRows):
            self._check_weighted(X)
            rows = X.recode(book)
        elif self.requires_labels:
            rows = labelled_rows(X, y, sample_weight, book, type(self).__name__)
        else:
            table = read_table(X)
            weights = check_weights(sample_weight, table.n_rows)
            rows = CodedRows.of(table, book, weights=weights)
        self.set_codebook(rows.codebook)
        if self.requires_labels:
            self.classes_ = rows.classes
        return rows

    def fit_path(
        self, X: Any, y: Any, strengths: Iterable[Any], sample_weight: Any = None
    ) -> Iterator[Self]:
        """Fit at one strength after the other, for distances that have one.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        strengths : iterable
            Each as ``strength`` may be, which it becomes.

        Yields
        ------
        self
            Fitted: use it at once, or copy it.
        """
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        for strength in strengths:
            self.set_params(strength=strength)  # type: ignore[attr-defined]
            yield self.fit(X, y, **weighted)  # type: ignore[attr-defined]

    @abstractmethod
    def represent(self, codes: Codes) -> Any:
        """Return what ``compare`` needs of rows, one entry a row."""

    @abstractmethod
    def compare(self, a: Any, b: Any) -> Array:
        """Return distances (n, m) between represented rows."""

    def leave_out(self, a: Codes, rows: Codes) -> Iterator[tuple[Any, Any]]:
        """Yield a row and others, represented, without one feature after the other.

        A feature is left out if all rows have a's value of it: it tells none from a.

        Parameters
        ----------
        a : ndarray of int (D,)
            Codes.
        rows : ndarray of int (n, D)
        """
        query = self.represent(a[None])
        for d, code in enumerate(a.tolist()):
            changed = rows.copy()
            changed[:, d] = code
            yield query, self.represent(changed)

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return what each feature adds to the distance between two rows (D,).

        It is how much smaller the distance is if b has the value of a. These add up to
        the distance where it is a sum over features.

        Parameters
        ----------
        a, b : ndarray of int (D,)
            Codes.
        """
        each = np.arange(len(a))
        rows = np.tile(b, (len(a) + 1, 1))
        rows[each + 1, each] = a
        d = self.compare(self.represent(a[None]), self.represent(rows))[0]
        with np.errstate(invalid="ignore"):  # infinity less infinity
            return np.nan_to_num(d[0] - d[1:], nan=0.0)

    def relevance(self, codes: Codes, weights: Array) -> Array:
        """Return each feature's share (D,) of the mean distance between two rows.

        Parameters
        ----------
        codes : ndarray of int (n, D)
        weights : ndarray (n,)
            How many rows each stands for.
        """
        rng = np.random.default_rng(0)
        pairs = rng.choice(len(codes), (N_PAIRS, 2), p=weights / weights.sum())
        total = sum(self.contributions(codes[i], codes[j]) for i, j in pairs)
        return as_shares(np.nan_to_num(total, nan=0.0, posinf=0.0, neginf=0.0))

    def explain(self, a: Any, b: Any) -> Any:
        """Split the distance between two rows among the features.

        Where a row is a sum of vectors, a feature gets its own term of the squared
        distance and half of each cross term with another feature; the contributions
        add up to the squared distance, and a negative one works against the others.
        For other distances a contribution is how much smaller the distance is if the
        second row has the first one's value.

        Parameters
        ----------
        a, b : one row each: a dict, a list, a pandas Series or a table of one row

        Returns
        -------
        data frame with columns feature, a, b, contribution, the largest contribution
        first, whatever its sign: of the library of a, else of that of the table given
        to fit, else of pandas (a dict of columns where there is none)
        """
        library = self.codebook_.library_of(a)
        a, b = one_row(a), one_row(b)
        parts = self.contributions(self.encode(a)[0], self.encode(b)[0])
        order = np.argsort(-np.abs(parts), kind="stable")
        columns = {
            "feature": self.codebook_.feature_names,
            "a": self.codebook_.cells_of(a),
            "b": self.codebook_.cells_of(b),
        }
        shown = {name: object_array(cells)[order] for name, cells in columns.items()}
        return frame({**shown, "contribution": parts[order]}, library=library)

    def chosen_values(
        self, feature: Any, values: Any = None
    ) -> tuple[int, NDArray[np.intp], list[Any]]:
        """Return the number of a feature, and the codes and values to tell of.

        Parameters
        ----------
        feature : object
            Name of a column.
        values : sequence, default=None
            Those to choose; None: all, if a square table of them fits.
        """
        check_is_fitted(self)
        d = self.codebook_.place_of(feature)
        known = self.codebook_.values(d)
        if values is None:
            codes = np.arange(len(known))
        else:
            codes = np.array([place_in(known, v, feature) for v in values], dtype=int)
        check_square(feature, len(codes))
        return d, codes, [known[code] for code in codes]

    def _check_weighted(self, rows: CodedRows) -> None:
        if rows.is_weighted and not has_fit_parameter(self, "sample_weight"):
            raise ValueError(
                f"{type(self).__name__} takes no sample_weight. Repeat rows instead, "
                "or choose another metric."
            )

    def __sklearn_tags__(self) -> Tags:
        """Return whether labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.requires_labels
        return tags


def as_shares(parts: Array) -> Array:
    """Return parts (D,) as shares of their sum; zeros if that is not above zero.

    Examples
    --------
    >>> as_shares(np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    total = parts.sum()
    return parts / total if total > 0.0 else np.zeros(len(parts))


def place_in(known: list[Any], value: Any, feature: Any) -> int:
    """Return the place of a value of a feature; raise ValueError if it is not there."""
    if value not in known:
        hint = did_you_mean(value, known)
        raise ValueError(f"Column {feature!r} had no value {value!r} in fit. {hint}")
    return known.index(value)


def object_array(cells: list[Any]) -> NDArray[Any]:
    """Return cells of any type as an object array (n,)."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def backend_of(X: Any) -> Any:
    """Return the module with a function for each method, None for a table in memory.

    A library that has not been loaded has no tables, so none is loaded to find out.

    Examples
    --------
    >>> backend_of([["red"]])
    """
    modules = (module for owns, module in BACKENDS if owns(X))
    module = next(modules, None)
    return None if module is None else import_module(module)


def _is_of_dask(X: Any) -> bool:
    dask = sys.modules.get("dask")
    return dask is not None and dask.is_dask_collection(X)


BACKENDS: list[tuple[Callable[[Any], bool], str]] = [(_is_of_dask, "nearkind.dask")]
