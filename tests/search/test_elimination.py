"""A race: who is behind is not fitted again, who refuses is named, time ends it."""

import numpy as np
import pytest
from sklearn.base import clone

from helpers.racers import (
    SOFT,
    Blind,
    Counted,
    Fading,
    Refusing,
    Right,
    Tiring,
    Turning,
    easy,
    race,
)
from nearkind.baselines import Hamming
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.search import evaluation as module
from nearkind.search import folds as folds_module
from nearkind.search.candidates import Candidate
from nearkind.search.folds import deal_by_class
from nearkind.solvers.objective import Objective
from nearkind.validation import threads

X, y = easy()
FOLDS = list(deal_by_class(y, 4, np.random.default_rng(0)))


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Start every count at none, and let only fits take time."""
    Counted.fits.clear()
    Counted.clock[0] = 0.0
    Turning.visited.clear()
    monkeypatch.setattr(module, "perf_counter", lambda: Counted.clock[0])


def candidates(*kinds):
    return [Candidate(kind.__name__, kind()) for kind in kinds]


def names(contenders):
    return [contender.candidate.name for contender in contenders]


@pytest.mark.usefixtures("optimized")
def test_who_is_clearly_behind_is_dropped_and_not_fitted_again():
    run = race(X, y)
    run.run(candidates(Blind, Right), FOLDS)
    assert Counted.fits == {"Blind": 1, "Right": 4}
    assert (names(run.contenders), names(run.dropped)) == (["Right"], ["Blind"])
    assert run.n_fits == 5
    assert [len(held) for held in run.held] == [15] * 4
    assert run.dropped[0].table().shape == (4, 15, 3)


def test_who_is_as_good_stays():
    run = race(X, y)
    run.run(candidates(Right, Hamming), FOLDS)
    assert names(run.contenders) == ["Right", "Hamming"]
    assert run.dropped == []


@pytest.mark.usefixtures("optimized")
def test_ways_to_vote_fall_behind_one_by_one():
    run = race(X, y, ks=(1, 60), votes=("uniform",))
    run.run(candidates(Right), FOLDS)
    [contender] = run.contenders
    assert contender.alive.tolist() == [True, False]  # all rows vote alike with k = 60
    assert contender.table().shape == (2, 60, 3)


def test_votes_are_those_of_a_classifier_on_rows_it_has_not_seen():
    run = race(X, y)
    run.run(candidates(Right), FOLDS)
    np.testing.assert_array_equal(run.truth, y[np.concatenate(run.held)])
    ways = [(w, k) for w in ("uniform", "distance") for k in (1, 3)]
    for way, (weights, k) in zip(run.contenders[0].table(), ways, strict=True):
        expected = [
            CPMLClassifier(Hamming(), n_neighbors=k, weights=weights)
            .fit(X[fold.train], y[fold.train])
            .predict_proba(X[fold.held])
            for fold in FOLDS
        ]
        np.testing.assert_allclose(way, np.concatenate(expected), atol=1e-6)


def test_a_class_that_is_not_there_to_learn_from_gets_no_vote():
    labels = np.r_[y[:20] % 2, 2]
    folds = list(deal_by_class(labels, 3, np.random.default_rng(0)))
    run = race(X[:21], labels)
    run.run(candidates(Right), folds)
    [lonely] = np.flatnonzero(run.truth == 2)
    shares = run.contenders[0].table()[:, lonely]
    np.testing.assert_allclose(shares[:, 2], 0.0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_who_refuses_is_named_and_the_others_go_on():
    run = race(X, y)
    run.run(candidates(Refusing, Right, Tiring), FOLDS)
    assert run.refused == {"Refusing": "no such rows", "Tiring": "tired"}
    assert names(run.contenders) == ["Right"]
    assert run.contenders[0].table().shape[1] == 60


def test_all_may_refuse():
    run = race(X, y)
    run.run(candidates(Refusing), FOLDS)
    assert run.contenders == []
    assert list(run.refused) == ["Refusing"]


def test_what_a_weight_counts_and_who_takes_none():
    class Plain(Right):
        def fit(self, X, y=None):
            return super().fit(X, y)

    weights = np.where(y == 0, 2.0, 1.0)
    run = race(X, y, weights)
    run.run(candidates(Plain, Right), FOLDS)
    assert list(run.refused) == ["Plain"]
    run = race(X, y, np.ones(60))
    run.run(candidates(Plain, Right), FOLDS)
    assert not run.refused


def test_values_that_only_held_rows_have_are_no_reason_to_refuse():
    rows = X.astype(object)
    rows[7, 1] = "rare"
    strict = Candidate("strict", Hamming(unseen="error"))
    run = race(rows, y)
    run.run([strict], FOLDS)
    assert not run.refused
    assert strict.metric.unseen == "error"
    assert strict.fitted(run.rows, [0])[0].unseen == "error"


def test_two_of_one_name_run_apart():
    one = Candidate("same", Right())
    run = race(X, y)
    run.run([one, Candidate("same", Right()), one], FOLDS)
    assert names(run.contenders) == ["same", "same"]
    assert Counted.fits == {"Right": 8}


@pytest.mark.usefixtures("optimized")
def test_strengths_are_gone_through_as_far_as_any_is_in_the_race():
    along = Candidate("along", Turning(), (3.0, 1.0, 0.5))
    run = race(X, y)
    run.run([along], FOLDS[:2])
    assert [contender.strength for contender in run.contenders] == [1.0, 0.5]
    assert [contender.strength for contender in run.dropped] == [3.0]
    assert Turning.visited == [3.0, 1.0, 0.5] * 2
    Turning.visited.clear()
    turned = Candidate("turned", Turning(sees=5.0), (5.0, 7.0))
    race(X, y).run([turned], FOLDS[:2])
    assert Turning.visited == [5.0, 7.0, 5.0]


def test_the_last_of_a_path_is_what_is_fitted_in_the_end():
    along = Candidate("along", Turning(), (3.0, 1.0, 0.5))
    assert along.fitted(race(X, y).rows, [1])[1].strength == 1.0
    assert Turning.visited == [3.0, 1.0]
    assert along.metric.strength == "auto"


def test_several_of_a_path_are_fitted_in_one_go():
    along = Candidate("along", Turning(), (3.0, 1.0, 0.5))
    found = along.fitted(race(X, y).rows, [2, 0])
    assert {n: at.strength for n, at in found.items()} == {0: 3.0, 2: 0.5}
    assert Turning.visited == [3.0, 1.0, 0.5]


def test_the_first_candidate_runs_however_late_it_is():
    run = race(X, y, deadline=-1.0)
    run.run(candidates(Refusing, Right, Blind), FOLDS)
    assert names(run.contenders) == ["Right"]
    assert len(run.held) == 1
    assert run.refused["Blind"] == "There was no time for it."
    assert Counted.fits == {"Right": 1}


def test_a_fold_that_time_did_not_suffice_for_is_forgotten():
    run = race(X, y, deadline=2.5)  # each fit takes one
    run.run(candidates(Right, Counted), FOLDS)
    assert Counted.fits == {"Right": 2, "Counted": 1}
    assert len(run.held) == 1
    assert [contender.table().shape[1] for contender in run.contenders] == [15, 15]


def test_time_may_end_between_two_strengths():
    along = Candidate("along", Turning(), (1.0, 0.5, 0.1))
    run = race(X, y, deadline=1.5)
    run.run([along], FOLDS)
    assert Turning.visited == [1.0, 0.5]
    assert [contender.strength for contender in run.contenders] == [1.0, 0.5]
    assert not run.refused


def test_a_strength_behind_which_time_ends_is_no_fold():
    along = Candidate("along", Turning(), (1.0, 0.5))
    run = race(X, y, deadline=2.5)
    run.run([along], FOLDS)
    assert Turning.visited == [1.0, 0.5, 1.0]
    assert len(run.held) == 1
    assert [contender.table().shape[1] for contender in run.contenders] == [15, 15]


def test_who_has_a_lower_turn_is_fitted_first():
    late, early = Candidate("late", Right(), stage=1), Candidate("early", Blind())
    race(X, y).run([late, early], FOLDS[:1])
    assert list(Counted.fits) == ["Blind", "Right"]
    run = race(X, y, deadline=-1.0)
    run.run([late, early], FOLDS)
    assert names(run.contenders) == ["early"]
    assert run.refused == {"late": "There was no time for it."}


def test_of_two_turns_the_order_is_as_given():
    first, second = (
        Candidate("first", Hamming(), stage=1),
        Candidate("second", Fading()),
    )
    run = race(X, y)
    run.run([first, second], FOLDS)
    assert names((*run.contenders, *run.dropped)) == ["first", "second"]


@pytest.mark.usefixtures("optimized")
def test_a_later_turn_comes_in_only_if_something_is_left_to_be_won():
    perfect, other = Candidate("perfect", Right()), Candidate("other", Counted(), (), 1)
    run = race(X, y)
    run.run([other, perfect], FOLDS)
    assert Counted.fits == {"Right": 4}
    assert names(run.contenders) == ["perfect"]
    assert run.refused == {"other": "It could not have done better than the others."}
    Counted.fits.clear()
    run = race(X, y)
    run.run([Candidate("blind", Blind()), other], FOLDS)
    assert Counted.fits == {"Blind": 1, "Counted": 4}
    assert (names(run.contenders), names(run.dropped)) == (["other"], ["blind"])


def test_who_errs_on_a_later_fold_lets_the_others_in_from_the_first():
    late = Candidate("late", Right(), stage=1)
    run = race(X, y)
    run.run([Candidate("fading", Fading()), late], FOLDS)
    assert Counted.fits == {"Fading": 4, "Right": 4}
    assert run.contenders[-1].table().shape[1] == len(run.truth) == 60


@pytest.mark.usefixtures("optimized")
def test_what_was_seen_beyond_the_last_common_fold_is_forgotten():
    late = Candidate("late", Right(), stage=1)
    run = race(X, y, deadline=4.5)  # fading has voted on all four by then
    run.run([Candidate("fading", Fading()), late], FOLDS)
    assert Counted.fits == {"Fading": 4, "Right": 1}
    assert [contender.table().shape[1] for contender in run.contenders] == [15, 15]
    assert len(run.held) == 1


def test_no_fold_is_begun_after_time():
    run = race(X, y, deadline=1.5)
    run.run(candidates(Right, Counted), FOLDS)
    assert Counted.fits == {"Right": 1, "Counted": 1}
    assert not run.refused


@pytest.mark.usefixtures("optimized")
def test_it_tells_what_comes_next_and_how_much_is_done():
    told = []
    run = race(X, y, notify=lambda *what: told.append(what))
    run.run(candidates(Blind, Right), FOLDS)
    assert [line[2] for line in told] == ["Blind", *["Right"] * 4]
    done, totals = np.array([line[:2] for line in told]).T
    np.testing.assert_allclose(totals, run.total)
    np.testing.assert_allclose(run.search_work, 8.0)
    # After one fold the blind one is out: its three other fits are not needed.
    np.testing.assert_allclose(done, [0.0, 1.0, 2.0, 6.0, 7.0])
    best = [line[3] for line in told]
    assert np.isnan(best[0])
    assert best[1] < best[2] == best[-1] == 1.0


def test_seconds_are_those_of_its_own_fits():
    run = race(X, y)
    run.run(candidates(Right, Counted), FOLDS)
    assert [contender.seconds for contender in run.contenders] == [4.0, 4.0]


class Interrupted(Counted):
    """Is interrupted from its second fit on."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        if self.fits["Interrupted"] > 1:
            raise KeyboardInterrupt
        return self


