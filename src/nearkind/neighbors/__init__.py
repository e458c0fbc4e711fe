"""Nearest neighbours among weighted cells of equal rows, ties included.

Categorical distances tie all the time, so the k nearest rows are often not k. Rows tied
at the k-th distance share what is left of the k votes; no vote depends on row order.
An index finds them: by comparing with every cell, or among candidates of FAISS.
"""

from nearkind.neighbors.approximate import Approximate
from nearkind.neighbors.exact import Exact
from nearkind.neighbors.groups import RowGroups, ranks
from nearkind.neighbors.ranked import Ranked
from nearkind.neighbors.reach import TIE, Near, Reach, joined, query_blocks, ties
from nearkind.neighbors.training_rows import TrainingRows
from nearkind.neighbors.voting import VOTE_WEIGHTS, most_votes, vote_shares
from nearkind.protocols import Index

INDEXES: dict[str, type[Index]] = {"exact": Exact, "faiss": Approximate}

__all__ = [
    "INDEXES",
    "TIE",
    "VOTE_WEIGHTS",
    "Approximate",
    "Exact",
    "Near",
    "Ranked",
    "Reach",
    "RowGroups",
    "TrainingRows",
    "joined",
    "most_votes",
    "query_blocks",
    "ranks",
    "ties",
    "vote_shares",
]
