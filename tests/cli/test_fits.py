"""``nearkind fit --stream``."""

import numpy as np
import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts, run
from helpers.estimator_tables import labelled_table
from nearkind.cli import fits
from nearkind.voting import Committee, Voter

FIT = ("-t", "kind", "--drop", "name", "-m", "single")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("name", ["pets.csv", "pets.csv.gz"])
def test_a_streamed_fit_is_the_fit(tmp_path, name):
    import gzip

    path, whole, parts = (
        tmp_path / name,
        tmp_path / "a.nearkind",
        tmp_path / "b.nearkind",
    )
    path.write_bytes(
        gzip.compress(PETS.encode()) if name.endswith("gz") else PETS.encode()
    )
    told = facts("fit", path, *FIT, "-o", whole)
    found = facts("fit", path, *FIT, "-o", parts, "--stream", "--batch-rows", 5)
    a, b = nk.load(whole), nk.load(parts)
    assert a.distance_.categories == b.distance_.categories
    np.testing.assert_array_equal(a.metric_.metric_, b.metric_.metric_)
    for name in ("rows", "features", "classes", "majority_share", "relevance"):
        assert found[name] == told[name]
    assert found["remembered"] == 12
    assert "do not vote" in found["accuracy_is"]


def test_the_screen_says_how_many_rows_vote(tmp_path):
    path, model = tmp_path / "many.csv", tmp_path / "m.nearkind"
    rows = [f"{i % 7},{'ab'[i % 2]},{'xy'[i % 3 > 0]}\n" for i in range(400)]
    path.write_text("n,w,kind\n" + "".join(rows))
    out = done("fit", path, "-t", "kind", "--stream", "--remember", 100, "-o", model)
    assert "5 neighbours among 100 rows remembered" in out
    assert "400 rows, 2 columns" in out


def test_what_cannot_be_streamed_is_said(pets, tmp_path):
    model = tmp_path / "m.nearkind"
    told = complaint(
        "fit", pets, "-t", "kind", "-m", "hamming", "--stream", "-o", model, code=2
    )
    assert "hamming requires the whole table" in told
    told = complaint("fit", "-", *FIT, "--stream", "-o", model, stdin=PETS)
    assert "standard input cannot be read in batches" in told


def test_large_files_are_streamed_unless_asked_otherwise(pets, tmp_path, monkeypatch):
    model = tmp_path / "m.nearkind"
    assert "remembered" not in facts("fit", pets, *FIT, "-o", model)
    monkeypatch.setattr(fits, "LARGE_TEXT", 10)
    assert facts("fit", pets, *FIT, "-o", model)["remembered"] == 12
    assert "remembered" not in facts("fit", pets, *FIT, "-o", model, "--no-stream")
    others = ("-t", "kind", "-m", "hamming", "-o", model)
    assert "remembered" not in facts("fit", pets, *others)


@pytest.mark.parametrize(("method", "is_told"), [("cv", True), ("single", False)])
def test_who_wants_a_search_is_told_that_there_is_none(pets, tmp_path, method, is_told):
    wanted = (
        "-t",
        "kind",
        "--drop",
        "name",
        "-m",
        method,
        "-o",
        tmp_path / "m.nearkind",
    )
    told = run("fit", pets, *wanted, "--stream")
    assert told.exit_code == 0
    assert (fits.NO_SEARCH in told.stderr) == is_told


def test_a_long_search_is_announced_to_who_watches(capsys):
    fits.announce(4_000, None)
    assert "4,000 rows takes about 21 s" in capsys.readouterr().err
    fits.announce(400, None)
    fits.announce(4_000, 5.0)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "is_advised"), [((), True), (("--class-weight", "balanced"), False)]
)
def test_slow_predictions_are_announced(tmp_path, monkeypatch, options, is_advised):
    path, model = tmp_path / "many.csv", tmp_path / "m.nearkind"
    rows = [f"v{i % 6},{'ab'[i // 6 % 2]},{'xy'[i % 3 > 0]}\n" for i in range(60)]
    path.write_text("n,w,kind\n" + "".join(rows))  # 12 different ones
    fit = "fit", path, "-t", "kind", "-m", "single", "-o", model
    monkeypatch.setattr(fits, "prediction_seconds", lambda model: 2.54)
    monkeypatch.setattr(fits, "N_REFERENCE", 5)
    out = done(*fit, *options)
    assert "1,000 predictions take about 2.5 s, as each is compared with 12 d" in out
    assert ("--stream to keep only a sample of 5" in out) == is_advised
    monkeypatch.setattr(fits, "N_REFERENCE", 6)  # half of the rows
    assert "--stream" not in done(*fit)
    monkeypatch.setattr(fits, "prediction_seconds", lambda model: 0.99)
    assert "1,000 predictions" not in done(*fit)


def test_seconds_of_predictions_are_those_of_all_voters(monkeypatch):
    X, y = [[str(i % 7), str(i % 3)] for i in range(90)], ["a", "b", "b"] * 30
    model = nk.CPMLClassifier("hamming").fit(X, y)
    asked = []

    def shares(voter, codes):
        asked.append(len(codes))
        clock.append(clock[-1] + 0.001 * len(codes))

    clock = [0.0]
    monkeypatch.setattr(fits, "perf_counter", lambda: clock[-1])
    monkeypatch.setattr(Voter, "shares", shares)
    assert fits.prediction_seconds(model) == pytest.approx(1.0)
    assert asked == [1, 8, 32, 128, 512]
    two = Committee(2 * model.committee_.voters, model.classes_)
    monkeypatch.setattr(nk.CPMLClassifier, "committee_", two)
    assert fits.prediction_seconds(model) == pytest.approx(2.0)


@pytest.mark.parametrize(("n", "who"), [("all", "all"), (5, "5 distinct")])
def test_how_many_rows_vote_is_told_if_not_all(n, who):
    X, y = labelled_table(60, seed=1)
    model = nk.CPMLClassifierCV(["euclidean"], cv=2, n_remembered=n).fit(X, y)
    (voter,) = model.committee_.voters
    assert f", {who} training rows vote, weighted" in fits.chosen_text(voter)
