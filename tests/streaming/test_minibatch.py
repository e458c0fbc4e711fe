"""Loss and gradient of batches at a metric: their mean is that of all rows."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from helpers.minibatch_problem import minibatch_problem
from nearkind.streaming import mean_linearization


def test_the_mean_over_batches_is_that_of_all_rows():
    sampler, like, whole, batches, point = minibatch_problem(n_rows=3000, n_batches=12)
    found = mean_linearization(
        sampler.linearize(batch, like, point) for batch in batches
    )
    exact = whole.linearize(point)
    assert found.loss == pytest.approx(exact.loss, rel=0.05)
    scale = np.abs(exact.gradient).max()
    np.testing.assert_allclose(found.gradient, exact.gradient, atol=0.15 * scale)


def test_a_batch_with_every_row_is_exact():
    sampler, like, whole, batches, point = minibatch_problem(n_rows=300, n_batches=1)
    every = replace(sampler, codes=sampler.codes[:0], y=sampler.y[:0], size=10_000)
    found, exact = every.linearize(batches[0], like, point), whole.linearize(point)
    assert found.loss == pytest.approx(exact.loss, rel=1e-9)
    np.testing.assert_allclose(found.gradient, exact.gradient, atol=1e-9)


def test_batches_of_one_class_and_none():
    sampler, like, _, batches, point = minibatch_problem(n_rows=600, n_batches=2)
    _, X, y = batches[0]
    alike = np.flatnonzero(y == y[0])
    one = batches[0]._replace(X=X[alike], y=y[alike])
    assert np.isfinite(sampler.linearize(one, like, point).loss)
    assert sampler.linearize(batches[0]._replace(X=X[:0], y=y[:0]), like, point) is None


def test_what_goes_to_a_batch_can_be_pickled():
    sampler, like, _, batches, point = minibatch_problem(n_rows=600, n_batches=2)
    run = partial(sampler.linearize, like=like, point=point)
    again = pickle.loads(pickle.dumps(run))
    assert again(batches[1]).loss == run(batches[1]).loss


def test_another_class_is_refused():
    sampler, like, _, batches, point = minibatch_problem(n_rows=600, n_batches=2)
    strange = batches[1]._replace(y=np.full(len(batches[1].y), 9))
    with pytest.raises(ValueError, match="Batch 1: y holds 9, which is none of the 3"):
        sampler.linearize(strange, like, point)
