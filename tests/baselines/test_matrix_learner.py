"""Learners of one matrix from pairs: coding of rows, what they promise, bad input."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
from helpers import strategies
from helpers.estimator_tables import labelled_table
from nearkind.baselines import matrix_learner
from nearkind.baselines.dml_eig import DMLEig
from nearkind.baselines.itml import ITML
from nearkind.baselines.matrix_learner import Coding, LabelledRows, whitening
from nearkind.baselines.mmc import MMC
from nearkind.baselines.pola import POLA
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

LEARNERS = {
    "itml": ITML(),
    "pola": POLA(),
    "averaged pola": POLA(averaged=True),
    "dml_eig": DMLEig(max_iter=30),
    "mmc": MMC(),
    "diagonal mmc": MMC(diagonal=True),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)
every_coding = pytest.mark.parametrize("coding", ["onehot", "vdm"])
X, Y = labelled_table(50, seed=3)
NEW = labelled_table(12, seed=4)[0].replace({"noise": {"c": "never seen"}})


@pytest.mark.parametrize("projection", [OneHot, VDM])
@given(table=strategies.tables(unseen=True))
def test_coded_rows_are_as_far_apart_as_projected_ones(projection, table):
    codes, n_values, y, _ = table
    tables = projection().fit(codes, n_values, y, np.ones(len(y))).tables
    codes = np.vstack([codes, np.full((1, len(n_values)), -1, np.int32)])
    plain, turned = (Coding.of(tables, reduced=t).rows(codes) for t in (False, True))
    for i in range(len(codes)):
        np.testing.assert_allclose(
            ((plain - plain[i]) ** 2).sum(axis=1),
            ((turned - turned[i]) ** 2).sum(axis=1),
            atol=1e-9,
        )


def test_mean_over_alike_pairs_is_that_of_every_pair(monkeypatch):
    monkeypatch.setattr(matrix_learner, "AT_ONCE", 20)  # several blocks a class
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (25, 2)).astype(np.int32)
    y = rng.integers(0, 3, 25)
    tables = OneHot().fit(codes, [3, 3], y, np.ones(25)).tables
    rows = LabelledRows(Coding.of(tables), codes, y)
    V = rows.differences(rows.pairs.alike())
    np.testing.assert_allclose(rows.within(), V.T @ V / len(V), atol=1e-12)


def test_fewer_pairs_where_they_would_take_too_much_memory(monkeypatch):
    monkeypatch.setattr(matrix_learner, "LARGEST_DIFFERENCES", 70)
    codes = np.arange(30, dtype=np.int32)[:, None]
    y = np.arange(30) % 2
    tables = OneHot().fit(codes, [30], y, np.ones(30)).tables
    rows = LabelledRows(Coding.of(tables), codes, y)
    assert len(rows.unlike(1000, np.random.default_rng(0))) == 70 // rows.coding.width


def test_whitening_leaves_unit_variance_where_there_is_any():
    S = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    root = whitening(S)
    np.testing.assert_allclose((root @ S @ root)[:2, :2], np.eye(2), atol=1e-4)
    assert root[2, 2] == pytest.approx((1e-5 * 5 / 3) ** -0.5)
    np.testing.assert_array_equal(whitening(np.zeros((2, 2))), np.eye(2))


def fitted(name, X=X, Y=Y, **settings):
    return clone(LEARNERS[name]).set_params(**settings).fit(X, Y)


@every_coding
@every_learner
def test_distances_are_those_of_the_metric(name, coding):
    model = fitted(name, coding=coding)
    projection = {"onehot": OneHot, "vdm": VDM}[coding]()
    codes = model.codebook_.encode(X)
    y = np.unique(Y, return_inverse=True)[1]
    projection.fit(codes, model.codebook_.n_values, y, np.ones(len(y)))
    x = projection.transform(codes).reshape(len(y), -1)
    V = x[:, None] - x[None]
    d2 = np.einsum("ijw,wv,ijv->ij", V, model.metric_, V)
    np.testing.assert_allclose(
        model.pairwise_distances(X, squared=True), d2, atol=1e-6 * d2.max()
    )
    assert np.linalg.eigvalsh(model.metric_)[0] >= -1e-9 * np.trace(model.metric_)


@every_coding
@every_learner
def test_the_same_seed_learns_the_same_distance(name, coding):
    one, same = (fitted(name, coding=coding).pairwise_distances(X) for _ in range(2))
    np.testing.assert_array_equal(one, same)


@every_learner
def test_a_given_generator_and_no_seed_are_taken(name):
    n_pairs = {"itml": {}, "pola": {"n_pairs": 60}, "averaged pola": {"n_pairs": 60}}
    few = n_pairs.get(name, {"n_pairs": 20})
    first, second = (
        fitted(name, random_state=seed, **few).pairwise_distances(X)
        for seed in (np.random.default_rng(5), None)
    )
    again = fitted(name, random_state=np.random.default_rng(5), **few)
    np.testing.assert_array_equal(again.pairwise_distances(X), first)
    assert (first != second).any()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@every_coding
@every_learner
def test_names_of_values_and_order_of_columns_do_not_matter(name, coding):
    rename = {"round": "zz", "flat": "00", "s": "Large", "low": "a low"}
    columns = ["noise", "size", "tone", "shape"]
    plain = fitted(name, coding=coding).pairwise_distances(NEW, X)
    other = fitted(name, X.replace(rename)[columns], coding=coding)
    changed = other.pairwise_distances(NEW.replace(rename), X.replace(rename))
    np.testing.assert_allclose(changed, plain, atol=1e-6 * plain.max())


@every_learner
def test_learned_distances_beat_noise(name):
    model = fitted(name)
    noise = model.value_distances("noise").to_numpy()
    shape = model.value_distances("shape").to_numpy()
    assert noise.max() < shape.max()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@every_coding
@every_learner
def test_missing_as_prior_and_unseen_values_have_finite_distances(name, coding):
    model = fitted(name, coding=coding, missing="prior")
    D = model.pairwise_distances(NEW, X)
    assert np.isfinite(D).all()
    assert model.transform(NEW).shape == (12, len(model.get_feature_names_out()))


def test_in_a_classifier():
    for learner in LEARNERS.values():
        model = nk.CPMLClassifier(clone(learner), n_neighbors=3).fit(X, Y)
        assert model.score(X, Y) > 0.6


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (ITML(gamma=0), "'gamma' parameter of ITML must be a number > 0; got 0"),
        (ITML(tol=-1), "'tol' .* >= 0; got -1"),
        (ITML(n_constraints=1), "'n_constraints' .* whole number >= 2; got 1"),
        (ITML(max_iter=0.5), "'max_iter' .* whole number >= 1; got 0.5"),
        (POLA(averaged="yes"), "'averaged' parameter of POLA must be True or False"),
        (POLA(n_pairs=0), "'n_pairs' .* whole number >= 2; got 0"),
        (POLA(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
        (DMLEig(smoothing=0), "'smoothing' parameter of DMLEig .* > 0; got 0"),
        (DMLEig(tol=np.nan), "'tol' .* >= 0; got nan"),
        (MMC(diagonal=1), "'diagonal' parameter of MMC must be True or False; got 1"),
        (MMC(n_pairs=None), "'n_pairs' .* whole number >= 1; got None"),
        (MMC(missing="drop"), "'missing' .* one of 'level'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)


@every_learner
def test_labels_without_a_difference_or_a_likeness_are_refused(name):
    with pytest.raises(ValueError, match="only one class"):
        fitted(name, X, ["ham"] * 50)
    with pytest.raises(ValueError, match="3 rows has a class of its own"):
        fitted(name, X[:3], ["a", "b", "c"])


@every_coding
@every_learner
def test_equal_rows_leave_the_euclidean_distance_and_a_warning(name, coding):
    rows, y = [["a", "x"]] * 6, [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning, match="learned nothing, because"):
        model = fitted(name, rows, y, coding=coding)
    assert (model.pairwise_distances(rows) == 0.0).all()


@every_coding
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "itml"])
def test_one_feature_is_enough(name, coding):
    rows, y = [["a"], ["b"], ["a"], ["b"], ["c"], ["c"]], [0, 1, 0, 1, 1, 0]
    model = fitted(name, rows, y, coding=coding)
    assert model.pairwise_distances([["a"]], [["b"]]) > 0.0


@every_coding
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "dml_eig"])
def test_constant_columns_change_nothing(name, coding):
    plain = fitted(name, coding=coding)
    wider = fitted(name, X.assign(same="x"), coding=coding)
    np.testing.assert_allclose(
        wider.pairwise_distances(X.assign(same="x")),
        plain.pairwise_distances(X),
        rtol=0.05,
        atol=1e-3,
    )


@every_coding
@every_learner
def test_equal_rows_of_two_labels_do_no_harm(name, coding):
    model = fitted(name, pd.concat([X, X[:5]]), np.r_[Y, np.roll(Y, 1)[:5]])
    assert np.isfinite(model.pairwise_distances(X)).all()


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
def test_a_metric_too_large_is_refused_before_it_is_made():
    rows = [[f"v{i}", "x"] for i in range(8000)]
    words = r"would need 1 matrices of 8,001 x 8,001 .* coding='vdm'"
    with pytest.raises(ValueError, match=words):
        ITML().fit(rows, np.arange(8000) % 2)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (ITML(max_iter=1, tol=1e-12), "multipliers still changed by"),
        (MMC(max_iter=1), "may be .* below its optimum"),
    ],
)
def test_running_out_of_iterations_is_said(learner, words):
    with pytest.warns(ConvergenceWarning, match=words):
        learner.fit(X, Y)
    assert learner.n_iter_ == 1
