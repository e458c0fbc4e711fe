"""Rows: one line each, that comes back to the last bit."""

import json
import math

import pytest

from nearkind.experiments import Row
from nearkind.experiments.rows import versions

ROW = Row("zoo", "lmnn", 3, "shares, k=1", seed=7, accuracy=0.1 + 0.2, rank=2)


def test_a_row_is_one_line_and_comes_back_to_the_last_bit():
    row = ROW._replace(status="failed: é\nü", versions=versions())
    line = row.line()
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert Row.from_line(line) == row
    assert Row.from_line(line.encode()) == row


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_become_nothing(odd):
    row = Row.from_line(ROW._replace(gap=odd).line())
    assert row.gap is None
    assert "gap" not in json.loads(row.line())
    assert row.accuracy == ROW.accuracy


def test_lines_of_other_versions_are_read():
    facts = json.loads(ROW.line())
    del facts["rank"]
    row = Row.from_line(json.dumps({**facts, "later": 1}))
    assert row == ROW._replace(rank=None)


def test_versions_name_what_computes():
    assert {"python", "nearkind", "numpy", "scipy"} <= set(versions())
