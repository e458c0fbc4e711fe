"""Laws of every structure: one linear reshape, and the distance the formula says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import metrics, phis, stacks
from nearkind.metrics.metric import embed, squared_distances
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Diagonal, Full, Multi, Single

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
every_structure = pytest.mark.parametrize("name", STRUCTURES)


def pairwise(structure, phi, M):
    rows = embed(structure.blocks(phi), decompose(M))
    return squared_distances(rows, rows)


@every_structure
@given(data=st.data())
def test_blocks_are_linear_in_phi(name, data):
    blocks = STRUCTURES[name].blocks
    phi = data.draw(phis(4))
    other = np.roll(phi, 1, axis=0) ** 2
    np.testing.assert_array_equal(
        blocks(2.0 * phi - other), 2.0 * blocks(phi) - blocks(other)
    )


@every_structure
@given(data=st.data())
def test_blocks_have_the_shape_announced_and_keep_every_number(name, data):
    structure, phi = STRUCTURES[name], data.draw(phis(4))
    Z = structure.blocks(phi)
    B, W = structure.shape(*phi.shape[1:])
    assert (Z.shape[0], Z.shape[1], Z.shape[3]) == (B, 4, W)
    np.testing.assert_array_equal(np.sort(Z, axis=None), np.sort(phi, axis=None))


@every_structure
@given(data=st.data())
def test_rows_are_reshaped_one_by_one(name, data):
    blocks, phi = STRUCTURES[name].blocks, data.draw(phis(5))
    rows = [3, 0, 3]
    np.testing.assert_array_equal(blocks(phi[rows]), blocks(phi)[:, rows])


@every_structure
@given(data=st.data())
def test_distance_is_the_trace_with_the_stored_difference_matrices(name, data):
    phi, M = data.draw(metrics(STRUCTURES[name]))
    expected = oracles.squared_distances(oracles.difference_matrices(phi, name), M)
    np.testing.assert_allclose(pairwise(STRUCTURES[name], phi, M), expected, atol=1e-10)


@given(data=st.data())
def test_multi_with_equal_blocks_is_single(data):
    phi, M = data.draw(metrics(Single()))
    equal = np.repeat(M, phi.shape[2], axis=0)
    np.testing.assert_allclose(
        pairwise(Multi(), phi, equal), pairwise(Single(), phi, M), atol=1e-10
    )


@given(data=st.data())
def test_diagonal_is_single_with_a_diagonal_matrix(data):
    phi, M = data.draw(metrics(Diagonal()))
    np.testing.assert_allclose(
        pairwise(Diagonal(), phi, M),
        pairwise(Single(), phi, np.diag(M.ravel())[None]),
        atol=1e-10,
    )


@given(data=st.data())
def test_multi_is_full_without_coupling_between_channels(data):
    phi, M = data.draw(metrics(Multi()))
    _, D, C = phi.shape
    whole = np.zeros((D, C, D, C))
    for c in range(C):
        whole[:, c, :, c] = M[c]
    np.testing.assert_allclose(
        pairwise(Full(), phi, whole.reshape(1, D * C, D * C)),
        pairwise(Multi(), phi, M),
        atol=1e-10,
    )


@given(data=st.data())
def test_with_two_classes_single_equals_multi_of_the_same_sum(data):
    first = data.draw(phis(5))[:, :, :1]
    phi = np.concatenate([first, 1.0 - first], axis=2)  # shares of two classes
    M = data.draw(stacks(2, phi.shape[1]))
    np.testing.assert_allclose(
        pairwise(Single(), phi, M.mean(axis=0, keepdims=True)),
        pairwise(Multi(), phi, M),
        atol=1e-10,
    )
