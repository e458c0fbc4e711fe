"""The rows that vote where a table is too long to remember."""

import warnings
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from nearkind.errors import RememberedRowsWarning
from nearkind.estimators.batches import REMEMBERED, Problems, problems
from nearkind.estimators.cpml import CPML
from nearkind.estimators.targets import Training
from nearkind.protocols import Array, Map
from nearkind.tables import read_table


class VotesFromBatches:
    """Mixin that gives CPMLClassifier ``fit_batches`` and ``partial_fit``."""

    metric: Any
    metric_: Any
    _check_parameters: Any
    _settle: Any

    def fit_batches(
        self,
        source: Any,
        *,
        n_remembered: int = REMEMBERED,
        map: Map = map,
        problems: Problems = problems,
    ) -> Self:
        """Learn the distance from a table of any length, and remember some rows.

        Parameters
        ----------
        source, n_remembered, map, problems : as in ``CPML.fit_batches``; rows
            remembered vote, each weighing as much as its class has rows for each one
            remembered

        Returns
        -------
        self, with ``n_samples_seen_`` and ``n_remembered_``; a warning says so if not
        all rows are remembered
        """
        self._check_parameters()
        metric = self._unfitted()
        _check_takes_batches(metric)
        metric.fit_batches(
            source, n_remembered=n_remembered, map=map, problems=problems
        )
        return self._let_vote(metric)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn the distance from one more batch, and remember some of all rows so far.

        Rows that ``add`` brought were no batch: they vote until the next one comes.

        Parameters
        ----------
        X, y, classes : as in ``CPML.partial_fit``; a class without rows gets no vote
            until it has some

        Returns
        -------
        self, with ``n_samples_seen_`` and ``n_remembered_``, as by ``fit_batches``

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPMLClassifier(nk.CPML(tol=0.01))
        >>> for rows in (slice(0, 200), slice(200, None)):
        ...     _ = model.partial_fit(data.X[rows], data.y[rows], classes=["0", "1"])
        >>> model.n_samples_seen_, model.n_remembered_
        (432, 432)
        """
        self._check_parameters()
        last: Any = getattr(self, "metric_", None)
        metric = copy(last) if hasattr(last, "fit_batches") else self._unfitted()
        _check_takes_batches(metric)
        metric._go_on(X, y, classes, type(self).__name__)
        return self._let_vote(metric)

    def _unfitted(self) -> Any:
        return CPML() if self.metric is None else clone(self.metric)

    def _let_vote(self, metric: CPML) -> Self:
        """Remember the rows that a metric kept, and say so if these are not all."""
        X, labels, weights = voters(metric)
        y = np.searchsorted(metric.classes_, labels)
        numbers = np.arange(len(y))
        rows = read_table(X), metric.classes_, y, weights, numbers, len(y)
        self._settle(metric, Training(*rows))
        self.n_samples_seen_ = metric.n_samples_seen_
        self.n_remembered_ = len(y)
        if self.n_remembered_ < self.n_samples_seen_:
            warnings.warn(
                f"{type(self).__name__} remembers {self.n_remembered_:,} of "
                f"{self.n_samples_seen_:,} rows, drawn from each class and weighted "
                "for it; only these vote. Set n_remembered of fit_batches to remember "
                "more.",
                RememberedRowsWarning,
                stacklevel=3,
            )
        return self


def _check_takes_batches(metric: Any) -> None:
    if not hasattr(metric, "fit_batches"):
        raise TypeError(
            f"{type(metric).__name__} learns from whole tables only. Take CPML as "
            "the metric to learn from batches."
        )


def voters(metric: CPML) -> tuple[dict[Any, list[Any]], Any, Array]:
    """Return the rows that a metric kept, their labels, and weights of mean one."""
    sample = metric.reference_
    y = np.searchsorted(metric.classes_, sample.labels)
    drawn = np.maximum(np.bincount(y, minlength=len(metric.classes_)), 1)
    each = metric.class_count_ / drawn * (len(sample) / metric.n_samples_seen_)
    return sample.table, sample.labels, each[y]
