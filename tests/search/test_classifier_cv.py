"""CPMLClassifierCV: what it chooses, that it is honest, and what it takes."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.racers import SOFT, few
from nearkind.baselines import Euclidean, Hamming
from nearkind.encoding.codebook import Codebook
from nearkind.errors import NearlyUniqueWarning
from nearkind.metrics.value_tables import ValueTables
from nearkind.projections.onehot import LONG
from nearkind.search.candidates import candidates_of
from nearkind.validation import threads

X, y = labelled_table(60)
QUERY, _ = labelled_table(20, seed=9)


@pytest.fixture(scope="module")
def default():
    return nk.CPMLClassifierCV(n_jobs=1).fit(X, y)


class TestDefault:
    def test_what_is_learned(self, default):
        assert 1 <= len(default.members_) <= 3
        assert all(isinstance(m, nk.CPMLClassifier) for m in default.members_)
        explaining = default.committee_.explaining
        assert default.distance_ is explaining.distance
        assert explaining in default.committee_.voters
        assert default.classes_.tolist() == ["egg", "ham", "jam"]
        assert default.n_features_in_ == 4
        assert list(default.feature_names_in_) == list(X.columns)
        assert default.refused_ == {}
        assert default.search_seconds_ > 0.0
        assert default.refit_seconds_ > 0.0

    def test_probabilities_are_the_calibrated_mean_of_the_members(self, default):
        members = [member.predict_proba(QUERY) for member in default.members_]
        found = default.predict_proba(QUERY)
        mean = np.average(members, axis=0, weights=default.committee_.voter_weights)
        np.testing.assert_allclose(found, default.calibration_.probabilities(mean))
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert (found > 0.0).all()
        answers = default.classes_[found.argmax(axis=1)]
        np.testing.assert_array_equal(default.predict(QUERY), answers)

    def test_votes_are_kept_as_they_are_on_request(self, default):
        model = nk.CPMLClassifierCV(n_jobs=1, calibrate=False).fit(X, y)
        assert model.calibration_ is None
        members = [member.predict_proba(QUERY) for member in default.members_]
        mean = np.average(members, axis=0, weights=default.committee_.voter_weights)
        np.testing.assert_allclose(model.predict_proba(QUERY), mean)

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

    def test_neighbours_are_those_of_the_member_that_explains(self, default):
        place = default.committee_.voters.index(default.committee_.explaining)
        for ours, theirs in zip(
            default.kneighbors(QUERY, 3),
            default.members_[place].kneighbors(QUERY, 3),
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
        for candidate in candidates_of(nk.CPMLClassifierCV(**policies), [2, 30]):
            params = candidate.metric.get_params()
            assert {name: params[name] for name in policies} == policies

    def test_every_number_is_a_value_where_histograms_are_smoothed(self):
        assert len(candidates_of(nk.CPMLClassifierCV(), [2, 20])) == 6
        assert len(candidates_of(nk.CPMLClassifierCV(), [2, 21])) == 7
        found = candidates_of(nk.CPMLClassifierCV(forest=False), [2, 21])
        assert len(found) == 6
        for candidate in found:
            params = candidate.metric.get_params()
            is_smoothed = params.get("smoothing") == "auto" and params["cross_fit"]
            assert params["numeric"] == ("category" if is_smoothed else "auto")

    def test_a_column_of_very_many_values_is_pooled(self):
        few, many = (
            {c.name: c for c in candidates_of(nk.CPMLClassifierCV(), longest=n)}
            for n in (LONG, LONG + 1)
        )
        plain, pooled = "neighbors by values", "neighbors by common values"
        assert {plain} == {*few} - {*many}
        assert {pooled} == {*many} - {*few}
        book = Codebook()
        book.fit_encode(np.array([[f"word {i // 2}"] for i in range(4_000)]))
        many[pooled].check_size(book, 4_000)
        with pytest.raises(ValueError, match="more than 1,000"):
            few[plain].check_size(book, 4_000)

    def test_text_of_many_values_leaves_the_best_candidate(self):
        rng = np.random.default_rng(0)
        table = rng.integers(3, size=(400, 4)).astype(str).astype(object)
        labels = (table[:, 0] == table[:, 1]).astype(int)
        words = [f"w{i}" for i in rng.integers(180, size=400)]
        X = np.column_stack([table, words])
        model = nk.CPMLClassifierCV(max_members=1).fit(X, labels)
        assert model.best_params_["candidate"] == "neighbors by common values"
        assert model.best_score_ > 0.9

    def test_a_forest_is_tried_up_to_four_thousand_rows(self):
        few, many = (
            candidates_of(nk.CPMLClassifierCV(), [2], n) for n in (4_000, 4_001)
        )
        assert "forest" in {candidate.name for candidate in few}
        assert "forest" not in {candidate.name for candidate in many}

    def test_many_rows_have_pairs_of_columns_and_one_strength(self):
        few, many = (
            candidates_of(nk.CPMLClassifierCV(), [2, 21], n) for n in (6_000, 6_001)
        )
        assert not any(candidate.needs_crosses for candidate in few)
        crossed = [candidate for candidate in many if candidate.needs_crosses]
        assert [c.metric.crosses for c in crossed] == ["auto", "auto"]
        assert all(c.stage > 1 for c in crossed)
        learned = [c for c in many if isinstance(c.metric, nk.CPML)]
        assert {c.strengths for c in learned} == {("0.1%",)}

    def test_without_time_the_simplest_is_taken(self):
        model = nk.CPMLClassifierCV(time_budget=1e-9).fit(X, y)
        assert model.best_params_["candidate"] == "values"
        assert set(model.refused_.values()) == {"There was no time for it."}
        assert len(model.refused_) == 5
        assert set(model.cv_results_["n_held"]) == {len(model.held_rows_)}
        assert len(model.held_rows_) < 30  # the first of five folds


class TestHonest:
    def test_random_labels_give_a_score_near_chance(self):
        rng = np.random.default_rng(0)
        rows = rng.integers(0, 3, (200, 4)).astype(str)
        model = few().fit(rows, rng.integers(0, 2, 200))
        assert 0.4 < model.best_score_ < 0.65

    @pytest.mark.slow
    @pytest.mark.parametrize("n_classes", [2, 5])
    def test_the_score_in_noise_is_that_of_new_rows(self, n_classes):
        """The mean over 60 tables of noise is 1 / C, to 4 standard errors.

        So a right search fails once in 15,000 seeds.
        """
        scores = []
        for seed in range(60):
            rng = np.random.default_rng(seed)
            rows, labels = rng.integers(0, 4, (80, 4)), rng.integers(0, n_classes, 80)
            scores.append(few(candidates=[Hamming(), Euclidean()]).fit(rows, labels))
        found = [model.best_score_ for model in scores]
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        assert np.mean(found) <= 1.0 / n_classes + 4.0 * error

    @pytest.mark.slow
    def test_copies_of_rows_do_not_raise_the_score(self):
        """75 rows of noise given twice: the mean of 20 tables, to 4 standard errors."""
        found = []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            rows, labels = rng.integers(0, 9, (75, 5)), rng.integers(0, 2, 75)
            model = few().fit(np.tile(rows, (2, 1)), np.tile(labels, 2))
            found.append(model.best_score_)
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        assert np.mean(found) <= 0.5 + 4.0 * error

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
        one = {"candidates": [Hamming()], "n_neighbors": 1, "weights": "uniform"}
        model = few(**one, calibrate=False).fit(X, y)
        table = model.cv_results_
        assert table["accuracy"].tolist() == [model.best_score_]
        assert table["n_held"].tolist() == [60]
        assert model.best_score_ < model.score(X, y)

    def test_probabilities_of_held_rows_are_those_of_a_fit_without_them(self):
        rows = np.arange(60)
        folds = [(rows[rows % 3 != f], rows[rows % 3 == f]) for f in range(3)]
        settings = {"n_neighbors": 5, "weights": "uniform"}
        model = few(candidates=[Hamming()], cv=folds, calibrate=False, **settings)
        model.fit(X, y)
        assert sorted(model.held_rows_) == list(rows)
        voter = nk.CPMLClassifier(Hamming(), **settings)
        apart = [
            voter.fit(X.iloc[train], y[train]).predict_proba(X.iloc[held])
            for train, held in folds
        ]
        np.testing.assert_allclose(model.held_proba_, np.vstack(apart), atol=1e-6)


class OnColumn(Euclidean):
    """Class histograms of one column alone."""

    def __init__(self, column=0, unseen="prior", missing="level", numeric="auto"):
        super().__init__(unseen=unseen, missing=missing, numeric=numeric)
        self.column = column

    def fit(self, X, y=None, sample_weight=None):
        form = super().fit(X, y, sample_weight).distance_
        vectors = [
            table if d == self.column else np.zeros_like(table)
            for d, table in enumerate(form.tables.vectors)
        ]
        self.distance_ = replace(form, tables=ValueTables(vectors))
        return self


def test_distances_of_ones_own_are_candidates_too():
    own = OnColumn()
    model = few(candidates=[own]).fit(X, y)
    for again in (model, pickle.loads(pickle.dumps(model))):
        assert type(again.metric_) is OnColumn
        (member,) = again.members_
        assert (type(member.metric), type(member.metric_)) == (OnColumn, OnColumn)
        np.testing.assert_array_equal(
            member.kneighbors(QUERY)[1], model.kneighbors(QUERY, member.n_neighbors)[1]
        )


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
            (
                2,
                ["a", "b"],
                "CPMLClassifierCV selects on held-out rows, but no fold of 2 rows",
            ),
            (6, None, "CPMLClassifierCV requires y"),
            (6, [*"abab", None, "b"], "missing values: 1 of 6, the first in row 4"),
        ],
    )
    def test_too_little_is_refused(self, n_rows, labels, words):
        with pytest.raises(ValueError, match=words):
            few().fit(X[:n_rows], labels)
