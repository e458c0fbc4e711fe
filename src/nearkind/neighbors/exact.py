"""Neighbours by comparing every query with every unique row."""

from dataclasses import dataclass
from typing import Any

from nearkind.neighbors.reach import Near, Reach, query_chunks
from nearkind.protocols import Dissimilarity


@dataclass(frozen=True)
class ExactIndex:
    """An index that computes every distance, under any metric; it builds nothing.

    Parameters
    ----------
    metric : Dissimilarity
        Fitted.
    rows : sequence of length m
        Unique rows, as the metric represents them.
    k : int
        How many neighbours will be asked for; not used.

    Attributes
    ----------
    kind, recall_, n_rows, seconds : as in ``protocols.Index``

    Examples
    --------
    >>> import numpy as np, nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a"], ["b"]])
    >>> index = ExactIndex(metric, metric.represent(np.array([[0], [1]])), 1)
    >>> query = metric.represent(np.array([[1]]))
    >>> index.near(query, Reach(np.ones(2)), 1).unique_row
    array([1])
    """

    metric: Dissimilarity
    rows: Any
    k: int

    kind = "exact"
    recall_ = 1.0
    seconds = 0.0

    @staticmethod
    def takes(metric: Any) -> bool:
        """Return True: it can search under any metric."""
        return True

    @staticmethod
    def check(metric: Any, owner: str) -> None:
        """Accept any metric."""

    @property
    def n_rows(self) -> int:
        """Number of unique rows."""
        return len(self.rows)

    def build(self) -> "ExactIndex":
        """Return itself."""
        return self

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks of at most ``at_once`` distances, or one query."""
        return query_chunks(n_queries, self.n_rows, at_once)

    def near(self, queries: Any, reach: Reach, k: float) -> Near:
        """Return the unique rows within reach of the k-th neighbour of each query."""
        return reach.near(self.metric.compare(queries, self.rows), k)
