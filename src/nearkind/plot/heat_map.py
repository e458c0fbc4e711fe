"""The learned matrix as a heat map."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from nearkind.plot import canvas
from nearkind.plot.coupling import couplings
from nearkind.plot.taking import learner_of
from nearkind.plot.wording import counted, written
from nearkind.protocols import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 30


def metric(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the learned matrix M as a heat map, features that act together side by side.

    All structures are drawn as one number for each pair of features. With class
    histograms it is the mean over classes of the entries of M between the two in one
    and the same class: M itself for "single" and "diagonal", the mean of the blocks for
    "multi". Where each value has a place of its own in M ("onehot"), it is the root of
    the sum of squares of the entries between their values, which has no sign.

    Parameters
    ----------
    model : fitted CPML, or classifier over one
    ax : where to draw; None: new axes

    Returns
    -------
    ax; of many features those 30 with the largest numbers on the diagonal, in the order
    of a hierarchical clustering by 1 - \\|M_de\\| / sqrt(M_dd M_ee)

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.metric(model).get_title()
    'The learned metric'
    """
    learner = learner_of(model)
    M, is_signed = couplings(learner)
    shown = _clustered(M, MOST)
    names = [written(learner.codebook_.names_[d], 20) for d in shown]
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


def _draw(ax: "Axes", M: Array, is_signed: bool) -> None:
    most = float(np.abs(M).max()) or 1.0
    colours, least = ("RdBu_r", -most) if is_signed else ("cividis", 0.0)
    image = ax.imshow(M, cmap=colours, vmin=least, vmax=most)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=18.0, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=canvas.SMALL - 1.0, length=0)
    text = "entry of M" if is_signed else "size of the block of M"
    bar.set_label(text, fontsize=canvas.SMALL, color=canvas.QUIET)


def _note(learner: Any, n_shown: int, is_signed: bool) -> str:
    n_features = len(learner.codebook_.names_)
    rest = n_features - n_shown
    beside = f"; {counted(rest, 'other')} not shown" if rest else ""
    meaning = (
        "Red pairs push rows apart together, blue ones cancel"
        if is_signed
        else "Root of the sum of squares over values"
    )
    kind = f'structure "{learner.structure}"'
    return f"{counted(n_shown, 'feature')}{beside}; {kind}. {meaning}."


def _clustered(M: Array, most: int) -> NDArray[np.intp]:
    """Return the features with the largest diagonal, alike ones side by side."""
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
