"""The paper's tables can be made, and say what they are made of."""

import csv

import numpy as np
import pytest

from nearkind.experiments import tables
from nearkind.experiments.reproduction import Reproduction
from nearkind.experiments.tables import PaperSets


def lines(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_six_persons(reproduction):
    histograms, _, _, distances, *_ = tables.histograms(reproduction)
    assert ["Education", "Master", "1/3", "1/3", "1/3"] in lines(
        histograms.with_suffix(".csv")
    )
    table = lines(distances.with_suffix(".csv"))
    assert table[1][2] == "7/6"  # the paper's worked distance


def test_sets_are_counted_and_slips_named(reproduction):
    table = lines(tables.set_sizes(reproduction)[1])
    facts = {row[0]: row[1:] for row in table[1:]}
    assert len(facts) == 23
    assert facts["monks2"] == [
        "432", "12,958", "6", "8", "2", "4", "is Nursery without its class of two rows"
    ]  # fmt: skip
    assert facts["balance"][-1] == ""


def test_share_of_noise_is_that_of_the_spectrum():
    M = np.diag([2.0] * 8 + [1.0, 3.0])
    assert tables.noise_share(M, 1) == pytest.approx(4.0 / 20.0)
    assert tables.noise_share(M, 2) == pytest.approx(10.0 / 42.0)
    assert tables.noise_share(np.zeros((9, 9)), 2) == 0.0


def test_tables(reproduction, monkeypatch):
    monkeypatch.setattr(tables, "NOISY", (4,))
    monkeypatch.setattr(tables, "EXPONENTS", (1,))
    head, row = lines(tables.noise(reproduction)[1])
    assert head == ["noisy", "p = 1", "printed, p = 1"]
    assert row[2] == "0.012 ± 0.006"
    assert 0.0 <= float(row[1].split()[0]) <= 1.0


def test_accuracies_beside_the_printed_ones(reproduction, monkeypatch):
    here = PaperSets(["balance", "monks1"], [], ["census"], ["krkopt"])
    monkeypatch.setattr(tables, "available_sets", lambda largest: here)
    monkeypatch.setattr(tables, "METHODS", ("euclidean", "dm3"))
    paths = tables.accuracies(reproduction, "classification")
    head, *rows = lines(
        next(path for path in paths if path.name == "classification.csv")
    )
    assert head == ["set", "", "euclidean", "dm3"]
    assert rows[1] == ["", "printed", "0.866", "0.937"]
    assert sum(cell.endswith("*") for cell in rows[0]) >= 1
    text = paths[0].read_text(encoding="utf-8")
    assert "Not here, so not run: census." in text
    assert "Left out as too large: krkopt." in text
    assert any(path.name == "classification-ranks.svg" for path in paths)


def test_empty_cells_have_a_reason(reproduction, monkeypatch):
    here = PaperSets(["monks1"], [], [], [])
    monkeypatch.setattr(tables, "available_sets", lambda largest: here)
    monkeypatch.setattr(tables, "METHODS", ("euclidean", "lmnn"))
    slow = Reproduction(reproduction.folder, repeats=1, jobs=1, seconds=1e-3)
    _, table, *_ = tables.accuracies(slow, "triplets")
    ours = lines(table)[1]
    assert ours[2:] == ["timed out", "timed out"]


def test_sets_are_sorted_by_size_and_place(monkeypatch, tmp_path):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sets = tables.available_sets()
    assert sets.large == ["krkopt"]
    assert {"balance", "led24", "monks1", "tic_tac_toe"} == {*sets.small} - {"monks2"}
    assert len(sets.absent) == 23 - len(sets.small) - 1
    few = tables.available_sets(largest=700)
    assert few.small == ["balance", "monks1", "monks2"]
    assert few.left_out == ["krkopt", "led24", "tic_tac_toe"]
