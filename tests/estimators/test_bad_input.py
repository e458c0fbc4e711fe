"""Bad input is normal input: a right answer, or one sentence that says what to do."""

import itertools
import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.errors import ColumnError, MeasuredLabelsWarning, NearlyUniqueWarning

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, y = labelled_table(30)
NAN_LABELS = y.astype(object)
NAN_LABELS[[3, 8]] = [None, float("nan")]
PROJECTIONS = ["vdm", "onehot", "vdm+onehot", "cooccurrence", "vdm+cooccurrence"]
LISTS = X.assign(tone=[["a"]] + ["b"] * 29)

REFUSED = {
    "one class": (X, ["ham"] * 30, ValueError, "only one class, .*'ham'"),
    "one row": (X[:1], y[:1], ValueError, "only one class"),
    "no rows": (X[:0], y[:0], ValueError, r"0 sample\(s\) \(shape=\(0, 4\)\)"),
    "no columns": (X[[]], y, ValueError, r"0 feature\(s\) \(shape=\(30, 0\)\)"),
    "no labels": (X, None, ValueError, "requires y to be passed"),
    "labels missing": (X, NAN_LABELS, ValueError, "2 of 30, the first in row 3"),
    "labels infinite": (X, np.r_[np.inf, np.ones(29)], ValueError, "infinity: 1 of 30"),
    "labels continuous": (
        X,
        np.linspace(0, 1, 30),
        ValueError,
        "Unknown label type: continuous.*regression.*CPMLRegressor",
    ),
    "labels of mixed type": (X, [1, "a"] * 15, TypeError, "of types int, str"),
    "labels that end in NUL": (X, ["a", "a\0"] * 15, ValueError, "row 1 ends in a NUL"),
    "NUL in a frame": (X, pd.Series(["a", "a\0"] * 15), ValueError, "ends in a NUL"),
    "too few labels": (X, y[:-1], ValueError, "X has 30 rows, y has 29 labels"),
    "sparse": (
        sparse.eye_array(30),
        y,
        TypeError,
        "Sparse X is not supported.*toarray",
    ),
    "lists in cells": (LISTS, y, TypeError, "'tone'.*row 0"),
    "a path": ("data.csv", y, TypeError, "must be a table"),
    "singleton classes": (X[:3], ["a", "b", "c"], ValueError, "imply no triplets"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case):
    table, labels, kind, words = REFUSED[case]
    with pytest.raises(kind, match=re.compile(words, re.DOTALL)):
        nk.CPML(max_iter=2).fit(table, labels)


def test_whole_numbers_of_few_rows_each_look_measured():
    table, few = pd.concat([X, X]), np.arange(60) % 25
    model = nk.CPMLClassifier("hamming")
    with pytest.warns(MeasuredLabelsWarning, match="25 different numbers in 50 rows"):
        model.fit(table[:50], few[:50])
    model.fit(table[:40], few[:40] % 20)  # so few may be classes
    model.fit(table[:50], few[:50].astype(str))  # a name is a name


SETTINGS_OF_ALL = [
    ({"n_jobs": "x"}, "'n_jobs' .* whole number other than 0; got 'x'"),
    ({"n_jobs": 0}, "'n_jobs' .* got 0"),
    ({"n_jobs": 1.5}, "'n_jobs' .* got 1.5"),
    ({"random_state": "x"}, "'random_state' .* from 0 to .* got 'x'"),
    ({"random_state": -1}, "'random_state' .* got -1"),
    ({"random_state": [1, "x"]}, "'random_state' .* got .1, 'x'."),
]


@pytest.mark.parametrize(("settings", "words"), SETTINGS_OF_ALL)
@pytest.mark.parametrize(
    "learner", [nk.CPMLClassifierCV, nk.baselines.RFM, nk.baselines.MCML]
)
def test_wrong_threads_and_seeds_are_named(learner, settings, words):
    with pytest.raises(ValueError, match=words):
        learner(**settings).fit(X, y)


def test_a_column_without_a_name_is_refused():
    table = pd.DataFrame([["a", "b"], ["c", "d"]], columns=[1.0, float("nan")])
    with pytest.raises(ValueError, match="has no name: it is called nan"):
        nk.CPML().fit(table, ["x", "y"])
    with pytest.raises(ValueError, match="has no name: it is called None"):
        nk.CPML().fit({None: ["a", "b"], "b": ["c", "d"]}, ["x", "y"])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"p": 0.5}, "'p' .* >= 1, or infinity; got 0.5"),
        ({"p": float("nan")}, "got nan"),
        ({"p": "two"}, "got 'two'"),
        ({"p": np.inf, "powered": True}, "finite when powered=True"),
        ({"strength": -1.0}, "'strength' .* >= 0, 'auto' or a share .*; got -1.0"),
        ({"strength": "half"}, "a share of strength_max_ such as '0.5%'; got 'half'"),
        ({"strength": "5"}, "got '5'"),
        ({"strength": "-1%"}, "got '-1%'"),
        ({"strength": "nan%"}, "got 'nan%'"),
        ({"strength": "inf%"}, "got 'inf%'"),
        ({"strength": np.inf}, "got inf"),
        ({"margin": 0}, "'margin' .* > 0; got 0"),
        ({"smoothing": -2}, "'smoothing' .* >= 0 or 'auto'; got -2"),
        ({"structure": "triple"}, "one of 'single', 'multi', 'diagonal', 'full'"),
        ({"projection": "pca"}, "'vdm', 'onehot', 'vdm.onehot', 'cooccurrence'"),
        ({"constraints": "quintuplets"}, "'triplets', 'pairs', 'quadruplets'"),
        ({"scope": 0}, "'scope' .* from 1 to 1,000,000,000; got 0"),
        ({"scope": 10**30}, "from 1 to 1,000,000,000; got 10{30}"),
        ({"scope": True}, "got True"),
        ({"solver": "magic"}, "'subgradient', 'paper', 'stochastic'; got 'magic'"),
        ({"max_iter": 0}, "whole number >= 1; got 0"),
        ({"tol": -1e-3}, "'tol'"),
        ({"unseen": "ignore"}, "'prior', 'error'; got 'ignore'"),
        ({"missing": "drop"}, "'level', 'prior', 'error'; got 'drop'"),
        ({"numeric": "log"}, "'category', 'bin', 'scale'; got 'log'"),
        ({"cross_fit": "yes"}, "True or False; got 'yes'"),
        *SETTINGS_OF_ALL,
    ],
)
def test_wrong_settings_are_named_with_what_was_wanted(settings, words):
    with pytest.raises(
        ValueError, match=f"parameter of CPML must be .*{words}|{words}"
    ):
        nk.CPML(**settings).fit(X, y)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(29), r"wanted shape \(30,\), got \(29,\)"),
        (np.r_[np.nan, np.ones(29)], "got nan in row 0"),
        (np.r_[np.ones(29), -1], "got -1.0 in row 29"),
        (np.zeros(30), "zero for every row"),
    ],
)
def test_wrong_weights_are_named(weights, words):
    with pytest.raises(ValueError, match=words):
        nk.CPML().fit(X, y, sample_weight=weights)


