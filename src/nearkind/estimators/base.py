"""Base classes of all estimators on tables: codebook and scikit-learn conventions."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self

from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from nearkind.distances.form import object_array
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.bases import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from nearkind.estimators.labels import labelled_rows
from nearkind.estimators.notebook import OUTPUT_FEATURES, learned_html
from nearkind.estimators.weights import check_weights
from nearkind.protocols import Array, Codes, LabelArray, TableLike
from nearkind.tables import read_table
from nearkind.validation import parameters
from nearkind.validation.parameters import estimator_class


class TableEstimator:
    """Mixin of every estimator: its codebook, which codes later tables as in fit.

    Attributes
    ----------
    codebook_ : Codebook
        The values of each column that fit saw.
    """

    codebook_: Codebook
    n_features_in_: int
    feature_names_in_: LabelArray
    distance_: Any
    classes_: LabelArray

    def _encode(self, X: TableLike) -> Codes:
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
        if not hasattr(self, "codebook_"):
            return box
        return OUTPUT_FEATURES.sub(r"\1 output columns of transform", box) + (
            learned_html(self)
        )

    def __sklearn_tags__(self) -> Tags:
        """Say what kind of input is taken."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


@estimator_class(kw_only=True)
class Distance(TableEstimator):
    """Mixin of every estimator of a distance, whose fit sets ``distance_``.

    Attributes
    ----------
    distance_ : FittedDistance
        What was learned; all answers are its own.
    """

    _requires_labels: ClassVar[bool] = False
    _has_coordinates: ClassVar[bool] = False
    _is_learned: ClassVar[bool] = False
    _is_euclidean: ClassVar[bool] = False
    _policies: ClassVar[Mapping[str, tuple[str, ...]]] = parameters.USUAL
    unseen: str = "prior"
    missing: str = "level"
    numeric: str = "auto"
    ordered: Mapping[Any, Sequence[object]] | None = None

    def fit_path(
        self,
        X: TableLike,
        y: object,
        strengths: Iterable[float | str],
        sample_weight: object = None,
    ) -> Iterator[Self]:
        """Fit at a sequence of strengths, for distances with a strength.

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

    def pairwise_distances(self, X: TableLike, Y: TableLike = None) -> Array:
        """Return the distances between rows (n, m).

        Parameters
        ----------
        X : table with the columns that fit saw
        Y : table, default=None
            None: X.
        """
        return self._answering().pairwise_distances(X, Y, owner=type(self).__name__)

    def triplet_accuracy(self, X: TableLike, y: object) -> float:
        """Return the share of triplets of rows that the distance orders correctly.

        Parameters
        ----------
        X : table
        y : one label per row

        Returns
        -------
        share in [0, 1]; ties count one half
        """
        return self._answering().triplet_accuracy(X, y, owner=type(self).__name__)

    def explain(self, a: object, b: object) -> Any:
        """Return the contribution of each feature to the distance between two rows.

        If a row is a sum of vectors, a feature gets its own term of the squared
        distance and half of each cross term with another feature; the contributions add
        up to the squared distance, and a negative contribution reduces the others. For
        other distances, a contribution is the decrease of the distance if the second
        row had the first one's value.

        Parameters
        ----------
        a, b : one row each: a dict, a list, a pandas Series or a table of one row

        Returns
        -------
        data frame with columns feature, a, b, contribution, the largest contribution
        first, whatever its sign: of the library of a, else of that of the table given
        to fit, else of pandas (a dict of columns where there is none)
        """
        return self._answering().explain(a, b, owner=type(self).__name__)

    def _answering(self) -> Any:
        """Return the form; raise ``NotFittedError`` if there is none yet."""
        if "distance_" not in vars(self):
            check_is_fitted(self, "distance_")
        return self.distance_

    def __sklearn_tags__(self) -> Tags:
        """Return whether labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._requires_labels
        return tags


class SeparableDistance(Distance):
    """Mixin of a distance that is also one between the values of each feature."""

    def value_distances(
        self, feature: object, *, squared: bool = False, values: object = None
    ) -> Any:
        """Return the distances between the values of one feature, all else being equal.

        Parameters
        ----------
        feature : object
            Name of a column.
        squared : bool, default=False
            Return squared distances.
        values : sequence, default=None
            Values to tabulate, in this order; None: all, at most 2,000.

        Returns
        -------
        square data frame, the values on both sides, of the library of the table given
        to fit, or else of pandas (a dict of columns where there is none)
        """
        form = self._answering()
        return form.value_distances(feature, squared=squared, values=values)


