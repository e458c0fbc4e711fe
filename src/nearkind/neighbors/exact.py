"""Neighbours by comparing with every cell."""

from dataclasses import dataclass
from typing import Any

from nearkind.neighbors.reach import Near, Reach, query_blocks
from nearkind.protocols import Dissimilarity


@dataclass(frozen=True)
class Exact:
    """Every distance from a query to the cells, under any metric; nothing to build.

    Parameters
    ----------
    metric : a fitted distance
    cells : distinct rows, as the metric represents them
    k : not used: how many neighbours will be asked for

    Attributes
    ----------
    kind, recall_, n_rows, seconds : as in ``typing.Index``

    Examples
    --------
    >>> import numpy as np, nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a"], ["b"]])
    >>> index = Exact(metric, metric.represent(np.array([[0], [1]])), 1)
    >>> query = metric.represent(np.array([[1]]))
    >>> index.near(query, Reach(np.ones(2)), 1).cell
    array([1])
    """

    metric: Dissimilarity
    cells: Any
    k: int

    kind = "exact"
    recall_ = 1.0
    seconds = 0.0

    @staticmethod
    def takes(metric: Any) -> bool:
        """Take any metric."""
        return True

    @staticmethod
    def check(metric: Any, owner: str) -> None:
        """Find nothing wrong."""

    @property
    def n_rows(self) -> int:
        """Number of cells."""
        return len(self.cells)

    def build(self) -> "Exact":
        """Return itself."""
        return self

    def blocks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries so that no block has more distances than that, or one row."""
        return query_blocks(n_queries, self.n_rows, at_once)

    def near(self, rows: Any, reach: Reach, k: float) -> Near:
        """Return the cells within reach of the k-th neighbour of each row."""
        return reach.near(self.metric.compare(rows, self.cells), k)
