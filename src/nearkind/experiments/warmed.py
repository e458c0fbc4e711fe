"""Importing this makes a process ready: all is loaded, and what is compiled is.

The server from which children are forked imports it once. No row's seconds then count
the loading of libraries.
"""

import warnings

import nearkind.experiments.trial  # noqa: F401 - loaded with all that it needs
from nearkind import datasets
from nearkind.baselines import LMNN
from nearkind.estimators.cpml import CPML

FEW = 4


def warm_up() -> None:
    """Learn a little in every way that has compiled sums of its own."""
    data = datasets.load("monks1", as_frame=False)
    models = (
        CPML(max_iter=FEW, tol=1e-2),
        CPML(max_iter=FEW, solver="stochastic"),
        LMNN(max_iter=FEW),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models:
            model.fit(data.X, data.y).triplet_accuracy(data.X, data.y)


warm_up()
