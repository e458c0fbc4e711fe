"""Names of methods: one set for all commands, listed and completed."""

import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts
from nearkind.cli import methods, options
from nearkind.cli.comparison import check_methods


@pytest.mark.parametrize("command", ["fit", "evaluate", "compare"])
def test_methods_are_listed(command):
    lines = done(command, "--list-methods").splitlines()
    listed = [line.split()[0] for line in lines]
    assert listed == methods.names()
    assert "needs no classes" in next(line for line in lines if "dilca" in line)


def test_both_names_of_a_method_are_understood(pets, tmp_path):
    fit = ("fit", pets, "-t", "kind", "--drop", "name", "-o", tmp_path / "m.nearkind")
    assert facts(*fit, "--methods", "cpml-s")["method"] == "single"
    assert check_methods(["single", "cpml-s", "cv"]) == ["cpml-s", "cpml-cv"]


def test_an_unknown_method_hints_at_the_list(pets, tmp_path):
    fit = ("fit", pets, "-t", "kind", "-o", tmp_path / "m.nearkind")
    assert "--list-methods" in complaint(*fit, "-m", "nearest", code=2)
    assert "--list-methods" in complaint("compare", "monks1", "-m", "full", code=2)


def test_shells_complete_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "monks_of_ours.csv").write_text(PETS)
    assert "monks1" in options.complete_data("monks")
    assert "monks_of_ours.csv" in options.complete_data("monks")
    assert options.completion(methods.names)("good") == [
        "goodall1",
        "goodall2",
        "goodall3",
        "goodall4",
    ]


def test_a_method_that_needs_no_classes_learns_a_distance_alone(pets, tmp_path):
    path = tmp_path / "m.nearkind"
    fit = ("fit", pets, "--drop", "name", "--drop", "kind", "-m", "dilca", "-o", path)
    found = facts(*fit)
    assert (found["target"], found["rows"], found["features"]) == (None, 12, 3)
    assert isinstance(nk.load(path), nk.baselines.DILCA)
    assert "no classes" in done(*fit)
    assert "a distance that predicts nothing" in complaint("predict", path, pets)
    assert "needs --target" in complaint(*fit, "--class-weight", "balanced", code=2)
