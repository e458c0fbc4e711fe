"""The nearest unique rows of a query, ties included, and their votes.

Equal training rows are merged into one unique row, whose weight is their number.
Categorical distances tie all the time, so the k nearest rows are often more than k.
Rows tied at the k-th distance share what is left of the k votes; no vote depends on the
order of rows. An index finds the rows within reach: ``PlainIndex`` by comparing with
all of them, ``ExactIndex`` the same ones faster, ``FaissIndex`` among the candidates
that FAISS finds. Soft votes are those of all rows, and need no index.
"""

from nearkind.neighbors.exact import ExactIndex, PlainIndex
from nearkind.neighbors.faiss_index import FaissIndex
from nearkind.neighbors.k_nearest import (
    TIE,
    KNearest,
    Near,
    RankedNear,
    join_near,
    ranks,
    tie_widths,
)
from nearkind.neighbors.leaf_votes import LeafVotes
from nearkind.neighbors.soft_votes import LeaveOneOut, SoftVotes
from nearkind.neighbors.training_rows import RowGroups, TrainingRows
from nearkind.neighbors.voting import (
    SOFT,
    VOTE_WEIGHTS,
    WEIGHTS,
    is_soft,
    most_votes,
    near_votes,
    vote_shares,
    vote_shares_by_k,
    weigher,
)
from nearkind.protocols import Index

INDEXES: dict[str, type[Index]] = {"exact": ExactIndex, "faiss": FaissIndex}

__all__ = [
    "INDEXES",
    "SOFT",
    "TIE",
    "VOTE_WEIGHTS",
    "WEIGHTS",
    "ExactIndex",
    "FaissIndex",
    "KNearest",
    "LeafVotes",
    "LeaveOneOut",
    "Near",
    "PlainIndex",
    "RankedNear",
    "RowGroups",
    "SoftVotes",
    "TrainingRows",
    "is_soft",
    "join_near",
    "most_votes",
    "near_votes",
    "ranks",
    "tie_widths",
    "vote_shares",
    "vote_shares_by_k",
    "weigher",
]
