"""Representatives: rows that vote for all rows near them, for faster predictions.

Soft votes fall smoothly with the distance, so rows much nearer to each other than the
temperature allows are as good as one row that votes with the weights of all of them.
How few rows are enough is decided on held-out rows. Directions of the vectors in which
all rows are as near to each other as that are dropped.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import query_chunks
from nearkind.distances.vectors import ValueVectors
from nearkind.metrics.spectrum import decompose
from nearkind.neighbors.soft_votes import BLUNT
from nearkind.neighbors.training_rows import TrainingRows
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.protocols import Array, Codes
from nearkind.validation import parameters
from nearkind.validation.threads import one_blas_thread
from nearkind.voting.condensation import N_FOLDS, hold_out
from nearkind.voting.voter import SoftRule, Voter

MANY = 20_000
"""Unique rows up to which all vote."""
FEWEST = 5_000
"""Unique rows up to which nothing is left out, and representatives that are tried
first; then twice as many, up to half of all rows."""
NARROW = 0.01
"""Squared length, as a share of the temperature, of what may be left out of vectors."""
TOLERANCE = 0.002
"""By how much the log loss of held-out rows may rise, its standard error included."""
PAIRS = 1 << 29
"""Held-out rows x voting rows that are compared, if that is within the next two."""
MOST_HELD, FEWEST_HELD = 4_000, 500
N_DIRECTIONS = 16
"""Principal axes of the vectors that rows are compared by."""
AT_ONCE = 1 << 20
"""Numbers held at a time."""
N_FOR_WIDTH = 256
"""Rows of a cell that tell in which direction it is widest, at least."""


def cells(vectors: Array, n_cells: int) -> list[NDArray[np.intp]]:
    """Return the row numbers of each cell of vectors (m, q).

    All rows are one cell at first, and a cell is split in two by the coordinate in
    which it is widest, as in a k-d tree, until there are ``n_cells`` of about one size.

    Examples
    --------
    >>> cells(np.array([[0.0], [9.0], [1.0], [8.0]]), 2)
    [array([0, 2]), array([1, 3])]
    """
    found, todo = [], [(np.arange(len(vectors)), n_cells)]
    while todo:
        rows, n = todo.pop()
        if n == 1:
            found.append(np.sort(rows))
            continue
        some = vectors[rows[:: max(1, len(rows) // N_FOR_WIDTH)]]
        along = vectors[rows, some.var(axis=0).argmax()]
        at = len(rows) * (n // 2) // n
        rows = rows[np.argpartition(along, at)]
        todo += [(rows[at:], n - n // 2), (rows[:at], n // 2)]
    return found


def representatives(voter: Voter, n_rows: int) -> TrainingRows:
    """Return so many unique rows of a voter, each with the counts of its whole cell.

    It is the row nearest to the mean of the cell.

    Parameters
    ----------
    voter : Voter
    n_rows : int
        If there are no more, all are returned.
    """
    rows = voter.rows
    if n_rows >= len(rows):
        return rows
    vectors = _directions(voter)
    found = cells(vectors, n_rows)
    order, sizes = np.concatenate(found), [len(numbers) for numbers in found]
    cell = np.repeat(np.arange(n_rows), sizes)
    starts = np.cumsum([0, *sizes[:-1]])
    vectors, weights = vectors[order], rows.weights[order] / rows.weights.max()
    with np.errstate(invalid="ignore"):  # weights that are all nothing beside others
        total = np.add.reduceat(weights[:, None] * vectors, starts)
        mean = total / np.add.reduceat(weights, starts)[:, None]
    from_mean = np.square(vectors - mean[cell]).sum(axis=1)
    kept = order[np.lexsort((from_mean, cell))[starts]]
    counts = np.add.reduceat(rows.counts[order], starts)
    rising = np.argsort(kept)
    return rows.take(kept[rising], counts[rising])


def enough_representatives(
    voter: Voter, many: int = MANY, fewest: int = FEWEST
) -> TrainingRows:
    """Return the fewest representatives with which held-out rows lose nothing.

    Those are tried whose votes are soft and between vectors. Some rows are held out,
    for which the others vote under the distance as it is: all of them, and as large a
    share of them as of all rows. Their mean log loss may rise by ``TOLERANCE``, with a
    standard error of the rise added to it. If it rises by more with half of the rows,
    all stay.

    Parameters
    ----------
    voter : Voter
    many : int, default=20_000
        Unique rows up to which all stay.
    fewest : int, default=5_000
        Representatives that are tried first.
    """
    m = len(voter.rows)
    if m <= many or not voter.is_soft or not voter.distance.is_euclidean:
        return voter.rows
    n_held = int(np.clip(PAIRS // m, FEWEST_HELD, MOST_HELD))
    others, at, held = hold_out(voter, max(N_FOLDS, voter.rows.n_rows // n_held))
    codes, n_alike = voter.rows.codes[at], voter.rows.weight_of_one
    by_all = _losses(others, codes)
    while 2 * fewest <= m:
        n_rows = max(1, fewest * len(others.rows) // m)
        few = others.with_rows(representatives(others, n_rows))
        rise = _losses(few, codes) - by_all  # (b, C)
        mean = np.average(rise, weights=held)
        variance = np.average(np.square(rise - mean), weights=held)
        if mean + np.sqrt(variance * n_alike / held.sum()) <= TOLERANCE:
            return representatives(voter, fewest)
        fewest *= 2
    return voter.rows


def in_fewer_directions(voter: Voter, fewest: int = FEWEST) -> Voter:
    """Return a voter whose vectors lack the directions in which they hardly differ.

    Along the principal axes, the last ones are left out that together hold at most
    e = ``NARROW`` of the temperature of the squared distance of any row from the mean.
    A squared distance between two rows then falls by 4 e T at most, and no share of
    the votes on one changes by more than e.

    Parameters
    ----------
    voter : Voter
        Others than those of soft votes between vectors of values stay as they are.
    fewest : int, default=5_000
        Unique rows up to which voters stay as they are.
    """
    form, rule = voter.distance, voter.rule
    if not isinstance(rule, SoftRule) or not isinstance(form, ValueVectors):
        return voter
    if len(voter.rows) <= fewest:
        return voter
    centred, axes, unit = _principal_axes(voter)
    beyond = np.zeros(len(axes))  # most that each axis and all after it hold
    for at in query_chunks(len(centred), len(axes), AT_ONCE):
        squares = np.square(centred[at] @ axes)[:, ::-1]
        np.maximum(beyond, squares.cumsum(axis=1).max(axis=0)[::-1], out=beyond)
    most = NARROW * rule.temperature / unit / unit
    n_kept = max(1, int((beyond > most).sum()))
    if n_kept == len(axes):
        return voter
    tables = form.tables.projected(axes[:, :n_kept])
    return replace(voter, distance=replace(form, tables=tables))


def economical(voter: Voter) -> Voter:
    """Return a voter of fewer directions and rows, if that loses nothing."""
    voter = in_fewer_directions(voter)
    return voter.with_rows(enough_representatives(voter))


def remembering(model: Any) -> Callable[[Voter], Voter]:
    """Return what ``n_remembered`` makes of voters."""
    n = model.n_remembered
    if isinstance(n, str) and n in ("all", "auto"):
        return economical if n == "auto" else lambda voter: voter
    if not parameters.is_whole(n) or n < 1:
        raise parameters.wrong(
            model, "n_remembered", "'auto', 'all' or a whole number >= 1"
        )
    return lambda voter: voter.with_rows(representatives(voter, int(n)))


def _directions(voter: Voter) -> Array:
    """Return the rows along their principal axes, widest first (m, q).

    Their codes, if the distance has no vectors.
    """
    if not voter.distance.is_euclidean:
        return voter.rows.codes.astype(np.float32)
    centred, axes, _ = _principal_axes(voter)
    return (centred @ axes[:, :N_DIRECTIONS]).astype(np.float32)


def _principal_axes(voter: Voter) -> tuple[Array, Array, float]:
    """Return centred vectors (m, q), their principal axes (q, q), and a unit.

    The widest axis comes first. Vectors are in units of their largest coordinate.
    """
    known = VectorRows(voter.represented)
    y = known.vectors - known.centre
    unit = float(np.abs(y).max()) or 1.0
    y /= unit
    with one_blas_thread():
        return y, decompose((y.T @ y)[None]).vectors[0, :, ::-1], unit


def _losses(voter: Voter, codes: Codes) -> Array:
    """Return the log loss of rows if they were of each class (b, C).

    Blunted as where a temperature is chosen, so that no row decides.
    """
    shares = voter.shares(codes)
    return -np.log((1.0 - BLUNT) * shares + BLUNT / shares.shape[1])
