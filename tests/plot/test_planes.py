"""The plane of most spread, lanes and places of labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from helpers.strategies import integers, weights
from nearkind.plot.beeswarm import WIDTH, across
from nearkind.plot.placing import farthest_first, place_labels
from nearkind.plot.planes import principal_plane
from nearkind.plot.slanting import spread_apart


def distances(points):
    return np.linalg.norm(points[:, None] - points, axis=2)


@given(integers((6, 2), -4, 4))
def test_points_of_a_plane_keep_their_distances(points):
    turn = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0]])
    plane = principal_plane(points @ turn + 5.0)
    np.testing.assert_allclose(distances(plane.points), distances(points), atol=1e-6)
    assert plane.shares.sum() == pytest.approx(
        1.0 if np.ptp(points, axis=0).any() else 0
    )


@given(st.integers(2, 9), st.integers(1, 9), st.data())
def test_shares_are_those_of_singular_values(n, q, data):
    U, w = data.draw(integers((n, q), -4, 4)), data.draw(weights(n))
    plane = principal_plane(U, w)
    repeated = np.repeat(U, w.astype(int), axis=0)
    size = np.linalg.svd(repeated - repeated.mean(axis=0), compute_uv=False) ** 2
    expected = np.pad(size, (0, 2))[:2] / (size.sum() or 1.0)
    np.testing.assert_allclose(plane.shares, expected, atol=1e-9)
    spread = (w[:, None] * plane.points**2).sum(axis=0)
    np.testing.assert_allclose(spread, np.pad(size, (0, 2))[:2], atol=1e-6)


@given(integers((5, 3), -3, 3))
def test_the_farthest_point_is_on_the_positive_side(U):
    points = principal_plane(U).points
    assert (points.max(axis=0) >= -points.min(axis=0) - 1e-8).all()


def test_one_row_and_equal_rows_have_no_axis():
    for U in (np.ones((1, 4)), np.full((5, 2), 0.1)):
        plane = principal_plane(U)
        assert plane.n_axes == 0
        assert not plane.points.any()


@given(st.integers(1, 30), st.data())
def test_lanes_hold_their_points(n, data):
    x = data.draw(integers(n, -5, 5))
    lanes = data.draw(integers(n, 0, 3)).astype(int)
    heights = across(x, lanes, np.ones(n))
    assert (np.abs(heights - lanes) <= WIDTH).all()


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
