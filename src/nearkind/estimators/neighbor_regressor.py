"""Base class of nearest-neighbour regressors: predictions of their committee."""

import warnings
from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nearkind.errors import FewHeldRowsWarning
from nearkind.estimators.bases import RegressorMixin
from nearkind.estimators.neighbor_classifier import NeighborEstimator
from nearkind.protocols import Array, TableLike
from nearkind.tables import frame
from nearkind.voting import NumberCommittee
from nearkind.voting.conformal import rows_needed
from nearkind.voting.number_explanation import (
    NumberExplanation,
    explain_number,
    number_contributions,
)


class NeighborRegressor(NeighborEstimator, RegressorMixin):
    """Mixin of both regressors; fit must set ``committee_``."""

    if TYPE_CHECKING:
        committee_: NumberCommittee

    def predict(self, X: TableLike) -> Array:
        """Return the predicted number of each row (n,)."""
        check_is_fitted(self)
        return self.committee_.predict(X, type(self).__name__)

    def predict_interval(self, X: TableLike, coverage: float = 0.9) -> Array:
        """Return prediction intervals with the given coverage (n, 2).

        By split conformal prediction from the rows held out by fit, in units of the
        spread of the neighbours' targets, so that intervals are wide where neighbours
        disagree. The coverage holds on average over new rows like those of fit.

        Parameters
        ----------
        X : table
        coverage : float, default=0.9
            In (0, 1).

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends; infinite, with a warning, if too few rows were held
            out for the coverage.
        """
        check_fraction(coverage, "coverage of predict_interval")
        tail = (1.0 - coverage) / 2.0
        return self._quantiles(X, [tail, 1.0 - tail])

    def predict_quantiles(self, X: Any, q: Any) -> Array:
        """Return quantiles of the target of each row, as for ``predict_interval``.

        Parameters
        ----------
        X : table
        q : float or sequence of Q floats
            In (0, 1).

        Returns
        -------
        ndarray of shape (n,) or (n, Q)
        """
        levels = np.atleast_1d(q).tolist()
        for level in levels:
            check_fraction(level, "quantile of predict_quantiles")
        found = self._quantiles(X, levels)
        return found[:, 0] if np.ndim(q) == 0 else found

    def _quantiles(self, X: TableLike, levels: Sequence[float]) -> Array:
        check_is_fitted(self)
        held = self.committee_.held
        needed = max((max(x, 1.0 - x) for x in levels), default=0.0)
        if held is None:
            raise ValueError(
                "Intervals require held-out rows, but fit had too few rows to "
                "hold out. Pass at least 10 rows."
            )
        found = self.committee_.quantiles(X, levels, type(self).__name__)
        if any(np.isinf(held.quantile(level)) for level in levels):
            warnings.warn(
                f"A quantile of {needed:g} needs {rows_needed(needed):,} held-out "
                f"rows; there were {held.weights.sum():g}. Ends are infinite; "
                "request a less extreme quantile, or fit more rows.",
                FewHeldRowsWarning,
                stacklevel=3,
            )
        return found

    def condensed(self, n_rows: int | None = None, tolerance: float = 0.01) -> Self:
        """Return a regressor with the same distances that stores few rows.

        Each stored row represents the rows near it. Intervals use the errors of the
        model with all rows.

        Parameters
        ----------
        n_rows : int, default=None
            Number of unique rows of each voter. None: the smallest power of 2 with
            which R2 decreases by at most ``tolerance``.
        tolerance : float, default=0.01
            Maximum decrease, on a fifth of the rows; the distance was learned from all
            rows, so the estimate is slightly optimistic.

        Returns
        -------
        regressor
            A new one; this one is not changed.
        """
        check_is_fitted(self)
        found = copy(self)
        found.committee_ = self.committee_.condensed(n_rows, tolerance)
        return found

    def explain(self, a: object, b: object = None, *, n_neighbors: int = 5) -> Any:
        """Explain the prediction for a row, or the distance between two rows.

        Parameters
        ----------
        a : one row: a dict, a list, a pandas Series or a table of one row
        b : as a, default=None
            None: explain the prediction for a.
        n_neighbors : int, default=5
            Number of training rows to show.

        Returns
        -------
        NumberExplanation, or a DataFrame
            For one row, its nearest rows with their targets, and the contribution of
            each column to the prediction. For two rows, the contribution of each
            feature to their distance, or its square.
        """
        check_is_fitted(self)
        if b is not None:
            return self.distance_.explain(a, b, owner=type(self).__name__)
        found: NumberExplanation = explain_number(self.committee_, a, n_neighbors)
        return found

    def explain_rows(self, X: TableLike) -> Any:
        """Return the contribution of each feature to the prediction of each row.

        Contributions are Shapley values, as for classifiers; the contributions of a row
        and its base value add up to the prediction.

        Parameters
        ----------
        X : table with the columns that fit saw

        Returns
        -------
        data frame of n rows
            ``predicted`` and ``base value``, the prediction without any feature, then a
            column of contributions for each feature.
        """
        check_is_fitted(self)
        columns = number_contributions(self.committee_, X, type(self).__name__)
        return frame(columns, library=self.distance_.codebook.library_of(X))


def check_fraction(value: Any, what: str) -> None:
    """Raise ValueError unless a value is a number above 0 and below 1."""
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not 0.0 < value < 1.0:
        raise ValueError(
            f"The {what} must be a number above 0 and below 1, such as 0.9; "
            f"got {value!r}."
        )
