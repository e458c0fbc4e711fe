"""The plane of most spread, beeswarms and stratified samples."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.strategies import integers, weights
from nearkind.plot.layout import (
    HALF_WIDTH,
    beeswarm,
    principal_plane,
    stratified_sample,
)

kinds = st.lists(st.integers(-1, 4), min_size=1, max_size=200).map(np.array)


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
def test_beeswarms_hold_their_points(n, data):
    x = data.draw(integers(n, -5, 5))
    groups = data.draw(integers(n, 0, 3)).astype(int)
    heights = beeswarm(x, groups, np.ones(n))
    assert (np.abs(heights - groups) <= HALF_WIDTH).all()


@given(st.lists(st.integers(0, 3), min_size=40, max_size=200), st.integers(10, 39))
def test_samples_keep_the_shares_of_classes(groups, most):
    groups = np.unique(groups, return_inverse=True)[1]
    kept = stratified_sample(groups, most)
    assert len(kept) == len(set(kept.tolist())) == most
    for group in set(groups.tolist()):
        share = (groups == group).sum() * most / len(groups)
        assert (groups[kept] == group).sum() >= 1
        assert abs((groups[kept] == group).sum() - share) <= 3


@given(kinds, st.integers(6, 220))
@example(np.array([0] * 195 + [-1, 1, 2, 3, 4]), 6)  # more rare kinds than room
def test_every_kind_keeps_its_share(kinds, most):
    kept = stratified_sample(kinds, most)
    assert len(kept) == min(len(kinds), most)
    assert (np.diff(kept) > 0).all()
    for kind in np.unique(kinds):
        n_all, n_kept = (kinds == kind).sum(), (kinds[kept] == kind).sum()
        assert n_kept >= 1
        # One more by rounding, one less for each kind too rare for its share.
        assert abs(n_kept - n_all * len(kept) / len(kinds)) < 6


@given(kinds, st.integers(6, 220))
def test_it_draws_the_same_again(kinds, most):
    assert np.array_equal(
        stratified_sample(kinds, most), stratified_sample(kinds, most)
    )


def test_more_kinds_than_places_give_one_of_each():
    assert len(stratified_sample(np.arange(30), most=10)) == 30
