"""The table of data sets: as printed, and as counted."""

from pathlib import Path

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments.paper import printed
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import Workshop
from nearkind.experiments.splits import NUMERIC

NOTES = {
    "monks1": "repeats the row of Voting",
    "monks2": "is Nursery without its class of two rows",
    "tic_tac_toe": "nine squares, two outcomes",
    "nursery": "a fifth class has two rows",
    "krkopt": "draw and zero to sixteen are eighteen",
    "adult": "complete rows only; counted are all rows, categorical columns",
    "census": "33 columns are nominal",
}


def make(workshop: Workshop) -> list[Path]:
    """Write the table."""
    head = ["set", "rows", "printed", "features", "printed", "classes", "printed", ""]
    rows = [_row(name, facts) for name, facts in printed.sets().items()]
    return workshop.write(Table("Data sets, counted and printed", head, rows), "sets")


def _row(name: str, facts: printed.SetFacts) -> list[str]:
    entry = CATALOGUE[name]
    features = entry.n_features - len(NUMERIC.get(name, ()))
    counted = (entry.n_samples, features, entry.n_classes)
    cells = [f"{n:,}" for pair in zip(counted, facts, strict=True) for n in pair]
    differs = counted != tuple(facts)
    return [name, *cells, NOTES.get(name, "differs" if differs else "")]
