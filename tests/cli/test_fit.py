"""``nearkind fit``."""

import datetime as dt
import json

import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts, run
from nearkind.io import write_columns

FIT = ("-t", "kind", "--drop", "name", "-m", "hamming")


def test_it_says_what_was_learned_and_what_to_do_next(pets, tmp_path):
    model = tmp_path / "m.nearkind"
    out = done("fit", pets, *FIT, "-o", model)
    told = (
        "12 rows, 3 columns, 3 classes of 'kind'",
        "accuracy ",
        "held-out rows; the model itself is fitted to all rows",
        "majority-class baseline 33.3%",
        "Hamming(",
        "coat",
        "█",
        "nearkind predict",
    )
    for words in told:
        assert words in out
    assert sorted(tmp_path.iterdir()) == [model, pets]
    assert nk.load(model).classes_.tolist() == ["bird", "cat", "dog"]


def test_facts_for_programs(pets, tmp_path):
    found = facts("fit", pets, *FIT, "-o", tmp_path / "m.nearkind")
    assert list(found) == [
        "model", "method", "target", "rows", "features", "classes", "chosen",
        "accuracy", "accuracy_is", "majority_share", "relevance", "explained_by",
        "seconds", "prediction_seconds",
    ]  # fmt: skip
    assert 0.0 < found["prediction_seconds"] < 60.0
    assert found["classes"] == {"dog": 4, "cat": 4, "bird": 4}
    assert {part["feature"] for part in found["relevance"]} == {
        "legs",
        "coat",
        "weight",
    }
    assert sum(part["share"] for part in found["relevance"]) == pytest.approx(1.0)
    assert 0.0 <= found["accuracy"] <= 1.0


def test_the_default_searches(pets, tmp_path):
    model = tmp_path / "m.nearkind"
    found = facts("fit", pets, "-t", "kind", "--drop", "name", "-o", model,
                  "--time-budget", 1, "--members", 1)  # fmt: skip
    assert found["method"] == "cv"
    chosen = nk.load(model)
    assert type(chosen).__name__ == "CPMLClassifierCV"
    assert len(chosen.members_) == 1
    assert "cross-validated" in found["accuracy_is"]


def test_built_in_sets_and_standard_input_and_seeds(tmp_path):
    model = tmp_path / "m.nearkind"
    assert facts("fit", "credit_risk", "-o", model, "-m", "hamming")["target"] == "Risk"
    found = facts("fit", "-", *FIT, "-o", model, "--seed", 3, stdin=PETS.encode())
    assert found["rows"] == 12


def test_leading_zeros_stay_and_text_is_text(pets, tmp_path):
    model = tmp_path / "m.nearkind"
    done("fit", pets, *FIT, "-o", model)
    levels = nk.load(model).categories_
    assert levels["legs"] == [2, 4]
    assert levels["weight"][0] == "001"
    assert None in levels["coat"]
    done("fit", pets, *FIT, "-o", model, "--text", "legs")
    assert nk.load(model).categories_["legs"] == ["2", "4"]


def test_nothing_is_learned_if_the_model_cannot_be_written(pets, tmp_path):
    assert "no folder" in complaint(
        "fit", pets, *FIT, "-o", tmp_path / "no" / "m.nearkind"
    )
    assert "is a folder" in complaint("fit", pets, *FIT, "-o", tmp_path)
    assert list(tmp_path.iterdir()) == [pets]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-t", "knid"], "no column 'knid' in pets.csv. Did you mean 'kind'?"),
        (["-t", "kind", "--drop", "nmae"], "Did you mean 'name'?"),
        (["-t", "kind", "--encoding", "x"], "There is no encoding 'x'"),
        (["-t", "kind", "--delimiter", "||"], "A delimiter is one character"),
        (["-t", "kind", "--format", "parquet"], "pets.csv: it cannot be read"),
        (["-t", "kind", "--drop", "kind"], "'kind' is both the target and dropped"),
    ],
)
def test_bad_data(pets, tmp_path, arguments, words):
    model = tmp_path / "m.nearkind"
    assert words in complaint("fit", pets, *arguments, "-m", "hamming", "-o", model)
    assert not model.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name the column of"),
        (["-t", "kind", "-m", "haming"], "Did you mean 'hamming'"),
        (
            ["-t", "kind", "--numeric", "round"],
            "'round' is not one of 'auto', 'category', 'bin', 'scale'",
        ),
        (["-t", "kind", "-m", "single", "--time-budget", "3"], "only for method cv"),
        (["-t", "kind", "--time-budget", "0"], "0.001"),
        (["-t", "kind", "-m", "single", "--members", "1"], "only for method cv"),
        (["-t", "kind", "--unseen", "guess"], "'guess' is not one of 'prior', 'error'"),
        (["-t", "kind", "--tol", "0.1"], "not a setting of method cv"),
        (
            ["-t", "kind", "-m", "hamming", "--max-iter", "9"],
            "not a setting of method hamming",
        ),
    ],
)
def test_bad_usage(pets, tmp_path, arguments, words):
    assert words in complaint(
        "fit", pets, *arguments, "-o", tmp_path / "m.nearkind", code=2
    )


