"""The figures on synthetic data."""

import csv

import pytest

from nearkind.experiments.paper import synthetic


@pytest.mark.slow
def test_table_and_figures_have_every_reading_and_weight(reproduction):
    paths = synthetic.synthetic(reproduction, n_classes=4)
    with next(p for p in paths if p.suffix == ".csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    cells = [(line["reading"], line["features"], line["weight"]) for line in lines]
    assert cells == [
        (reading, "2", weight)
        for reading in ("raw", "normalised")
        for weight in ("0.1", "0.9")
    ]
    for line in lines:
        for name in ("cpml-s accuracy", "cpml-m triplet_accuracy"):
            assert 0.0 < float(line[name].split()[0]) < 1.0
    names = {path.name for path in paths}
    assert {"synthetic-4.svg", "synthetic-4-normalised.svg"} <= names