class EmbeddingEstimator(Distance, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of a distance whose form has ``transform``."""

    def transform(self, X: TableLike) -> Array:
        """Embed rows (n, q) so that Euclidean distances order them as this one does.

        Parameters
        ----------
        X : table with the columns that fit saw
        """
        form = self._answering()
        if (backend := backend_of(X)) is not None:
            return backend.transform(self, X)
        return form.transform(X, owner=type(self).__name__)

    @property
    def _n_features_out(self) -> int:  # scikit-learn's name for it
        return self.distance_.size


class EmbeddedDistance(EmbeddingEstimator):
    """Mixin of a distance that is Euclidean between the vectors of ``transform``."""

    _is_euclidean = True

    def pairwise_distances(
        self, X: TableLike, Y: TableLike = None, *, squared: bool = False
    ) -> Array:
        """Return the distances between rows (n, m).

        Parameters
        ----------
        X : table of any kind
        Y : table of any kind, default=None
            None: X.
        squared : bool, default=False
            Return squared distances; only their root is a metric.
        """
        form, owner = self._answering(), type(self).__name__
        return form.pairwise_distances(X, Y, squared=squared, owner=owner)


class VectorDistance(EmbeddedDistance, SeparableDistance):
    """Mixin of a distance by vectors of values: its form is ``ValueVectors``."""

    @property
    def value_vectors_(self) -> dict[Any, Array]:
        """Vectors (s_d, q) of the values of each feature, in order of categories_."""
        return self.distance_.value_vectors


class Traits(NamedTuple):
    """What a kind of distance can do, whatever its parameters.

    Attributes
    ----------
    requires_labels : bool
        Whether ``fit`` needs y.
    has_coordinates : bool
        Whether a number may be one coordinate, as numeric="scale" makes it.
    is_learned : bool
        Whether the weights of features are learned from labels or constraints. For
        other distances, the shares of features do not show which features separate the
        classes: a column of row numbers may be first.
    is_euclidean : bool
        Whether its form is Euclidean between vectors.
    policies : dict of str to tuple of str
        What ``missing`` and ``numeric`` may be.
    """

    requires_labels: bool
    has_coordinates: bool
    is_learned: bool
    is_euclidean: bool
    policies: Mapping[str, tuple[str, ...]]


def traits_of(model: Any) -> Traits:
    """Return what a distance can do, fitted or not, or its class."""
    return Traits(
        model._requires_labels,
        model._has_coordinates,
        model._is_learned,
        model._is_euclidean,
        model._policies,
    )


def codebook_of(model: object) -> Codebook:
    """Return an unfitted codebook with the policies of a distance."""
    book = parameters.codebook(model, traits_of(model).policies)
    if not traits_of(model).has_coordinates and book.numeric == "scale":
        raise parameters.wrong(
            model,
            "numeric",
            "'auto', 'category' or 'bin', because it compares values that have no "
            "coordinates, unlike those of CPML, Euclidean, Discriminant, MCML and "
            "RFM",
        )
    return book


def keep_codebook(model: Any, book: Codebook) -> None:
    """Set a fitted codebook, and what scikit-learn asks of the columns."""
    model.codebook_ = book
    model.n_features_in_ = len(book.names_)
    if book.named_ and isinstance(book.names_[0], str):
        model.feature_names_in_ = object_array(book.names_)
    else:
        vars(model).pop("feature_names_in_", None)


def code_rows(
    model: Any, X: TableLike, y: object = None, sample_weight: object = None
) -> CodedRows:
    """Read and code the rows that a distance learns from; set codebook and classes.

    Parameters
    ----------
    model : Distance
    X : table of any kind, or CodedRows
        Rows that have been read bring their labels and weights, and are coded by the
        values that they have themselves.
    y : array-like (n,), default=None
        One label per row; not looked at where labels are not needed.
    sample_weight : array-like (n,), default=None
        One weight >= 0 per row; None: ones.
    """
    book, owner = codebook_of(model), type(model).__name__
    if isinstance(X, CodedRows):
        if X.is_weighted and not has_fit_parameter(model, "sample_weight"):
            raise ValueError(
                f"{owner} takes no sample_weight. Repeat rows instead, or choose "
                "another metric."
            )
        rows = X.recode(book)
    elif traits_of(model).requires_labels:
        rows = labelled_rows(X, y, sample_weight, book, owner)
    else:
        table = read_table(X)
        weights = check_weights(sample_weight, table.n_rows)
        rows = CodedRows.of(table, book, weights=weights)
    keep_codebook(model, rows.codebook)
    if traits_of(model).requires_labels:
        model.classes_ = rows.classes
    return rows


def backend_of(X: TableLike) -> Any:
    """Return the module with a function for each method, None for a table in memory.

    A library that has not been loaded has no tables, so none is loaded to find out.

    Examples
    --------
    >>> backend_of([["red"]])
    """
    modules = (module for owns, module in BACKENDS if owns(X))
    module = next(modules, None)
    return None if module is None else import_module(module)


def _is_of_dask(X: TableLike) -> bool:
    dask = sys.modules.get("dask")
    return dask is not None and dask.is_dask_collection(X)


BACKENDS: list[tuple[Callable[[Any], bool], str]] = [(_is_of_dask, "nearkind.dask")]