def test_warnings_are_a_line_each(pets, tmp_path):
    pets.write_text(PETS.replace(",dog\n", ",\n", 1))
    result = run("fit", pets, *FIT, "-o", tmp_path / "m.nearkind")
    assert result.stderr == (
        "nearkind: pets.csv: 1 of 12 rows have no 'kind'; they are left out.\n"
    )


@pytest.fixture
def uneven(tmp_path):
    """A table in which one row in ten is ill, which a column mostly tells."""
    path = tmp_path / "uneven.csv"
    ill = [i % 10 == 0 for i in range(200)]
    spots = [is_ill and i % 40 > 0 for i, is_ill in enumerate(ill)]
    rows = [
        f"{spots[i]},{i % 3},{'ill' if is_ill else 'well'}\n"
        for i, is_ill in enumerate(ill)
    ]
    path.write_text("spots,day,state\n" + "".join(rows))
    return path


@pytest.mark.parametrize("method", ["cv", "hamming"])
def test_the_recall_of_each_class_is_told_where_one_has_most_rows(
    uneven, tmp_path, method
):
    fit = ("fit", uneven, "-t", "state", "-m", method, "-o", tmp_path / "m.nearkind")
    found = facts(*fit)
    assert list(found["recall"]) == ["ill", "well"]
    mean = sum(found["recall"].values()) / 2
    assert found["balanced_accuracy"] == pytest.approx(mean)
    assert found["balanced_accuracy"] <= found["accuracy"]
    assert "; recall: ill " in done(*fit)


def test_it_is_not_told_where_no_class_has(pets, tmp_path):
    assert "recall" not in facts(
        "fit", pets, "-t", "kind", "-o", tmp_path / "m.nearkind"
    )


def test_scoring_and_class_weight_are_settings_of_the_model(uneven, tmp_path):
    path = tmp_path / "m.nearkind"
    fit = ("fit", uneven, "-t", "state", "-o", path)
    found = facts(*fit, "--scoring", "log_loss", "--class-weight", "balanced")
    assert "also used for selection" in found["score_is"]
    assert "also used for selection" not in found["accuracy_is"]
    model = nk.load(path)
    assert (model.scoring, model.class_weight) == ("log_loss", "balanced")
    assert model.best_score_ < 0.0
    facts(*fit, "-m", "hamming", "--class-weight", "balanced")
    assert nk.load(path).class_weight == "balanced"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--scoring", "acuracy"), "Did you mean 'accuracy'"),
        (("--scoring", "log_loss", "-m", "hamming"), "only for method cv"),
        (("--class-weight", "heavy"), "'heavy' is not"),
        (("--class-weight", "balanced", "--stream"), "add --no-stream"),
        (("--scoring", "f1_macro", "--stream"), "add --no-stream"),
    ],
)
def test_wrong_scorings_and_weights_are_bad_usage(uneven, tmp_path, given, said):
    fit = ("fit", uneven, "-t", "state", "-o", tmp_path / "m.nearkind")
    assert said in " ".join(complaint(*fit, *given, code=2).split())


def test_settings_of_the_distance_are_options(pets, tmp_path):
    path = tmp_path / "m.nearkind"
    fit = ("fit", pets, "-t", "kind", "--drop", "name", "-o", path)
    told = ("--missing", "prior", "--unseen", "error", "--jobs", "1")
    done(*fit, "-m", "single", *told, "--tol", "0.05", "--max-iter", "300")
    metric = nk.load(path).metric_
    assert (metric.missing, metric.unseen, metric.n_jobs) == ("prior", "error", 1)
    assert (metric.tol, metric.max_iter) == (0.05, 300)
    done(*fit, "-m", "hamming", *told)
    assert nk.load(path).metric_.unseen == "error"


def test_advice_names_options(pets, models):
    new = pets.with_name("new.csv")
    new.write_text("legs,coat,weight\n8,fur,004\n")
    found = run("predict", models["hamming"], new).stderr
    assert "Pass `fit --unseen error` to refuse them" in found


def test_rows_keep_the_numbers_of_the_file_where_some_have_no_class(pets, tmp_path):
    lines = PETS.splitlines()
    lines.insert(2, "Rex,4,fur,x,")  # x would make the column text
    pets.write_text("\n".join(lines).replace(",00", ",").replace(",01", ",1"))
    path = tmp_path / "m.nearkind"
    for method in ("hamming", "cv"):
        result = run("fit", pets, "-t", "kind", "-m", method, "-o", path, "--json")
        assert json.loads(result.stdout)["rows"] == 12
        model = nk.load(path)
        assert model.categories_["weight"][0] == 1
        numbers = model.kneighbors(None, 11, return_distance=False)
        assert set(numbers.ravel().tolist()) <= {0, *range(2, 13)}
        assert numbers.max() == 12
    near = facts("neighbors", path, pets, "--row", "12", "-k", "1")
    assert near["neighbors"][0]["row"] == 12


