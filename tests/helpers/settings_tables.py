"""Values of every public parameter of every estimator, for tests of combinations.

The first value of each is the default, or one as quick.
"""

import inspect

import numpy as np

import nearkind as nk

CODED = {
    "unseen": ["prior", "error"],
    "missing": ["level", "prior", "error"],
    "numeric": ["auto", "category", "bin", "scale"],
    "ordered": [None, {"a": ["z", "x", "y"]}, {"b": ["q", "p"]}],
}
STOP = {"max_iter": [3, 1], "tol": [1e-2, 0.0]}
SEED = {"random_state": [0, 7]}
CODING = {"coding": ["onehot", "vdm", "thermometer"]}
MARGIN = {"n_neighbors": [1, 3], "mu": [0.5, 1.0], **STOP}
DRAWN = {"max_rows": [1000, 9], **SEED}

SKIPPING = {
    "missing": ["skip", "error"],
    "numeric": ["number", "auto", "category", "bin"],
}
WEIGHTS = {"weights": [None, {"a": 2.0}, {"few": 0.0, "höhe": 0.5}]}


def weights_of(kind):
    """Return values of the weights of columns, for a distance that takes them."""
    return WEIGHTS if "weights" in kind().get_params() else {}


DISTANCES = {
    "unbiased": SKIPPING,
    "ocl": {
        "n_clusters": [2, 8],
        "n_init": [1, 2],
        "max_iter": [3, 1],
        **SEED,
        **SKIPPING,
    },
    "gower": {
        "asymmetric": [(), ["b"]],
        "ordinal": ["levels", "podani"],
        **SKIPPING,
    },
    "vdm": {"exponent": [1.0, 2.0], "weighting": ["none", "query", "symmetric"]},
    "association": {"divergence": ["kl", "js"]},
    "dilca": {"context": ["mean", "rr"], "sigma": [1.0, 0.0]},
    "cheng": {**STOP, **SEED},
    "dm3": {"stage": [3, 1, 2], "beta": ["mean", 0.3]},
    "helic": {"strength": ["auto", 0.0, 0.1], **STOP},
    "kdml": MARGIN,
    "lmnn": {**CODING, **MARGIN},
    "lmca": {"n_components": [2, 1], **CODING, **MARGIN, **DRAWN},
    "kernel_lmca": {
        "n_components": [2, 1],
        "kernel": ["rbf", "linear"],
        "bandwidth": [1.0, 0.2],
        **CODING,
        **MARGIN,
        **DRAWN,
    },
    "chi2_lmnn": {"margin": [0.01, 1.0], **MARGIN, **DRAWN},
    "gb_lmnn": {
        "max_depth": [2, 1],
        "learning_rate": [0.1, 1.0],
        **CODING,
        **MARGIN,
        **DRAWN,
    },
    "itml": {
        "gamma": [1.0, 0.1],
        "n_constraints": [20, 100],
        **CODING,
        **STOP,
        **SEED,
    },
    "pola": {"averaged": [True, False], "n_pairs": [20, 500], **CODING, **SEED},
    "dml_eig": {
        "smoothing": [0.1, 1e-3],
        "n_pairs": [20, 500],
        **CODING,
        **STOP,
        **SEED,
    },
    "mmc": {
        "diagonal": [False, True],
        "n_pairs": [20, 500],
        **CODING,
        **STOP,
        **SEED,
    },
    "nca": {**CODING, **STOP},
    "mcml": {
        "strength": [0.0, "auto", 0.1],
        "n_jobs": [None, 2],
        **CODING,
        **STOP,
        **DRAWN,
    },
    "hdml": {
        "n_bits": [4, 9],
        "n_triplets": [20, 50],
        "n_candidates": [1, 2],
        "strength": [0.1, 0.0],
        **CODING,
        **STOP,
        **SEED,
    },
    "discriminant": {"strength": [1.0, 0.1], **STOP},
    "forest": {
        "n_estimators": [3, 10],
        "min_samples_leaf": [1, 2],
        **SEED,
        "numeric": ["scale", "auto", "category", "bin"],
    },
    "rfm": {
        "bandwidth": [1.0, 5.0],
        "ridge": [1e-3, 1.0],
        "n_rounds": [1, 2],
        "n_jobs": [None, 2],
        **CODING,
        **DRAWN,
    },
}
"""Parameters of the baselines beside those of all of them, ``CODED``."""

