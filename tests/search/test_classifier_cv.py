"""CPMLClassifierCV: what it chooses, that it is honest, and what it refuses."""

import pickle

import numpy as np
import pytest
from racers import Refusing, Right, easy
from sklearn.base import clone
from sklearn.model_selection import KFold

import nearkind as nk
from nearkind.baselines import NCA, Euclidean, Hamming
from nearkind.errors import NearlyUniqueWarning
from nearkind.estimators import threads
from nearkind.search import settings
from nearkind.search.candidates import Candidate
from tables import labelled_table

X, y = labelled_table(60)
QUERY, _ = labelled_table(20, seed=9)
SOFT = nk.CPML(constraints="neighbors", max_iter=20, tol=1e-2, warm_start=True)
FEW = [Hamming(), Euclidean(), SOFT]


def few(**given):
    return nk.CPMLClassifierCV(**{"candidates": FEW, "n_neighbors": (1, 5), **given})


@pytest.fixture(scope="module")
def default():
    return nk.CPMLClassifierCV(n_jobs=1).fit(X, y)


class TestDefault:
    def test_what_is_learned(self, default):
        assert 1 <= len(default.members_) <= 3
        assert all(isinstance(m, nk.CPMLClassifier) for m in default.members_)
        assert default.metric_ is default.members_[0].metric_
        assert default.classes_.tolist() == ["egg", "ham", "jam"]
        assert default.n_features_in_ == 4
        assert list(default.feature_names_in_) == list(X.columns)
        assert default.refused_ == {}
        assert default.search_seconds_ > default.refit_seconds_ > 0.0

    def test_shares_are_the_mean_of_the_members(self, default):
        shares = default.predict_proba(QUERY)
        members = [member.predict_proba(QUERY) for member in default.members_]
        np.testing.assert_allclose(shares, np.mean(members, axis=0))
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        answers = default.classes_[shares.argmax(axis=1)]
        np.testing.assert_array_equal(default.predict(QUERY), answers)

    def test_the_first_member_has_the_best_settings(self, default):
        first, best = default.members_[0], default.best_params_
        assert set(best) == {"candidate", "strength", "n_neighbors", "weights"}
        assert first.n_neighbors == best["n_neighbors"]
        assert first.weights == best["weights"]
        assert getattr(first.metric_, "strength", None) == best["strength"]

    def test_the_table_marks_the_members(self, default):
        table = default.cv_results_
        at = int(np.flatnonzero(table["member"] == 0)[0])
        for name, value in default.best_params_.items():
            assert table[name][at] == value
        assert (table["member"] >= 0).sum() == len(default.members_)

    def test_the_score_is_not_below_that_of_its_best_member(self, default):
        table = default.cv_results_
        alone = table["accuracy"][table["member"] == 0]
        assert default.best_score_ >= alone[0] - 0.02

    def test_neighbours_are_those_of_the_first_member(self, default):
        for ours, theirs in zip(
            default.kneighbors(QUERY, 3),
            default.members_[0].kneighbors(QUERY, 3),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, theirs)
        assert default.kneighbors(n_neighbors=2, return_distance=False).shape == (60, 2)

    def test_no_bit_depends_on_run_or_threads(self, default, monkeypatch):
        monkeypatch.setattr(threads, "MANY_ROWS", 1)
        again = nk.CPMLClassifierCV(n_jobs=3).fit(X, y)
        assert again.best_params_ == default.best_params_
        np.testing.assert_array_equal(
            again.predict_proba(QUERY), default.predict_proba(QUERY)
        )
        for name in ("candidate", "accuracy", "n_held", "member"):
            np.testing.assert_array_equal(
                again.cv_results_[name], default.cv_results_[name]
            )

    def test_pickle_keeps_every_answer(self, default):
        again = pickle.loads(pickle.dumps(default))
        np.testing.assert_array_equal(
            again.predict_proba(QUERY), default.predict_proba(QUERY)
        )
        assert again.best_params_ == default.best_params_

    def test_policies_reach_every_candidate(self):
        policies = {"unseen": "error", "missing": "prior", "numeric": "bin"}
        for candidate in settings.candidates(nk.CPMLClassifierCV(**policies)):
            params = candidate.metric.get_params()
            assert {name: params[name] for name in policies} == policies

    def test_without_time_the_simplest_is_taken(self):
        model = nk.CPMLClassifierCV(time_budget=1e-9).fit(X, y)
        assert model.best_params_["candidate"] == "values"
        assert set(model.refused_.values()) == {"There was no time for it."}
        assert len(model.refused_) == 5
        assert set(model.cv_results_["n_held"]) == {12}