def test_an_interrupt_ends_the_race_and_keeps_what_was_voted():
    run = race(X, y)
    run.run(candidates(Right, Interrupted, Counted), FOLDS)
    assert run.was_interrupted
    assert Counted.fits == {"Right": 2, "Interrupted": 2, "Counted": 1}
    assert len(run.held) == 1
    assert names(run.contenders) == ["Right", "Interrupted", "Counted"]


def test_an_interrupt_before_any_vote_is_one():
    Counted.fits["Interrupted"] = 1
    with pytest.raises(KeyboardInterrupt):
        race(X, y).run(candidates(Interrupted), FOLDS)


class Fallen(Turning):
    """Does worse at every strength below one."""

    def is_right(self):
        return self.strength >= 1.0


@pytest.mark.usefixtures("optimized")
def test_a_path_ends_two_strengths_behind_its_best_if_many_rows_say_so():
    rows, labels = easy(1_200)
    folds = list(deal_by_class(labels, 2, np.random.default_rng(0)))
    strengths = (1.0, 0.5, 0.3, 0.2, 0.1)
    run = race(rows, labels)
    run.run([Candidate("fallen", Fallen(), strengths)], folds)
    assert Fallen.visited == [1.0, 0.5, 0.3, 1.0]
    assert [contender.strength for contender in run.contenders] == [1.0]
    Fallen.visited.clear()
    race(X, y).run([Candidate("fallen", Fallen(), strengths)], FOLDS[:1])
    assert Fallen.visited == list(strengths)


