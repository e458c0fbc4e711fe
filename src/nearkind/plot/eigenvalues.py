"""The eigenvalues of the learned matrix."""

import numpy as np

from nearkind.plot import canvas
from nearkind.plot.canvas import Axes
from nearkind.plot.model_checks import require_cpml
from nearkind.plot.text import count_text, percent
from nearkind.protocols import Array

MOST = 40
FEWEST = 8
MOST_WRITTEN = 12
MOST_OF_TRACE = 0.9


def spectrum(model: object, *, ax: Axes | None = None) -> Axes:
    """Draw the eigenvalues of M, the largest first, with rank and shares of the trace.

    Parameters
    ----------
    model : CPML, or a classifier over one
        Fitted.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        At most 40 eigenvalues, those of all blocks together, and few that are zero.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.spectrum(model).get_ylabel()
    'eigenvalue'
    """
    learner = require_cpml(model)
    values = np.sort(learner.spectrum_.ravel())[::-1]
    rank = learner.rank_
    shown = values[: min(max(rank + 2, FEWEST), MOST)]
    ax = canvas.axes(ax, 5.6, 3.6)
    at = np.arange(1, len(shown) + 1)
    colours = [canvas.MAIN if k <= rank else canvas.GREY for k in at]
    ax.bar(at, shown, color=colours, width=0.7)
    _write_shares(ax, values, rank)
    _mark_rank(ax, rank, len(shown))
    ax.set_xlim(0.3, max(len(shown), 3) + 0.7)
    ax.set_ylim(0.0, 1.12 * (values[0] if values[0] > 0.0 else 1.0))
    ax.set_xticks(at if len(at) <= MOST_WRITTEN else at[::5])
    ax.grid(axis="y", color=canvas.LIGHT_GREY, linewidth=0.8)
    title = f"Rank {rank} of {len(values):,}"
    return canvas.finish(
        ax, title, _note(values, rank, len(shown)), "number", "eigenvalue"
    )


def _write_shares(ax: Axes, values: Array, rank: int) -> None:
    """Write the share of the trace above each bar, unless there are many."""
    if not 0 < rank <= MOST_WRITTEN:
        return
    for place, value in enumerate(values[:rank]):
        share, size = percent(value / values.sum()), canvas.SMALL - 1.0
        at = place + 1, value
        canvas.write(ax, share, at, (0.0, 3.0), ha="center", fontsize=size)


def _mark_rank(ax: Axes, rank: int, n_shown: int) -> None:
    if not 0 < rank < n_shown:
        return
    ax.axvline(rank + 0.5, color=canvas.ACCENT, linewidth=1.2, linestyle=(0, (4, 3)))
    is_left = rank < 0.7 * n_shown
    canvas.write(
        ax, f"rank {rank}", (rank + 0.5, 0.88), (5.0 if is_left else -5.0, 0.0),
        ("data", "axes fraction"), color=canvas.ACCENT, fontsize=canvas.SMALL + 0.5,
        ha="left" if is_left else "right",
    )  # fmt: skip


def _note(values: Array, rank: int, n_shown: int) -> str:
    if rank == 0:
        return "The metric is zero, and so are all distances."
    shares = np.cumsum(values) / values.sum()
    n_most = int(np.searchsorted(shares, MOST_OF_TRACE - 1e-9)) + 1
    which = "The first holds" if n_most == 1 else f"The first {n_most} hold"
    shown = f", {n_shown} shown" if n_shown < len(values) else ""
    return (
        f"{which} {percent(shares[n_most - 1])} of the trace. "
        f"{count_text(len(values), 'eigenvalue')} in all{shown}."
    )
