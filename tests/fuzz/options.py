"""Settings of estimators, right and wrong."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import nearkind as nk
from helpers.settings_tables import TABLES

WRONG = st.sampled_from(
    [
        None, True, -1, 0, 1.5, float("nan"), np.inf, -np.inf, "", "x", "auto", [], {},
        (), b"", object(), np.array([1, 2]), np.float64("nan"), 5e-324, 1j, "\ud800",
        Decimal("NaN"), Fraction(1, 3), np.bool_(True), pd.NA, int, len, {1, 2}, [1, 2],
        np.array([]), [None], {"a": 1}, Decimal(1), "1%", 10**400, -(10**400),
    ]
)  # fmt: skip
POLICIES = {
    "unseen": st.sampled_from(["prior", "error"]),
    "missing": st.sampled_from(["level", "prior", "error"]),
    "numeric": st.sampled_from(["auto", "category", "bin", "scale"]),
}
FEW = st.integers(1, 4)
SIZES = st.sampled_from([0.0, 5e-324, 1e-300, 1e-6, 0.01, 0.5, 1.0, 1e6, 1e300])
WHOLE = st.sampled_from([1, 2, 5, 50, np.int64(3)])
SEEDS = st.sampled_from([0, 1, 2**32 - 1, None, np.int64(2)])
RIGHT = {
    **POLICIES,
    "structure": st.sampled_from(["single", "multi", "diagonal", "full"]),
    "projection": st.sampled_from(
        ["vdm", "onehot", "thermometer", "pooled", "vdm+onehot", "vdm+cooccurrence"]
    ),
    "constraints": st.sampled_from(["triplets", "pairs", "quadruplets", "neighbors"]),
    "scope": st.sampled_from(["all", "local", 1, 20]),
    "n_targets": WHOLE,
    "p": st.sampled_from([1, 1.0, 1.0001, 1.5, 2.0, 3.0, 1e6, np.inf]),
    "powered": st.booleans(),
    "penalty": st.sampled_from(["schatten", "l1"]),
    "margin": SIZES.filter(bool),
    "smoothing": SIZES | st.just("auto"),
    "cross_fit": st.booleans(),
    "solver": st.sampled_from(
        ["auto", "proximal", "subgradient", "paper", "stochastic"]
    ),
    "max_iter": FEW,
    "tol": SIZES,
    "warm_start": st.booleans(),
    "crosses": st.sampled_from([0, 1, 2, 9, "auto", [("a", "b")], [("a", "a")], []]),
    "n_jobs": st.sampled_from([None, 1, 2, -1]),
    "random_state": SEEDS,
    "n_neighbors": WHOLE,
    "weights": st.sampled_from(["uniform", "distance", "soft", np.ones_like]),
    "index": st.sampled_from(["exact", "faiss"]),
    "temperature": SIZES.filter(bool) | st.just("auto"),
    "class_weight": st.sampled_from(
        [None, "balanced", {"ham": 2.0}, {"ham": 1e300, "egg": 1e-300}, {"none": 1}]
    ),
    "exponent": st.sampled_from([1.0, 2.0, 0.5, 1e3]),
    "weighting": st.sampled_from(["none", "target", "query", "x"]),
    "divergence": st.sampled_from(["kl", "x"]),
    "context": st.sampled_from(["mean", "rank", 1]),
    "sigma": SIZES,
    "stage": st.sampled_from([1, 2, 3]),
    "beta": st.sampled_from(["mean", 0.5, 0.0, 1.0]),
    "strength": SIZES | st.sampled_from(["auto", "1%", "0%", "200%", "1e300%"]),
    "mu": st.sampled_from([0.0, 0.5, 1.0]),
    "coding": st.sampled_from(["onehot", "vdm"]),
    "n_components": WHOLE,
    "max_rows": st.sampled_from([1, 2, 5, 1000]),
    "kernel": st.sampled_from(["rbf", "linear"]),
    "bandwidth": SIZES.filter(bool),
    "max_depth": FEW,
    "learning_rate": st.sampled_from([1e-9, 0.1, 1.0, 1e9]),
    "gamma": SIZES.filter(bool),
    "n_constraints": st.sampled_from([None, 1, 20]),
    "averaged": st.booleans(),
    "n_pairs": st.sampled_from([None, 1, 20]),
    "diagonal": st.booleans(),
    "n_bits": st.sampled_from([1, 8]),
    "n_triplets": st.sampled_from([1, 50]),
    "n_candidates": FEW,
    "n_rounds": FEW,
    "ridge": SIZES.filter(bool),
    "ordered": st.sampled_from(
        [
            None,
            {"a": ["green", "red", "blue", "grey"]},
            {"a": [2, 0, 1]},
            {},
            {"a": ["red", "red"]},
            {"a": []},
            {"none": ["a"]},
        ]
    ),
    "asymmetric": st.sampled_from([(), ["none"]]),
    "ordinal": st.sampled_from(["levels", "podani"]),
    "n_clusters": FEW,
    "n_init": FEW,
    "max_members": FEW,
    "cv": st.sampled_from([None, 2, 3, 50]),
    "scoring": st.sampled_from(["accuracy", "balanced_accuracy", "f1_macro", "x"]),
    "calibrate": st.booleans(),
    "n_remembered": st.sampled_from(["auto", "all", 1, 30]),
    "time_budget": st.sampled_from([None, 0.001, 100.0]),
    "radius": SIZES,
    "method": st.sampled_from(["distance", "lof"]),
    "contamination": st.sampled_from(["auto", 0.1, 0.5, 0.6]),
    "add_indicator": st.booleans(),
    "scale": st.sampled_from(["linear", "log", "quantile"]),
    "trend": st.booleans(),
    "n_estimators": FEW,
    "min_samples_leaf": WHOLE,
}
COLUMN_WEIGHTS = st.sampled_from(
    [
        None, {"a": 2.0}, {"a": 0.0, "b": 1e-100}, {"a": -1.0}, {"none": 1.0}, {},
        {"a": np.nan}, {"a": 0, "b": 0, "c": 0, "d": 0}, {"a": 1e100}, {"a": "x"},
    ]
)  # fmt: skip
"""Of distances that are not learned; classifiers have another setting of the name."""
SELDOM = st.sampled_from([False] * 12 + [True])
LIGHT = {"max_iter": 3, "n_bits": 8, "n_triplets": 50, "n_pairs": 20, "n_jobs": 1}
LIGHT |= {"n_estimators": 3}
"""So that an example takes milliseconds."""
NOT_DRAWN = {"verbose", "metric", "candidates"}


@st.composite
def settings_of(draw, kind, sound=False):
    """Settings of an estimator: some right, and now and then a wrong one."""
    known = {k for k in kind().get_params(deep=False) if k not in NOT_DRAWN}
    chosen = draw(st.lists(st.sampled_from(sorted(known)), max_size=4, unique=True))
    given = {name: LIGHT[name] for name in LIGHT if name in known}
    for name in chosen:
        is_wrong = not sound and draw(SELDOM)
        is_of_columns = name == "weights" and kind in nk.baselines.all().values()
        others = st.sampled_from(TABLES[kind].get(name, [None]))
        right = COLUMN_WEIGHTS if is_of_columns else RIGHT.get(name, others)
        given[name] = draw(WRONG if is_wrong else right)
    for name in ("max_iter", "n_init"):
        if is_endless(given.get(name)):
            given[name] = 3
    return given


def is_endless(n):
    return isinstance(n, int) and n > 1000


@st.composite
def distances(draw, sound=False):
    """An unfitted distance: CPML half of the time."""
    names = ["cpml"] if draw(st.booleans()) else [*nk.baselines.all()]
    kind = ({"cpml": nk.CPML} | nk.baselines.all())[draw(st.sampled_from(names))]
    return kind(**draw(settings_of(kind, sound)))


@st.composite
def estimators(draw, sound=False):
    """Any unfitted estimator."""
    metric = draw(distances(sound))
    role = draw(st.sampled_from(["distance", "distance", "classifier", "search"]))
    if role == "distance":
        return metric
    if role == "classifier":
        return nk.CPMLClassifier(metric, **draw(settings_of(nk.CPMLClassifier, sound)))
    given = {"cv": 2, **draw(settings_of(nk.CPMLClassifierCV, sound))}
    return nk.CPMLClassifierCV([metric, "values"], **given)
