"""Maps of rows: dots, classes, samples."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers.pictures import fitted, many_classes, small
from nearkind.plot import canvas, row_map
from nearkind.plot.row_map import ClassGroups, Dots


def note(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_classes_are_listed_by_size_with_their_rows():
    case = small()
    counts = pd.Series(case.y).value_counts()
    expected = [f"{label} ({n})" for label, n in counts.items()]
    assert sorted(legend(nk.plot.rows(*case))) == sorted(expected)


def test_of_many_classes_seven_have_a_colour():
    ax = nk.plot.rows(*many_classes())
    names = legend(ax)
    assert names[0] == "class 23 (26)"
    assert names[-1] == f"17 others ({sum(range(3, 20))})"
    assert len(names) == 8


def test_eight_classes_all_have_a_colour():
    groups = ClassGroups.of(list("abcdefgh") * 2, 16)
    assert groups.colours == list(canvas.COLOURS)
    assert len(ClassGroups.of(list("abcdefghi"), 9).names) == 8


def test_labels_that_are_missing_have_a_name():
    groups = ClassGroups.of(["a", None, float("nan"), "a"], 4)
    assert groups.names == ["a (2)", "no label (2)"]


def test_without_labels_there_is_no_legend():
    case = small()
    ax = nk.plot.rows(case.model, case.X)
    assert ax.get_legend() is None
    assert len(set(map(tuple, ax.collections[0].get_facecolors()))) == 1


def test_equal_rows_are_one_dot_the_larger_the_more_they_are():
    case = small()
    rows = case.X.iloc[[0, 0, 0, 0, 7, 20]]
    ax = nk.plot.rows(case.model, rows)
    sizes = ax.collections[0].get_sizes()
    assert len(sizes) == 3
    assert sizes[0] > sizes[1] == sizes[2]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 3))
def test_merging_loses_no_row(places, n_groups):
    points = np.column_stack([places, np.zeros(len(places))]).astype(float)
    group = np.arange(len(places)) % n_groups
    dots = Dots(points, group, np.ones(len(places))).merged()
    found, of = dots.points, dots.group
    assert dots.weights.sum() == len(places)
    expected = {(x, k) for x, k in zip(places, group, strict=True)}
    assert {(round(x), k) for (x, _), k in zip(found, of, strict=True)} == expected
    assert len(found) == len(expected)


def test_a_sample_is_said(monkeypatch):
    monkeypatch.setattr(row_map, "MOST_ROWS", 20)
    case = small()
    n_distinct = len(case.X.assign(y=case.y).drop_duplicates())
    text = f"A sample of 20 of {n_distinct} distinct rows, stratified by class"
    assert text in note(nk.plot.rows(*case))


def test_one_axis_gives_each_class_a_beeswarm():
    X = pd.DataFrame({"a": ["x", "y", "z", "x", "y", "z"]})
    case = fitted(X, ["p", "p", "q", "p", "p", "q"])
    ax = nk.plot.rows(*case)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["p (4)", "q (2)"]
    assert "One axis explains the variance" in note(ax)
    swarms = {round(y) for _, y in ax.collections[0].get_offsets()}
    assert swarms == {0, 1}


def test_a_class_named_with_an_underscore_is_listed():
    case = small()
    names = legend(nk.plot.rows(case.model, case.X, ["_hidden", "shown"] * 30))
    assert names == ["_hidden (30)", "shown (30)"]


@pytest.mark.parametrize("kind", ["list", "numpy", "polars"])
def test_tables_and_labels_of_other_kinds(kind):
    case = small()
    polars = pytest.importorskip("polars")
    X, y = {
        "list": (case.X.to_numpy().tolist(), list(case.y)),
        "numpy": (case.X.to_numpy(), case.y),
        "polars": (polars.from_pandas(case.X), polars.Series(case.y)),
    }[kind]
    found = nk.plot.rows(case.model, X, y).collections[0].get_offsets()
    expected = nk.plot.rows(*case).collections[0].get_offsets()
    np.testing.assert_allclose(found, expected)
