"""Projections from counts are those from rows, bit for bit."""

import numpy as np
import pytest
from hypothesis import given

from helpers.strategies import tables
from nearkind.projections.base import value_counts
from nearkind.projections.concatenation import Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.onehot import OneHot
from nearkind.projections.scaled import Scaled
from nearkind.projections.vdm import VDM, empirical_bayes

MADE = [
    VDM,
    lambda: VDM(smoothing=empirical_bayes),
    OneHot,
    lambda: Concatenation(VDM(0.5), OneHot()),
]


def same(projection, again, table):
    codes, n_values, y, weights = table
    totals = np.bincount(y, weights)
    projection.fit(codes, n_values, y, weights)
    again.fit_counts(value_counts(codes, n_values, y, weights), totals)
    for mine, theirs in zip(again.tables, projection.tables, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("make", MADE)
@given(table=tables(unseen=True))
def test_counts_say_all(make, table):
    same(make(), make(), table)


@given(table=tables())
def test_places_on_an_axis_beside_counts(table):
    places = [
        np.arange(size) * 1.0 if d % 2 else None for d, size in enumerate(table[1])
    ]
    same(Scaled(VDM(), places), Scaled(VDM(), places), table)


def test_pairs_of_columns_cannot_be_told_from_counts():
    with pytest.raises(ValueError, match="Cooccurrence counts which values of two"):
        Cooccurrence().fit_counts([], np.ones(2))
