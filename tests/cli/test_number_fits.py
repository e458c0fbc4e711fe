"""Numbers as targets on the command line."""

import csv
import io

import numpy as np
import pytest
from sklearn.metrics import r2_score

from helpers.commands import complaint, done, facts, run
from nearkind.cli.predictions import NumberScore


@pytest.fixture(scope="module")
def prices(tmp_path_factory):
    path = tmp_path_factory.mktemp("prices") / "prices.csv"
    lines = ["make,size,price,stars,date"]
    for row in range(60):
        make, size = "abc"[row % 3], row % 7
        price = "" if row == 5 else f"{10 * (row % 3) + size + 0.01 * row:.2f}"
        lines.append(f"{make},{size},{price},{row % 4},2020-01-{row % 27 + 1:02d}")
    path.write_text("\n".join(lines))
    return path


FIT = "--drop", "date", "--drop", "stars", "--time-budget", "1"


@pytest.fixture(scope="module")
def model(prices):
    path = prices.with_name("price.nearkind")
    result = run("fit", prices, "-t", "price", *FIT, "-o", path)
    assert "'price' has 59 distinct numbers, so a number is" in result.stderr
    assert "1 of 60 rows have no 'price'" in result.stderr
    assert "R2 " in result.stdout
    assert "59 rows, 2 columns, numeric target 'price'" in result.stdout
    return path


def test_numbers_and_intervals_are_written(model, prices):
    result = run("predict", model, prices, "--target", "price")
    rows = [*csv.DictReader(io.StringIO(result.stdout))]
    assert list(rows[0]) == ["predicted", "low", "high"]
    inside = (
        float(r["low"]) <= float(r["predicted"]) <= float(r["high"]) for r in rows
    )
    assert all(inside)
    assert "mean absolute error" in result.stderr
    found = facts("predict", model, prices, "--target", "price", "--set", "0.5")
    assert found["r2"] > 0.5
    assert sorted(found["rows"][0]) == ["high", "low", "predicted", "row"]


def test_contributions_of_all_rows(model, prices, tmp_path):
    path = tmp_path / "parts.csv"
    assert "to the predicted number" in done(
        "explain", model, prices, "--all", "-o", path
    )
    for row in csv.DictReader(path.read_text().splitlines()):
        parts = (float(row[name]) for name in ("base value", "make", "size"))
        assert sum(parts) == pytest.approx(float(row["predicted"]))
    found = facts("explain", model, prices, "--all")
    assert len(found["mean_absolute_contributions"]) == 2


def test_an_export_says_which_view_to_query(model, tmp_path):
    result = run("export", model, "-o", tmp_path / "x.sql", "--name", "guess")
    assert "query the view guess_numbers" in result.stderr


def test_a_score_is_that_of_its_batches():
    truth, numbers = np.array([1.0, 2.0, np.nan, 4.0, 9.0]), np.arange(5.0)
    whole = NumberScore.of("y", truth, numbers)
    first = NumberScore.of("y", truth[:2], numbers[:2])
    more = first.with_more(NumberScore.of("y", truth[2:], numbers[2:]))
    assert more[1:] == pytest.approx(whole[1:])
    known = ~np.isnan(truth)
    assert more.r2 == pytest.approx(r2_score(truth[known], numbers[known]))
    assert NumberScore.of("y", truth[2:3], numbers[2:3]) is None


def test_a_prediction_is_explained(model, prices):
    text = done("explain", model, prices, "--row", 3)
    assert "Predicted" in text
    assert "Contribution of each column" in text
    found = facts("explain", model, prices, "--row", 3)
    effects = sum(part["effect"] for part in found["effects"])
    assert found["base"] + effects == pytest.approx(found["predicted"])
    assert "predicted" in done("explain", model, prices, "--rows", 3, 4)
    assert "training row" in done("neighbors", model, prices, "--row", 3, "-k", 1)
    assert "R2" in done("show", model)


def test_commands_of_classes_refuse_a_model_of_numbers(model, prices, tmp_path):
    needed = "predicts a number"
    assert needed in complaint("change", model, prices, "--row", 1)
    member = "export", model, "-o", tmp_path / "x.sql", "--member", 1
    assert "--member requires a classifier" in complaint(*member)


def test_the_task_can_be_stated(prices, tmp_path):
    path = tmp_path / "stars.nearkind"
    fit = "fit", prices, "-t", "stars", "-m", "hamming", "-o", path
    result = run(*fit)
    assert "4 distinct numbers, so a class is predicted; --task number" in result.stderr
    assert facts(*fit)["method"] == "hamming"
    assert facts(*fit, "--task", "number")["task"] == "number"
    text = complaint("fit", prices, "-t", "make", "--task", "number", "-o", path)
    assert "'make' of prices.csv has values that are not numbers, such as 'a" in text
    text = run(*fit, "--task", "number", "--class-weight", "balanced").stderr
    assert "only for classes" in text
    assert "whole table" in run(*fit, "--task", "number", "--stream").stderr


def test_a_last_column_of_numbers_is_suggested_as_the_target(tmp_path):
    path = tmp_path / "rent.csv"
    lines = [f"{'ab'[row % 2]},{row * 7 % 101}.5" for row in range(60)]
    path.write_text("\n".join(["kind,rent", *lines]))
    said = " ".join(complaint("fit", path, code=2).replace("│", " ").split())
    assert "Candidates: 'rent' (a number), 'kind' (2 values)." in said


def test_fractions_are_numbers_however_few(tmp_path):
    path = tmp_path / "grades.csv"
    lines = [f"{'abc'[row % 3]},{row % 5}.5" for row in range(60)]
    path.write_text("\n".join(["kind,grade", *lines]))
    result = run(
        "fit", path, "-t", "grade", "-m", "hamming", "-o", tmp_path / "m.nearkind"
    )
    assert "5 distinct numbers, so a number is predicted" in result.stderr
    assert result.exit_code == 0
