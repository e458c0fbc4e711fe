"""The benchmark of accuracies: its splits, scores, files, tables and pictures."""

import gzip
from itertools import product

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from benchmarks.accuracy import __main__ as accuracy
from benchmarks.accuracy import anchors
from benchmarks.accuracy.__main__ import pack_rows
from benchmarks.accuracy.anchor_server import PACKAGES
from benchmarks.accuracy.classifiers import OURS
from benchmarks.accuracy.reliability import calibration_error, diagram, reliability
from benchmarks.accuracy.scores import N_BINS, SMALLEST, probability_scores
from benchmarks.accuracy.sets import FOLDER, MOST_TABLE_ROWS, N_ROWS, Table
from benchmarks.accuracy.tables import (
    beside_anchors,
    by_set,
    markdown,
    overview,
    shared,
    tables,
)
from benchmarks.accuracy.trial import (
    DESIGN,
    DEVELOPMENT,
    METHODS,
    ProbabilityMethod,
    plan,
)
from nearkind.experiments import Limits, Row, read_rows
from nearkind.experiments.runner import run_trials
from nearkind.experiments.sets import BuiltIn
from nearkind.experiments.trial import Trial


class LargestClass(ClassifierMixin, BaseEstimator):
    """Always the same probabilities: the shares of the classes."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X):
        return np.full(len(X), self.classes_[self.shares_.argmax()])


def rows_of(scores, dataset="zoo", bins=None):
    """Return a row for each method and repetition: method -> accuracies."""
    bins = bins or [[0, 0.0, 0]] * (N_BINS - 1) + [[10, 9.5, 9]]
    return [
        Row(
            dataset, method, repetition, DESIGN.label, 7,
            accuracy=right, balanced_accuracy=right,
            majority_share=0.4, log_loss=1.0 - right, brier=1.0 - right,
            zero_share=0.0, bins=bins, fit_seconds=1.0, fit_cpu_seconds=1.0,
            predict_seconds=0.1, seconds=1.2, versions={"nearkind": "0.2.0"},
        )
        for method, accuracies in scores.items()
        for repetition, right in enumerate(accuracies)
    ]  # fmt: skip


def test_the_plan_has_more_repetitions_of_small_sets_and_the_slowest_method_last():
    trials = plan(["nursery", "car", "zoo"], ["catboost", "lightgbm"])
    counts = {(t.dataset.name, t.name): 0 for t in trials}
    for t in trials:
        counts[t.dataset.name, t.name] += 1
    wanted = product(("zoo", "car", "nursery"), ("lightgbm", "catboost"))
    assert list(counts) == list(wanted)
    assert list(counts.values()) == [10, 3, 5, 3, 3, 3]
    assert len(plan(["zoo", "nursery"], ["xrfm"], repeats=2)) == 4


def test_settings_are_chosen_on_repetitions_that_do_not_judge():
    trials = plan(["zoo"], [OURS], repeats=2, first=DEVELOPMENT)
    assert [trial.repetition for trial in trials] == [100, 101]
    rows = rows_of({OURS: [0.5], "random forest": [0.5]})
    developed = [row._replace(repetition=DEVELOPMENT, accuracy=1.0) for row in rows]
    assert markdown(rows + developed) == markdown(rows)


def test_the_search_has_a_budget_on_large_sets_alone():
    small, large = plan(["zoo", "nursery"], [OURS], repeats=1)
    assert small.method.make().time_budget is None
    assert large.method.make().time_budget == 300.0


def test_a_trial_scores_answers_and_probabilities():
    trial = Trial(
        BuiltIn("monks1"), "shares", ProbabilityMethod(LargestClass), 0, DESIGN
    )
    row = trial.run()
    assert row.n_training_used == row.n_train + row.n_valid == 432 - row.n_test
    assert row.accuracy == row.majority_share
    assert row.log_loss == pytest.approx(np.log(2.0), abs=1e-2)
    assert row.brier == pytest.approx(0.5, abs=1e-2)
    assert sum(n for n, _, _ in row.bins) == row.n_test
    assert min(row.fit_seconds, row.fit_cpu_seconds, row.predict_seconds) >= 0.0
    assert Row.from_line(row.line()) == row


def test_probability_scores_are_their_definitions():
    rng = np.random.default_rng(0)
    classes = np.array(["a", "b", "c"])
    shares = rng.dirichlet([0.3] * 3, size=50)
    shares[0] = 0.0, 1.0, 0.0
    y = np.append("a", rng.choice(["a", "b", "c", "new"], size=49))
    scores = probability_scores(shares, classes, y)
    losses, squares, zeros, bins = [], [], 0, np.zeros((N_BINS, 3))
    for row, label in zip(shares, y, strict=True):
        given = dict(zip(classes, row, strict=True)) | {"new": 0.0}
        losses.append(-np.log(max(given[label], SMALLEST)))
        wanted = {name: float(name == label) for name in given}
        squares.append(sum((given[name] - wanted[name]) ** 2 for name in given))
        zeros += given[label] < 1e-9
        top = max(row)
        at = min(int(top * N_BINS), N_BINS - 1)
        bins[at] += 1, top, given[label] == top
    assert scores["log_loss"] == pytest.approx(np.mean(losses))
    assert scores["brier"] == pytest.approx(np.mean(squares))
    assert scores["zero_share"] == zeros / 50 > 0.0
    np.testing.assert_allclose(scores["bins"], bins, atol=1e-5)


def test_packed_rows_depend_on_the_rows_alone(tmp_path):
    rows = rows_of({OURS: [0.5, 0.75], "xrfm": [0.5]})
    paths = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    pack_rows(rows, paths[0])
    pack_rows(rows[::-1], paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert len(gzip.decompress(paths[0].read_bytes()).splitlines()) == 3
    assert {row.key for row in read_rows(paths[0])} == {row.key for row in rows}


def test_a_run_is_continued(tmp_path, monkeypatch, capsys):
    command = ["", "--sets", "monks1", "--methods", "hamming knn", "target encoding"]
    command += ["--output", str(tmp_path), "--repeats"]
    for repeats, n_known in (("1", 0), ("1", 2), ("2", 2)):
        monkeypatch.setattr("sys.argv", [*command, repeats])
        accuracy.main()
        said = capsys.readouterr()
        assert ("2 rows are there already" in said.err) == bool(n_known)
        assert "### Log loss" in said.out
    rows = read_rows(tmp_path / "rows.jsonl")
    assert [(row.repetition, row.is_done) for row in rows] == [
        (repetition, True) for repetition in (0, 0, 1, 1)
    ]
    assert (tmp_path / "rows.jsonl").read_bytes().count(b"\n") == 4


def test_a_star_marks_the_best_of_a_line():
    rows = rows_of({OURS: [0.75, 0.5], "xrfm": [0.5, 0.25]})
    assert by_set("Accuracy", rows, [OURS, "xrfm"]).rows[0][1:3] == ["0.625*", "0.375"]
    assert by_set("Brier", rows, [OURS, "xrfm"], "brier").rows[0][1:3] == [
        "0.375*",
        "0.625",
    ]


def test_a_trial_that_is_not_done_shows_its_status():
    failed = Row("zoo", "xrfm", 0, DESIGN.label, 7, status="failed: no memory")
    rows = [*rows_of({OURS: [0.75]}), failed]
    assert by_set("Loss", rows, [OURS, "xrfm"], "log_loss").rows[0] == [
        "zoo", "0.250*", "failed",
    ]  # fmt: skip


def test_behind_is_more_than_one_standard_error_below_the_better_anchor():
    near = {OURS: [0.9, 0.8], "logistic regression": [0.9, 0.82]}
    near["random forest"] = [0.7, 0.7]
    far = near | {OURS: [0.88, 0.81]}
    rows = rows_of(near) + rows_of(far, "monks1") + rows_of(far, "car")
    lines = beside_anchors(rows).rows
    assert [line[-2:] for line in lines] == [
        ["-1.0 ± 1.0", "no"],
        ["-1.5 ± 0.5", "yes"],
    ]


def test_methods_are_compared_on_splits_that_all_have_done():
    usual = {OURS: [0.5, 0.7], "random forest": [0.9, 0.9]}
    rows = rows_of(usual) + rows_of({"catboost": [0.6]})
    some, methods = shared(rows, [OURS, "random forest", "catboost", "ebm"])
    assert methods == [OURS, "random forest", "catboost"]
    assert {row.repetition for row in some} == {0}
    wider = rows + [row for s in ("car", "monks1") for row in rows_of(usual, s)]
    assert "catboost" not in shared(wider, [OURS, "catboost"])[1]
    table = overview("Ranks", some, methods)
    assert table.head[:4] == ["method", "Accuracy", "rank", "behind"]
    assert [line[:3] for line in table.rows] == [
        [OURS, "0.5000", "3.00"], ["random forest", "0.9000", "1.00"],
        ["catboost", "0.6000", "2.00"],
    ]  # fmt: skip


def test_the_distance_of_mean_ranks_has_its_standard_error_over_sets():
    rows = rows_of({OURS: [0.9], "ebm": [0.8]})
    rows += rows_of({OURS: [0.9], "ebm": [0.8]}, "car")
    rows += rows_of({OURS: [0.8], "ebm": [0.9]}, "monks1")
    table = overview("Ranks", rows, [OURS, "ebm"])
    differences = np.array([1.0, 1.0, -1.0])
    error = differences.std(ddof=1) / np.sqrt(3)
    assert [line[3] for line in table.rows] == ["", f"+0.33 ± {error:.2f}"]


def test_a_table_of_the_folder_has_numbers_and_a_limited_number_of_rows(
    tmp_path, monkeypatch
):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    (tmp_path / "datasets.json").write_text('[{"name": "cmc", "numeric": ["b"]}]')
    n = MOST_TABLE_ROWS + 10
    lines = [f"x,{i}.5,{i % 2}" for i in range(n - 1)]
    text = "\n".join(["a,b,class", ",,1", *lines])
    (tmp_path / "cmc.csv.gz").write_bytes(gzip.compress(text.encode()))
    whole = Table("cmc").load(seed=3, numbers=True)
    assert whole.X.shape == (MOST_TABLE_ROWS, 2)
    assert {type(value) for value in whole.X[:, 1]} <= {float, type(None)}
    assert set(whole.X[:, 0]) <= {"x", None}
    assert Table("cmc").load().X.shape[1] == 1
    assert len(N_ROWS) == 47


def test_bins_become_a_curve_in_which_all_sets_weigh_the_same():
    empty = [[0, 0.0, 0]] * (N_BINS - 2)
    small = rows_of({OURS: [0.5]}, bins=[*empty, [0, 0.0, 0], [10, 9.5, 10]])
    large = rows_of({OURS: [0.5]}, "car", bins=[*empty, [1000, 900.0, 500], [0, 0, 0]])
    shares, confidence, right = reliability(small + large, OURS)
    np.testing.assert_allclose(shares[-2:], [0.5, 0.5])
    np.testing.assert_allclose(confidence[-2:], [0.9, 0.95])
    np.testing.assert_allclose(right[-2:], [0.5, 1.0])
    assert np.isnan(right[:-2]).all()
    error = calibration_error(shares, confidence, right)
    assert error == pytest.approx(0.5 * 0.4 + 0.5 * 0.05)


def test_the_picture_has_a_panel_for_each_method():
    figure = diagram(rows_of({name: [0.5] for name in (OURS, "xrfm", "lightgbm")}))
    titles = [axes.get_title().split("\n")[0] for axes in figure.axes]
    assert titles == [OURS, "lightgbm", "xrfm"]


def test_every_table_has_lines_when_every_method_is_done():
    rows = rows_of({name: [0.5] for name in METHODS})
    rows = [row._replace(auc=0.5, average_precision=0.5) for row in rows]
    assert len(METHODS) == 13
    assert len(tables(rows)) == 11


@pytest.mark.skipif(not accuracy.KEPT.exists(), reason="there are no rows")
def test_the_page_shows_the_rows_that_are_kept():
    made = markdown(read_rows(accuracy.KEPT))
    advice = "run `python -m benchmarks.accuracy --table`"
    assert made in accuracy.PAGE.read_text(), advice


@pytest.mark.skipif(not anchors.PYTHON.exists(), reason="there is no .venv-anchors")
@pytest.mark.parametrize("name", anchors.NAMES)
def test_an_anchor_learns_in_its_environment(name, tmp_path):
    trials, limits = plan(["monks1"], [name], repeats=1), Limits(seconds=240.0)
    [row] = run_trials(trials, tmp_path / "rows.jsonl", limits=limits, jobs=1)
    assert row.is_done, row.status
    assert row.accuracy > 0.7
    assert set(PACKAGES[name]) <= {*row.versions}
