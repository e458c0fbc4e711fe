"""Loss and gradient of blocks at a metric: their mean is that of all rows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from helpers.estimators_of_blocks import small_problem
from nearkind.streaming import SlopeAt, mean_slope


def test_the_mean_over_blocks_is_that_of_all_rows():
    small, like, whole, blocks, point = small_problem(n_rows=3000, n_blocks=12)
    found = mean_slope(map(SlopeAt(small, like, point), blocks))
    exact = whole.linearize(point)
    assert found.loss == pytest.approx(exact.loss, rel=0.05)
    scale = np.abs(exact.gradient).max()
    np.testing.assert_allclose(found.gradient, exact.gradient, atol=0.15 * scale)


def test_a_block_with_every_row_is_exact():
    small, like, whole, blocks, point = small_problem(n_rows=300, n_blocks=1)
    every = replace(small, codes=small.codes[:0], y=small.y[:0], anchors=10_000)
    found, exact = SlopeAt(every, like, point)(blocks[0]), whole.linearize(point)
    assert found.loss == pytest.approx(exact.loss, rel=1e-9)
    np.testing.assert_allclose(found.gradient, exact.gradient, atol=1e-9)


def test_blocks_of_one_class_and_none():
    small, like, _, blocks, point = small_problem(n_rows=600, n_blocks=2)
    _, X, y = blocks[0]
    alike = np.flatnonzero(y == y[0])
    one = blocks[0]._replace(X=X[alike], y=y[alike])
    assert np.isfinite(SlopeAt(small, like, point)(one).loss)
    assert SlopeAt(small, like, point)(blocks[0]._replace(X=X[:0], y=y[:0])) is None


def test_what_goes_to_a_block_can_be_pickled():
    small, like, _, blocks, point = small_problem(n_rows=600, n_blocks=2)
    run = SlopeAt(small, like, point)
    again = pickle.loads(pickle.dumps(run))
    assert again(blocks[1]).loss == run(blocks[1]).loss


def test_another_class_is_refused():
    small, like, _, blocks, point = small_problem(n_rows=600, n_blocks=2)
    strange = blocks[1]._replace(y=np.full(len(blocks[1].y), 9))
    with pytest.raises(ValueError, match="Batch 1: y holds 9, which is none of the 3"):
        SlopeAt(small, like, point)(strange)