@pytest.mark.usefixtures("optimized")
def test_of_many_rows_few_screen_and_who_can_win_goes_on(monkeypatch):
    monkeypatch.setattr(folds_module, "MANY_TO_LEARN", 30)
    monkeypatch.setattr(folds_module, "SCREENING_ROWS", 20)
    seen = []

    class Sized(Turning):
        def fit(self, X, y=None, sample_weight=None):
            seen.append((self.sees, len(X)))
            return super().fit(X, y, sample_weight)

    able, unable = (
        Candidate(name, Sized(sees=sees), (3.0, 1.0))
        for name, sees in (("able", 1.0), ("unable", 0.0))
    )
    run = race(X, y)
    run.run([unable, able, *candidates(Right)], FOLDS[:1])
    in_heat = [sees for sees, n_rows in seen if n_rows < 30]
    in_fold = [sees for sees, n_rows in seen if n_rows > 30]
    assert (in_heat, in_fold) == ([0.0, 0.0, 1.0, 1.0], [1.0, 1.0])
    assert names(run.contenders) == ["able", "Right"]
    assert [c.strength for c in run.contenders] == [1.0, None]
    assert names(run.dropped) == ["unable", "unable", "able"]
    assert [len(c.held[0]) for c in run.contenders] == [15] * 2


