"""``nearkind duplicates``."""

import pytest

from helpers.commands import complaint, done, facts, run


def test_equal_rows_and_the_nearest_others(pets):
    found = facts("duplicates", pets, "--drop", "name", "--pairs", "3")
    assert (found["rows"], found["different"]) == (12, 10)
    assert [group["rows"] for group in found["equal"]] == [[1, 5], [2, 3]]
    assert found["equal"][0]["cells"]["coat"] == "fur"
    assert [pair["rows"] for pair in found["near"]] == [[0, 4], [1, 6], [1, 9]]
    assert found["near"][0]["distance"] == pytest.approx(1 / 4)
    assert found["near"][0]["differs"] == [
        {"feature": "weight", "a": "007", "b": "009"}
    ]


def test_it_is_told_in_words(pets):
    out = done("duplicates", pets, "--drop", "name")
    for words in ("12 rows, 10 different", "Equal rows", "2, 3", "weight: 007, 009"):
        assert words in out
    out = done("duplicates", pets, "--drop", "name", "--within", "0.1")
    assert "No two different rows are within this distance" in out


def test_identifiers_are_no_matter_of_duplicates(tmp_path):
    path, model = tmp_path / "rows.csv", tmp_path / "m.nearkind"
    lines = [f"k{i},{i % 3},{'ab'[i % 2]}" for i in range(150)]
    path.write_text("\n".join(["key,size,kind", *lines]))
    assert run("duplicates", path).stderr == ""
    told = run("fit", path, "-t", "kind", "-m", "hamming", "-o", model).stderr
    assert "'key' has a different value in nearly every row" in told
    fit = ("fit", path, "-t", "kind", "-m", "hamming", "-o", model)
    told = run(*fit, "--categorical", "key").stderr
    assert "Drop it with --drop 'key' if it is an identifier" in told


def test_a_model_brings_its_distance_and_columns(models, pets):
    found = facts("duplicates", pets, "--model", models["single"])
    assert found["distance"].startswith("CPML(")
    assert set(found["equal"][0]["cells"]) == {"legs", "coat", "weight"}
    told = complaint(
        "duplicates", pets, "--model", models["single"], "--drop", "name", code=2
    )
    assert "determines the columns" in told