@pytest.mark.parametrize("mark", ["^", "~", " "])
def test_an_unusual_delimiter_is_hinted_at(tmp_path, mark):
    path, model = tmp_path / "a.csv", tmp_path / "m.nearkind"
    path.write_text(f"size{mark}kind\n1{mark}a\n2{mark}b\n")
    told = complaint("fit", path, "-t", "kind", "-m", "hamming", "-o", model)
    assert f"pass --delimiter '{mark}'" in told
    fit = ("fit", path, "-t", "kind", "-m", "hamming", "-o", model)
    done(*fit, "--delimiter", mark)


DATES = ["2020-02-03", "2021-11-30", "2020-02-03", "2022-01-01"] * 3


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_dates_give_way_to_their_parts_in_every_format_unless_they_are_text(
    tmp_path, ending, stream
):
    path, model = tmp_path / f"visits.{ending}", tmp_path / "m.nearkind"
    days = [dt.date.fromisoformat(day) for day in DATES]
    columns = {"day": days, "size": ["a", "b"] * 6, "kind": ["x", "y", "x"] * 4}
    write_columns(columns, path)
    fit = ("fit", path, "-t", "kind", "-m", "single", stream, "-o", model)
    result = run(*fit)
    assert result.exit_code == 0
    assert result.stderr.count("Column 'day' holds dates") == 1
    parts = nk.load(model).distance_.categories
    assert list(parts) == ["day_year", "day_month", "day_weekday", "size"]
    assert parts["day_month"] == [1, 2, 11]
    assert len(facts("predict", model, path)["rows"]) == 12
    done(*fit, "--text", "day")
    assert nk.load(model).distance_.categories["day"] == sorted(set(DATES))
    assert len(facts("predict", model, path)["rows"]) == 12


def test_without_a_target_candidates_are_suggested(pets, tmp_path):
    told = complaint("fit", pets, code=2)
    assert "--target 'kind'" in told.replace(" │ ", " ")
    assert "'coat' (3 values)" in told


def test_the_model_is_named_after_the_table_by_default(pets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done("fit", pets, *FIT)
    assert nk.load("pets.nearkind").classes_.tolist() == ["bird", "cat", "dog"]
    assert "-o model.nearkind" in complaint("fit", "-", *FIT, code=2, stdin=b"a,kind")


def test_a_missed_class_hints_at_class_weights(tmp_path):
    path = tmp_path / "rare.csv"
    path.write_text(
        "a,y\n" + "".join(f"{i % 3},{int(i % 10 == 0)}\n" for i in range(90))
    )
    fit = ("fit", path, "-t", "y", "-m", "hamming", "-o", tmp_path / "m.nearkind")
    assert "--class-weight" in facts(*fit)["hint"]
    assert "hint" not in facts(*fit, "--class-weight", "balanced")


def test_scorers_of_scikit_learn_by_name(pets, tmp_path):
    fit = ("fit", pets, "-t", "kind", "--drop", "name", "-o", tmp_path / "m.nearkind")
    assert facts(*fit, "--scoring", "jaccard_macro", "--time-budget", 2)["target"]
    assert "'roc_auc'" in complaint(*fit, "--scoring", "rocauc", code=2)


def test_a_time_budget_says_what_was_not_tried(pets, tmp_path):
    fit = ("fit", pets, "-t", "kind", "--drop", "name", "-o", tmp_path / "m.nearkind")
    found = facts(*fit, "--time-budget", "0.001")
    assert "neighbors by values" in found["not_tried"]
    out = done(*fit, "--time-budget", "0.001")
    assert "not tried within the time budget: " in out


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
@pytest.mark.parametrize(
    "prices", [[i % 300 for i in range(900)], [i % 30 + 0.5 for i in range(900)]]
)
def test_a_target_of_many_numbers_looks_like_regression(tmp_path, stream, prices):
    path = tmp_path / "houses.csv"
    write_columns({"rooms": [i % 5 for i in range(900)], "price": prices}, path)
    fit = (
        "fit",
        path,
        "-t",
        "price",
        "-m",
        "single",
        stream,
        "--task",
        "class",
        "-o",
        tmp_path / "m.nearkind",
    )
    assert "looks like regression" in complaint(*fit)


def test_columns_that_say_nothing_are_said_to(tmp_path):
    path, model = tmp_path / "coins.csv", tmp_path / "m.nearkind"
    lines = [f"{i % 2},{'heads' if i % 5 < 3 else 'tails'}" for i in range(200)]
    path.write_text("\n".join(["coin,side", *lines]))
    fit = ("fit", path, "-t", "side", "-m", "hamming", "-o", model)
    nothing = "baseline: no relation between these columns and 'side' was found."
    assert nothing in done(*fit)
    assert facts(*fit)["caution"].endswith(nothing)
    assert "caution" not in facts(*fit, "--class-weight", "balanced")


def test_mixed_distances_leave_missing_cells_out_by_default(pets, tmp_path):
    fit = ("fit", pets, "--drop", "name", "-m", "gower", "-o", tmp_path / "m.nearkind")
    assert facts(*fit, "-t", "kind")["chosen"][0].startswith("Gower(")
    assert "'level'" in complaint(*fit, "-t", "kind", "--missing", "level")
