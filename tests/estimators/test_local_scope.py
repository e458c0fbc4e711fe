"""CPML(scope="local"): triplets of each row's nearest, from settings to predictions."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.estimators.spec import CPMLSpec

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, y = labelled_table()


def local(**settings):
    return nk.CPML(**{"scope": "local", "max_iter": 8, **settings})


# Fits


@pytest.mark.parametrize("name", ["monks1", "monks2", "monks3", "balance"])
@pytest.mark.parametrize("projection", ["vdm", "onehot"])
def test_sets_that_a_rule_defines_are_fitted_with_a_certificate(name, projection):
    data = nk.datasets.load(name, as_frame=False)
    model = local(projection=projection, max_iter=4).fit(data.X, data.y)
    assert 0.0 <= model.gap_ <= model.objective_ < np.inf
    assert model.rank_ > 0
    assert np.linalg.eigvalsh(model.metric_).min() >= -1e-9
    iterations = [record.iteration for record in model.history_]
    assert (np.diff(iterations) >= 0).all()
    assert model.n_iter_ == iterations[-1]


def test_a_gap_within_the_tolerance_is_reached_and_said():
    model = local(max_iter=200, tol=1e-3).fit(X, y)
    assert model.stop_reason_ == "TOLERANCE"
    assert 0.0 <= model.gap_ <= 1e-3 * model.objective_


@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_every_structure_and_norm_learns_a_metric(structure, p):
    model = local(structure=structure, p=p, max_iter=4).fit(X, y)
    D = model.pairwise_distances(X)
    assert np.isfinite(D).all()
    assert D.max() > 0.0
    assert 0.0 <= model.gap_ <= model.objective_


@pytest.mark.parametrize("solver", ["proximal", "subgradient"])
def test_exact_solvers_prove_their_gap(solver):
    model = local(solver=solver, max_iter=20).fit(X, y)
    assert 0.0 <= model.gap_ < model.objective_


def test_stochastic_comes_near_the_exact_objective():
    settings = {"max_iter": 40, "random_state": 0}
    model = local(solver="stochastic", **settings).fit(X, y)
    exact = local(solver="proximal", **settings).fit(X, y)
    assert np.isnan(model.gap_)
    assert model.objective_ == pytest.approx(exact.objective_, rel=0.05)
    again = local(solver="stochastic", **settings).fit(X, y)
    np.testing.assert_array_equal(again.metric_, model.metric_)


def test_monks2_is_classified_where_indicators_say_how_many_are_first():
    data = nk.datasets.load("monks2", as_frame=False)
    train, test, labels, truth = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=0
    )
    model = nk.CPMLClassifier(local(projection="onehot", max_iter=20), n_neighbors=3)
    assert model.fit(train, labels).score(test, truth) > 0.9


# What must not change the result


def test_threads_do_not_change_a_bit():
    data = nk.datasets.load("monks2", as_frame=False)
    one, two = (local(n_jobs=n).fit(data.X, data.y) for n in (1, 2))
    np.testing.assert_array_equal(one.metric_, two.metric_)
    assert one.objective_ == two.objective_


@pytest.mark.parametrize("projection", ["vdm", "onehot"])
def test_memory_does_not_change_the_metric(projection):
    model = local(projection=projection, max_iter=3).fit(X, y)
    with config_context(working_memory=1e-6):
        rule = CPMLSpec.of(local()).rule
        small = local(projection=projection, max_iter=3).fit(X, y)
    assert rule.at_once == 1
    np.testing.assert_allclose(small.metric_, model.metric_, atol=1e-6)
    assert small.objective_ == pytest.approx(model.objective_, rel=1e-7)


def test_more_targets_than_a_class_has_take_it_whole():
    some, more = (local(n_targets=n).fit(X, y) for n in (len(y), 1000))
    np.testing.assert_array_equal(some.metric_, more.metric_)
    assert some.objective_ == more.objective_


def test_the_number_of_targets_matters():
    few, many = (local(n_targets=n).fit(X, y) for n in (1, 6))
    assert (few.metric_ != many.metric_).any()
    assert few.objective_ < many.objective_


def test_distances_scale_with_the_margin():
    one, two = (local(margin=b, max_iter=200, tol=1e-3).fit(X, y) for b in (1.0, 2.0))
    assert two.objective_ == pytest.approx(2.0 * one.objective_, rel=0.01)


# Settings and labels


def test_scikit_learn_knows_the_number_of_targets():
    assert nk.CPML().get_params()["n_targets"] == 3
    copied = clone(local(n_targets=7))
    assert (copied.scope, copied.n_targets) == ("local", 7)
    assert copied.set_params(n_targets=2).n_targets == 2
    model = nk.CPMLClassifier(local()).set_params(metric__n_targets=5)
    assert model.get_params()["metric__n_targets"] == 5


@pytest.mark.parametrize("n_targets", [0, -1, 1.5, "3", True, None])
def test_a_wrong_number_of_targets_is_refused(n_targets):
    words = re.escape(
        "The 'n_targets' parameter of CPML must be a whole number >= 1; "
        f"got {n_targets!r}."
    )
    with pytest.raises(ValueError, match=words):
        local(n_targets=n_targets).fit(X, y)


@pytest.mark.parametrize("constraints", ["pairs", "quadruplets"])
def test_only_triplets_are_local(constraints):
    words = (
        "'constraints' parameter of CPML must be 'triplets' when scope='local'; "
        f"got '{constraints}'"
    )
    with pytest.raises(ValueError, match=words):
        local(constraints=constraints).fit(X, y)


def test_another_scope_is_refused_with_those_there_are():
    words = "'scope' .* must be 'all', 'local' or a .* from 1 to .*; got 'nearby'"
    with pytest.raises(ValueError, match=words):
        local(scope="nearby").fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"only one class, .*'ham'"):
        local().fit(X, ["ham"] * len(y))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_classes_of_one_row_each_are_refused():
    with pytest.raises(ValueError, match="imply no triplets: they need a class"):
        local().fit(X[:3], ["a", "b", "c"])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("n_targets", [1, 3])
def test_a_class_of_one_row_beside_others_is_no_obstacle(n_targets):
    labels = y.astype(object)
    labels[7] = "solo"
    model = local(n_targets=n_targets).fit(X, labels)
    assert list(model.classes_) == ["egg", "ham", "jam", "solo"]
    assert 0.0 <= model.gap_ <= model.objective_ < np.inf
    assert model.rank_ > 0
    assert np.isfinite(model.transform(X)).all()
