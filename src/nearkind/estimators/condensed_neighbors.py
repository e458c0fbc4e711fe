"""Condensed nearest neighbours: a classifier of fewer rows that answers alike."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from nearkind.estimators import params
from nearkind.estimators.kneighbors import KNeighbors
from nearkind.estimators.limits import distances_at_once
from nearkind.neighbors import Condensation, TrainingRows, is_soft
from nearkind.protocols import Array


class CondensedNeighbors(KNeighbors):
    """Mixin of a classifier by rows that vote: others like it, of fewer rows.

    It is over the parameters ``weights`` and ``index``, and over ``fit_voters`` and
    ``shares_of``.
    """

    weights: Any
    temperature_: Any
    n_samples_fit_: int
    fit_voters: Callable[[Any, TrainingRows], Any]
    shares_of: Callable[[Any], Array]

    def condensed(self, n_rows: int | None = None, tolerance: float = 0.01) -> Self:
        """Return a classifier of the same distance that keeps the fewest rows.

        Rows are kept so that the nearest one tells, for as many rows as possible, the
        class that all rows together tell. Each stands for the rows to which it is the
        nearest, with their weights and classes, so that votes and probabilities are as
        of all rows. Every class keeps a row.

        Parameters
        ----------
        n_rows : int, default=None
            How many unique rows to keep, at least one for each class; all if there are
            no more. None: the fewest, of numbers that grow by a quarter, with which the
            accuracy falls by no more than ``tolerance``.
        tolerance : float, default=0.01
            How much accuracy may be lost. It is estimated on five parts of the training
            rows, each held out in turn while rows are chosen among the others; of more
            than 20,000 unique rows on one part. The distance has learned from all of
            them, so that the estimate is somewhat too good.

        Returns
        -------
        classifier
            Of this kind; this one is left as it is.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks3", as_frame=False)
        >>> model = nk.CPMLClassifier("euclidean").fit(data.X, data.y)
        >>> small = model.condensed()
        >>> len(model.training_rows_), len(small.training_rows_)
        (432, 5)
        """
        return self.condensed_by(self.condensation(), n_rows, tolerance)

    def condensed_by(
        self, found: Condensation, n_rows: int | None, tolerance: float
    ) -> Self:
        """Return ``condensed``, by the condensation of these rows."""
        n = found.n_rows(_share(tolerance)) if n_rows is None else n_rows
        return self._voting(found.condensed(_check_n_rows(n, found)), self.index)

    def condensation(self) -> Condensation:
        """Return what chooses the rows that ``condensed`` keeps, and judges them."""
        check_is_fitted(self)

        def vote(voters: TrainingRows, rows: Any) -> Array:
            return self._voting(voters, "exact").shares_of(rows)

        rows, at_once = self.training_rows_, distances_at_once()
        return Condensation(self.distance_, rows, vote, at_once)

    def _voting(self, rows: TrainingRows, index: str) -> Self:
        """Return a classifier like this one in which other rows vote."""
        model = clone(self).set_params(index=index)
        model.fit_voters(self.distance_, rows)
        model.n_samples_fit_ = self.n_samples_fit_  # by which rows are numbered
        if is_soft(self.weights):
            model.temperature_ = self.temperature_
        return model


def _check_n_rows(n_rows: Any, found: Condensation) -> int:
    n = params.check_whole(n_rows, "n_rows", "condensed")
    if n < found.fewest_rows:
        raise ValueError(
            f"condensed keeps a row of each class, so n_rows must be at least "
            f"{found.fewest_rows}; got {n}."
        )
    return n


def _share(tolerance: Any) -> float:
    is_number = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
    if not is_number or not 0.0 <= tolerance <= 1.0:
        raise ValueError(
            "The 'tolerance' of condensed must be a number from 0 to 1, a share of "
            f"rows such as 0.01; got {tolerance!r}."
        )
    return float(tolerance)
