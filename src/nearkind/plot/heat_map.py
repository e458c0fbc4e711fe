"""The learned matrix as a heat map."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from nearkind.estimators.cpml import CPML
from nearkind.plot import canvas
from nearkind.plot.canvas import Axes
from nearkind.plot.model_checks import require_cpml
from nearkind.plot.text import count_text, value_text
from nearkind.protocols import Array

MOST = 30


def metric(model: object, *, ax: Axes | None = None) -> Axes:
    """Draw the learned matrix M as a heat map, coupled features side by side.

    Each pair of features has one number. With class histograms it is the mean over
    classes of the entries of M between the two features in the same class: M itself for
    "single" and "diagonal", the mean of the blocks for "multi". Where M has a row for
    each value ("onehot"), it is the root of the sum of squares of the entries between
    their values, which has no sign.

    Parameters
    ----------
    model : CPML, or a classifier over one
        Fitted.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        The 30 features with the largest numbers on the diagonal, in the order of a
        hierarchical clustering by 1 - \\|M_de\\| / sqrt(M_dd M_ee).

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.metric(model).get_title()
    'The learned metric'
    """
    learner = require_cpml(model)
    M, is_signed = couplings(learner)
    shown = _clustered_features(M, MOST)
    names = [value_text(learner.codebook_.feature_names[d], 20) for d in shown]
    size = 2.2 + 0.19 * len(shown) + 0.065 * max(map(len, names))
    ax = canvas.axes(ax, size + 0.9, size)
    _draw(ax, M[np.ix_(shown, shown)], is_signed)
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names)), names)
    note = _note(learner, len(shown), is_signed)
    canvas.finish(ax, "The learned metric", note, "feature", "feature")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _draw(ax: Axes, M: Array, is_signed: bool) -> None:
    most = float(np.abs(M).max()) or 1.0
    colours, least = ("RdBu_r", -most) if is_signed else ("cividis", 0.0)
    image = ax.imshow(M, cmap=colours, vmin=least, vmax=most)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=18.0, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=canvas.SMALL - 1.0, length=0)
    text = "entry of M" if is_signed else "size of the block of M"
    bar.set_label(text, fontsize=canvas.SMALL, color=canvas.DARK_GREY)


def _note(learner: CPML, n_shown: int, is_signed: bool) -> str:
    n_features = len(learner.codebook_.feature_names)
    rest = n_features - n_shown
    beside = f"; {count_text(rest, 'other')} not shown" if rest else ""
    meaning = (
        "Red pairs increase the distance together, blue pairs reduce it"
        if is_signed
        else "Root of the sum of squares over values"
    )
    kind = f'structure "{learner.structure}"'
    return f"{count_text(n_shown, 'feature')}{beside}; {kind}. {meaning}."


def _clustered_features(M: Array, most: int) -> NDArray[np.intp]:
    """Return the features with the largest diagonal, coupled ones side by side."""
    sizes = np.diag(M)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:most])
    if len(largest) < 3:
        return largest
    scale = np.sqrt(np.maximum(sizes[largest], 0.0))
    product = np.outer(scale, scale)
    likeness = np.abs(M[np.ix_(largest, largest)])
    alike = np.divide(likeness, product, np.zeros_like(product), where=product > 0.0)
    apart = np.clip(1.0 - alike, 0.0, 1.0)
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
    return largest[leaves_list(tree)]


def couplings(model: CPML) -> tuple[Array, bool]:
    """Return a matrix (D, D) of features, and whether its numbers have a sign.

    Every structure is one matrix on the flattened phi. Where a feature is one row of
    phi, two features have one entry in each channel, and their number is the mean over
    channels: M itself for "single" and "diagonal", the mean of the blocks for "multi".
    Where a feature has a row for each value, as with "onehot", it is the root of the
    sum of squares of the entries between their values, which has no sign.
    """
    sizes = [table.shape[1] for table in model.projection_.tables]
    n_channels = model.projection_.tables[0].shape[2]
    is_signed = max(sizes) == 1
    count = (lambda M: M) if is_signed else np.square
    total = np.zeros((len(sizes), len(sizes)))
    for M, owner, channel in _owned_blocks(model, sizes, n_channels):
        for c in np.unique(channel):
            at = channel == c
            owned = np.eye(len(sizes))[owner[at]]  # (m, D)
            total += owned.T @ count(M[np.ix_(at, at)]) @ owned
    mean = total / n_channels
    return (mean if is_signed else np.sqrt(mean)), is_signed


def _owned_blocks(
    model: CPML, sizes: Sequence[int], n_channels: int
) -> Iterator[tuple[Array, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield each block (W, W) with the feature and the channel of its columns (W,)."""
    structure = model.structure_
    features = np.repeat(np.arange(len(sizes)), sizes)  # (R,)
    shape = 1, len(features), n_channels
    owners = structure.blocks(np.broadcast_to(features[None, :, None], shape))
    channels = structure.blocks(np.broadcast_to(np.arange(n_channels), shape))
    for M, owner, channel in zip(model.metric_, owners, channels, strict=True):
        for k in range(owner.shape[1]):
            yield M, owner[0, k], channel[0, k]
