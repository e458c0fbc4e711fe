"""The LED display: digits of seven segments with noise, and irrelevant bits."""

import numpy as np
from numpy.typing import NDArray

from nearkind.datasets.dataset import Dataset, ObjectArray

_DIGITS = (
    "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
)
N_SEGMENTS, N_IRRELEVANT = 7, 17
SEED = 0


def led24(n_samples: int = 3200, noise: float = 0.1, seed: int = SEED) -> Dataset:
    """Return the set ``led24``: digits as a faulty display shows them.

    A digit is drawn uniformly, each of its seven segments is inverted with probability
    ``noise``, and 17 fair bits that tell nothing follow. From Breiman, Friedman, Olshen
    and Stone, *Classification and Regression Trees*, 1984. The published file is one
    draw of this rule, which no seed of ours repeats.

    Parameters
    ----------
    n_samples : int, default=3200
    noise : float, default=0.1
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    Dataset
        Of shape (n_samples, 24), the bits as "0" and "1", classes "0" to "9".

    Examples
    --------
    >>> clean = led24(1, noise=0.0)
    >>> print("".join(clean.X[0, :7]), clean.y[0])
    1111111 8
    """
    rng = np.random.default_rng(seed)
    lit = np.array([list(map(int, digit)) for digit in _DIGITS.split()])  # (10, 7)
    digits = rng.integers(10, size=n_samples)
    inverted = rng.random((n_samples, N_SEGMENTS)) < noise
    irrelevant = rng.integers(2, size=(n_samples, N_IRRELEVANT))
    bits = np.hstack([lit[digits] ^ inverted, irrelevant])  # (n, 24)
    names = [f"segment{i}" for i in range(1, N_SEGMENTS + 1)]
    names += [f"irrelevant{i}" for i in range(1, N_IRRELEVANT + 1)]
    return Dataset(names, "class", _words(bits), _words(digits))


def _words(numbers: NDArray[np.int64]) -> ObjectArray:
    """Return digits as strings, equal ones as one object."""
    return np.array(list("0123456789"), dtype=object)[numbers]