class TestHonest:
    def test_random_labels_give_a_score_near_chance(self):
        rng = np.random.default_rng(0)
        rows = rng.integers(0, 3, (200, 4)).astype(str)
        model = few().fit(rows, rng.integers(0, 2, 200))
        assert 0.4 < model.best_score_ < 0.65

    def test_held_labels_are_never_seen(self):
        """Histograms of unique values are the labels themselves, where seen."""
        rng = np.random.default_rng(1)
        ids = np.array([[f"n{i}"] for i in range(100)])
        labels = rng.integers(0, 2, 100)
        with pytest.warns(NearlyUniqueWarning):
            model = few(candidates=[Euclidean()]).fit(ids, labels)
        assert model.score(ids, labels) == 1.0
        assert model.best_score_ <= 0.65

    @pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
    def test_a_column_of_unique_ids_wins_nothing(self):
        rng = np.random.default_rng(2)
        labels = rng.integers(0, 2, 160)
        hint = np.where(rng.random(160) < 0.9, labels, 1 - labels)
        rows = np.column_stack([[f"n{i}" for i in range(160)], hint]).astype(str)
        by_id, by_hint = OnColumn(0), OnColumn(1)
        with pytest.warns(NearlyUniqueWarning):
            model = few(candidates=[by_id, by_hint]).fit(rows[:120], labels[:120])
        assert model.best_params_["candidate"] == "OnColumn(column=1)"
        assert len(model.members_) == 1
        assert 0.8 < model.best_score_ < 1.0
        assert abs(model.score(rows[120:], labels[120:]) - model.best_score_) < 0.1

    def test_the_score_is_that_of_rows_held_out(self):
        model = few(candidates=[Hamming()], n_neighbors=1, weights="uniform").fit(X, y)
        table = model.cv_results_
        assert table["accuracy"].tolist() == [model.best_score_]
        assert table["n_held"].tolist() == [60]
        assert model.best_score_ < model.score(X, y)


class OnColumn(Euclidean):
    """Class histograms of one column alone."""

    def __init__(self, column=0, unseen="prior", missing="level", numeric="auto"):
        super().__init__(unseen, missing, numeric)
        self.column = column

    def represent(self, codes):
        codes = codes.copy()
        codes[:, [d for d in range(codes.shape[1]) if d != self.column]] = 0
        return super().represent(codes)


