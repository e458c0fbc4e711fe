"""Discriminant: the coefficients of a logistic regression as vectors of values."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from nearkind.baselines.baseline import RAISE, Learner, WeightedBaseline
from nearkind.distances import pair_tables
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.estimators.base import VectorDistance, code_rows
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes, TableLike
from nearkind.validation.convergence import NotConvergedWarning
from nearkind.validation.parameters import Positive, WholeNumber, check_annotated
from nearkind.validation.threads import one_blas_thread

LARGEST = 5_000_000
"""Coefficients; the solver holds some twenty numbers for each."""


class Discriminant(Learner, VectorDistance, WeightedBaseline):
    """Multinomial logistic regression: rows are compared by the logits of the classes.

        d(x, x') = |u(x) - u(x')|,  u(x)_c = sum over features of b_d(x_d)_c
        min over b, a of  sum -log softmax(a + u(x_i))_{y_i}  +  strength / 2 * |b|^2

    The embedding of a row is its vector of logits, without the intercept and centred
    over the classes, so it has at most C - 1 directions. A value not seen in fit has
    the vector zero, the mean over its feature, which favours no class. The learner is
    scikit-learn's LogisticRegression with C = 1 / strength on indicators of values; for
    two classes it penalises the difference of their coefficients.

    Parameters
    ----------
    strength : float > 0, default=1.0
        Weight of the penalty, relative to the sum of the losses over rows.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when no entry of the gradient of the mean loss is larger.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`; with numeric="scale" a number is one coordinate.

    Attributes
    ----------
    intercept_ : ndarray of shape (C,)
        a, centred; the softmax of ``transform(X) + intercept_`` gives the class
        probabilities.
    n_iter_ : int
        Number of iterations.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = Discriminant().fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    _has_coordinates = True

    strength: Positive = 1.0
    _: KW_ONLY
    max_iter: WholeNumber = 200
    tol: Positive = 1e-4

    def _learn(self, rows: CodedRows) -> ValueVectors:
        return self._solved(*self._problem(rows))

    def fit_path(
        self,
        X: TableLike,
        y: object,
        strengths: Iterable[Any],
        sample_weight: object = None,
    ) -> Iterator[Self]:
        """Learn at one strength after the other, each from where the last one ended.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        strengths : iterable of float
            Each as ``strength`` may be, which it becomes.

        Yields
        ------
        self
            Fitted: use it at once, or copy it.

        Examples
        --------
        >>> rows, labels = [["a"], ["a"], ["b"]], [0, 1, 1]
        >>> path = Discriminant().fit_path(rows, labels, [10.0, 1.0])
        >>> [float(model.pairwise_distances(rows)[0, 2].round(2)) for model in path]
        [0.05, 0.37]
        """
        problem = None
        for strength in strengths:
            self.strength = strength
            check_annotated(self)
            if problem is None:
                problem = self._problem(code_rows(self, X, y, sample_weight))
            self.distance_ = self._solved(*problem)
            yield self

    def _problem(self, rows: CodedRows) -> tuple[Any, csr_array, UniqueRows]:
        """Return a learner, coded rows, and their classes and weights."""
        from sklearn.linear_model import LogisticRegression  # takes 0.1 s

        book, unique = rows.codebook, rows.merge_equal()
        n_numbers = sum(_widths(book)) * len(self.classes_)
        of_what = "coefficients of values"
        pair_tables.refuse_large(n_numbers, of_what, book, "Discriminant", LARGEST)
        learner = LogisticRegression(warm_start=True)
        return learner, indicators(unique.codes, book), unique

    def _solved(self, learner: Any, Z: csr_array, rows: UniqueRows) -> ValueVectors:
        """Return the form at the present strength, from where the last one ended."""
        settings = {"max_iter": self.max_iter, "tol": self.tol}
        learner.set_params(C=1.0 / self.strength, **settings)
        B, self.intercept_ = _fitted(learner, Z, rows.y, rows.weights)
        self.n_iter_ = int(learner.n_iter_[0])
        return ValueVectors(self.codebook_, ValueTables(_tables(B, self.codebook_)))


def indicators(codes: Codes, book: Codebook) -> csr_array:
    """Return rows (n, W): an indicator a value, or the position of a number.

    A value not seen in fit has neither.
    """
    widths, positions = _widths(book), book.positions
    places, entries = codes.astype(np.intp), (codes >= 0).astype(float)
    for d, (start, position) in enumerate(zip(_starts(widths), positions, strict=True)):
        if position is not None:
            entries[:, d] *= position[codes[:, d]]
            places[:, d] = 0
        places[:, d] = np.maximum(places[:, d], 0) + start
    return pair_tables.indicators(places, sum(widths), entries)


def _tables(B: Array, book: Codebook) -> list[Array]:
    """Return the vectors (s_d + 1, C) of values from coefficients (C, W)."""
    parts = np.split(B.T, _starts(_widths(book))[1:])
    each = zip(parts, book.positions, book.n_values, strict=True)
    return [
        np.vstack(
            [part[:n] if position is None else np.outer(position, part), 0.0 * part[0]]
        )
        for part, position, n in each
    ]


def _widths(book: Codebook) -> list[int]:
    """Return the coefficients of each feature, for one class: one or more."""
    both = zip(book.n_values, book.positions, strict=True)
    return [max(size, 1) if position is None else 1 for size, position in both]


def _starts(widths: Sequence[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *widths[:-1]])


def _fitted(
    learner: Any, Z: object, y: NDArray[np.intp], weights: Array
) -> tuple[Array, Array]:
    """Fit; return coefficients (C, W) and intercepts (C,), centred over the classes."""
    if y.max(initial=0) == 0:
        raise ValueError(
            "Discriminant needs rows of at least two classes, but all rows have the "
            "same class."
        )
    with one_blas_thread(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(Z, y, weights)
    if any(issubclass(warning.category, ConvergenceWarning) for warning in caught):
        told = NotConvergedWarning(
            f"The discriminant did not converge in {learner.n_iter_[0]} iterations. ",
            *RAISE,
            ", or strength.",
        )
        warnings.warn(told, stacklevel=4)
    B, a = learner.coef_, learner.intercept_
    if len(B) == 1:  # of two classes scikit-learn keeps the second one's logit alone
        B, a = np.vstack([-B, B]) / 2.0, np.append(-a, a) / 2.0
    return B - B.mean(axis=0), a - a.mean()
