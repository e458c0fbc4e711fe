"""Rows, designs, and tables of rows."""

import json
import math

import numpy as np
import pytest

from nearkind.experiments import Design, Row, score_table
from nearkind.experiments.design import DECADES
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
    assert row.accuracy == ROW.accuracy


def test_lines_of_other_versions_are_read():
    facts = json.loads(ROW.line())
    del facts["rank"]
    row = Row.from_line(json.dumps({**facts, "later": 1}))
    assert row == ROW._replace(rank=None)


def test_versions_name_what_computes():
    assert {"python", "nearkind", "numpy", "scipy"} <= set(versions())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"strengths": "many"}, "'strengths' .* one of 'shares', 'paper'; got 'many'"),
        ({"n_neighbors": 0}, "'n_neighbors' .* >= 1 or 'choose'; got 0"),
        ({"n_neighbors": "few"}, "'n_neighbors' .* got 'few'"),
        ({"n_neighbors": True}, "'n_neighbors' .* got True"),
        ({"rows": 3}, "'rows' .* >= 10; got 3"),
        ({"rows": 99.5}, "'rows' .* got 99.5"),
    ],
)
def test_a_wrong_design_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        Design(**settings)


def test_designs_that_make_other_rows_have_other_labels():
    designs = [Design(), Design("paper"), Design(n_neighbors=3), Design(rows=50)]
    designs += [Design(numbers=True), Design(rows=50, numbers=True)]
    assert len({design.label for design in designs}) == len(designs)


def test_strengths_fall_and_none_is_tried_twice():
    path = np.array(Design().path(2.0))
    powers = [-0.5, -1.0, -1.5, -2.0, -3.0]
    np.testing.assert_allclose(np.log10(path / 2.0), powers, atol=1e-12)
    assert Design("paper").path(2.0) == list(DECADES)
    assert DECADES[0] == 1e4
    assert DECADES[-1] == 1e-4
    assert Design().path(0.0) == [0.0]


def test_numbers_of_neighbours():
    assert Design().neighbors == (1,)
    assert Design(n_neighbors="choose").neighbors == (1, 3, 5, 9, 15)


def rows_of(*cells):
    return [
        Row(dataset, method, r, "k=1", 0, accuracy=score, status=status)
        for dataset, method, r, score, status in cells
    ]


def test_scores_are_means_over_what_is_done():
    rows = rows_of(
        ("zoo", "a", 0, 0.5, "done"),
        ("zoo", "a", 1, 0.7, "done"),
        ("zoo", "b", 0, 0.4, "done"),
        ("car", "a", 0, 0.9, "done"),
        ("car", "b", 0, None, "timed out"),
    )
    table = score_table(rows)
    assert (table.datasets, table.methods) == (["zoo", "car"], ["a", "b"])
    np.testing.assert_allclose(table.mean, [[0.6, 0.4], [0.9, np.nan]])
    np.testing.assert_allclose(table.deviation, [[0.02**0.5, 0.0], [0.0, np.nan]])
    assert table.n_repetitions.tolist() == [[2, 1], [1, 0]]
    whole = table.complete()
    assert whole.datasets == ["zoo"]
    np.testing.assert_allclose(whole.mean, [[0.6, 0.4]])


def test_names_may_be_chosen_and_ordered():
    rows = rows_of(("zoo", "a", 0, 0.5, "done"), ("zoo", "b", 0, 0.4, "done"))
    table = score_table(rows, datasets=["zoo"], methods=["b", "a"])
    assert table.mean.tolist() == [[0.4, 0.5]]


def test_rows_of_two_designs_are_not_mixed():
    with pytest.raises(ValueError, match="2 designs"):
        score_table([ROW, ROW._replace(design="paper, k=1")])
