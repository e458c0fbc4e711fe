"""Which pairs of (class, feature) a metric couples: the paper's four matrices."""

from pathlib import Path

import numpy as np

from nearkind.experiments.paper.drawing import panels
from nearkind.experiments.paper.workshop import Workshop
from nearkind.protocols import Array

N_FEATURES, N_CLASSES = 6, 4


def make(workshop: Workshop) -> list[Path]:
    """Draw the figure."""
    figure, axes = panels(1, 4, (2.4, 2.6))
    for each, (name, M) in zip(axes[0], matrices().items(), strict=True):
        each.imshow(np.abs(M), cmap="Blues", interpolation="nearest")
        each.set(title=name, xticks=[], yticks=[])
        each.grid(False)
        each.spines[:].set_visible(True)
        for at in range(N_FEATURES, len(M), N_FEATURES):
            each.axhline(at - 0.5, color="#999999", linewidth=0.8)
            each.axvline(at - 0.5, color="#999999", linewidth=0.8)
    return workshop.save(figure, "structures")


def matrices() -> dict[str, Array]:
    """Return one drawn metric of each structure on all D C coordinates."""
    rng = np.random.default_rng(0)

    def metric(width: int) -> Array:
        F = rng.normal(size=(width, width))
        return F @ F.T / width

    blocks = [metric(N_FEATURES) for _ in range(N_CLASSES)]
    multi: Array = np.zeros((N_FEATURES * N_CLASSES,) * 2)
    for c, block in enumerate(blocks):
        at = slice(c * N_FEATURES, (c + 1) * N_FEATURES)
        multi[at, at] = block
    return {
        "KDML": metric(N_FEATURES * N_CLASSES),
        "CPm": multi,
        "CPs": np.kron(np.eye(N_CLASSES), blocks[0]).astype(float),
        "Euclidean": np.eye(N_FEATURES * N_CLASSES),
    }
