"""Claims of the paper: held, did not hold, or open."""

import csv

import pytest

from nearkind.experiments.claims import verdicts


def lines(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


HELD, NOT = "held", "did not hold"


class TestClaims:
    def judged(self, reproduction, name, *rows):
        reproduction.folder.mkdir(exist_ok=True)
        text = "\n".join(",".join(row) for row in rows)
        (reproduction.folder / f"{name}.csv").write_text(text, encoding="utf-8")
        return {row[0]: row[1:] for row in lines(verdicts(reproduction)[1])}

    def test_what_is_not_made_is_open(self, reproduction):
        reproduction.folder.mkdir()
        found = lines(verdicts(reproduction)[1])[1:]
        assert {row[1] for row in found} == {"open"}

    @pytest.mark.parametrize(
        ("last", "verdict"), [("0.8", HELD), ("0.1", "did not hold")]
    )
    def test_growth(self, reproduction, last, verdict):
        head = ["features", "weight", "cpml-s accuracy", "cpml-m accuracy"]
        rows = [["1", "0.1", "0.3", "0.3"], ["2", "0.5", last, last]]
        found = self.judged(reproduction, "synthetic-4", head, *rows)
        assert found["more features help, 4 classes"][0] == verdict
        assert found["CPML-s and CPML-m are alike, 4 classes"][0] == HELD

    @pytest.mark.parametrize(
        ("share", "verdict"), [("0.017", HELD), ("0.3", "did not hold")]
    )
    def test_noise(self, reproduction, share, verdict):
        head, row = (
            ["noisy", "p = 1", "printed, p = 1"],
            ["1", f"{share} ± 0", "0.9 ± 0"],
        )
        found = self.judged(reproduction, "noise", head, row)
        assert found["noisy features have at most 1.7 % of the metric"][0] == verdict

    @pytest.mark.parametrize(("kdml", "verdict"), [("3", HELD), ("1", "did not hold")])
    def test_speed(self, reproduction, kdml, verdict):
        head = ["rows", "cpml-s", "kdml", "pola"]
        found = self.judged(reproduction, "time-rows", head, ["500", "2", kdml, "1"])
        assert found["CPML-s is the fastest but POLA"][0] == verdict

    @pytest.mark.parametrize(("mark", "verdict"), [("*", HELD), ("", NOT)])
    def test_best_on_most(self, reproduction, mark, verdict):
        head = ["set", "", "euclidean", "cpml-s", "cpml-m"]
        rows = [
            ["zoo", "ours", "1 ± 0*", f"1 ± 0{mark}", "0.9 ± 0"],
            ["", "printed", "1", "1", "1"],
        ]
        found = self.judged(reproduction, "triplets", head, *rows)
        assert found["CPML is best on most sets, triplets"][0] == verdict
