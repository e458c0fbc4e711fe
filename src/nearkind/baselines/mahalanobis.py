"""What learners of one matrix from pairs of rows share."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from scipy.linalg import block_diag
from sklearn.base import BaseEstimator

from nearkind.baselines.coded_rows import Coding, LabelledRows
from nearkind.estimators import params
from nearkind.estimators.limits import LARGEST_METRIC
from nearkind.estimators.params import generator
from nearkind.estimators.vector_distance import VectorDistance
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array

CODINGS = {"onehot": OneHot, "vdm": VDM}


class Mahalanobis(VectorDistance, BaseEstimator, ABC):
    """d^2 = v' M v, v the difference of two coded rows, M learned from pairs of rows.

    A learner gives ``_check``, which refuses wrong settings, and ``_learn``, which
    makes M of labelled rows. Pairs are drawn by the numbers of rows, so neither the
    names of values nor the order of columns matters.
    """

    requires_labels = True

    coding: Any
    random_state: Any
    coding_: Coding
    reduced_metric_: Array  # over the directions of coding_

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of any kind
        y : one label a row

        Returns
        -------
        self
        """
        self._check()
        rng = generator(self.random_state)
        rows = self._coded(X, y)
        rows.pairs.check(type(self).__name__)
        return self._keep(self._learn(rows, rng))

    @property
    def metric_(self) -> Array:
        """M over all coordinates of the coding; zero where no two rows can differ."""
        basis = block_diag(*self.coding_.bases)
        return basis @ self.reduced_metric_ @ basis.T

    @abstractmethod
    def _check(self) -> None:
        """Refuse wrong settings."""

    @abstractmethod
    def _learn(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        """Return M from labelled rows."""

    def _coded(self, X: Any, y: Any) -> LabelledRows:
        """Learn codes and coding of a labelled table."""
        projection = params.choice(self, "coding", CODINGS)()
        rows = self.code_rows(X, y)
        n_values = self.codebook_.n_values
        self._check_size(projection.shape(n_values, len(rows.classes)))
        projection.fit(rows.codes, n_values, rows.y, rows.weights)
        self.coding_ = self._code_by(projection.tables)
        return LabelledRows(self.coding_, rows.codes, rows.y)

    def _code_by(self, tables: list[Array]) -> Coding:
        return Coding.of(tables)

    def _keep(self, M: Array) -> Self:
        self.reduced_metric_ = M
        self.value_tables_ = self.coding_.value_tables(M)
        return self

    def _euclidean(self, why: str) -> Array:
        """Return M = I, and say why nothing was learned."""
        warnings.warn(
            f"{type(self).__name__} learned nothing, because {why}. It is the "
            "Euclidean distance between coded rows; give other rows, or another "
            "coding.",
            UserWarning,
            stacklevel=4,
        )
        return np.eye(self.coding_.width)

    def _check_size(self, shape: tuple[int, int]) -> None:
        """Refuse a metric that would be too large, before it is allocated."""
        width = shape[0] * shape[1]
        if width * width <= LARGEST_METRIC:
            return
        book = self.codebook_
        widest = int(np.argmax(book.n_values))
        raise ValueError(
            f"{type(self).__name__} would need a matrix of {width:,} x {width:,} "
            f"numbers. Column {book.names_[widest]!r} has the most values, "
            f"{book.n_values[widest]:,}: drop or coarsen it, or take coding='vdm', "
            "whose size does not depend on the values."
        )
