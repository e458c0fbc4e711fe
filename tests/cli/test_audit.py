"""``nearkind audit``."""

import random

import pytest

from helpers.commands import complaint, done, facts


@pytest.fixture
def people(tmp_path):
    """A table in which much is odd; row 7 has no label."""
    rng, lines = random.Random(0), []
    for i in range(120):
        label = rng.choice(["no", "yes"])
        job = {"no": "miner", "yes": "baker"}[label]
        town = "oslo" if i == 5 else rng.choice(["Rome", "Oslo"])
        if i in (3, 40):
            label = {"no": "yes", "yes": "no"}[label]
        lines.append(f"k{i},{job},{town},kg,{'' if i == 7 else label}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["key,job,town,unit,label", *lines]))
    return path


def test_what_is_found(people):
    found = facts("audit", people, "-t", "label")
    assert (found["data"], found["target"]) == ("people.csv", "label")
    assert (found["n_rows"], found["n_columns"], found["n_classes"]) == (119, 4, 2)
    assert {each["row"] for each in found["doubtful_labels"]} == {3, 40}
    assert found["unlabelled"] == [7]
    assert [each["what"] for each in found["odd_columns"]] == [
        "identifier", "leak", "constant",
    ]  # fmt: skip
    assert found["synonyms"][0]["value"] == "oslo"
    assert found["ceiling"] < 1.0
    assert found["notes"] == ["Left out as identifiers: 'key'."]


def test_it_is_told_in_words(people):
    out = done("audit", people, "-t", "label", "--top", "2")
    for words in (
        "people.csv: 119 rows, 4 columns, 2 classes of 'label'",
        "doubtful labels: 2",
        "    and 1 more",
        "column 'job' leaks the label: it alone predicts",
        "'oslo' (1) may mean 'Oslo' (",
        "rows repeat another",
        "note: Left out as identifiers: 'key'.",
    ):
        assert words in out
    assert out.count("spelled alike") == 1


def test_what_there_is_not_is_said():
    out = done("audit", "credit_risk")
    for words in ("doubtful labels: 0", "odd columns: 0", "synonyms: 0"):
        assert words in out


def test_columns_are_dropped_and_seeds_taken(people):
    found = facts("audit", people, "-t", "label", "--drop", "key", "--seed", "3")
    assert "key" not in [each["column"] for each in found["odd_columns"]]
    assert found["notes"] == []


def test_bad_input_is_one_sentence(people, tmp_path):
    assert "name the column" in complaint("audit", people, code=2)
    assert "lable" in complaint("audit", people, "-t", "lable")
    path = tmp_path / "measured.csv"
    path.write_text("a,y\n" + "\n".join(f"{i % 3},{i / 7:.3f}" for i in range(60)))
    assert "regression" in complaint("audit", path, "-t", "y", "--task", "class")


def test_one_class_is_refused(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,y\n" + "\n".join(f"{'ab'[i % 2]},x" for i in range(20)))
    assert "at least two are needed" in complaint("audit", path, "-t", "y")


def test_numbers_far_from_their_neighbours(tmp_path):
    rng = random.Random(0)
    lines = [f"{'abc'[i % 3]},{5 * (i % 3) + rng.random():.3f}" for i in range(60)]
    lines[9] = "a,88.0"
    path = tmp_path / "prices.csv"
    path.write_text("\n".join(["make,price", *lines]))
    out = done("audit", path, "-t", "price")
    assert "prices.csv: 60 rows, 1 columns, a number 'price'" in out
    assert "row 9 has 88, its neighbours predict" in out
    found = facts("audit", path, "-t", "price", "--task", "number")
    assert [each["row"] for each in found["doubtful_numbers"]] == [9]
