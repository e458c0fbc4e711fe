"""A row is the sum of the vectors of its values; a distance splits over features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import examples, stacks, tables
from nearkind.metrics import value_tables as value_tables_module
from nearkind.metrics.metric import embed
from nearkind.metrics.spectrum import decompose, identity
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.metrics.value_tables import (
    ValueTables,
    feature_maps,
    relevance,
    unlearned_tables,
    value_tables,
)
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

STRUCTURES = [Single(), Multi(), Diagonal(), Full()]
PROJECTIONS = {
    "vdm": lambda: VDM(1.0),
    "onehot": OneHot,
    "cooccurrence": Cooccurrence,
    "vdm+onehot": lambda: Concatenation(VDM(1.0), OneHot()),
    "vdm+cooccurrence": lambda: ChannelConcatenation(VDM(1.0), Cooccurrence()),
}
every_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
every_projection = pytest.mark.parametrize("projection", PROJECTIONS)


def modelled(data, projection, structure):
    """Return a table, its projection, a metric that fits it, and the lookup tables."""
    table = data.draw(tables(unseen=True))
    fitted = PROJECTIONS[projection]().fit(
        table.codes, table.n_values, table.y, table.weights
    )
    shape = fitted.shape(table.n_values, table.y.max() + 1)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    F = rng.integers(-2, 3, size=(*structure.shape(*shape), structure.shape(*shape)[1]))
    spectrum = decompose(F @ F.swapaxes(1, 2) / 4.0).positive()
    lookup = value_tables(
        fitted.tables, feature_maps(fitted.tables, structure, spectrum)
    )
    return table, fitted, spectrum, lookup


@every_projection
@every_structure
@given(data=st.data())
@examples(12)
def test_gathering_and_adding_is_the_embedding_of_phi(projection, structure, data):
    table, fitted, spectrum, lookup = modelled(data, projection, structure)
    phi = fitted.transform(table.codes)
    expected = embed(structure.blocks(phi), spectrum).U
    np.testing.assert_allclose(lookup.embed(table.codes), expected, atol=1e-10)


@every_projection
@every_structure
@given(data=st.data())
@examples(12)
def test_contributions_sum_to_the_squared_distance(projection, structure, data):
    table, _, _, lookup = modelled(data, projection, structure)
    a, b = table.codes[0], table.codes[1]
    u, v = lookup.embed(table.codes[:2])
    parts = lookup.contributions(a, b)
    assert parts.shape == (len(table.n_values),)
    np.testing.assert_allclose(parts.sum(), ((u - v) ** 2).sum(), atol=1e-9)


@given(table=tables(), data=st.data())
def test_a_contribution_is_the_metric_between_the_differences(table, data):
    fitted = VDM().fit(table.codes, table.n_values, table.y, table.weights)
    M = data.draw(stacks(1, len(table.n_values)))
    lookup = value_tables(
        fitted.tables,
        feature_maps(fitted.tables, Single(), decompose(M).positive()),
    )
    delta = np.subtract(*fitted.transform(table.codes[:2]))  # (D, C)
    expected = [
        sum(M[0, d, e] * (delta[d] @ delta[e]) for e in range(len(delta)))
        for d in range(len(delta))
    ]
    parts = lookup.contributions(table.codes[0], table.codes[1])
    np.testing.assert_allclose(parts, expected, atol=1e-7)


@every_projection
@every_structure
@given(data=st.data())
@examples(12)
def test_a_feature_on_which_rows_agree_contributes_nothing(projection, structure, data):
    table, _, _, lookup = modelled(data, projection, structure)
    a, b = table.codes[0], table.codes[1].copy()
    b[0] = a[0]
    np.testing.assert_allclose(lookup.contributions(a, b)[0], 0.0, atol=1e-12)


@every_projection
@every_structure
@given(data=st.data())
@examples(12)
def test_relevance_is_the_mean_contribution_over_all_pairs(projection, structure, data):
    table, fitted, spectrum, lookup = modelled(data, projection, structure)
    rows = table.repeated().codes
    total = sum(lookup.contributions(a, b) for a in rows for b in rows)
    phi = fitted.transform(table.codes)
    shares = relevance(
        phi, feature_maps(fitted.tables, structure, spectrum), table.weights
    )
    if total.sum() < 1e-9:
        np.testing.assert_allclose(shares * total.sum(), total, atol=1e-9)
    else:
        np.testing.assert_allclose(shares, total / total.sum(), atol=1e-8)
        np.testing.assert_allclose(shares.sum(), 1.0)


@every_structure
@given(data=st.data())
@examples(12)
def test_relevance_sees_rows_as_they_are_in_phi(structure, data):
    table, fitted, spectrum, _ = modelled(data, "vdm", structure)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    phi = rng.integers(-2, 3, size=fitted.transform(table.codes).shape) / 2.0
    share = table.weights / table.weights.sum()
    lone = [np.where(np.arange(phi.shape[1])[:, None] == d, phi, 0.0)
            for d in range(phi.shape[1])]  # fmt: skip
    parts = [embed(structure.blocks(each), spectrum).U for each in lone]
    parts = [U - share @ U for U in parts]
    cross = np.array([share @ (U * sum(parts)).sum(axis=1) for U in parts])
    shares = relevance(
        phi, feature_maps(fitted.tables, structure, spectrum), table.weights
    )
    if cross.sum() > 1e-9:
        np.testing.assert_allclose(shares, cross / cross.sum(), atol=1e-8)


def test_nothing_is_relevant_to_the_zero_metric():
    fitted = OneHot().fit(np.array([[0, 1]], dtype=np.int32), [2, 2], None, np.ones(1))
    phi = fitted.transform(np.array([[0, 1], [1, 0]], dtype=np.int32))
    zero = decompose(np.zeros((1, 4, 4)))
    shares = relevance(phi, feature_maps(fitted.tables, Single(), zero), np.ones(2))
    np.testing.assert_array_equal(shares, [0.0, 0.0])


def test_a_row_alone_has_the_vector_that_it_has_among_others():
    rng = np.random.default_rng(0)
    lookup = ValueTables([rng.standard_normal((4, 3)) for _ in range(12)])
    codes = rng.integers(-1, 3, (20, 12))
    alone = [lookup.embed(codes[[i]])[0] for i in range(20)]
    assert np.array_equal(alone, lookup.embed(codes))  # to the last bit


def small_model(structure):
    """Return tables of a projection of six rows and three channels, and a metric."""
    rng = np.random.default_rng(9)
    tables_ = [rng.normal(size=(s, R, 3)) for s, R in [(3, 1), (4, 3), (2, 2)]]
    B, W = structure.shape(6, 3)
    F = rng.normal(size=(B, W, W))
    return tables_, decompose(F @ F.swapaxes(1, 2))


@every_structure
@pytest.mark.parametrize("most", [1, 36, 90, 10_000])
def test_so_many_numbers_are_embedded_at_a_time(structure, most, monkeypatch):
    tables_, spectrum = small_model(structure)
    expected = feature_maps(tables_, structure, spectrum)
    assert [len(A) for A in expected] == [3, 9, 6]
    sizes = []

    def noted(Z, point):
        sizes.append(Z.size)
        return embed(Z, point)

    monkeypatch.setattr(value_tables_module, "embed", noted)
    monkeypatch.setattr(value_tables_module, "UNITS_AT_ONCE", most)
    found = feature_maps(tables_, structure, spectrum)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    per_unit = 18
    at_once = max(1, most // per_unit)
    assert sizes[0] == per_unit * min(at_once, 18)
    assert max(sizes) == sizes[0]
    assert sum(sizes) == 18 * per_unit


@every_structure
@pytest.mark.parametrize("at_once", [1, 3, 7])
def test_relevance_does_not_hang_on_rows_at_once(structure, at_once, monkeypatch):
    tables_, spectrum = small_model(structure)
    maps = feature_maps(tables_, structure, spectrum)
    rng = np.random.default_rng(10)
    phi, weights = rng.normal(size=(7, 6, 3)), rng.integers(1, 5, 7).astype(float)
    expected = relevance(phi, maps, weights)
    monkeypatch.setattr(value_tables_module, "ROWS_AT_ONCE", at_once)
    np.testing.assert_allclose(relevance(phi, maps, weights), expected)
    np.testing.assert_allclose(expected.sum(), 1.0)


def test_relevance_worked_by_hand():
    phi = np.array([[[0.0], [0.0]], [[2.0], [1.0]]])  # two rows, of two numbers
    maps = [np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])]
    np.testing.assert_allclose(relevance(phi, maps, np.ones(2)), [0.5, 0.5])
    maps = [np.array([[1.0]]), np.array([[-1.0]])]  # (2 - 1) ** 2 = 2 - 1
    np.testing.assert_allclose(relevance(phi, maps, np.ones(2)), [2.0, -1.0])


@every_projection
@given(st.data())
def test_unlearned_vectors_are_those_of_the_identity(projection, data):
    table = data.draw(tables())
    fitted = PROJECTIONS[projection]().fit(
        table.codes, table.n_values, table.y, table.weights
    )
    n_places = sum(each.shape[1] for each in fitted.tables)
    maps = feature_maps(fitted.tables, Single(), identity(1, n_places))
    expected = value_tables(fitted.tables, maps).vectors
    for ours, theirs in zip(
        unlearned_tables(fitted.tables).vectors, expected, strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("n_filled", [0, 1, 30, 300])
def test_columns_of_zeros_are_skipped_without_changing_a_bit(n_filled):
    rng = np.random.default_rng(n_filled)
    vectors = [np.zeros((4, 300)) for _ in range(9)]
    for table in vectors:
        some = rng.choice(300, n_filled, replace=False)
        table[:, some] = rng.normal(size=(4, n_filled))
    codes = rng.integers(-1, 3, (20, 9))
    expected = np.zeros((20, 300))
    for table, code in zip(vectors, codes.T, strict=True):
        expected += table[code]
    np.testing.assert_array_equal(ValueTables(vectors).embed(codes), expected)
