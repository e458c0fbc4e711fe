"""The tables of accuracies over the paper's sets."""

import csv
import gzip
from dataclasses import replace

from nearkind.experiments import Design
from nearkind.experiments.paper import accuracies
from nearkind.experiments.paper.accuracies import PaperSets
from nearkind.experiments.paper.reproduction import TrialGroup
from nearkind.experiments.sets import BuiltIn


def lines(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_accuracies_beside_the_printed_ones(reproduction, monkeypatch):
    here = PaperSets(["balance", "monks1"], ["census"], ["krkopt"])
    monkeypatch.setattr(accuracies, "available_sets", lambda largest: here)
    monkeypatch.setattr(accuracies, "METHODS", ("euclidean", "dm3"))
    paths = accuracies.accuracies(reproduction, "classification")
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
    here = PaperSets(["monks1"], [], [])
    monkeypatch.setattr(accuracies, "available_sets", lambda largest: here)
    monkeypatch.setattr(accuracies, "METHODS", ("euclidean", "lmnn"))
    slow = replace(reproduction, jobs=1, seconds=1e-3)
    _, table, *_ = accuracies.accuracies(slow, "triplets")
    ours = lines(table)[1]
    assert ours[2:] == ["timed out", "timed out"]


def test_sets_are_sorted_by_size_and_place(monkeypatch, tmp_path):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sets = accuracies.available_sets()
    assert {"balance", "krkopt", "led24", "monks1", "tic_tac_toe"} == {*sets.here} - {
        "monks2"
    }
    assert len(sets.absent) == 23 - len(sets.here)
    few = accuracies.available_sets(largest=700)
    assert few.here == ["balance", "monks1", "monks2"]
    assert few.left_out == ["krkopt", "led24", "tic_tac_toe"]


def test_repetitions_follow_the_size_of_a_set(reproduction, monkeypatch):
    here = PaperSets(["monks1", "balance"], [], [])
    monkeypatch.setattr(accuracies, "available_sets", lambda largest: here)
    protocol = replace(reproduction.protocol, repeats=((500, 2), (10_000, 1)))
    groups = accuracies.trials(replace(reproduction, protocol=protocol))
    found = [([each.name for each in group.sets], group.repeats) for group in groups]
    assert found == [(["monks1"], 2), (["balance"], 1)]


def test_rows_are_taken_from_a_packed_file(reproduction):
    design = reproduction.protocol.design
    ask = [TrialGroup([BuiltIn("monks1")], ["hamming"], 1, design)]
    [row] = reproduction.rows(ask)
    results = reproduction.folder / "rows.jsonl"
    packed = gzip.compress(results.read_bytes())
    (reproduction.folder / "rows.jsonl.gz").write_bytes(packed)
    results.unlink()
    assert reproduction.rows(ask) == [row]


def test_a_fit_that_ended_early_is_marked(reproduction, monkeypatch):
    here = PaperSets(["balance"], [], [])
    monkeypatch.setattr(accuracies, "available_sets", lambda largest: here)
    monkeypatch.setattr(accuracies, "METHODS", ("euclidean", "cpml-s"))
    design = Design(strengths=(1e-4,), rows=100, tol=1e-9, max_iter=1)
    early = replace(
        reproduction, protocol=replace(reproduction.protocol, design=design)
    )
    _, table, *_ = accuracies.accuracies(early, "classification")
    plain, learned = lines(table)[1][2:]
    assert "!" not in plain
    assert "!" in learned
    assert "1 MAX_ITER" in table.with_suffix(".md").read_text(encoding="utf-8")
