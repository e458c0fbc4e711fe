"""Scaled: numbers as one coordinate beside any projection, under any structure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import examples, tables
from nearkind.metrics.metric import pairwise_distances
from nearkind.metrics.spectrum import identity
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.metrics.value_tables import feature_maps, value_tables
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.coordinates import with_coordinates
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

PROJECTIONS = {
    "vdm": lambda: VDM(),
    "vdm cross-fitted": lambda: VDM(1.5, cross_fit=True),
    "onehot": lambda: OneHot(),
    "cooccurrence": lambda: Cooccurrence(),
    "vdm+onehot": lambda: Concatenation(VDM(), OneHot()),
    "vdm+cooccurrence": lambda: ChannelConcatenation(VDM(), Cooccurrence()),
}
STRUCTURES = [Single(), Multi(), Diagonal(), Full()]
every_projection = pytest.mark.parametrize("name", PROJECTIONS)


@st.composite
def placed_tables(draw):
    """Return a table, and for each feature positions of its values or None."""
    table = draw(tables(unseen=True))
    numbers = st.integers(-4, 4).map(lambda k: k / 2.0)
    lists = [st.lists(numbers, min_size=s, max_size=s) for s in table.n_values]
    drawn = [draw(st.none() | places.map(np.array)) for places in lists]
    drawn[0] = draw(lists[0].map(np.array))  # at least one has some
    return table, drawn


def is_other(positions):
    return np.array([places is None for places in positions])


def fitted(projection, table):
    return projection.fit(table.codes, table.n_values, table.y, table.weights)


def of_others(name, table, positions):
    """Return the projection of the other features alone, and their table."""
    kept = is_other(positions)
    sizes = [s for s, keep in zip(table.n_values, kept, strict=True) if keep]
    rest = table._replace(codes=table.codes[:, kept], n_values=sizes)
    return fitted(PROJECTIONS[name](), rest), rest


def squared_differences(tables_, codes):
    """Return the sum over features of squared differences of all numbers (n, n)."""
    total = np.zeros((len(codes), len(codes)))
    for table, code in zip(tables_, codes.T, strict=True):
        vectors = table[code].reshape(len(code), -1)
        total += ((vectors[:, None] - vectors[None]) ** 2).sum(axis=2)
    return total


@every_projection
@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda s: type(s).__name__)
@given(drawn=placed_tables())
@examples(15)
@pytest.mark.covering(1)
def test_without_learning_squared_differences_add_up(name, structure, drawn):
    table, positions = drawn
    projection = fitted(with_coordinates(PROJECTIONS[name](), positions), table)
    B, W = structure.shape(*projection.shape(table.n_values, table.y.max() + 1))
    found = value_tables(
        projection.tables,
        feature_maps(projection.tables, structure, identity(B, W)),
    )
    others, rest = of_others(name, table, positions)
    expected = squared_differences(others.tables, rest.codes)
    for places, code in zip(positions, table.codes.T, strict=True):
        if places is not None:
            x = np.append(places, 0.0)[code]  # -1 stands at zero
            expected += (x[:, None] - x[None]) ** 2
    U = sum(v[code] for v, code in zip(found.vectors, table.codes.T, strict=True))
    np.testing.assert_allclose(pairwise_distances(U), expected, atol=1e-9)


@every_projection
@given(drawn=placed_tables())
def test_tables_are_gathered_and_have_the_shape_announced(name, drawn):
    table, positions = drawn
    projection = fitted(with_coordinates(PROJECTIONS[name](), positions), table)
    phi = projection.transform(table.codes)
    assert phi.shape[1:] == projection.shape(table.n_values, table.y.max() + 1)
    assert [len(t) for t in projection.tables] == [s + 1 for s in table.n_values]
    for row, codes in zip(phi, table.codes, strict=True):
        gathered = [t[c] for t, c in zip(projection.tables, codes, strict=True)]
        np.testing.assert_array_equal(row, np.concatenate(gathered))


@every_projection
@given(drawn=placed_tables())
def test_the_others_are_trained_by_their_own_rule(name, drawn):
    table, positions = drawn
    projection = fitted(with_coordinates(PROJECTIONS[name](), positions), table)
    phi = projection.transform_training(table.codes, table.y)
    kept = is_other(positions)
    own = np.repeat(~kept, [t.shape[1] for t in projection.tables])
    np.testing.assert_array_equal(
        phi[:, own], projection.transform(table.codes)[:, own]
    )
    if kept.any():
        others, rest = of_others(name, table, positions)
        np.testing.assert_array_equal(
            phi[:, ~own], others.transform_training(rest.codes, table.y)
        )


def test_a_coordinate_comes_once():
    projection = with_coordinates(
        PROJECTIONS["vdm+onehot"](), [np.array([-1.0, 1.0]), None]
    )
    assert projection.shape([2, 3], 2) == (1 + 2 + 3, 1)


def test_without_positions_nothing_is_wrapped():
    onehot = OneHot()
    assert with_coordinates(onehot, [None, None]) is onehot


def test_class_histograms_of_no_feature_still_need_labels():
    codes = np.zeros((2, 1), dtype=np.int32)
    with pytest.raises(ValueError, match="need labels"):
        with_coordinates(VDM(), [np.zeros(1)]).fit(codes, [1], None, np.ones(2))
