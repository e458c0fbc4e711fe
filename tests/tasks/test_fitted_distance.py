"""A task takes a fitted distance as it is, and fits one that is not."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

import nearkind as nk
from nearkind.tasks.fitted_distance import distance_and_rows, unfitted_distance

X = [["red", "s"], ["blue", "s"], ["red", "m"], ["blue", "m"], ["red", "s"]]
Y = ["a", "b", "a", "b", "a"]


class Task:
    def __init__(self, metric):
        self.metric = metric


def given(metric, *data):
    return distance_and_rows(Task(metric), *data)


def test_a_fitted_distance_is_taken_as_it_is():
    metric = nk.CPML().fit(X, Y)
    distance, rows = given(metric, X[:2])
    assert distance is metric
    assert rows.codebook is metric.codebook_
    assert np.array_equal(rows.codes, metric.encode(X[:2]))


@pytest.mark.parametrize("wrap", [lambda model: model, FrozenEstimator])
def test_the_distance_of_a_fitted_classifier_is_taken(wrap):
    model = nk.CPMLClassifier("vdm", n_neighbors=1).fit(X, Y)
    assert given(wrap(model), X)[0] is model.distance_


def test_a_frozen_distance_survives_a_clone():
    metric = nk.CPML().fit(X, Y)
    assert given(clone(FrozenEstimator(metric)), X)[0] is metric


@pytest.mark.parametrize("metric", [nk.baselines.Eskin(), "eskin"])
def test_an_unfitted_distance_is_fitted_and_left_alone(metric):
    distance, rows = given(metric, X)
    alone = nk.baselines.Eskin().fit(X)
    assert np.array_equal(distance.pairwise_distances(X), alone.pairwise_distances(X))
    assert not hasattr(metric, "codebook_")
    assert rows.codebook is distance.codebook_


def test_none_is_cpml_with_labels_and_hamming_without():
    assert isinstance(given(None, X, Y)[0], nk.CPML)
    assert isinstance(given(None, X)[0], nk.baselines.Hamming)


def test_labels_and_weights_are_kept():
    _, rows = given("hamming", X, Y, [1, 0, 2, 1, 1])
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
    for given_as in (model, model.distance_):
        found = unfitted_distance(wrap(given_as), "audit")
        assert found.margin == 2.0
        assert not hasattr(found, "codebook_")


@pytest.mark.parametrize("metric", [3, None, nk.CPMLClassifier(), "hammin"])
def test_no_copy_of_what_is_no_distance(metric):
    with pytest.raises(ValueError, match=r"'metric' parameter of audit must be"):
        unfitted_distance(metric, "audit")
