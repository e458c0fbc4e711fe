"""The paper's tables can be made, and say what they are made of."""

import csv

from nearkind.experiments.paper import small_tables


def lines(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_six_persons(reproduction):
    histograms, _, _, distances, *_ = small_tables.histograms(reproduction)
    assert ["Education", "Master", "1/3", "1/3", "1/3"] in lines(
        histograms.with_suffix(".csv")
    )
    table = lines(distances.with_suffix(".csv"))
    assert table[1][2] == "7/6"  # the paper's worked distance


def test_sets_are_counted_and_slips_named(reproduction):
    table = lines(small_tables.set_sizes(reproduction)[1])
    facts = {row[0]: row[1:] for row in table[1:]}
    assert len(facts) == 23
    assert facts["monks2"] == [
        "432", "12,958", "6", "8", "2", "4", "is Nursery without its class of two rows"
    ]  # fmt: skip
    assert facts["balance"][-1] == ""
