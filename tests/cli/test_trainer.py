"""``nearkind fit --stream``."""

import numpy as np
import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts, run
from nearkind.cli import trainer

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
    assert a.categories_ == b.categories_
    np.testing.assert_array_equal(a.distance_.metric_, b.distance_.metric_)
    for name in ("rows", "features", "classes", "majority_share", "relevance"):
        assert found[name] == told[name]
    assert found["remembered"] == 12
    assert "did not vote" in found["accuracy_is"]


def test_the_screen_says_how_many_rows_vote(tmp_path):
    path, model = tmp_path / "many.csv", tmp_path / "m.nearkind"
    rows = [f"{i % 7},{'ab'[i % 2]},{'xy'[i % 3 > 0]}\n" for i in range(400)]
    path.write_text("n,w,kind\n" + "".join(rows))
    out = done("fit", path, "-t", "kind", "--stream", "--remember", 100, "-o", model)
    assert "5 neighbours among 100 rows remembered" in out
    assert "400 rows, 2 features" in out


def test_what_cannot_be_streamed_is_said(pets, tmp_path):
    model = tmp_path / "m.nearkind"
    told = complaint(
        "fit", pets, "-t", "kind", "-m", "hamming", "--stream", "-o", model, code=2
    )
    assert "hamming learns from whole tables" in told
    told = complaint("fit", "-", *FIT, "--stream", "-o", model, stdin=PETS)
    assert "standard input cannot be read in batches" in told


def test_large_files_are_streamed_unless_asked_otherwise(pets, tmp_path, monkeypatch):
    model = tmp_path / "m.nearkind"
    assert "remembered" not in facts("fit", pets, *FIT, "-o", model)
    monkeypatch.setattr(trainer, "LARGE_TEXT", 10)
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
    assert (trainer.NO_SEARCH in told.stderr) == is_told


def test_a_long_search_is_announced_to_who_watches(capsys):
    trainer.announce(4_000, None)
    assert "4,000 rows takes about 21 s" in capsys.readouterr().err
    trainer.announce(400, None)
    trainer.announce(4_000, 5.0)
    assert capsys.readouterr().err == ""
