"""``nearkind predict``."""

import csv
import io
import json

import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts, run
from nearkind.cli import predictions
from nearkind.io import read_columns, write_columns

NEW = "weight,coat,legs\n004,fur,4\n001,down,2\n"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_class_and_probabilities(models, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(NEW)
    rows = table(done("predict", models["hamming"], path))
    assert list(rows[0]) == ["predicted", "p_bird", "p_cat", "p_dog"]
    assert [row["predicted"] for row in rows] == ["cat", "bird"]
    assert all(
        sum(float(row[f"p_{label}"]) for label in ("bird", "cat", "dog"))
        == pytest.approx(1.0, abs=1e-5)
        for row in rows
    )
    assert run("predict", models["hamming"], path).stderr == ""


def test_a_column_of_classes_is_compared_with(models, pets):
    result = run("predict", models["single"], pets)
    assert "of 12 predictions agree with column 'kind'" in result.stderr
    found = facts("predict", models["single"], pets)
    assert found["target"] == "kind"
    rows = [row["kind"] for row in table(PETS)]
    right = [
        row["class"] == kind for row, kind in zip(found["rows"], rows, strict=True)
    ]
    assert found["accuracy"] == pytest.approx(sum(right) / 12)
    assert found["rows"][3]["row"] == 3
    assert set(found["rows"][0]["probabilities"]) == {"bird", "cat", "dog"}
    named = run("predict", models["single"], pets, "-t", "name")
    assert "holds none of the model's classes" in named.stderr


def test_sets_of_classes(models, pets, tmp_path):
    model = tmp_path / "m.nearkind"
    done("fit", pets, "-t", "kind", "--drop", "name", "--time-budget", 1, "-o", model)
    rows = table(done("predict", model, pets, "--set", "1"))
    assert list(rows[0])[:2] == ["predicted", "set"]
    assert {row["set"] for row in rows} == {"bird | cat | dog"}
    found = facts("predict", model, pets, "--set", "0.5")["rows"]
    assert all(row["class"] in row["set"] for row in found)
    told = complaint("predict", models["hamming"], pets, "--set", "0.9")
    assert "--method cv" in told


def test_standard_input_and_kept_columns(models):
    rows = table(done("predict", models["hamming"], "-", "--keep", stdin=PETS.encode()))
    assert list(rows[0])[:6] == ["name", "legs", "coat", "weight", "kind", "predicted"]
    assert rows[0]["weight"] == "007"
    assert rows[-1]["coat"] == ""
    again = "\n".join(",".join(row.values()) for row in rows)
    text = ",".join(rows[0]) + "\n" + again
    twice = table(
        done("predict", models["hamming"], "-", "--keep", stdin=text.encode())
    )
    assert "predicted_" in twice[0]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv.gz", "o.jsonl", "o.parquet"])
def test_output_by_ending(models, pets, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    out = tmp_path / name
    assert done("predict", models["hamming"], pets, "-o", out) == ""
    found = read_columns(str(out))
    assert list(found) == ["predicted", "p_bird", "p_cat", "p_dog"]
    assert found["predicted"][2] == "bird"


def test_numbers_that_were_words_in_training_are_known(models, tmp_path):
    path = tmp_path / "new.jsonl"
    rows = [{"legs": "4", "coat": "fur", "weight": "004"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    result = run("predict", models["hamming"], path)
    assert result.stderr == ""
    assert result.stdout.splitlines()[1].startswith("cat,")


def test_unseen_values_are_said_and_answered(models, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("legs,coat,weight\n8,scales,004\n")
    result = run("predict", models["hamming"], path)
    assert result.exit_code == 0
    assert "Column 'legs' has 1 value not seen in fit: 8" in result.stderr


def test_bad_data_and_models(models, pets, tmp_path):
    model = models["hamming"]
    path = tmp_path / "new.csv"
    path.write_text("legs,cout,weight\n4,fur,004\n")
    said = complaint("predict", model, path)
    assert "new.csv lacks a column of the model: 'coat'. Did you mean 'cout'?" in said
    said = complaint("predict", pets, pets)
    assert "is no nearkind model; pass a file that nearkind.save or `nearkind" in said
    assert "a model of nearkind; DATA is a table" in complaint("predict", model, model)
    assert "No such file" in complaint("predict", tmp_path / "none", pets)
    assert "no folder" in complaint(
        "predict", model, pets, "-o", tmp_path / "n" / "o.csv"
    )
    assert "must end in" in complaint("predict", model, pets, "-o", "o.xls", code=2)
    assert sorted(tmp_path.iterdir()) == [path, pets]


def test_a_distance_alone_says_no_class(tmp_path, pets):
    import nearkind as nk

    X = [{"legs": 4}, {"legs": 2}, {"legs": 2}]
    nk.save(nk.baselines.Hamming().fit(X), tmp_path / "m.nearkind")
    said = complaint("predict", tmp_path / "m.nearkind", pets)
    assert "holds a Hamming, a distance that predicts nothing" in said


def test_a_model_of_an_array_takes_columns_by_place(tmp_path):
    import nearkind as nk

    rows = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]]
    model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
    nk.save(model.fit(rows, ["no", "yes", "no", "yes"]), tmp_path / "m.nearkind")
    text = b"one,two,kind\na,x,no\nb,y,yes\n"
    assert facts("predict", tmp_path / "m.nearkind", "-", stdin=text)["accuracy"] == 1.0
    assert "are matched by position" in complaint(
        "predict", tmp_path / "m.nearkind", "-", stdin=b"a\n1\n"
    )


def test_a_model_of_a_file_of_numbers_takes_their_text_in_python(tmp_path):
    table, path = tmp_path / "monks.csv", tmp_path / "m.nearkind"
    done("datasets", "monks1", "-o", table)
    done("fit", table, "-t", "class", "-m", "hamming", "-o", path)
    data, model = nk.datasets.load("monks1"), nk.load(path)
    assert {type(value) for value in data.X["a1"]} == {str}
    assert model.categories_["a1"] == [1, 2, 3]
    assert (model.predict(data.X) == model.predict(data.X.astype(int))).all()


def test_many_rows_are_classified_in_portions_and_warned_of_once(
    models, tmp_path, monkeypatch
):
    path = tmp_path / "new.csv"
    path.write_text(NEW + "005,wool,4\n" + "009,wool,3\n" + "001,down,2\n")
    whole = run("predict", models["single"], path)
    monkeypatch.setattr(predictions, "ROWS_AT_ONCE", 2)
    assert run("predict", models["single"], path).output == whole.output
    monkeypatch.setattr(predictions, "BATCH_ROWS", 3)
    found = run("predict", models["single"], path)  # each batch says what is new in it
    assert found.stdout == whole.stdout
    assert found.stderr.count("'wool'") == found.stderr.count("'legs'") == 1
    assert whole.stderr.count("\n") == 1


def test_rows_that_were_learned_from_are_cautioned_of(models, pets, tmp_path):
    told = run("predict", models["single"], pets).stderr
    assert "12 of these rows equal training rows" in told
    assert facts("predict", models["single"], pets)["rows_learned_from"] == 12
    new = tmp_path / "new.csv"
    new.write_text(
        "legs,coat,weight,kind\n4,fur,012,dog\n4,fur,002,dog\n2,down,001,bird\n"
    )
    assert "learned from" not in run("predict", models["single"], new).stderr


def test_a_table_that_lacks_columns_is_told_which(models, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("legs,coat\n4,fur\n")
    told = complaint("predict", models["single"], new)
    assert "new.csv lacks a column of the model: 'weight'." in told
    new.write_text("legs\n4\n")
    told = complaint("predict", models["single"], new)
    assert "new.csv lacks columns of the model: 'coat', 'weight'." in told


def test_a_column_without_classes_is_not_compared_with(models, pets):
    found = run("predict", models["single"], pets, "-t", "coat", "--json")
    told = "Column 'coat' of pets.csv holds none of the model's classes, 'bird', "
    assert told in found.stderr
    assert json.loads(found.stdout)["accuracy"] is None


@pytest.mark.parametrize("name", ["o.csv", "o.tsv.gz", "o.jsonl", "o.parquet"])
def test_a_file_in_batches_is_written_as_a_whole(
    models, pets, tmp_path, monkeypatch, name
):
    pytest.importorskip("pyarrow")
    source, outs = tmp_path / "pets.parquet", [tmp_path / n for n in (name, f"2{name}")]
    write_columns(read_columns(str(pets)), source)
    said = []
    for out, size in zip(outs, (5, 100), strict=True):
        monkeypatch.setattr(predictions, "BATCH_ROWS", size)
        result = run("predict", models["single"], source, "-o", out, "--keep")
        said.append(result.stderr)
    assert read_columns(str(outs[0])) == read_columns(str(outs[1]))
    assert said[0] == said[1]
    assert "of 12" in said[0]


@pytest.mark.parametrize("tail", ["4,fur", '4,"fur'])
def test_rows_before_a_damaged_line_are_answered(models, tmp_path, tail):
    path, out = tmp_path / "cut.csv", tmp_path / "out.csv"
    path.write_text(f"legs,coat,weight\n4,fur,004\n2,down,001\n{tail}")
    result = run("predict", models["hamming"], path, "-o", out)
    assert result.exit_code == 1
    assert "cut.csv, line 4" in result.stderr
    assert "The predictions of the 2 rows before it were written." in result.stderr
    assert read_columns(str(out))["predicted"] == ["cat", "bird"]
    path.write_text(f"legs,coat,weight\n{tail}")
    out.unlink()
    complaint("predict", models["hamming"], path, "-o", out)
    assert not out.exists()
