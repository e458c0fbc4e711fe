"""What every estimator on tables shares: a codebook, and what scikit-learn asks."""

import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.estimators import params
from nearkind.estimators.labels import check_weights, labelled_rows
from nearkind.protocols import Codes
from nearkind.tables import read_table


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
    """

    requires_labels: ClassVar[bool] = False
    has_coordinates: ClassVar[bool] = False
    is_euclidean: ClassVar[bool] = False
    has_vectors: ClassVar[bool] = False
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
