"""Importing this module loads and compiles everything that a trial needs.

The server from which sandboxes are forked imports it once, so that no trial's seconds
include the loading of libraries or compilation.
"""

import warnings

import nearkind.experiments.trial  # noqa: F401 - with everything that it imports
from nearkind import datasets
from nearkind.baselines import LMNN
from nearkind.estimators.cpml import CPML

MAX_ITER = 4


def compile_all() -> None:
    """Fit a small set by every estimator that has compiled code of its own."""
    data = datasets.load("monks1", as_frame=False)
    models = (
        CPML(max_iter=MAX_ITER, tol=1e-2),
        CPML(max_iter=MAX_ITER, solver="stochastic"),
        LMNN(max_iter=MAX_ITER),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models:
            model.fit(data.X, data.y).triplet_accuracy(data.X, data.y)


compile_all()
