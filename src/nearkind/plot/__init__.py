"""Pictures of a fitted model, with title, labels and units.

Every function takes a fitted model and returns a matplotlib Axes. For a CPMLClassifier
or CPMLClassifierCV it draws ``distance_``. ``all()`` lists the pictures: a new one adds
a line there.

A file holds one picture. ``model_checks`` checks what a picture needs of a model,
``canvas`` sets up axes and colours, ``bars`` draws bars, ``text`` writes values,
``labels`` places labels of points, and ``layout`` chooses rows and places them. None of
them loads matplotlib before a picture is drawn.
"""

from typing import Any

from nearkind.plot.contributions import explanation
from nearkind.plot.convergence_curve import convergence
from nearkind.plot.eigenvalues import spectrum
from nearkind.plot.feature_relevance import relevance
from nearkind.plot.heat_map import metric
from nearkind.plot.regularization_path import path
from nearkind.plot.row_map import rows
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
    pictures = metric, spectrum, relevance, values, rows, convergence, path, explanation
    return {picture.__name__: picture for picture in pictures}
