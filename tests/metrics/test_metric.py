"""The embedding reproduces the distances of the stored A^ij, metric or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers import oracles
from helpers.strategies import integers, metrics
from nearkind.metrics.metric import (
    Embedding,
    embed,
    embed_by,
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
def test_embedded_distances_are_those_of_the_stored_matrices(structure, psd, data):
    phi, M = data.draw(metrics(STRUCTURES[structure], psd=psd))
    rows = embed(STRUCTURES[structure].blocks(phi), decompose(M))
    expected = oracles.squared_distances(oracles.difference_matrices(phi, structure), M)
    np.testing.assert_allclose(squared_distances(rows, rows), expected, atol=1e-10)


@every_structure
@given(data=st.data())
def test_the_embedding_has_as_many_columns_as_the_rank_says(structure, data):
    phi, M = data.draw(metrics(STRUCTURES[structure]))
    Z, spectrum = STRUCTURES[structure].blocks(phi), decompose(M)
    rows = embed(Z, spectrum)
    assert rows.U.shape == (len(phi), max(Z.shape[2] * spectrum.rank, 1))


@every_structure
@given(data=st.data())
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


def test_very_many_small_distances_are_all_exact():
    U = 1e3 + 1e-4 * np.random.default_rng(5).normal(size=(300, 2))
    V = np.concatenate([U[::-1], U[:3] + 1e-5])
    d2 = ((U[:, None] - V) ** 2).sum(axis=2)  # 90,900 of them
    np.testing.assert_allclose(pairwise_distances(U, V), d2, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_embedding_is_of_the_type_of_its_rows(dtype):
    rng = np.random.default_rng(6)
    Z = rng.normal(size=(2, 5, 3, 4)).astype(dtype)
    for sign in (0.0, 1.0, -1.0):
        rows = embed(Z, decompose(sign * np.array([np.eye(4)] * 2)))
        for part in (rows.U, rows.signed, rows.left, rows.right):
            assert part.dtype == dtype
        assert rows.sizes.dtype == float


def test_factors_and_their_square_embed_alike():
    rng = np.random.default_rng(7)
    Z, F = rng.normal(size=(3, 5, 2, 4)), rng.normal(size=(3, 2, 4))
    rows = embed_by(Z, F)
    assert rows.U.shape == (5, 3 * 2 * 2)
    whole = embed(Z, decompose(F.swapaxes(1, 2) @ F))
    found, expected = (squared_distances(each, each) for each in (rows, whole))
    np.testing.assert_allclose(found, expected, atol=1e-10)
