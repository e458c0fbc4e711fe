"""A metric that goes on when its columns have met new values."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.protocols import Array


def grown(
    M: Array, before: Codebook, now: Codebook, sizes: Sequence[tuple[int, int]]
) -> Array:
    """Return a metric over the rows of phi that there are now.

    Rows of phi that stand for a value move to where it stands now. One that is new gets
    the mean weight of the others and is coupled to none.

    Parameters
    ----------
    M : (B, W, W) over the rows of phi as they were, or a weight for each (W, 1, 1)
    before, now : values of each feature
    sizes : rows of phi of each feature, before and now

    Examples
    --------
    >>> before, now = Codebook(), Codebook()
    >>> _ = before.fit_encode([["b"], ["c"]]), now.fit_encode([["a"], ["b"], ["c"]])
    >>> grown(np.array([[[2.0, 1.0], [1.0, 4.0]]]), before, now, [(2, 3)])[0]
    array([[3., 0., 0.],
           [0., 2., 1.],
           [0., 1., 4.]])
    """
    was, width = sum(old for old, _ in sizes), sum(new for _, new in sizes)
    old, new = _moves(before, now, sizes)
    if M.shape == (was, 1, 1):
        larger = np.full((width, 1, 1), M.mean())
        larger[new] = M[old]
        return larger
    if M.shape[1] != was:  # channels are coupled too, and none has been added
        return M
    larger = np.eye(width) * np.trace(M, axis1=1, axis2=2)[:, None, None] / was
    larger[:, new] = larger[:, :, new] = 0.0
    larger[:, new[:, None], new] = M[:, old[:, None], old]
    return larger


def _moves(
    before: Codebook, now: Codebook, sizes: Sequence[tuple[int, int]]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which rows of phi were kept: where they stood, and where they stand."""
    old: list[int] = []
    new: list[int] = []
    was = width = 0
    for d, (size, larger) in enumerate(sizes):
        leading = max(size - before.n_values[d], 0) if size != larger else size
        values = {} if size == larger else {v: i for i, v in enumerate(now.values(d))}
        pairs = [(i, i) for i in range(leading)] + [
            (leading + i, leading + values[value])
            for i, value in enumerate(before.values(d))
            if value in values
        ]
        old += [was + i for i, _ in pairs]
        new += [width + i for _, i in pairs]
        was, width = was + size, width + larger
    return np.array(old, np.intp), np.array(new, np.intp)
