"""Structures: which features and channels the metric couples; one reshape of phi each.

All four are one positive semi-definite matrix on the flattened phi that is, in turn,
the same D x D block for every channel (CPs), a block of its own for each (CPm), a
weight per feature, or unrestricted.
"""

from dataclasses import dataclass

from nearkind.protocols import Array


@dataclass(frozen=True)
class Single:
    """One (D, D) matrix for all classes: the paper's CPs."""

    def blocks(self, phi: Array) -> Array:
        """Return Z (1, n, C, D)."""
        return phi.swapaxes(1, 2)[None]

    def shape(self, n_features: int, n_channels: int) -> tuple[int, int]:
        """Return (B, W)."""
        return 1, n_features


@dataclass(frozen=True)
class Multi:
    """One (D, D) matrix a class: the paper's CPm."""

    def blocks(self, phi: Array) -> Array:
        """Return Z (C, n, 1, D)."""
        return phi.transpose(2, 0, 1)[:, :, None, :]

    def shape(self, n_features: int, n_channels: int) -> tuple[int, int]:
        """Return (B, W)."""
        return n_channels, n_features


@dataclass(frozen=True)
class Diagonal:
    """One weight per feature."""

    def blocks(self, phi: Array) -> Array:
        """Return Z (D, n, C, 1)."""
        return phi.transpose(1, 0, 2)[:, :, :, None]

    def shape(self, n_features: int, n_channels: int) -> tuple[int, int]:
        """Return (B, W)."""
        return n_features, 1


@dataclass(frozen=True)
class Full:
    """One matrix over every (feature, channel) pair, as KDML has it."""

    def blocks(self, phi: Array) -> Array:
        """Return Z (1, n, 1, D C)."""
        n_rows, n_features, n_channels = phi.shape
        return phi.reshape(n_rows, n_features * n_channels)[None, :, None, :]

    def shape(self, n_features: int, n_channels: int) -> tuple[int, int]:
        """Return (B, W)."""
        return 1, n_features * n_channels
