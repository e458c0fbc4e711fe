"""Labels of points."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from nearkind.plot.labels import farthest_first, place_labels, spread_apart


def test_farthest_first_begins_outside():
    points = np.array([[0.0, 0.0], [5.0, 0.0], [0.1, 0.0], [5.1, 0.0], [2.5, 9.0]])
    assert farthest_first(points, 3).tolist() == [4, 3, 0]
    assert sorted(farthest_first(points, 99).tolist()) == [0, 1, 2, 3, 4]


def overlap(a, b):
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1


def test_labels_hide_neither_each_other_nor_dots():
    points = np.random.default_rng(0).normal(size=(60, 2))
    _, ax = pyplot.subplots(figsize=(5, 4))
    ax.scatter(*points.T)
    labels = [(i, f"a label {i}") for i in farthest_first(points, 40)]
    placed = place_labels(ax, points, labels)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in placed if text.arrow_patch is None]
    assert 20 <= len(placed) <= 40
    assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    dots = ax.transData.transform(points)
    assert not any(box.contains(*dot) for box in boxes for dot in dots)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20))
def test_slanted_labels_stand_apart_in_order(x):
    x = np.sort(np.array(x, dtype=float))
    found = spread_apart(x, 3.0)
    assert (np.diff(found) >= 3.0 - 1e-9).all()
    if len(x) > 1 and np.diff(x).min() >= 3.0:
        np.testing.assert_allclose(found, x)


def test_where_there_is_no_room_there_is_no_label():
    _, ax = pyplot.subplots(figsize=(2, 2))
    points = np.zeros((30, 2))
    labels = [(i, "quite a long label") for i in range(30)]
    assert len(place_labels(ax, points, labels)) < 30
