"""The warning that a fit stopped before it came to the optimum."""

from sklearn.exceptions import ConvergenceWarning

from nearkind.errors import Advised
from nearkind.solvers.solution import Stop


class NotConvergedWarning(Advised, ConvergenceWarning):
    """A solver stopped before it came to the optimum."""


def not_converged(reason: Stop, details: str) -> NotConvergedWarning:
    """Return the warning that says why a solver stopped, and how far it came.

    Examples
    --------
    >>> str(not_converged(Stop.MAX_ITER, "The gap is 1."))[-41:]
    'met. Raise max_iter or tol. The gap is 1.'
    """
    return NotConvergedWarning(*reason.parts, f" {details}")
