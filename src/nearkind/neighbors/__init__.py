"""Nearest neighbours among weighted cells of equal rows, ties included.

Categorical distances tie all the time, so the k nearest rows are often not k. Rows tied
at the k-th distance share what is left of the k votes; no vote depends on row order.
An index finds them: by comparing with every cell, or among candidates of FAISS.
"""

from nearkind.neighbors.approximate import Approximate
from nearkind.neighbors.exact import Exact
from nearkind.neighbors.grouped import GroupedRows, ranks
from nearkind.neighbors.ranked import Ranked
from nearkind.neighbors.reach import TIE, Near, Reach, joined, query_blocks, ties
from nearkind.protocols import Index

INDEXES: dict[str, type[Index]] = {"exact": Exact, "faiss": Approximate}

__all__ = [
    "INDEXES",
    "TIE",
    "Approximate",
    "Exact",
    "GroupedRows",
    "Near",
    "Ranked",
    "Reach",
    "joined",
    "query_blocks",
    "ranks",
    "ties",
]
