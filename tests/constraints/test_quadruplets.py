"""Quadruplets of too many rows: a sample, and a warning where fit is called."""

import warnings

import numpy as np
import pytest

import nearkind as nk
from nearkind.constraints import quadruplets
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.tuples import TupleList
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge

Y = np.arange(12) % 3


def bound(y=Y):
    return AllQuadruplets().bind(WeightedLabels(y, np.ones(len(y))))


def mean_loss(constraints, d2):
    (chunk,) = constraints.chunks()
    at = d2[chunk.edges.left, chunk.edges.right]
    return chunk.value(at, Hinge())


def test_of_too_many_rows_some_are_drawn(monkeypatch):
    points = np.random.default_rng(0).normal(size=(12, 2)) + Y[:, None]
    d2 = ((points[:, None] - points) ** 2).sum(axis=2)
    exact = mean_loss(bound(), d2)
    monkeypatch.setattr(quadruplets, "LARGEST", 11)
    monkeypatch.setattr(quadruplets, "SAMPLE", 20_000)
    words = "All quadruplets of 12 distinct rows .* up to 11: 20,000 of them are drawn"
    with pytest.warns(UserWarning, match=words):
        drawn = bound()
    assert isinstance(drawn, TupleList)
    assert abs(len(drawn.shares) - 20_000) <= 3
    assert mean_loss(drawn, d2) == pytest.approx(exact, rel=0.05)


def test_of_as_many_rows_as_are_offered_none_is_left_out(monkeypatch):
    monkeypatch.setattr(quadruplets, "LARGEST", 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not isinstance(bound(), TupleList)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_warning_is_of_the_line_that_calls_fit(monkeypatch):
    monkeypatch.setattr(quadruplets, "LARGEST", 2)
    monkeypatch.setattr(quadruplets, "SAMPLE", 50)
    rows, labels = [["a"], ["b"], ["c"], ["d"]], [0, 0, 1, 1]
    with pytest.warns(UserWarning, match="All quadruplets of 4") as caught:
        nk.CPML(constraints="quadruplets", max_iter=2).fit(rows, labels)
    assert caught[0].filename == __file__
