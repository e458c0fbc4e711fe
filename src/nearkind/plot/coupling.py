"""The learned matrices as one number for each pair of features."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearkind.protocols import Array, Structure


def couplings(model: Any) -> tuple[Array, bool]:
    """Return a matrix (D, D) of features, and whether its numbers have a sign.

    Every structure is one matrix on the flattened phi. Where a feature is one row of
    phi, two features meet once in each channel, and their number is the mean over
    channels: M itself for "single" and "diagonal", the mean of the blocks for "multi".
    Where it has a row for each value, as with "onehot", it is the size of what links
    their values, the root of the sum of squares, which has no sign.
    """
    sizes = [table.shape[1] for table in model.projection_.tables]
    n_channels = model.projection_.tables[0].shape[2]
    is_signed = max(sizes) == 1
    count = (lambda M: M) if is_signed else np.square
    total = np.zeros((len(sizes), len(sizes)))
    for M, owner, channel in _meetings(model, sizes, n_channels):
        for c in np.unique(channel):
            at = channel == c
            owned = np.eye(len(sizes))[owner[at]]  # (m, D)
            total += owned.T @ count(M[np.ix_(at, at)]) @ owned
    mean = total / n_channels
    return (mean if is_signed else np.sqrt(mean)), is_signed


def _meetings(model: Any, sizes: Sequence[int], n_channels: int) -> Any:
    """Yield each block (W, W) with the feature and the channel of its columns (W,)."""
    structure: Structure = model.structure_
    features = np.repeat(np.arange(len(sizes)), sizes)  # (R,)
    shape = 1, len(features), n_channels
    owners = structure.blocks(np.broadcast_to(features[None, :, None], shape))
    channels = structure.blocks(np.broadcast_to(np.arange(n_channels), shape))
    for M, owner, channel in zip(model.metric_, owners, channels, strict=True):
        for k in range(owner.shape[1]):
            yield M, owner[0, k], channel[0, k]