def test_no_bit_depends_on_who_shares_the_fits(monkeypatch):
    rows, labels = easy(90)
    folds = list(deal_by_class(labels, 3, np.random.default_rng(0)))
    soft = [Candidate(n, clone(SOFT), ("10%", "1%")) for n in ("a", "b", "c")]
    alone, shared = race(rows, labels, n_jobs=1), race(rows, labels, n_jobs=3)
    alone.run(soft, folds)
    monkeypatch.setattr(threads, "MANY_ROWS", 1)
    shared.run(soft, folds)
    for one, other in zip(alone.contenders, shared.contenders, strict=True):
        np.testing.assert_array_equal(one.table(), other.table())


def test_a_fit_that_time_cuts_short_has_no_vote_where_others_have():
    rows, labels = easy(90)
    folds = list(deal_by_class(labels, 3, np.random.default_rng(0)))
    late = Candidate("late", clone(SOFT), ("10%", "1%"))
    run = race(rows, labels, deadline=0.5)
    run.run([*candidates(Right), late], folds)
    assert names(run.contenders) == ["Right"]
    assert run.refused == {"late": "There was no time for it."}
    run = race(rows, labels, deadline=-1.0)
    run.run([late], folds)
    assert [c.strength for c in run.contenders] == ["10%"]


def test_an_interrupt_within_a_solver_is_one_of_the_whole_path(monkeypatch):
    rows, labels = easy(90)
    along = Candidate("along", clone(SOFT), ("10%", "1%"))
    coded, n_calls = race(rows, labels).rows, []
    plain = Objective.factor_gradient

    def factor_gradient(self, F):
        n_calls.append(1)
        if len(n_calls) == 3:
            raise KeyboardInterrupt
        return plain(self, F)

    monkeypatch.setattr(Objective, "factor_gradient", factor_gradient)
    with pytest.raises(KeyboardInterrupt):
        along.fitted(coded, [1])
