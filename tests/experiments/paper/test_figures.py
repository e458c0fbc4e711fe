"""The figures of structures and of mean ranks."""

import numpy as np

from nearkind.experiments.paper import figures


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
