"""CPMLClassifierCV: weights that count rows, and settings that are refused."""

from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.racers import SOFT, Counted, Refusing, Right, easy, few
from nearkind.baselines import NCA, Euclidean, Hamming
from nearkind.errors import SearchInterruptedWarning, TimeBudgetWarning
from nearkind.search import classifier_cv
from nearkind.search.candidates import Candidate
from nearkind.solvers.solution import Deadline

X, y = labelled_table(60)
QUERY, _ = labelled_table(20, seed=9)


class TestWeights:
    def test_a_weight_is_a_repetition_once_all_is_chosen(self):
        weights = np.random.default_rng(0).integers(0, 4, 60)
        rows = np.repeat(np.arange(60), weights)
        one = {"candidates": [Euclidean()], "n_neighbors": 3, "weights": "distance"}
        one["calibrate"] = False  # on other folds
        weighted = few(**one).fit(X, y, sample_weight=weights)
        repeated = few(**one).fit(X.iloc[rows], y[rows])
        np.testing.assert_allclose(
            weighted.predict_proba(QUERY), repeated.predict_proba(QUERY), atol=1e-12
        )

    @pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
    def test_on_the_same_folds_a_weight_is_a_repetition_all_along(self):
        weights = np.random.default_rng(0).integers(0, 4, 60)
        rows = np.repeat(np.arange(60), weights)
        turn = np.arange(60) % 3
        folds, by_row = (
            [(np.flatnonzero(at != i), np.flatnonzero(at == i)) for i in range(3)]
            for at in (turn, turn[rows])
        )
        weighted = few(cv=folds).fit(X, y, sample_weight=weights)
        repeated = few(cv=by_row).fit(X.iloc[rows], y[rows])
        assert weighted.best_params_ == repeated.best_params_
        assert weighted.best_score_ == pytest.approx(repeated.best_score_)
        np.testing.assert_allclose(
            weighted.predict_proba(QUERY), repeated.predict_proba(QUERY), atol=1e-6
        )

    def test_rows_of_weight_zero_are_not_there(self):
        weights = (np.arange(60) % 4 > 0).astype(float)
        some = weights > 0
        weighted, left = few().fit(X, y, weights), few().fit(X[some], y[some])
        assert weighted.best_score_ == left.best_score_
        np.testing.assert_array_equal(
            weighted.predict_proba(QUERY), left.predict_proba(QUERY)
        )
        rows = weighted.kneighbors(QUERY, 2)[1]
        assert some[rows].all()  # numbers of rows are those of the table given

    def test_right_answers_count_by_weight(self):
        weights = np.where(y == "ham", 5.0, 1.0)
        one = {"candidates": [Hamming()], "n_neighbors": 60, "weights": "uniform"}
        model = few(**one).fit(X, y, weights)
        assert model.best_score_ == pytest.approx(
            weights[y == "ham"].sum() / weights.sum()
        )

    @pytest.mark.parametrize("weights", [np.ones(60), np.arange(60) % 5 > 0])
    def test_ones_are_no_weights(self, weights):
        nca = NCA(tol=0.1)  # which takes none
        model = few(candidates=[nca]).fit(X, y, weights)
        assert model.best_params_["candidate"] == repr(nca)

    def test_who_takes_no_weights_is_named(self):
        model = few(candidates=[NCA(), Hamming()]).fit(X, y, np.full(60, 2.0))
        assert list(model.refused_) == ["NCA()"]


