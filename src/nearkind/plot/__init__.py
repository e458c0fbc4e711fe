"""Pictures of a fitted model, each finished as it comes: title, labels, units.

Every function takes a fitted model and returns a matplotlib Axes. A CPMLClassifier or
CPMLClassifierCV stands for its distance, that of the first member. ``all()`` is the one
list of them: a new picture adds one line there.

``taking`` says what is drawn of a model, ``canvas`` how a picture looks, ``wording``
how values are written, ``placing`` where; the other files are a picture each.
"""

from typing import Any

from nearkind.plot.descent import convergence
from nearkind.plot.differences import explanation
from nearkind.plot.eigenvalues import spectrum
from nearkind.plot.heat_map import metric
from nearkind.plot.row_map import rows
from nearkind.plot.shares import relevance
from nearkind.plot.strengths import path
from nearkind.plot.value_map import values

__all__ = [
    "all",
    "convergence",
    "explanation",
    "metric",
    "path",
    "relevance",
    "rows",
    "spectrum",
    "values",
]


def all() -> dict[str, Any]:
    """Return the pictures by name.

    Examples
    --------
    >>> sorted(all())[:3]
    ['convergence', 'explanation', 'metric']
    """
    return {
        "metric": metric,
        "spectrum": spectrum,
        "relevance": relevance,
        "values": values,
        "rows": rows,
        "convergence": convergence,
        "path": path,
        "explanation": explanation,
    }