class TestInput:
    @pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
    def test_numbers_gaps_and_values_never_seen(self):
        rng = np.random.default_rng(3)
        table = X.assign(weight=rng.normal(size=60) + (y == "ham"), constant="same")
        table.loc[::7, "weight"] = None
        model = few().fit(table, y)
        query = table[:5].assign(shape="odd", weight=[1e9, None, -1e9, 0.0, 0.5])
        shares = model.predict_proba(query)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert model.n_features_in_ == 6

    @pytest.mark.parametrize(
        "labels",
        [np.arange(60) % 3 - 1, np.arange(60) % 2 == 0, [*"xyz"] * 20],
        ids=["int", "bool", "str"],
    )
    def test_labels_of_any_type(self, labels):
        model = few(candidates=[Euclidean()]).fit(X, labels)
        assert model.classes_.tolist() == sorted(set(labels))
        assert model.predict(X).dtype == np.asarray(labels).dtype

    @pytest.mark.parametrize("kind", ["pandas", "polars", "dicts", "lists"])
    def test_tables_of_any_kind(self, kind):
        pl = pytest.importorskip("polars")
        forms = {
            "pandas": lambda table: table,
            "polars": lambda table: pl.DataFrame(table.to_dict("list")),
            "dicts": lambda table: table.to_dict("records"),
            "lists": lambda table: table.to_numpy().tolist(),
        }
        form, plain = forms[kind], few().fit(X, y)
        model = few().fit(form(X), y)
        np.testing.assert_array_equal(
            model.predict_proba(form(QUERY)), plain.predict_proba(QUERY)
        )

    @pytest.mark.parametrize("n_same", [4, 9])
    def test_a_class_of_one_row(self, n_same):
        labels = ["a"] * n_same + ["b"]
        model = few().fit(X[: n_same + 1], labels)
        assert model.classes_.tolist() == ["a", "b"]
        assert model.cv_results_["n_held"].max() < n_same + 1

    def test_every_row_a_class_of_its_own(self):
        model = few().fit(X[:4], [*"abcd"])
        assert model.best_score_ == 0.0
        assert model.best_params_["candidate"] == "Hamming()"
        assert "imply no neighbours" in model.refused_[repr(SOFT)]

    def test_rows_that_do_not_differ(self):
        table = np.full((12, 3), "same")
        with pytest.warns(UserWarning, match="metric is zero"):
            model = few(candidates=[SOFT]).fit(table, [*"xyy"] * 4)
        assert set(model.predict(table)) == {"y"}

    @pytest.mark.parametrize(
        ("n_rows", "labels", "words"),
        [
            (6, ["a"] * 6, "CPMLClassifierCV learns from .* only one class, .*'a'"),
            (1, ["a"], "only one class"),
            (2, ["a", "b"], "CPMLClassifierCV holds rows out .* no fold of 2 rows"),
            (6, None, "CPMLClassifierCV requires y"),
            (6, [*"abab", None, "b"], "missing values: 1 of 6, the first in row 4"),
        ],
    )
    def test_too_little_is_refused(self, n_rows, labels, words):
        with pytest.raises(ValueError, match=words):
            few().fit(X[:n_rows], labels)


class TestWeights:
    def test_a_weight_is_a_repetition_once_all_is_chosen(self):
        weights = np.random.default_rng(0).integers(0, 4, 60)
        rows = np.repeat(np.arange(60), weights)
        one = {"candidates": [Euclidean()], "n_neighbors": 3, "weights": "distance"}
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
            "candidate": "Right()",
            "strength": None,
            "n_neighbors": 1,
            "weights": "uniform",
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
            few(candidates=[Hamming()], random_state=seed).fit(X, y).cv_results_
            for seed in (None, 0, 1)
        )
        np.testing.assert_array_equal(none["accuracy"], zero["accuracy"])
        assert (np.sort(none["accuracy"]) != np.sort(other["accuracy"])).any()

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
            nk.CPMLClassifier(Hamming(), 1).fit(X.iloc[a], y[a]).predict(X.iloc[b])
            == y[b]
            for a, b in halves
        ]
        assert table["accuracy"].tolist() == [np.mean(right)]
        by_splitter = few(**one, cv=KFold(2)).fit(X, y).cv_results_
        np.testing.assert_array_equal(by_splitter["accuracy"], table["accuracy"])

    def test_what_it_does_is_shown(self, capsys):
        few(candidates=[Hamming()], cv=2, verbose=1).fit(X, y)
        assert capsys.readouterr().err.splitlines() == [
            "0 of at most 2 fits; next: Hamming()",
            "1 of at most 2 fits; next: Hamming()",
        ]

    def test_who_refuses_is_named_and_if_all_do_it_is_an_error(self):
        model = few(candidates=[Refusing(), Hamming()]).fit(X, y)
        assert model.refused_ == {"Refusing()": "no such rows"}
        with pytest.raises(
            ValueError, match=r"No candidate could be fitted\. Refusing"
        ):
            few(candidates=[Refusing()]).fit(X, y)

    def test_a_distance_may_be_given_twice(self):
        twice = Hamming()
        assert few(candidates=[twice, twice]).fit(X, y).metric_.codebook_ is not None

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
        assert not hasattr(copy, "metric_")
        assert copy.get_params()["n_neighbors"] == (1, 5)
        assert copy.fit(X, y).best_params_ == model.best_params_

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"candidates": []}, "'candidates' .* at least one distance"),
            ({"candidates": "hamming"}, "'candidates' .* a list of distances"),
            (
                {"candidates": Hamming()},
                r"list of distances, unfitted; got Hamming\(\)",
            ),
            ({"candidates": [Hamming]}, "list of distances"),
            ({"candidates": ["hamming"]}, "list of distances"),
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