class TestSettings:
    def test_candidates_may_be_given(self):
        rows, labels = easy()
        model = few(candidates=[Right(), nk.CPML(strength=0.01, tol=0.5)]).fit(
            rows, labels
        )
        assert model.best_params_ == {
            "candidate": "CPML(strength=0.01, tol=0.5)",  # both are always right
            "strength": None,
            "n_neighbors": 5,
            "weights": "soft",
        }
        assert set(model.cv_results_["candidate"]) == {
            "Right()",
            "CPML(strength=0.01, tol=0.5)",
        }

    def test_an_open_strength_is_searched_for(self):
        model = few(candidates=[SOFT]).fit(X, y)
        assert len(set(model.cv_results_["strength"])) == 6
        assert model.metric_.strength == model.best_params_["strength"]
        assert SOFT.strength == "auto"

    def test_a_fit_that_its_limits_end_is_as_it_was_chosen(self):
        short = nk.CPML(max_iter=1, tol=0.0, strength="5%")
        model = few(candidates=[short]).fit(X, y)  # without a warning
        assert model.metric_.stop_reason_ == "MAX_ITER"

    def test_one_number_and_one_vote_will_do(self):
        one = few(n_neighbors=3, weights=np.ones_like).fit(X, y)
        assert one.best_params_["n_neighbors"] == 3
        assert one.best_params_["weights"] is np.ones_like

    def test_members_are_no_more_than_asked_for(self):
        assert len(few(max_members=1).fit(X, y).members_) == 1

    def test_a_seed_deals_the_folds(self):
        none, zero, other = (
            few(candidates=[Hamming()], random_state=seed).fit(X, y).held_rows_
            for seed in (None, 0, 1)
        )
        np.testing.assert_array_equal(none, zero)
        assert (none != other).any()

    def test_the_number_of_folds_may_be_set(self):
        rows, labels = easy()
        model = few(candidates=[Right()], cv=2, verbose=1)
        Right.fits.clear()
        model.fit(rows, labels)
        assert Right.fits == {"Right": 3}  # two folds, and all rows

    def test_folds_may_be_given(self):
        halves = [
            (np.arange(30), np.arange(30, 60)),
            (np.arange(30, 60), np.arange(30)),
        ]
        one = {"candidates": [Hamming()], "n_neighbors": 1, "weights": "uniform"}
        table = few(**one, cv=halves).fit(X, y).cv_results_
        right = [
            nk.CPMLClassifier(Hamming(), n_neighbors=1)
            .fit(X.iloc[a], y[a])
            .predict(X.iloc[b])
            == y[b]
            for a, b in halves
        ]
        assert table["accuracy"].tolist() == [np.mean(right)]
        by_splitter = few(**one, cv=KFold(2)).fit(X, y).cv_results_
        np.testing.assert_array_equal(by_splitter["accuracy"], table["accuracy"])

    def test_what_it_does_is_shown(self, capsys):
        few(candidates=[Hamming()], cv=2, verbose=2).fit(X, y)
        first, second, last = capsys.readouterr().err.splitlines()
        assert first == "0% done; next: Hamming()"
        assert second.startswith("45% done, best score ")
        assert second.endswith("%; next: Hamming()")
        assert last == "90% done; next: refitting to all rows"

    def test_who_refuses_is_named_and_if_all_do_it_is_an_error(self):
        model = few(candidates=[Refusing(), Hamming()]).fit(X, y)
        assert model.refused_ == {"Refusing()": "no such rows"}
        with pytest.raises(
            ValueError, match=r"No candidate could be fitted\. Refusing"
        ):
            few(candidates=[Refusing()]).fit(X, y)

    def test_a_distance_may_be_given_twice(self):
        twice = Hamming()
        assert few(candidates=[twice, twice]).fit(X, y).distance_.codebook is not None

    def test_unseen_values_are_refused_by_the_chosen_alone(self):
        table = X.copy()
        table.loc[5, "noise"] = "rare"
        model = few(candidates=[Hamming(unseen="error")]).fit(table, y)
        with pytest.raises(ValueError, match="'noise' has 1 value not seen in fit"):
            model.predict(table[:1].assign(noise="new"))

    def test_missing_values_are_refused_with_the_reason(self):
        with pytest.raises(ValueError, match=r"No candidate .*: Column 'size' has"):
            few(candidates=[Hamming(missing="error")]).fit(X, y)

    def test_clone_has_the_settings_and_nothing_learned(self):
        model = few(candidates=[Candidate("plain", Hamming())]).fit(X, y)
        copy = clone(model)
        assert not hasattr(copy, "members_")
        assert not hasattr(copy, "distance_")
        assert copy.get_params()["n_neighbors"] == (1, 5)
        assert copy.fit(X, y).best_params_ == model.best_params_

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"candidates": []}, "'candidates' .* at least one distance"),
            ({"candidates": "hamming"}, "'candidates' .* a list of distances"),
            (
                {"candidates": Hamming()},
                r"list of distances, unfitted, or of their names; got Hamming\(\)",
            ),
            ({"candidates": [Hamming]}, "list of distances"),
            ({"candidates": ["haming"]}, "no distance .* mean 'hamming'"),
            ({"n_neighbors": 0}, "'n_neighbors' .* >= 1, one or several; got 0"),
            ({"n_neighbors": ()}, "'n_neighbors'"),
            ({"n_neighbors": [1, None]}, "'n_neighbors' .* got .1, None."),
            ({"n_neighbors": [1, 2.5]}, "'n_neighbors'"),
            ({"n_neighbors": True}, "'n_neighbors' .* got True"),
            ({"n_neighbors": "few"}, "'n_neighbors' .* got 'few'"),
            ({"weights": "near"}, "'weights' .* 'uniform', 'distance'.* got 'near'"),
            ({"weights": None}, "'weights' .* got None"),
            ({"weights": []}, "'weights'"),
            ({"weights": [["uniform"]]}, "'weights'"),
            ({"max_members": 0}, "'max_members' .* >= 1; got 0"),
            ({"n_remembered": 0}, "'n_remembered' .* 'auto', 'all' or .* >= 1; got 0"),
            ({"n_remembered": "some"}, "'n_remembered' .* got 'some'"),
            ({"n_remembered": True}, "'n_remembered' .* got True"),
            ({"cv": 1}, "'cv' .* >= 2, a splitter or a list of folds; got 1"),
            ({"cv": "five"}, "'cv' .* got 'five'"),
            ({"cv": []}, "no fold of 60 rows leaves two classes"),
            ({"cv": True}, "'cv' .* got True"),
            ({"time_budget": 0}, "'time_budget' .* > 0; got 0"),
            ({"time_budget": "long"}, "'time_budget' .* got 'long'"),
        ],
    )
    def test_wrong_settings_are_named(self, given, words):
        with pytest.raises(ValueError, match=words):
            few(**given).fit(X, y)