def test_columns_are_found_by_name_and_missed_by_name():
    model = nk.CPML(max_iter=2).fit(X, y)
    turned = X[["tone", "noise", "size", "shape"]]
    np.testing.assert_array_equal(model.transform(turned), model.transform(X))
    with pytest.raises(ColumnError, match="'tint' was not seen in fit"):
        model.transform(X.rename(columns={"tone": "tint"}))
    with pytest.raises(ValueError, match="X has 3 features, but CPML is expecting 4"):
        model.transform(X.to_numpy()[:, :3])


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_columns_that_say_nothing_are_harmless(projection):
    table = X.assign(empty=None, constant="same")
    model = nk.CPML(projection=projection, max_iter=3).fit(table, y)
    assert np.isfinite(model.transform(table)).all()
    assert np.isfinite(model.feature_relevance_).all()


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("missing", ["level", "prior"])
def test_nothing_but_missing_values_gives_distance_zero(projection, missing):
    table = pd.DataFrame({"a": [None] * 6, "b": [float("nan")] * 6})
    labels = list("xyxyxy")
    settings = {"projection": projection, "missing": missing, "max_iter": 3}
    with pytest.warns(UserWarning, match="learned metric is zero"):
        model = nk.CPML(**settings).fit(table, labels)
    assert (model.pairwise_distances(table) == 0.0).all()


