"""CPML by exponent and by constraints."""

import csv

import pytest

from nearkind.experiments.paper import variants
from nearkind.experiments.paper.accuracies import PaperSets
from nearkind.experiments.paper.items import ITEMS


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("norms", ["p = 1", "p = inf"]),
        ("constraints", ["triplets", "pairs", "quadruplets"]),
    ],
)
def test_every_variant_has_both_scores_and_ranks(
    name, columns, reproduction, monkeypatch
):
    here = PaperSets(["balance", "monks1"], [], [])
    monkeypatch.setattr(variants, "available_sets", lambda largest: here)
    monkeypatch.setattr(variants, "EXPONENTS", (1.0, float("inf")))
    with ITEMS[name].make(reproduction)[1].open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["set", "score", *columns]
    sets = ["balance", "monks1", "mean rank", "mean"]
    assert [line["set"] for line in lines] == sets * 2
    for line in lines:
        if line["set"] == "mean rank":
            ranks = [float(line[name]) for name in columns]
            assert sum(ranks) == pytest.approx(len(ranks) * (len(ranks) + 1) / 2)
