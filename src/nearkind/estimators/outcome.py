"""What a fit says of its end: a metric that is zero, an optimum that is not reached."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkind.solvers.solution import Solution, Stop


def warn_of(solution: Solution, model: Any) -> None:
    """Warn of what users should know of a fit; the line named is that of their call.

    Parameters
    ----------
    solution : how the solver ended
    model : fitted, with ``rank_``, ``strength_`` and ``strength_max_``
    """
    if model.rank_ == 0:
        warnings.warn(
            f"The learned metric is zero, and so are all distances: {_cause(model)}",
            UserWarning,
            stacklevel=5,
        )
    if solution.reason not in (Stop.TOLERANCE, Stop.SETTLED):
        warnings.warn(
            f"{solution.reason.value} After {solution.n_iter} iterations the "
            f"objective is {solution.value:.6g}{_known(solution)}.",
            ConvergenceWarning,
            stacklevel=5,
        )


def _cause(model: Any) -> str:
    if model.strength_max_ > 0.0:
        return (
            f"strength={model.strength_:.3g} outweighs the loss. Pass a strength "
            f"below {model.strength_max_:.3g}, or strength='auto'."
        )
    return (
        "no direction in these columns brings rows of one class together. Take another "
        "projection, or add columns that tell the classes apart."
    )


def _known(solution: Solution) -> str:
    """Say how far from the optimum it may be."""
    if not np.isfinite(solution.gap):
        return ", by estimate"
    share = solution.gap / max(solution.value, 1e-300)
    return f", at most {solution.gap:.2g} ({share:.2%}) above the optimum"
