"""The rows that vote, or among which neighbours are found, equal ones as one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_rows
from nearkind.export.taking import vote_of
from nearkind.protocols import Array, Codes
from nearkind.report.sampling import stratified

NEIGHBOURS = 5
"""Of a distance alone."""
MOST_NUMBERS = 25
"""Of equal rows, the first ones are named."""


@dataclass(frozen=True)
class Memory:
    """Distinct rows, at most ``sampling.MOST_ROWS`` of them.

    Attributes
    ----------
    codes : (m, D)
    counts : (m,), how many rows each stands for
    shares : (m, C), of the classes among those
    rows : of each, the numbers of the first rows it stands for
    row_counts : (m,), how many rows that are; as counts, if no row has a weight
    k, weights : how many vote, and how
    n_distinct, n_rows : how many there were before any was left out
    """

    codes: Codes
    counts: Array
    shares: Array
    rows: list[NDArray[np.intp]]
    row_counts: NDArray[np.intp]
    k: float
    weights: str
    n_distinct: int
    n_rows: int

    @property
    def key(self) -> bytes:
        """Bytes that two memories share only if they are of the same rows."""
        parts = self.codes, self.counts, self.shares
        return b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)

    def facts(self, book: Codebook) -> dict[str, Any]:
        """Return it column by column, shares that are zero left out."""
        cell, label = np.nonzero(self.shares)
        per_cell = np.bincount(cell, minlength=len(self.rows))
        return {
            "codes": places(self.codes, book),
            "counts": self.counts,
            "share_starts": _starts(per_cell),
            "share_class": label,
            "shares": self.shares[cell, label],
            "row_starts": _starts([len(rows) for rows in self.rows]),
            "rows": np.concatenate(self.rows),
            "row_counts": self.row_counts,
            "n_distinct": self.n_distinct,
            "n_rows": self.n_rows,
        }


def of_voter(voter: Any) -> Memory:
    """Return the training rows of a fitted CPMLClassifier."""
    vote, grouped = vote_of(voter), voter.training_rows_.groups
    kept = stratified(vote.shares.argmax(axis=1))
    starts, ends = grouped.starts[kept], grouped.starts[kept + 1]
    return Memory(
        codes=voter.training_rows_.codes[kept],
        counts=vote.counts[kept],
        shares=vote.shares[kept],
        rows=_first_of(grouped.rows, starts, ends),
        row_counts=ends - starts,
        k=vote.n_neighbors,
        weights=vote.weights,
        n_distinct=len(vote.counts),
        n_rows=len(grouped.rows),
    )


def of_table(codes: Codes) -> Memory:
    """Return the rows of a table, which are of no class.

    Examples
    --------
    >>> memory = of_table(np.array([[0], [1], [0]], dtype=np.int32))
    >>> memory.counts.tolist(), [rows.tolist() for rows in memory.rows]
    ([2.0, 1.0], [[0, 2], [1]])
    """
    cells = unique_rows(codes, np.zeros(len(codes), dtype=np.intp), np.ones(len(codes)))
    by_cell = np.argsort(cells.of_row, kind="stable")
    ends = np.cumsum(cells.weights.astype(np.intp))
    kept = stratified(np.zeros(len(ends), dtype=np.intp))
    return Memory(
        codes=cells.codes[kept],
        counts=cells.weights[kept],
        shares=np.zeros((len(kept), 0)),
        rows=_first_of(by_cell, np.append(0, ends[:-1])[kept], ends[kept]),
        row_counts=cells.weights.astype(np.intp)[kept],
        k=min(NEIGHBOURS, len(codes)),
        weights="uniform",
        n_distinct=len(ends),
        n_rows=len(codes),
    )


def places(codes: Codes, book: Codebook) -> list[NDArray[np.intp]]:
    """Return codes column by column; those not seen are a feature's last place."""
    columns = zip(codes.T, book.n_values, strict=True)
    return [np.where(code < 0, size, code).astype(np.intp) for code, size in columns]


def _first_of(rows: NDArray[np.intp], starts: Any, ends: Any) -> list[NDArray[np.intp]]:
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [rows[start : min(end, start + MOST_NUMBERS)] for start, end in spans]


def _starts(sizes: Any) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
