"""The rows that vote where a table is too long to remember."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from nearkind.errors import RememberedRowsWarning
from nearkind.estimators.batches import REMEMBERED, Problems, problems
from nearkind.estimators.learner import CPML
from nearkind.typing import Array, Map


class VotesFromBatches:
    """Mixin that gives CPMLClassifier ``fit_batches``."""

    metric: Any

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
        self._check_parameters()  # type: ignore[attr-defined]
        metric = CPML() if self.metric is None else clone(self.metric)
        if not hasattr(metric, "fit_batches"):
            raise TypeError(
                f"{type(metric).__name__} learns from whole tables only. Take CPML as "
                "the metric to learn from batches."
            )
        metric.fit_batches(
            source, n_remembered=n_remembered, map=map, problems=problems
        )
        self.fit_over(metric, *voters(metric))  # type: ignore[attr-defined]
        self.n_samples_seen_ = metric.n_samples_seen_
        self.n_remembered_ = len(metric.reference_)
        if self.n_remembered_ < self.n_samples_seen_:
            warnings.warn(
                f"{type(self).__name__} remembers {self.n_remembered_:,} of "
                f"{self.n_samples_seen_:,} rows, drawn from each class and weighted "
                "for it; only these vote. Set n_remembered to remember more.",
                RememberedRowsWarning,
                stacklevel=2,
            )
        return self


def voters(metric: CPML) -> tuple[dict[Any, list[Any]], Any, Array]:
    """Return the rows that a metric kept, their labels, and weights of mean one."""
    sample = metric.reference_
    y = np.searchsorted(metric.classes_, sample.labels)
    drawn = np.maximum(np.bincount(y, minlength=len(metric.classes_)), 1)
    each = metric.class_count_ / drawn * (len(sample) / metric.n_samples_seen_)
    return sample.table, sample.labels, each[y]
