"""The paper's figures can be made, with their numbers."""

import csv
from functools import partial

import numpy as np

from nearkind.experiments import figures


def lines(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_structures_are_nested():
    full, multi, single, plain = figures.structure_matrices().values()
    outside = multi == 0.0
    assert (full != 0.0).all()
    assert (single[outside] == 0.0).all()
    assert np.ptp([single[:6, :6], single[6:12, 6:12]], axis=0).max() == 0.0
    np.testing.assert_array_equal(plain, np.eye(24))


def test_figures_are_drawn_in_two_forms(reproduction):
    paths = figures.structures(reproduction)
    assert [path.suffix for path in paths] == [".svg", ".png"]
    assert all(path.stat().st_size > 1_000 for path in paths)


def test_synthetic_figure_has_every_number(reproduction, monkeypatch):
    monkeypatch.setattr(figures, "FEATURES", (2,))
    monkeypatch.setattr(figures, "WEIGHTS", (0.1, 0.9))
    paths = figures.synthetic(reproduction, n_classes=4)
    _, weak, strong = lines(next(path for path in paths if path.suffix == ".csv"))
    assert (weak[:2], strong[:2]) == (["2", "0.1"], ["2", "0.9"])
    assert all(float(b) > float(a) for a, b in zip(weak[2:], strong[2:], strict=True))
    assert {path.suffix for path in paths} == {".svg", ".png", ".md", ".csv", ".tex"}


def test_time_by_classes_has_every_number(reproduction, monkeypatch):
    monkeypatch.setattr(figures, "CLASSES", (2, 3))
    small = partial(figures.make_synthetic, n_samples=100)
    monkeypatch.setattr(figures, "make_synthetic", small)
    paths = figures.time_by_classes(reproduction)
    head, *rows = lines(next(path for path in paths if path.suffix == ".csv"))
    assert head == ["classes", "cpml-s", "cpml-m", "kdml"]
    assert [row[0] for row in rows] == ["2", "3"]
    assert all(float(cell) > 0.0 for row in rows for cell in row[1:])