class Interrupting(Counted):
    """Is interrupted at its fits from one on to another."""

    first, last = 2, 2

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        if self.first <= self.fits[type(self).__name__] <= self.last:
            raise KeyboardInterrupt
        return self


class InterruptedTwice(Interrupting):
    last = 3


class TestInterrupts:
    @pytest.fixture(autouse=True)
    def fresh(self):
        Counted.fits.clear()

    def test_one_keeps_the_best_so_far_and_says_so(self):
        model = few(candidates=[Interrupting()], cv=3)
        with pytest.warns(SearchInterruptedWarning, match="interrupted after 1 fit"):
            model.fit(X, y)
        assert set(model.cv_results_["n_held"]) == {20}
        assert model.predict(QUERY).shape == (20,)

    def test_a_second_one_stops(self):
        model = few(candidates=[InterruptedTwice()], cv=3)
        with (
            pytest.warns(SearchInterruptedWarning),
            pytest.raises(KeyboardInterrupt),
        ):
            model.fit(X, y)
        assert not hasattr(model, "members_")


class TestBudget:
    def test_time_that_ends_amid_the_last_fit_leaves_it_as_it_is(self, monkeypatch):
        monkeypatch.setattr(Deadline, "has_passed", property(lambda self: self.at < 99))
        monkeypatch.setattr(classifier_cv, "perf_counter", lambda: 0.0)
        model = few(candidates=[SOFT], time_budget=100.0, cv=2)
        model.fit(X, y)  # the search ends at 60, that is at once, the last fit at 100
        assert model.metric_.stop_reason_ != "OUT_OF_TIME"
        with pytest.warns(TimeBudgetWarning, match="time_budget ran out"):
            model.set_params(time_budget=90.0).fit(X, y)
        assert model.metric_.stop_reason_ == "OUT_OF_TIME"
        assert model.predict(QUERY).shape == (20,)

    def test_two_rows_of_each_class_in_no_time(self):
        rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
        model = nk.CPMLClassifierCV(time_budget=0.001, cv=2)
        model.fit(rows, ["no", "no", "yes", "yes"])
        assert model.predict(rows).tolist() == ["no", "no", "yes", "yes"]
        assert "There was no time for it." in model.refused_.values()


@pytest.mark.skipif(
    find_spec("sklearn.callback") is None, reason="scikit-learn before 1.9"
)
def test_callbacks_are_told_of_every_candidate():
    class Recorder:
        def __init__(self):
            self.names = []

        def setup(self, estimator, context):
            self.names.append("setup")

        def on_fit_task_begin(self, estimator, context, **data):
            self.names.append(context.task_name)

        def on_fit_task_end(self, estimator, context, **data):
            return len(self.names) > self.stop_after

        def teardown(self, estimator, context):
            self.names.append("teardown")

        stop_after = 10_000

    recorder = Recorder()
    few(candidates=[Hamming(), Euclidean()], cv=2).set_callbacks(recorder).fit(X, y)
    assert recorder.names == [
        "setup",
        "fit",
        *["Hamming()", "Euclidean()"] * 2,
        "refitting to all rows",
        "teardown",
    ]
    stopper = Recorder()
    stopper.stop_after = 4
    with pytest.warns(SearchInterruptedWarning):
        few(candidates=[Hamming(), Euclidean()], cv=4).set_callbacks(stopper).fit(X, y)
    assert len(stopper.names) < 9
