"""``nearkind evaluate`` and ``nearkind compare``."""

import pytest

from helpers.commands import complaint, done, facts
from nearkind.cli.comparison import (
    accuracies,
    mean_scores,
    rank,
    show_comparison,
    smallest_p_value,
)
from nearkind.experiments import Row
from nearkind.experiments.sets import UserTable
from nearkind.io import LabelledSource, ReadOptions

TRY = ("-r", 2, "-m", "hamming", "-m", "vdm", "--jobs", 1)


def test_evaluate_a_set_and_its_file_alike(tmp_path):
    path = tmp_path / "monks1"  # splits depend on the name, not on the folder
    done("datasets", "monks1", "-o", tmp_path / "m.csv")
    (tmp_path / "m.csv").rename(path)
    found = facts("evaluate", path, "-t", "class", *TRY)
    built_in = facts("evaluate", "monks1", *TRY)
    for method in (*found["methods"], *built_in["methods"]):
        assert method.pop("seconds") > 0.0
    assert found == built_in
    assert (found["rows"], found["features"], found["repeats"]) == (432, 6, 2)
    hamming = found["methods"][0]
    assert (hamming["method"], hamming["status"]) == ("hamming", "done")
    assert hamming["accuracy"] > 0.8
    assert 0.5 < hamming["triplet_accuracy"] < 0.6


def test_compare_standard_input_in_words():
    rows = "a,b,kind\n" + "1,x,yes\n2,x,no\n" * 15
    out = done("compare", "-", "-t", "kind", *TRY, stdin=rows.encode())
    for words in ("standard input: 30 rows, 2 features, 2 splits", "mean rank",
                  "100.0% ± 0.0%", "Friedman", "raise --repeats"):  # fmt: skip
        assert words in out


def test_methods_that_do_not_end_are_named():
    said = complaint(
        "evaluate", "balance", "-r", 1, "-m", "helic", "--seconds", 0.1, "--jobs", 1
    )
    assert "Every method failed on it: timed out." in said


def test_bad_data_and_usage(pets):
    assert "no column 'x'" in complaint("evaluate", pets, "-t", "x")
    said = complaint("compare", pets, "-t", "kind", "-m", "haming", code=2)
    assert "there is no method 'haming'. Did you mean 'hamming'" in said
    assert "name the column" in complaint("compare", pets, code=2)
    complaint("evaluate", pets, "-t", "kind", "-r", 0, code=2)


def test_ranks_and_p_values():
    names = ("good", "bad", "lost")
    told = {"methods": [{"method": name} for name in names]}
    ranked = rank(told, {"bad": [0.1] * 8, "good": [0.9, 0.8, 0.7, 0.9] * 2})
    assert [m["method"] for m in ranked["methods"]] == ["good", "bad", "lost"]
    assert [m["mean_rank"] for m in ranked["methods"]] == [1.0, 2.0, None]
    good, bad, lost = (m["p_value"] for m in ranked["methods"])
    assert (good, lost) == (None, None)
    assert bad == pytest.approx(smallest_p_value(8, 2), abs=0.01)
    assert ranked["friedman"]["p_value"] < 0.01


def test_one_method_has_a_rank_and_no_p_value():
    told = {"methods": [{"method": "only"}]}
    ranked = rank(told, {"only": [0.5, 0.6]})
    assert ranked["methods"] == [{"method": "only", "mean_rank": 1.0, "p_value": None}]
    assert ranked["friedman"] is None


def test_a_method_that_was_given_up_is_shown(capsys):
    rows = [
        Row("t", "a", 0, "d", 1, n_train=3, n_valid=1, n_test=1, accuracy=0.5,
            majority_share=0.5, seconds=1.0),
        Row("t", "b", 0, "d", 1, status="timed out", seconds=9.0),
    ]  # fmt: skip
    told = rank(mean_scores(LabelledSource("t.csv", "y"), rows), accuracies(rows))
    show_comparison(told)
    out = capsys.readouterr().out
    assert "b: timed out" in out
    assert [m["accuracy"] for m in told["methods"]] == [0.5, None]


def test_a_table_is_read_where_a_trial_runs(pets):
    options = ReadOptions(encoding="utf-8", delimiter=",")
    source = LabelledSource(str(pets), "kind", ("name",), ("legs",), options)
    part = UserTable("the pets", source).load()
    assert part.X[0].tolist() == ["4", "fur", "007"]
    assert part.X[-1].tolist() == ["2", None, "001"]
    assert part.y.tolist()[:3] == ["dog", "cat", "bird"]


def test_numbers_are_compared_with_regressors(tmp_path):
    path = tmp_path / "prices.csv"
    lines = [
        f"{'abc'[i % 3]},{i % 7},{5 * (i % 3) + i % 7 + i / 99}" for i in range(60)
    ]
    path.write_text("\n".join(["make,size,price", *lines]))
    found = facts("compare", path, "-t", "price", "-r", 2, "--seconds", 1)
    assert (found["task"], found["rows"], found["features"]) == ("number", 60, 2)
    r2 = {each["method"]: each["r2"] for each in found["methods"]}
    assert set(r2) == {"cv", "mean", "ridge", "forest", "boosting", "neighbors"}
    assert r2["ridge"] > 0.9 > 0.0 >= r2["mean"]
    out = done("evaluate", path, "-t", "price", "-r", 1, "-m", "ridge", "-m", "mean")
    for words in ("prices.csv: 60 rows, 2 features, 1 splits", "R2", "RMSE", "MAE"):
        assert words in out
    said = complaint("compare", path, "-t", "price", "-m", "hamming", code=2)
    assert "no method 'hamming' for a numeric target" in said
    few = tmp_path / "few.csv"
    few.write_text("a,y\nx,1.5\nz,2.5\n")
    assert "at least 10" in complaint("compare", few, "-t", "y", "--task", "number")
