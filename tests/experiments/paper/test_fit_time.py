"""Times of fits."""

import csv

import pytest

from nearkind.experiments import Design
from nearkind.experiments.paper import fit_time
from nearkind.experiments.paper.fit_time import Times
from nearkind.experiments.rows import Row


def timed(seconds, **facts):
    return Row("zoo", "cpml-s", 0, "", 0, fit_seconds=seconds, **facts)


@pytest.mark.slow
def test_times_by_classes_have_every_number(reproduction):
    paths = fit_time.time_by_classes(reproduction)
    with next(p for p in paths if p.suffix == ".csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["classes"], line["rows"]) for line in lines] == [
        ("2", "100"),
        ("3", "100"),
    ]
    for line in lines:
        for method in fit_time.BY_CLASSES:
            assert float(line[method].rstrip("!")) > 0.0
    assert {path.suffix for path in paths} == {".svg", ".png", ".md", ".csv", ".tex"}


def test_the_median_counts_and_an_early_end_is_marked():
    times = Times([timed(1.0), timed(9.0), timed(2.0, stop_reason="MAX_ITER")])
    assert times.text == "2.000!"
    assert times.spread == (1.0, 9.0)
    assert Times([timed(None, status="timed out")]).text == "timed out"


@pytest.mark.parametrize("name", fit_time.TIMED)
def test_every_fit_can_be_timed_to_the_design_s_tolerance(name):
    design = Design(tol=0.3, max_iter=7)
    method = fit_time.TIMED[name]
    settings = method.settings(design)
    model = method.make().set_params(**settings)
    assert settings.get("tol", 0.3) == 0.3
    assert getattr(model, "solver", "proximal") == "proximal"