@pytest.mark.parametrize(
    ("structure", "projection"), [("diagonal", "onehot"), ("multi", "cooccurrence")]
)
def test_no_block_at_all_gives_distance_zero(structure, projection):
    settings = {"structure": structure, "projection": projection, "missing": "prior"}
    with pytest.warns(UserWarning, match="learned metric is zero"):
        model = nk.CPML(**settings).fit(np.full((6, 2), None), list("xyxyxy"))
    assert (model.pairwise_distances(np.full((2, 2), None)) == 0.0).all()


def test_rank_counts_no_direction_that_a_class_does_not_have():
    rows, labels = [], []
    for a, b in itertools.product("xyz", "uv"):
        first, second = {"x": 6, "y": 2, "z": 1}[a], {"u": 5, "v": 1}[b]
        rows += [(a, b)] * (first + 6)
        labels += [0] * first + [1] * second + [2] * (6 - second)
    model = nk.CPML(structure="multi", p=2.0).fit(np.array(rows, object), labels)
    eigenvalues = np.linalg.eigvalsh(model.metric_)[:, ::-1]
    np.testing.assert_allclose(model.spectrum_, eigenvalues, atol=1e-9)


def test_one_column_is_enough():
    for projection in ("vdm", "onehot", "cooccurrence"):
        model = nk.CPML(projection=projection, max_iter=5).fit(X[["shape"]], y)
        assert model.value_distances("shape").shape == (3, 3)


@pytest.mark.parametrize(
    "n", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)]
)
def test_very_many_levels_stay_within_memory_and_are_warned_of(n):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": np.arange(n), "kind": rng.integers(0, 3, n)})
    table = table.astype("category")
    labels = table["kind"].cat.codes.to_numpy() % 2
    tracemalloc.start()
    try:
        with pytest.warns(NearlyUniqueWarning, match=f"'id' has {n} distinct"):
            model = nk.CPML(scope=5_000, max_iter=3, random_state=0).fit(table, labels)
        assert tracemalloc.get_traced_memory()[1] < 1_500 * n
    finally:
        tracemalloc.stop()
    assert model.transform(table[:10]).shape[0] == 10


def test_indicators_of_a_huge_column_are_refused_by_name_before_they_are_made():
    n = 20_000
    table = pd.DataFrame({"id": np.arange(n), "kind": ["a", "b"] * (n // 2)})
    with (
        pytest.warns(NearlyUniqueWarning),
        pytest.raises(ValueError, match="Column 'id' has the most values, 20,000"),
    ):
        nk.CPML(projection="onehot", numeric="category").fit(table, table["kind"])


def test_histograms_without_labels_say_what_to_take_instead():
    for projection in ("vdm", "vdm+onehot", "vdm+cooccurrence"):
        with pytest.raises(ValueError, match=r"need labels.*cooccurrence"):
            nk.CPML(projection=projection).fit_constraints(X, triplets=[[0, 1, 2]])


@pytest.mark.parametrize("metric", [["euclidean"], nk.CPML, 3.0])
def test_a_metric_that_is_no_distance_is_named(metric):
    X, y = [["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="'metric' parameter of CPMLClassifier must"):
        nk.CPMLClassifier(metric).fit(X, y)
