"""Methods in a trial: what is learned from, what is selected on, what is scored."""

from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import nearkind as nk
from nearkind.baselines import Hamming
from nearkind.distances import MismatchWeights
from nearkind.experiments import METHODS, Design, sets
from nearkind.experiments.methods import (
    ClassifierMethod,
    DistanceMethod,
    StrengthPath,
)
from nearkind.experiments.scores import majority_share, pair_accuracy
from nearkind.experiments.sets import BuiltIn, seed_of
from nearkind.experiments.splits import Part, Split, split
from nearkind.experiments.trial import Trial
from nearkind.scoring import triplet_accuracy

SMALL = Design(rows=100)
QUIET = pytest.mark.filterwarnings("ignore")
PARTS = split(BuiltIn("balance").load(), seed_of("balance", 0), 100)


def trial(name="hamming", design=SMALL, method=None):
    return Trial(BuiltIn("balance"), name, method or METHODS[name], 0, design)


def nearest_answers(D, y):
    """Votes of the nearest rows, all that are tied; the first class if even."""
    classes = np.unique(y)
    answers = []
    for d in D:
        votes = [(y[d <= d.min() + 1e-9] == c).mean() for c in classes]
        answers.append(classes[int(np.argmax(np.array(votes) > max(votes) - 1e-9))])
    return np.array(answers)


def test_scores_are_those_of_a_slow_search():
    row = trial().run()
    train, _, test = PARTS
    model = Hamming().fit(*train)
    answers = nearest_answers(model.pairwise_distances(test.X, train.X), train.y)
    assert row.accuracy == pytest.approx(np.mean(answers == test.y))
    recalls = [np.mean(answers[test.y == c] == c) for c in np.unique(test.y)]
    assert row.balanced_accuracy == pytest.approx(np.mean(recalls))
    embedded = triplet_accuracy(model.transform(test.X), test.y)
    assert row.triplet_accuracy == pytest.approx(embedded, abs=1e-6)
    sides = [(model.pairwise_distances(p.X), p.y) for p in PARTS[1:]]
    assert row.pair_accuracy == pair_accuracy(*sides[0], *sides[1])
    assert (row.n_train, row.n_valid, row.n_test) == (60, 20, 20)
    assert (row.n_features, row.n_training_used, row.n_neighbors) == (4, 60, 1)
    assert row.status == "done"
    assert 0.0 < row.fit_seconds <= row.search_seconds < row.seconds


def test_every_method_meets_the_same_split():
    seeds = {(trial(name).run().seed, name) for name in ("hamming", "eskin")}
    assert len({seed for seed, _ in seeds}) == 1


@QUIET
def test_the_test_part_is_not_looked_at_while_selecting():
    blind = Split(PARTS.train, PARTS.valid, None)
    selection = METHODS["cpml-s"].select(blind, seed_of("balance", 0), SMALL)
    assert selection.facts["valid_accuracy"] > 0.0


class Recording(Hamming):
    seen: ClassVar = []

    def fit(self, X, y=None, sample_weight=None):
        self.seen.append((X, y))
        return super().fit(X, y)


def test_a_distance_sees_the_training_part_alone():
    Recording.seen.clear()
    trial(method=DistanceMethod(Recording)).run()
    [(X, y)] = Recording.seen
    np.testing.assert_array_equal(X, PARTS.train.X)
    np.testing.assert_array_equal(y, PARTS.train.y)


def test_of_a_large_part_a_sample_is_learned_from_and_all_vote():
    Recording.seen.clear()
    row = trial(method=DistanceMethod(Recording, largest=30)).run()
    assert len(Recording.seen[0][1]) == row.n_training_used == 30
    assert row.n_train == 60
    shares = {c: np.mean(PARTS.train.y == c) for c in np.unique(PARTS.train.y)}
    for label, share in shares.items():
        assert abs(np.mean(Recording.seen[0][1] == label) - share) < 1 / 30 + 1e-9


@QUIET
def test_the_strength_that_does_best_in_validation_is_taken():
    row = trial("cpml-s").run()
    right = []
    for strength in Design().path(row.strength / row.strength_share):
        metric = nk.CPML(strength=strength, tol=1e-2, max_iter=20)
        model = nk.CPMLClassifier(metric, n_neighbors=1).fit(*PARTS.train)
        right.append(model.score(*PARTS.valid))
    # Warm starts end elsewhere within the tolerance, so a row or two may differ.
    assert row.valid_accuracy >= max(right) - 0.1
    assert row.rank >= 1
    assert row.gap >= 0.0
    assert row.stop_reason == "TOLERANCE"


class Reversed(MismatchWeights):
    """The nearest row is the farthest."""

    def compare(self, a, b):
        return 1.0 - super().compare(a, b)


