"""Two projections side by side weigh alike, and each keeps its own rule."""

import numpy as np
from hypothesis import given

from helpers.strategies import tables
from nearkind.projections.concatenation import (
    ChannelConcatenation,
    Concatenation,
    spread,
)
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM


def fitted(projection, table, y=None):
    y = table.y if y is None else y
    return projection.fit(table.codes, table.n_values, y, table.weights)


def mean_squared_distance(phi):
    steps = phi[:, None] - phi[None]
    return (steps**2).sum(axis=(2, 3)).mean()


@given(table=tables(unseen=True))
def test_both_parts_have_the_same_mean_squared_distance(table):
    both = fitted(ChannelConcatenation(VDM(), Cooccurrence()), table)
    phi, n_classes = both.transform(table.repeated().codes), table.y.max() + 1
    parts = [
        mean_squared_distance(part)
        for part in (phi[:, :, :n_classes], phi[:, :, n_classes:])
    ]
    if min(parts) > 1e-12:
        np.testing.assert_allclose(*parts, rtol=1e-9)
    else:
        assert both.scale == 1.0


@given(table=tables(unseen=True))
def test_channels_are_those_of_the_parts(table):
    both = fitted(ChannelConcatenation(VDM(2.5), Cooccurrence()), table)
    first, second = fitted(VDM(2.5), table), fitted(Cooccurrence(), table)
    parts = zip(both.tables, first.tables, second.tables, strict=True)
    for table_, a, b in parts:
        np.testing.assert_array_equal(
            table_, np.concatenate([a, both.scale * b], axis=2)
        )


@given(table=tables(unseen=True))
def test_each_part_is_cross_fitted_by_its_own_rule(table):
    both = fitted(ChannelConcatenation(VDM(1.0, cross_fit=True), Cooccurrence()), table)
    alone = fitted(VDM(1.0, cross_fit=True), table)
    phi = both.transform_training(table.codes, table.y)
    n_classes = len(alone.prior)
    np.testing.assert_array_equal(
        phi[:, :, :n_classes], alone.transform_training(table.codes, table.y)
    )
    np.testing.assert_array_equal(
        phi[:, :, n_classes:], both.transform(table.codes)[:, :, n_classes:]
    )


@given(table=tables(unseen=True))
def test_rows_without_a_label_count_for_cooccurrence_alone(table):
    n_known = 3
    y = np.where(np.arange(len(table.y)) < n_known, table.y, -1)
    if (y >= 0).sum() and y.max() == table.y.max():
        both = fitted(ChannelConcatenation(VDM(), Cooccurrence()), table, y)
        some = VDM().fit(
            table.codes[:n_known], table.n_values, y[:n_known], table.weights[:n_known]
        )
        everything = fitted(Cooccurrence(), table)
        n_classes = len(some.prior)
        for table_, a, b in zip(
            both.tables, some.tables, everything.tables, strict=True
        ):
            np.testing.assert_array_equal(table_[:, :, :n_classes], a)
            np.testing.assert_array_equal(table_[:, :, n_classes:], both.scale * b)


@given(table=tables(unseen=True))
def test_a_row_without_a_label_is_left_in_all_histograms(table):
    y = np.where(np.arange(len(table.y)) % 2, table.y, -1)
    if (y >= 0).any():
        vdm = fitted(VDM(1.0, cross_fit=True), table, y)
        phi = vdm.transform_training(table.codes, y)
        unknown = y < 0
        np.testing.assert_array_equal(phi[unknown], vdm.transform(table.codes[unknown]))


def test_spread_is_half_the_mean_squared_distance_of_two_rows():
    rng = np.random.default_rng(0)
    tables_ = [rng.normal(size=(3, 2, 2)), rng.normal(size=(4, 1, 2))]
    codes = np.array([[0, 1], [1, -1], [-1, 2], [0, 1]], dtype=np.int32)
    weights = np.array([1.0, 3.0, 2.0, 0.0])
    rows = np.repeat(codes, weights.astype(int), axis=0)
    phi = np.hstack([table[code] for table, code in zip(tables_, rows.T, strict=True)])
    expected = mean_squared_distance(phi) / 2.0
    np.testing.assert_allclose(spread(tables_, codes, weights), expected)


def test_where_one_part_does_not_vary_the_scale_is_one():
    codes = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=np.int32)
    for y in ([0, 0, 0, 0], [0, 1, 1, 0]):  # of one class; alike at every value
        both = ChannelConcatenation(VDM(), Cooccurrence())
        both.fit(codes, [2, 2], np.array(y), np.ones(4))
        assert both.scale == 1.0


def test_shapes_are_those_of_the_tables():
    codes, y = np.array([[0, 0], [1, 2]], dtype=np.int32), np.array([0, 2])
    for both, shape in [
        (Concatenation(VDM(), OneHot()), (2 * 3 + 2 + 3, 1)),
        (ChannelConcatenation(VDM(), Cooccurrence()), (2, 3 + 2 + 3)),
    ]:
        assert both.shape([2, 3], 3) == shape
        assert (
            both.fit(codes, [2, 3], y, np.ones(2)).transform(codes).shape[1:] == shape
        )