CPML = {
    "structure": ["single", "multi", "diagonal", "full"],
    "projection": [
        "vdm",
        "onehot",
        "thermometer",
        "vdm+onehot",
        "cooccurrence",
        "vdm+cooccurrence",
    ],
    "constraints": ["triplets", "pairs", "quadruplets", "neighbors"],
    "scope": ["all", "local", 20],
    "n_targets": [3, 1],
    "p": [1.0, 2.0, np.inf],
    "powered": [False, True],
    "penalty": ["schatten", "l1"],
    "strength": ["auto", "5%", 0.1],
    "margin": [1.0, 0.3],
    "smoothing": [0.0, 1.0, "auto"],
    "cross_fit": [False, True],
    "solver": ["auto", "subgradient", "paper", "proximal", "stochastic"],
    **STOP,
    "warm_start": [False, True],
    **CODED,
    "crosses": [0, 1, "auto", [("a", "b")]],
    "n_jobs": [None, 2],
    **SEED,
    "verbose": [0],
}
METRICS = ["hamming", "euclidean", "gb_lmnn", "dm3", "cpml"]
CLASSIFIER = {
    "metric": METRICS,
    "n_neighbors": [3, 1],
    "weights": ["uniform", "distance", "soft"],
    "index": ["exact", "faiss"],
    "temperature": ["auto", 0.5],
    "class_weight": [None, "balanced", {"ham": 2.0}],
    "ordered": CODED["ordered"],
}
SEARCH = {
    "candidates": [["hamming"], ["hamming", "euclidean"], ["discriminant", "vdm"]],
    "n_neighbors": [(1, 3), 1],
    "weights": ["soft", "uniform", ["soft", "distance"]],
    "max_members": [1, 3],
    "cv": [2, 3],
    "time_budget": [None, 60.0],
    **CODED,
    "n_jobs": [1, 2],
    **SEED,
    "verbose": [0],
    "scoring": ["accuracy", "balanced_accuracy", "f1_macro", "log_loss"],
    "class_weight": [None, "balanced", {"ham": 2.0}],
    "ordered": CODED["ordered"],
    "calibrate": [True, False],
    "forest": [True, False],
    "n_remembered": ["auto", "all", 7],
}
TASKS = {
    nk.NearestOutliers: {
        "metric": METRICS,
        "n_neighbors": [3, 1],
        "method": ["distance", "lof"],
        "contamination": ["auto", 0.2],
        "index": ["exact", "faiss"],
    },
    nk.KMedoids: {
        "metric": METRICS,
        "n_clusters": [2, 3],
        "n_init": [1, 2],
        "max_iter": [2, 10],
        "max_rows": [4000, 9],
        **SEED,
    },
    nk.Oversampler: {
        "metric": METRICS,
        "n_neighbors": [2, 1],
        "sampling_strategy": ["auto", "not majority", {"ham": 15}],
        **SEED,
    },
    nk.NearestRows: {
        "metric": METRICS,
        "n_neighbors": [3, 1],
        "radius": [1.0, 0.0],
        "index": ["exact", "faiss"],
    },
    nk.NeighborImputer: {
        "metric": ["gower", "hamming", "unbiased"],
        "n_neighbors": [3, 1],
        "weights": ["uniform", "distance"],
        "add_indicator": [False, True],
    },
    nk.Prototypes: {
        "metric": METRICS,
        "n_rows": [None, 3],
        "tolerance": [0.01, 0.5],
        "n_neighbors": [3, 1],
        "weights": ["uniform", "distance"],
    },
}
REGRESSORS = {
    nk.CPMLRegressor: {
        "metric": METRICS,
        "n_neighbors": [3, 1],
        "weights": ["soft", "uniform", "distance"],
        "temperature": ["auto", 0.5],
        "scale": ["linear", "log", "quantile"],
        "trend": [False, True],
        "index": ["exact", "faiss"],
        **SEED,
    },
    nk.CPMLRegressorCV: {
        "candidates": [["hamming"], ["hamming", "euclidean"]],
        "n_neighbors": [3, 1],
        "scale": ["auto", "linear", "log", "quantile"],
        "cv": [2, 3],
        "max_members": [1, 3],
        "missing": ["level", "prior"],
        "unseen": ["prior", "error"],
        "ordered": CODED["ordered"],
        "time_budget": [None, 60.0],
        "verbose": [0],
        **SEED,
    },
}
TABLES = {
    nk.CPML: CPML,
    nk.CPMLClassifier: CLASSIFIER,
    nk.CPMLClassifierCV: SEARCH,
    **{
        kind: {**CODED, **DISTANCES.get(name, {}), **weights_of(kind)}
        for name, kind in nk.baselines.all().items()
    },
    **TASKS,
    **REGRESSORS,
}
"""Estimator -> its parameters -> values to combine."""


def public_estimators():
    """Return every estimator of nearkind, the baselines among them."""
    named = (getattr(nk, name) for name in nk.__all__)
    fitted = [x for x in named if inspect.isclass(x) and hasattr(x, "fit")]
    fitted = [x for x in fitted if hasattr(x, "get_params")]
    return [*fitted, *nk.baselines.all().values()]
