"""A task takes a fitted distance as it is, and fits one that is not."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

import nearkind as nk
from nearkind.tasks.fitted_distance import DistanceTask, unfitted_distance
from nearkind.validation.parameters import estimator_class

X = [["red", "s"], ["blue", "s"], ["red", "m"], ["blue", "m"], ["red", "s"]]
Y = ["a", "b", "a", "b", "a"]


@estimator_class()
class Task(DistanceTask):
    metric: object

    def fit(self, *data):
        self.rows = self._fit_distance(*data)
        return self


def given(metric, *data):
    return Task(metric).fit(*data)


def test_a_fitted_distance_is_taken_as_it_is():
    metric = nk.CPML().fit(X, Y)
    for task in (given(metric, X[:2]), given(metric.distance_, X[:2])):
        assert task.distance_ is metric.distance_
        assert task.rows.codebook is task.codebook_ is metric.codebook_
        assert np.array_equal(task.rows.codes, metric.codebook_.encode(X[:2]))
        assert np.array_equal(task._encode(task.rows), task.rows.codes)
    assert given(metric, X).metric_ is metric
    assert given(metric.distance_, X).metric_ is None


@pytest.mark.parametrize("wrap", [lambda model: model, FrozenEstimator])
def test_the_distance_of_a_fitted_classifier_is_taken(wrap):
    model = nk.CPMLClassifier("vdm", n_neighbors=1).fit(X, Y)
    task = given(wrap(model), X)
    assert task.distance_ is model.distance_
    assert task.metric_ is model.metric_


def test_a_frozen_distance_survives_a_clone():
    metric = nk.CPML().fit(X, Y)
    assert given(clone(FrozenEstimator(metric)), X).metric_ is metric


@pytest.mark.parametrize("metric", [nk.baselines.Eskin(), "eskin"])
def test_an_unfitted_distance_is_fitted_and_left_alone(metric):
    task, alone = given(metric, X), nk.baselines.Eskin().fit(X)
    found = task.distance_.pairwise_distances(X)
    assert np.array_equal(found, alone.pairwise_distances(X))
    assert not hasattr(metric, "codebook_")
    assert task.rows.codebook is task.distance_.codebook


def test_none_is_cpml_with_labels_and_hamming_without():
    assert isinstance(given(None, X, Y).metric_, nk.CPML)
    assert isinstance(given(None, X).metric_, nk.baselines.Hamming)


def test_labels_and_weights_are_kept():
    rows = given("hamming", X, Y, [1, 0, 2, 1, 1]).rows
    assert rows.classes[rows.y].tolist() == ["a", "a", "b", "a"]
    assert rows.weights.tolist() == [1.0, 2.0, 1.0, 1.0]
    assert rows.row_numbers.tolist() == [0, 2, 3, 4]


def test_a_learned_distance_without_labels_says_what_to_do():
    with pytest.raises(ValueError, match=r"CPML learns from labels.*FrozenEstimator"):
        given(nk.CPML(), X)


def test_a_classifier_that_is_not_fitted_is_refused():
    with pytest.raises(ValueError, match=r"given as metric of Task is not fitted"):
        given(nk.CPMLClassifier(), X, Y)


def test_what_is_no_distance_is_refused():
    with pytest.raises(ValueError, match=r"'metric' parameter of Task"):
        given(3, X)


@pytest.mark.parametrize("wrap", [lambda model: model, FrozenEstimator])
def test_an_unfitted_copy_has_the_settings(wrap):
    model = nk.CPMLClassifier(nk.CPML(margin=2.0)).fit(X, Y)
    for given_as in (model, model.metric_):
        found = unfitted_distance(wrap(given_as), "audit")
        assert found.margin == 2.0
        assert not hasattr(found, "codebook_")


HAMMING = nk.baselines.Hamming().fit(X)


@pytest.mark.parametrize(
    "metric", [3, None, nk.CPMLClassifier(), "hammin", HAMMING.distance_]
)
def test_no_copy_of_what_is_no_estimator(metric):
    with pytest.raises(ValueError, match=r"'metric' parameter of audit must be"):
        unfitted_distance(metric, "audit")