class Path(Hamming):
    """Right on the validation part at one strength only."""

    visited: ClassVar = []

    def __init__(self, strength=1.0, unseen="prior", missing="level", numeric="auto"):
        super().__init__(unseen=unseen, missing=missing, numeric=numeric)
        self.strength = strength

    def fit(self, X, y=None, sample_weight=None):
        self.strength_max_ = 100.0
        self.visited.append(self.strength)
        super().fit(X, y)
        if not np.isclose(self.strength, 1.0):
            form = self.distance_
            self.distance_ = Reversed(form.codebook, form.weights)
        return self


def test_the_best_is_kept_though_the_object_goes_on():
    Path.visited.clear()
    row = trial(method=StrengthPath(Path)).run()
    assert row.strength == pytest.approx(1.0)
    assert row.strength_share == pytest.approx(0.01)
    assert row.accuracy == trial().run().accuracy
    assert Path.visited[1:] == sorted(Path.visited[1:], reverse=True)
    assert len(Path.visited) == 1 + 5


def test_the_paper_s_range_may_be_searched():
    Path.visited.clear()
    row = trial(design=Design("paper", rows=100), method=StrengthPath(Path)).run()
    assert Path.visited[1:] == [10.0**power for power in range(4, -5, -1)]
    assert row.strength == 1.0


def test_the_number_of_neighbours_may_be_chosen():
    row = trial(design=Design(n_neighbors="choose", rows=100)).run()
    right = {
        k: nk.CPMLClassifier(Hamming(), n_neighbors=k)
        .fit(*PARTS.train)
        .score(*PARTS.valid)
        for k in (1, 3, 5, 9, 15)
    }
    assert row.n_neighbors == max(right, key=right.get)
    assert row.valid_accuracy == max(right.values())


def test_a_set_of_six_rows_makes_a_row():
    row = Trial(
        BuiltIn("credit_risk"), "hamming", METHODS["hamming"], 1, Design()
    ).run()
    assert row.status == "done"
    assert row.triplet_accuracy is None


def test_all_baselines_and_all_of_ours_are_methods():
    assert {"cpml-s", "cpml-m", "cpml-cv", *nk.baselines.all()} == set(METHODS)
    assert isinstance(METHODS["cpml-cv"], ClassifierMethod)
    assert METHODS["cpml-cv"].make is nk.CPMLClassifierCV


class Answering(BaseEstimator):
    """Answers with its largest class; says what it was given."""

    given: ClassVar = []

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.given.append((X, y, self.random_state))
        classes, counts = np.unique(y, return_counts=True)
        self.answer = classes[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


def test_a_classifier_sees_all_but_the_test_part_and_is_judged_on_that():
    Answering.given.clear()
    row = trial(method=ClassifierMethod(Answering)).run()
    [(X, y, seed)] = Answering.given
    train, valid, test = PARTS
    np.testing.assert_array_equal(X, np.concatenate([train.X, valid.X]))
    np.testing.assert_array_equal(y, np.concatenate([train.y, valid.y]))
    assert seed == row.seed
    assert row.n_training_used == 80
    assert row.accuracy == row.majority_share == majority_share(y, test.y)
    assert row.balanced_accuracy == pytest.approx(1 / len(np.unique(test.y)))
    assert 0.0 < row.fit_seconds == row.search_seconds < row.seconds
    assert (row.valid_accuracy, row.triplet_accuracy, row.strength) == (None,) * 3
    assert row.status == "done"


def test_our_search_is_a_row():
    row = trial(method=ClassifierMethod(SmallSearch)).run()
    train, valid, test = PARTS
    X, y = np.concatenate([train.X, valid.X]), np.concatenate([train.y, valid.y])
    model = SmallSearch(random_state=row.seed).fit(X, y)
    assert row.accuracy == model.score(*test)


SmallSearch = partial(nk.CPMLClassifierCV, [Hamming()], n_neighbors=(1, 5))


def test_numbers_reach_the_method_if_the_design_keeps_them(monkeypatch):
    columns = ["age", "sex"]
    cells = np.array([["17", "a"], ["23", "b"], [None, "a"]] * 20, dtype=object)

    class Data:
        X, y, feature_names = cells, np.array(["x", "y", "x"] * 20), columns

    monkeypatch.setattr(sets.datasets, "load", lambda *_, **__: Data)
    for numbers, n_features in ((False, 1), (True, 2)):
        Recording.seen.clear()
        design = Design(numbers=numbers)
        row = Trial(
            BuiltIn("adult"), "hamming", DistanceMethod(Recording), 0, design
        ).run()
        assert row.n_features == n_features
        assert row.design == design.label
    assert set(Recording.seen[0][0][:, 0]) == {17.0, 23.0, None}


def test_seeds_reach_methods_that_draw():
    part = Part(PARTS.train.X, PARTS.train.y)
    [found] = METHODS["pola"].fits(part, 17, Design())
    assert found.model.random_state == 17
