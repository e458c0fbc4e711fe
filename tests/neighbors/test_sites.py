"""Cells at one place are one site, in the ball of radius one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import integers
from nearkind.neighbors.sites import Sites


@st.composite
def places(draw):
    m, q = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    return draw(integers((m, q), -2, 2)) * draw(st.sampled_from([1e-20, 0.5, 1e90]))


@given(U=places())
def test_cells_share_a_site_where_their_vectors_are_equal(U):
    sites = Sites.of(U)
    equal = (U[:, None] == U).all(axis=2)
    np.testing.assert_array_equal(sites.of_cell[:, None] == sites.of_cell, equal)


@given(U=places())
def test_sites_list_their_cells_and_lie_where_these_do(U):
    sites = Sites.of(U)
    cells, owner = sites.cells.members_of(np.arange(len(sites.vectors)))
    np.testing.assert_array_equal(sites.of_cell[cells], owner)
    assert sorted(cells) == list(range(len(U)))
    np.testing.assert_allclose(sites.place(U), sites.vectors[sites.of_cell], atol=1e-9)


@given(U=places())
def test_no_site_is_outside_and_one_is_on_the_border(U):
    radius = np.sqrt((Sites.of(U).vectors ** 2).sum(axis=1)).max()
    assert radius <= 1.0 + 1e-12
    assert radius >= 1.0 - 1e-12 or len(np.unique(U, axis=0)) == 1


def test_rounding_does_not_part_what_is_equal():
    noise = np.random.default_rng(0).uniform(-1e-14, 1e-14, (50, 3))
    U = np.repeat([[0.1, 0.2, 0.3], [-1.0, 2.0, 0.5]], 25, axis=0) + noise
    assert len(Sites.of(U).vectors) == 2
