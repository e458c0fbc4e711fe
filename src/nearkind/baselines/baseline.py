"""Base class of the baselines: checks settings, codes rows and fits a form."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY
from numbers import Real
from typing import Any, Self, dataclass_transform

import numpy as np

from nearkind.baselines.coding import CODINGS
from nearkind.distances.form import FittedDistance
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.errors import Parameter, require_known
from nearkind.estimators.base import Distance, code_rows
from nearkind.estimators.bases import BaseEstimator
from nearkind.metrics.spectrum import Spectrum
from nearkind.metrics.structures import Full
from nearkind.metrics.value_tables import feature_maps, value_tables
from nearkind.projections.coordinates import with_coordinates
from nearkind.protocols import Array, Projection, TableLike
from nearkind.solvers.solution import Stop
from nearkind.validation.convergence import not_converged
from nearkind.validation.limits import check_size
from nearkind.validation.parameters import check_annotated, estimator_class, wrong

LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100
"""Of a column; products of weights and their sums are then floats."""
RAISE = "Raise ", Parameter("max_iter"), " or ", Parameter("tol")
"""Parts of a message: what to do where iterations ran out."""


@dataclass_transform(eq_default=False)
class Baseline(Distance, BaseEstimator, ABC):
    """Base of baselines; each gives ``_learn``.

    Parameters are annotated in the body of a class, with rules, as those of an
    ``estimator_class``. A subclass without any has the ``__init__`` of its base.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "__annotations__" in vars(cls):  # else ``__init__`` is that of its base
            estimator_class()(cls)

    def fit(self, X: TableLike, y: object = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label per row. A distance that needs labels refuses None; others do not
            look at it.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def _fit(self, X: TableLike, y: object, sample_weight: object = None) -> Self:
        check_annotated(self)
        self.distance_ = self._learn(code_rows(self, X, y, sample_weight))
        return self

    @abstractmethod
    def _learn(self, rows: CodedRows) -> FittedDistance:
        """Return the form learned from rows, and set what else is known of it."""


class WeightedBaseline(Baseline):
    """Base of baselines that learn from weighted rows."""

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label per row. A distance that needs labels refuses None; others do not
            look at it.
        sample_weight : array-like of shape (n,), default=None
            One weight >= 0 per row, counting repetitions of it; None: ones.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)


def column_weights(model: Any, book: Codebook) -> Array:
    """Return the weight of each column (D,) by a dict; that of others is 1.

    Parameters
    ----------
    model : estimator
        Whose parameter ``weights`` is a dict of column to number, or None.
    book : Codebook
        Fitted.
    """
    given, names = model.weights, book.names_
    if given is None:
        return np.ones(len(names))
    if not isinstance(given, Mapping):
        wanted = 'None or a dict of columns and their weights, such as {"size": 2.0}'
        raise wrong(model, "weights", wanted)
    for name, weight in given.items():
        require_known(name, names, f"weights names {name!r}, which is not a column.")
        is_number = isinstance(weight, Real) and not isinstance(weight, bool | np.bool_)
        if not is_number or not (weight == 0 or LEAST_WEIGHT <= weight <= MOST_WEIGHT):
            raise ValueError(
                f"The weight of column {name!r} must be 0 or a number from "
                f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}; got {weight!r:.40}."
            )
    found = np.array([float(given.get(name, 1.0)) for name in names])
    if not found.any():
        raise ValueError(
            "The weights of all columns are zero, so that all rows would be equal. "
            "Give some column a weight above zero."
        )
    return found


class ColumnWeighted(WeightedBaseline):
    """Base of baselines in which users may say how much each column counts."""

    _: KW_ONLY
    weights: Mapping[Any, float] | None = None


class Learner(Distance):
    """Mixin of a baseline that learns from labels how much each feature counts."""

    _requires_labels = True
    _is_learned = True
    coding: str

    def _report(
        self,
        reason: Stop,
        n_iter: int,
        objective: float,
        gap: float | None = None,
        is_zero: bool = False,
        unit: str = "iterations",
    ) -> None:
        """Set why the learner stopped and how far it came; warn if that is not enough.

        Parameters
        ----------
        reason : Stop
        n_iter : int
        objective : float
        gap : float or None, default=None
            Proven bound on the distance to the optimum.
        is_zero : bool, default=False
            Whether all distances are zero.
        unit : str, default="iterations"
            What ``n_iter`` counts.
        """
        self.objective_, self.n_iter_ = objective, n_iter
        self.stop_reason_ = reason.name
        above = "."
        if gap is not None:
            self.gap_, above = gap, f", at most {gap:.2g} above the optimum."
        if is_zero:
            warnings.warn(
                f"{type(self).__name__} learned nothing, and all distances are zero: "
                "nothing brings rows of one class together at this strength. Take a "
                "smaller one, or more columns.",
                UserWarning,
                stacklevel=5,
            )
        elif reason not in (Stop.SETTLED, Stop.TOLERANCE):
            details = f"After {n_iter} {unit} the objective is {objective:.6g}{above}"
            warnings.warn(not_converged(reason, details), stacklevel=5)

    def _fit_coding(
        self, rows: CodedRows | UniqueRows, n_held: int, farthest: float = np.inf
    ) -> Projection:
        """Return the coding of values that ``coding`` names, fitted to all rows.

        ``n_held`` is how many of them will be held, coded, at a time; no coordinate is
        beyond ``farthest``.
        """
        book, n_classes = self.codebook_, len(self.classes_)
        positions = [
            None if each is None else np.clip(each, -farthest, farthest)
            for each in book.positions
        ]
        projection = with_coordinates(CODINGS[self.coding](), positions, book.n_ordered)
        check_size(projection, Full(), book.names_, book.n_values, n_held, n_classes)
        return projection.fit(rows.codes, book.n_values, rows.y, rows.weights)

    def _keep_metric(self, projection: Projection, point: Spectrum) -> ValueVectors:
        """Set ``metric_``, over the coordinates of a coding; return its form."""
        self.metric_ = point.matrix[0]
        maps = feature_maps(projection.tables, Full(), point)
        return ValueVectors(self.codebook_, value_tables(projection.tables, maps))
