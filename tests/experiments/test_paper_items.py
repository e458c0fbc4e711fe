"""Every item of the paper can be made, and says what it is made of."""

import csv

import numpy as np
import pytest

from nearkind.experiments.paper import (
    accuracy_tables,
    claims,
    example,
    noise_table,
    running_time,
    sets_table,
    structures_figure,
    synthetic_figures,
)
from nearkind.experiments.paper.accuracy_tables import Sets
from nearkind.experiments.paper.items import ITEMS, chosen
from nearkind.experiments.paper.workshop import Workshop


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path / "made", repeats=1, jobs=2, seconds=60.0)


def lines(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_six_persons(workshop):
    histograms, _, _, distances, *_ = example.make(workshop)
    assert ["Education", "Master", "1/3", "1/3", "1/3"] in lines(
        histograms.with_suffix(".csv")
    )
    table = lines(distances.with_suffix(".csv"))
    assert table[1][2] == "7/6"  # the paper's worked distance


def test_sets_are_counted_and_slips_named(workshop):
    table = lines(sets_table.make(workshop)[1])
    facts = {row[0]: row[1:] for row in table[1:]}
    assert len(facts) == 23
    assert facts["monks2"] == [
        "432", "12,958", "6", "8", "2", "4", "is Nursery without its class of two rows"
    ]  # fmt: skip
    assert facts["balance"][-1] == ""


def test_structures_are_nested():
    full, multi, single, plain = structures_figure.matrices().values()
    outside = multi == 0.0
    assert (full != 0.0).all()
    assert (single[outside] == 0.0).all()
    assert np.ptp([single[:6, :6], single[6:12, 6:12]], axis=0).max() == 0.0
    np.testing.assert_array_equal(plain, np.eye(24))


def test_figures_are_drawn_in_two_forms(workshop):
    paths = structures_figure.make(workshop)
    assert [path.suffix for path in paths] == [".svg", ".png"]
    assert all(path.stat().st_size > 1_000 for path in paths)


def test_synthetic_figure_has_every_number(workshop, monkeypatch):
    monkeypatch.setattr(synthetic_figures, "FEATURES", (2,))
    monkeypatch.setattr(synthetic_figures, "WEIGHTS", (0.1, 0.9))
    paths = synthetic_figures.four_classes(workshop)
    _, weak, strong = lines(next(path for path in paths if path.suffix == ".csv"))
    assert (weak[:2], strong[:2]) == (["2", "0.1"], ["2", "0.9"])
    assert all(float(b) > float(a) for a, b in zip(weak[2:], strong[2:], strict=True))
    assert {path.suffix for path in paths} == {".svg", ".png", ".md", ".csv", ".tex"}


HELD, NOT = "held", "did not hold"


class TestClaims:
    def judged(self, workshop, name, *rows):
        workshop.folder.mkdir(exist_ok=True)
        text = "\n".join(",".join(row) for row in rows)
        (workshop.folder / f"{name}.csv").write_text(text, encoding="utf-8")
        return {row[0]: row[1:] for row in lines(claims.make(workshop)[1])}

    def test_what_is_not_made_is_open(self, workshop):
        workshop.folder.mkdir()
        found = lines(claims.make(workshop)[1])[1:]
        assert {row[1] for row in found} == {"open"}

    @pytest.mark.parametrize(
        ("last", "verdict"), [("0.8", HELD), ("0.1", "did not hold")]
    )
    def test_growth(self, workshop, last, verdict):
        head = ["features", "weight", "cpml-s accuracy", "cpml-m accuracy"]
        rows = [["1", "0.1", "0.3", "0.3"], ["2", "0.5", last, last]]
        found = self.judged(workshop, "synthetic-4", head, *rows)
        assert found["more features help, 4 classes"][0] == verdict
        assert found["CPML-s and CPML-m are alike, 4 classes"][0] == HELD

    @pytest.mark.parametrize(
        ("share", "verdict"), [("0.017", HELD), ("0.3", "did not hold")]
    )
    def test_noise(self, workshop, share, verdict):
        head, row = (
            ["noisy", "p = 1", "printed, p = 1"],
            ["1", f"{share} ± 0", "0.9 ± 0"],
        )
        found = self.judged(workshop, "noise", head, row)
        assert found["noisy features have at most 1.7 % of the metric"][0] == verdict

    @pytest.mark.parametrize(("kdml", "verdict"), [("3", HELD), ("1", "did not hold")])
    def test_speed(self, workshop, kdml, verdict):
        head = ["rows", "cpml-s", "kdml", "pola"]
        found = self.judged(workshop, "time-rows", head, ["500", "2", kdml, "1"])
        assert found["CPML-s is the fastest but POLA"][0] == verdict

    @pytest.mark.parametrize(("mark", "verdict"), [("*", HELD), ("", NOT)])
    def test_best_on_most(self, workshop, mark, verdict):
        head = ["set", "", "euclidean", "cpml-s", "cpml-m"]
        rows = [
            ["zoo", "ours", "1 ± 0*", f"1 ± 0{mark}", "0.9 ± 0"],
            ["", "printed", "1", "1", "1"],
        ]
        found = self.judged(workshop, "triplets", head, *rows)
        assert found["CPML is best on most sets, triplets"][0] == verdict


def test_share_of_noise_is_that_of_the_spectrum():
    M = np.diag([2.0] * 8 + [1.0, 3.0])
    assert noise_table.norm_share(M, 1) == pytest.approx(4.0 / 20.0)
    assert noise_table.norm_share(M, 2) == pytest.approx(10.0 / 42.0)
    assert noise_table.norm_share(np.zeros((9, 9)), 2) == 0.0


def test_noise_table(workshop, monkeypatch):
    monkeypatch.setattr(noise_table, "NOISY", (4,))
    monkeypatch.setattr(noise_table, "EXPONENTS", (1,))
    head, row = lines(noise_table.make(workshop)[1])
    assert head == ["noisy", "p = 1", "printed, p = 1"]
    assert row[2] == "0.012 ± 0.006"
    assert 0.0 <= float(row[1].split()[0]) <= 1.0


def test_running_time(workshop, monkeypatch):
    monkeypatch.setattr(running_time, "CLASSES", (2, 3))
    paths = running_time.against_classes(workshop)
    head, *rows = lines(next(path for path in paths if path.suffix == ".csv"))
    assert head == ["classes", "cpml-s", "cpml-m", "kdml"]
    assert [row[0] for row in rows] == ["2", "3"]
    assert all(float(cell) > 0.0 for row in rows for cell in row[1:])


def test_accuracies_beside_the_printed_ones(workshop, monkeypatch):
    here = Sets(["balance", "monks1"], [], ["census"], ["krkopt"])
    monkeypatch.setattr(accuracy_tables, "at_hand", lambda largest: here)
    monkeypatch.setattr(accuracy_tables, "METHODS", ("euclidean", "dm3"))
    paths = accuracy_tables.classification(workshop)
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


def test_empty_cells_have_a_reason(workshop, monkeypatch):
    here = Sets(["monks1"], [], [], [])
    monkeypatch.setattr(accuracy_tables, "at_hand", lambda largest: here)
    monkeypatch.setattr(accuracy_tables, "METHODS", ("euclidean", "lmnn"))
    slow = Workshop(workshop.folder, repeats=1, jobs=1, seconds=1e-3)
    _, table, *_ = accuracy_tables.triplets(slow)
    ours = lines(table)[1]
    assert ours[2:] == ["timed out", "timed out"]


def test_sets_are_sorted_by_size_and_place(monkeypatch, tmp_path):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sets = accuracy_tables.at_hand()
    assert sets.large == ["krkopt"]
    assert {"balance", "led24", "monks1", "tic_tac_toe"} == {*sets.small} - {"monks2"}
    assert len(sets.absent) == 23 - len(sets.small) - 1
    few = accuracy_tables.at_hand(largest=700)
    assert few.small == ["balance", "monks1", "monks2"]
    assert few.left_out == ["krkopt", "led24", "tic_tac_toe"]


def test_items_are_found_by_name():
    assert list(chosen([])) == list(ITEMS)
    with pytest.raises(ValueError, match=r"no item 'nois' here\. Did you mean 'noise'"):
        chosen(["nois"])
