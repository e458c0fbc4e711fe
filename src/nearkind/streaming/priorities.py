"""A random number for each row, by its block and its place there alone."""

import numpy as np
from numpy.typing import NDArray

Priorities = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)


def priorities(seed: int, block: int, n_rows: int) -> Priorities:
    """Return a number for each row of a block (n,), as if drawn evenly from 64 bits.

    Nothing is drawn: the numbers follow from seed, block and row (SplitMix64), so any
    machine finds the same.

    Examples
    --------
    >>> bool((priorities(0, 3, 9)[:5] == priorities(0, 3, 5)).all())
    True
    """
    of_seed = _mixed(np.array([seed], np.uint64))
    of_block = _mixed(of_seed + np.array([block + 1], np.uint64) * _GOLDEN)
    return _mixed(of_block + np.arange(1, n_rows + 1, dtype=np.uint64) * _GOLDEN)


def _mixed(z: Priorities) -> Priorities:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return z ^ (z >> np.uint64(31))
