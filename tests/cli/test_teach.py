"""nearkind teach, and fit from answers, pairs and triplets."""

import json

import numpy as np
import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts, run

TRIPLETS = "row,near,far\n0,4,1\n1,5,2\n2,3,0\n8,10,3\n"


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text(PETS)
    return path


def taught(pets, keys, *options):
    """Return what a person is told who presses these keys, and the model's file."""
    model = pets.with_name("pets.nearkind")
    given = ("--drop", "name", "--drop", "kind", "-o", model, *options)
    return done("teach", pets, *given, stdin=keys), model


def test_a_person_is_asked_and_taught_from(pets):
    shown, model = taught(pets, "12=?1212122121", "--questions", 12)
    assert "Question 12 of 12: Is the row on the left more like 1 or like 2?" in shown
    assert "After 10 answers" in shown
    assert isinstance(nk.load(model), nk.CPML)
    answers = json.loads(pets.with_name("pets.answers.json").read_text())["answers"]
    said = [each["choice"] for each in answers]
    assert said[:4] == ["first", "second", "neither", "unsure"]


def test_it_is_ended_and_resumed_at_any_time(pets):
    shown, _ = taught(pets, "12u2xq")
    assert "Question 2 of 30" in shown
    assert "run the same command to continue" in shown
    again, _ = taught(pets, "1")
    assert "Question 3 of 30" in again
    assert "Question 4 of 30" in again


def test_without_a_choice_there_is_no_model(pets):
    shown, model = taught(pets, "???q")
    assert "so there is no model" in shown
    assert not model.exists()


def test_answers_and_labels_make_a_classifier(pets):
    taught(pets, "1212121", "--questions", 7)
    answers, model = pets.with_name("pets.answers.json"), pets.with_name("m.nearkind")
    told = facts(
        "fit", pets, "--drop", "name", "-t", "kind", "--answers", answers, "-o", model
    )
    assert told["target"] == "kind"
    assert set(nk.load(model).classes_) == {"bird", "cat", "dog"}


def test_pairs_of_rows_are_asked_about(pets):
    shown, model = taught(pets, "1212", "--pairs", "--questions", 4)
    assert "Are these two rows similar (1) or not (2)?" in shown
    assert model.exists()


@pytest.mark.parametrize(
    ("option", "text"),
    [("--triplets", TRIPLETS), ("--pairs", "a,b,side\n0,4,1\n1,5,1\n0,2,-1\n")],
)
def test_fit_learns_from_stated_comparisons(pets, option, text):
    stated, model = pets.with_name("stated.csv"), pets.with_name("m.nearkind")
    stated.write_text(text)
    told = facts("fit", pets, "--drop", "name", option, stated, "-o", model)
    assert told["target"] is None
    distances = nk.load(model).pairwise_distances(
        {"legs": [4, 2], "coat": ["fur", "down"], "weight": ["007", "001"]}
        | {"kind": ["dog", "bird"]}
    )
    assert np.isfinite(distances).all()


def test_wrong_files_are_named(pets):
    taught(pets, "12q")
    answers = pets.with_name("pets.answers.json")
    given = ("fit", pets, "-o", pets.with_name("m.nearkind"), "--answers", answers)
    assert "only one of the two has the columns 'name'" in complaint(*given)
    answers.write_text(answers.read_text()[:-40])
    assert "holds no whole file of answers" in complaint(*given)
    answers.write_text("[1]")
    assert "no answers to questions" in complaint(*given)
    assert "cannot be combined with" in complaint(*given, "--pairs", pets, code=2)
    assert "does not learn from comparisons" in complaint(
        *given, "--method", "vdm", code=2
    )


def test_outside_rows_and_narrow_tables_of_triplets_are_named(pets):
    stated, model = pets.with_name("stated.csv"), pets.with_name("m.nearkind")
    stated.write_text("a,b,c\n0,1,99\n")
    given = ("fit", pets, "--drop", "name", "--triplets", stated, "-o", model)
    assert "row 99" in complaint(*given)
    stated.write_text("a,b\n0,1\n")
    assert "stated.csv" in complaint(*given)


def test_what_cannot_be_asked_is_said(pets):
    assert "--page ask.html" in complaint("teach", pets, code=2)
    pets.write_text("a,b\nx,1\n")
    model = pets.with_name("m.nearkind")
    assert "at least 3 different rows" in complaint("teach", pets, "-o", model)
    other = pets.with_name("notes.json")
    other.write_text("mine")
    result = run("teach", pets, "-o", model, "--answers", other)
    assert result.exit_code == 2
    assert other.read_text() == "mine"
