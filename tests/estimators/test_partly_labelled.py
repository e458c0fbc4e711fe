"""Rows with and without labels: what each of them teaches."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.projections.cooccurrence import Cooccurrence

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, Y = labelled_table(60)
NUMBERS = np.unique(Y, return_inverse=True)[1]
KNOWN = np.arange(60) < 24
SETTINGS = [
    {},
    {"projection": "vdm+cooccurrence"},
    {"projection": "vdm+cooccurrence", "structure": "multi", "cross_fit": True},
    {"projection": "onehot", "scope": "local"},
    {"constraints": "pairs", "smoothing": "auto"},
    {"constraints": "quadruplets", "cross_fit": True},
    {"scope": 300, "random_state": 4},
    {"solver": "stochastic", "random_state": 4},
]


def quick(**settings):
    return nk.CPML(**{"max_iter": 8, **settings})


def with_gaps(labels=Y):
    return np.where(KNOWN, labels.astype(object), None)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_with_every_row_labelled_it_is_fit_to_the_last_bit(settings):
    fitted = quick(**settings).fit(X, Y)
    other = quick(**settings).fit_constraints(X, y=Y)
    for name in ("metric_", "feature_relevance_", "classes_", "spectrum_"):
        np.testing.assert_array_equal(getattr(fitted, name), getattr(other, name))
    np.testing.assert_array_equal(fitted.transform(X), other.transform(X))
    np.testing.assert_equal(other.objective_, fitted.objective_)
    np.testing.assert_equal(other.gap_, fitted.gap_)


@pytest.mark.parametrize("settings", [SETTINGS[0], *SETTINGS[3:]], ids=str)
def test_unlabelled_rows_change_neither_constraints_nor_histograms(settings):
    Xk = X[KNOWN].reset_index(drop=True)
    alone = quick(**settings).fit(Xk, Y[KNOWN])
    partly = quick(**settings).fit_constraints(X, y=with_gaps())
    assert partly.objective_ == pytest.approx(alone.objective_, rel=1e-9)
    assert partly.strength_max_ == pytest.approx(alone.strength_max_, rel=1e-9)
    np.testing.assert_allclose(
        partly.pairwise_distances(Xk), alone.pairwise_distances(Xk), atol=1e-6
    )


def test_all_rows_give_cooccurrence_and_labelled_rows_histograms():
    model = quick(projection="vdm+cooccurrence").fit_constraints(X, y=with_gaps())
    codes = model.codebook_.encode(X)
    everything = Cooccurrence().fit(
        codes, model.codebook_.n_values, None, np.ones(len(X))
    )
    n_classes = len(model.classes_)
    for d, table in enumerate(model.projection_.tables):
        beside = model.projection_.scale * everything.tables[d]
        np.testing.assert_allclose(table[:, :, n_classes:], beside)
        for value in range(len(table) - 1):
            mine = KNOWN & (codes[:, d] == value)
            if mine.any():
                shares = [(Y[mine] == c).mean() for c in model.classes_]
                np.testing.assert_allclose(table[value, 0, :n_classes], shares)


MARKED = np.where(KNOWN, NUMBERS, -1)


@pytest.mark.parametrize(
    "labels",
    [
        MARKED,
        MARKED.astype(np.int8),
        MARKED.astype(float),
        MARKED.tolist(),
        pd.Series(MARKED),
        pd.Series(MARKED).astype("Int64").replace(-1, pd.NA),
        pl.Series(MARKED),
        pl.Series([n if n >= 0 else None for n in MARKED.tolist()]),
        np.where(KNOWN, NUMBERS, np.nan),
        [n if n >= 0 else None for n in MARKED.tolist()],
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_every_way_to_write_an_unknown_label(labels):
    model = quick().fit_constraints(X, y=labels)
    expected = quick().fit_constraints(X, y=with_gaps(NUMBERS))
    np.testing.assert_array_equal(model.classes_.astype(int), [0, 1, 2])
    np.testing.assert_array_equal(model.metric_, expected.metric_)


def test_minus_one_is_a_label_where_others_are_missing_or_words():
    two = np.where(NUMBERS == 0, -1, 1)
    model = quick().fit_constraints(X, y=with_gaps(two))
    assert model.classes_.tolist() == [-1, 1]
    words = np.where(NUMBERS == 0, "-1", "1")
    assert quick().fit_constraints(X, y=words).classes_.tolist() == ["-1", "1"]


def test_minus_one_is_a_label_in_fit():
    model = quick().fit(X, np.where(NUMBERS == 0, -1, 1))
    assert model.classes_.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.where(NUMBERS == 0, -1, 1), "only one class, .*1.*, beside -1"),
        (np.full(60, -1), "no label at all"),
        ([None] * 60, "no label at all"),
        (with_gaps(np.full(60, "ham")), "imply no triplets"),
        (Y[:-1], "X has 60 rows, y has 59 labels"),
        (np.where(KNOWN, np.linspace(0, 1, 60), np.nan), "continuous"),
        (None, "nothing to learn from: pass triplets, .*or pass y"),
    ],
)
def test_labels_that_cannot_teach_are_refused(labels, words):
    with pytest.raises(ValueError, match=re.compile(words, re.DOTALL)):
        quick().fit_constraints(X, y=labels)


def test_fit_points_to_where_gaps_are_taken():
    with pytest.raises(ValueError, match=r"36 of 60.*fit_constraints\(X, y=y\)"):
        quick().fit(X, with_gaps())


def test_stated_constraints_stand_alone_and_labels_give_the_histograms():
    rows = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    partly = quick().fit_constraints(X, triplets=rows, y=with_gaps())
    assert partly.projection_.tables[0].shape[2] == 3
    lookup = quick(projection="onehot")
    without = lookup.fit_constraints(X, triplets=rows).objective_
    assert lookup.fit_constraints(X, triplets=rows, y=Y).objective_ == pytest.approx(
        without, rel=1e-9
    )


def test_cross_fitting_leaves_out_own_labels_of_stated_rows_too():
    labels = with_gaps()
    rows = [(0, 1, 2), (3, 40, 5), (6, 7, 50)]
    plain, crossed = (
        quick(cross_fit=cross_fit).fit_constraints(X, triplets=rows, y=labels)
        for cross_fit in (False, True)
    )
    assert plain.strength_max_ != crossed.strength_max_


class TestClassifier:
    """Unlabelled rows teach the distance and do not vote."""

    def test_is_the_learned_distance_with_labelled_voters(self):
        metric = quick(projection="vdm+cooccurrence")
        model = nk.CPMLClassifier(metric, n_neighbors=3).fit(X, with_gaps())
        learned = quick(projection="vdm+cooccurrence").fit_constraints(X, y=with_gaps())
        np.testing.assert_array_equal(model.metric_.metric_, learned.metric_)
        D = learned.pairwise_distances(X, X[KNOWN])
        shares = model.predict_proba(X)
        for d, share in zip(D, shares, strict=True):
            near = np.argsort(d, kind="stable")
            if d[near[3]] > d[near[2]] + 1e-6:  # no tie at the third
                voters = Y[KNOWN][near[:3]]
                expected = [(voters == c).mean() for c in model.classes_]
                np.testing.assert_allclose(share, expected)

    def test_neighbours_are_rows_of_the_whole_table(self):
        known = KNOWN[::-1]
        labels = np.where(known, Y.astype(object), None)
        model = nk.CPMLClassifier(quick(), n_neighbors=2).fit(X, labels)
        rows = model.kneighbors(X, return_distance=False)
        assert known[rows].all()

    def test_minus_one_is_a_label(self):
        labels = with_gaps(np.where(NUMBERS == 0, -1, 1))
        model = nk.CPMLClassifier(quick(), n_neighbors=1).fit(X, labels)
        assert model.classes_.tolist() == model.metric_.classes_.tolist() == [-1, 1]

    def test_other_distances_and_weights_are_refused(self):
        with pytest.raises(ValueError, match="36 of 60, the first in row 24"):
            nk.CPMLClassifier(nk.baselines.Hamming()).fit(X, with_gaps())
        with pytest.raises(ValueError, match="no sample_weight where labels"):
            nk.CPMLClassifier(quick()).fit(X, with_gaps(), sample_weight=np.ones(60))
        with pytest.raises(ValueError, match="only one class"):
            nk.CPMLClassifier(quick()).fit(X, with_gaps(np.full(60, "ham")))
