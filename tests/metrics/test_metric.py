"""The embedding reproduces the distances of the stored A^ij, metric or not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers import oracles
from helpers.strategies import integers, metrics
from nearkind.metrics.metric import (
    Embedding,
    embed,
    pairwise_distances,
    squared_distances,
)
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Diagonal, Full, Multi, Single

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
every_structure = pytest.mark.parametrize("structure", STRUCTURES)
points = hnp.array_shapes(min_dims=2, max_dims=2, max_side=5).flatmap(
    lambda shape: integers(shape, -8, 8).map(lambda a: a / 4.0)
)


def loop_distances(U, V):
    return np.array([[((u - v) ** 2).sum() for v in V] for u in U])


@every_structure
@pytest.mark.parametrize("psd", [True, False], ids=["metric", "indefinite"])
@given(data=st.data())
@settings(max_examples=20)
def test_embedded_distances_are_those_of_the_stored_matrices(structure, psd, data):
    phi, M = data.draw(metrics(STRUCTURES[structure], psd=psd))
    rows = embed(STRUCTURES[structure].blocks(phi), decompose(M))
    expected = oracles.squared_distances(oracles.difference_matrices(phi, structure), M)
    np.testing.assert_allclose(squared_distances(rows, rows), expected, atol=1e-10)


@every_structure
@given(data=st.data())
@settings(max_examples=20)
def test_the_embedding_has_as_many_columns_as_the_rank_says(structure, data):
    phi, M = data.draw(metrics(STRUCTURES[structure]))
    Z, spectrum = STRUCTURES[structure].blocks(phi), decompose(M)
    rows = embed(Z, spectrum)
    assert rows.U.shape == (len(phi), max(Z.shape[2] * spectrum.rank, 1))


@every_structure
@given(data=st.data())
@settings(max_examples=20)
def test_a_metric_needs_no_signs(structure, data):
    phi, M = data.draw(metrics(STRUCTURES[structure]))
    spectrum = decompose(M).positive()
    rows = embed(STRUCTURES[structure].blocks(phi), spectrum)
    assert rows.signed is rows.U
    np.testing.assert_allclose(
        loop_distances(rows.U, rows.U), squared_distances(rows, rows), atol=1e-10
    )


def test_the_zero_metric_puts_every_row_at_one_place():
    Z = np.random.default_rng(0).normal(size=(2, 5, 3, 4))
    rows = embed(Z, decompose(np.zeros((2, 4, 4))))
    np.testing.assert_array_equal(rows.U, np.zeros((5, 1)))


@given(U=points, data=st.data())
def test_squared_distances_are_euclidean_and_never_negative(U, data):
    V = data.draw(integers((3, U.shape[1]), -8, 8)) / 4.0
    d2 = squared_distances(Embedding(U, U), Embedding(V, V))
    assert (d2 >= 0.0).all()
    np.testing.assert_allclose(d2, loop_distances(U, V), atol=1e-12)


@given(U=points, data=st.data())
def test_pairwise_distances_are_euclidean(U, data):
    V = data.draw(integers((3, U.shape[1]), -8, 8)) / 4.0
    np.testing.assert_allclose(
        pairwise_distances(U, V), loop_distances(U, V), atol=1e-12
    )
    np.testing.assert_allclose(pairwise_distances(U), loop_distances(U, U), atol=1e-12)


def test_pairwise_distances_between_equal_rows_are_exactly_zero():
    rng = np.random.default_rng(4)
    U = rng.normal(size=(20, 7)) + 100.0
    V = U[rng.permutation(20)]
    equal = (U[:, None] == V[None]).all(axis=2)
    d2 = pairwise_distances(U, V)
    assert (d2[equal] == 0.0).all()
    assert (d2[~equal] > 0.0).all()
    assert (np.diag(pairwise_distances(U)) == 0.0).all()


def test_pairwise_distances_keep_small_distances_far_from_the_origin():
    rng = np.random.default_rng(4)
    U = 1e3 + 1e-4 * rng.normal(size=(12, 5))
    np.testing.assert_allclose(pairwise_distances(U), loop_distances(U, U), rtol=1e-9)
