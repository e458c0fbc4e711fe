"""A stack, its spectrum, and the stack again; ranks and factors."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.strategies import integers, stacks
from nearkind.metrics.spectrum import (
    Spectrum,
    decompose,
    decompose_factor,
    identity,
    symmetrized,
)

any_stack = st.tuples(st.integers(1, 3), st.integers(1, 4)).flatmap(
    lambda shape: stacks(*shape, psd=False)
)
metric_stack = st.tuples(st.integers(1, 3), st.integers(1, 4)).flatmap(
    lambda shape: stacks(*shape)
)

factors = st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: integers(shape, -2, 2)  # few numbers: rows vanish, repeat, depend
)


@given(M=any_stack)
def test_the_matrix_of_the_spectrum_is_the_stack(M):
    np.testing.assert_allclose(decompose(M).matrix, M, atol=1e-12)


@given(M=any_stack)
def test_factors_rebuild_the_stack_with_their_signs(M):
    for block, (F, signs) in zip(M, decompose(M).factors(), strict=True):
        assert np.isin(signs, (-1.0, 1.0)).all()
        np.testing.assert_allclose(F.T @ (signs[:, None] * F), block, atol=1e-7)


@given(M=any_stack)
def test_rank_is_that_of_all_blocks_together(M):
    joint = max(np.abs(np.linalg.eigvalsh(M)).max(), 1e-300)
    expected = sum(np.linalg.matrix_rank(block, tol=1e-9 * joint) for block in M)
    assert decompose(M).rank == expected
    assert sum(len(signs) for _, signs in decompose(M).factors()) == expected


@given(M=any_stack, data=st.data())
def test_the_positive_part_is_the_nearest_metric(M, data):
    nearest = decompose(M).positive()
    assert (nearest.values >= 0.0).all()
    gap = M - nearest.matrix
    np.testing.assert_allclose(np.vdot(gap, nearest.matrix), 0.0, atol=1e-9)
    other = data.draw(stacks(*M.shape[:2]))
    assert np.linalg.norm(M - other) >= np.linalg.norm(gap) - 1e-9


@given(M=any_stack)
def test_other_values_keep_the_eigenvectors(M):
    spectrum = decompose(M)
    doubled = spectrum.with_values(2.0 * spectrum.values.ravel())
    np.testing.assert_allclose(doubled.matrix, 2.0 * M, atol=1e-12)


@given(M=metric_stack)
def test_a_metric_is_its_own_positive_part(M):
    np.testing.assert_allclose(decompose(M).positive().matrix, M, atol=1e-10)


def test_the_zero_stack_has_no_factors():
    spectrum = decompose(np.zeros((2, 3, 3)))
    assert spectrum.rank == 0
    assert [F.shape for F, _ in spectrum.factors()] == [(0, 3), (0, 3)]


def test_the_identity_is_a_stack_of_identities():
    np.testing.assert_array_equal(identity(2, 3).matrix, [np.eye(3)] * 2)
    assert identity(2, 3).rank == 6


@given(M=any_stack)
def test_symmetrizing_takes_the_mean_with_the_transpose(M):
    lopsided = M + np.triu(np.ones(M.shape[1:]), 1)
    for block, mean in zip(lopsided, symmetrized(lopsided), strict=True):
        np.testing.assert_array_equal(mean, (block + block.T) / 2.0)


def test_the_matrix_of_any_spectrum_is_symmetric():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(2, 4, 4)))[0]
    M = Spectrum(rng.normal(size=(2, 4)), V).matrix
    np.testing.assert_array_equal(M, M.swapaxes(1, 2))


@given(F=factors)
def test_the_spectrum_of_a_factor_is_that_of_its_square(F):
    spectrum = decompose_factor(F)
    square = F.swapaxes(1, 2) @ F
    np.testing.assert_allclose(spectrum.matrix, square, atol=1e-12)
    assert (spectrum.values >= 0.0).all()
    longest = max(F.shape[1:])
    for values, expected in zip(spectrum.values, decompose(square).values, strict=True):
        ours = np.pad(np.sort(values), (longest - F.shape[1], 0))
        theirs = np.pad(expected, (longest - F.shape[2], 0))
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert spectrum.rank == decompose(square).rank


@given(F=factors)
def test_vectors_of_a_factor_are_orthonormal_where_it_is_not_zero(F):
    spectrum = decompose_factor(F)
    assert np.isfinite(spectrum.vectors).all()
    for values, vectors in zip(spectrum.values, spectrum.vectors, strict=True):
        V = vectors[:, values > 1e-9]  # what rounding leaves of zero has no direction
        np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-6)


LONG_AND_NARROW = np.array([[[2.0, -1.0], [-1.0, -1.0], [-1.0, -1.0], [-1.0, -1.0]]])


@given(F=factors)
@example(F=LONG_AND_NARROW)  # eigh of F F' finds 7e-49 for an eigenvalue of zero
def test_vectors_of_a_factor_are_no_longer_than_one(F):
    lengths = np.linalg.norm(decompose_factor(F).vectors, axis=1)
    assert (lengths <= 1.0 + 1e-6).all()


def test_an_eigenvalue_that_is_rounding_of_zero_is_zero_and_has_no_direction():
    spectrum = decompose_factor(LONG_AND_NARROW)
    assert (spectrum.values > 0.0).sum() == 2
    lengths = np.linalg.norm(spectrum.vectors, axis=1)
    np.testing.assert_allclose(lengths, [[0.0, 0.0, 1.0, 1.0]], atol=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1e-5, 1e-7])
def test_a_small_eigenvalue_of_a_factor_keeps_its_direction(size):
    F = np.array([[[1.0, 1.0], [size, -size]]])
    spectrum = decompose_factor(F)
    np.testing.assert_allclose(spectrum.values, [[2.0 * size**2, 2.0]], rtol=0.05)
    np.testing.assert_allclose(spectrum.matrix, F.swapaxes(1, 2) @ F, rtol=1e-12)


def test_a_factor_of_zeros_is_the_zero_stack():
    spectrum = decompose_factor(np.zeros((2, 3, 4)))
    np.testing.assert_array_equal(spectrum.values, np.zeros((2, 3)))
    np.testing.assert_array_equal(spectrum.matrix, np.zeros((2, 4, 4)))


def test_rows_of_zeros_in_a_factor_add_nothing():
    F = np.random.default_rng(8).normal(size=(2, 3, 4))
    padded = np.concatenate([F, np.zeros((2, 2, 4))], axis=1)
    np.testing.assert_allclose(
        decompose_factor(padded).matrix, decompose_factor(F).matrix
    )
    assert decompose_factor(padded).rank == decompose_factor(F).rank == 6


def test_an_eigenvalue_below_a_billionth_of_the_largest_counts_as_zero():
    for small, rank in [(2e-9, 4), (5e-10, 2), (1e-9, 2)]:
        values = np.array([[4.0, -4.0 * small], [4.0 * small, -2.0]])
        spectrum = Spectrum(values, np.array([np.eye(2)] * 2))
        assert spectrum.rank == rank
        assert [len(F) for F, _ in spectrum.factors()] == [rank // 2] * 2
    assert Spectrum(np.zeros((1, 0)), np.zeros((1, 3, 0))).rank == 0


def test_truncated_keeps_the_largest_of_each_block():
    rng = np.random.default_rng(3)
    V = np.linalg.qr(rng.normal(size=(2, 3, 3)))[0]
    spectrum = Spectrum(np.array([[1.0, 5.0, -9.0], [2.0, 2.0, 0.5]]), V)
    two = spectrum.truncated(2)
    np.testing.assert_array_equal(two.values, [[5.0, 1.0], [2.0, 2.0]])
    left = Spectrum(np.array([[1.0, 5.0, 0.0], [2.0, 2.0, 0.0]]), V)
    np.testing.assert_allclose(two.matrix, left.matrix, atol=1e-12)
    np.testing.assert_array_equal(spectrum.truncated(1).vectors[1], V[1][:, :1])
    assert spectrum.truncated(3) is spectrum
    assert spectrum.truncated(4) is spectrum


def test_every_identity_is_its_own():
    eye = identity(2, 3)
    eye.vectors[0, 0, 0] = 7.0
    np.testing.assert_array_equal(eye.vectors[1], np.eye(3))


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_a_factor_of_any_size_has_the_spectrum_of_one(size):
    F = np.random.default_rng(9).normal(size=(2, 3, 4))
    found, expected = decompose_factor(size * F), decompose_factor(F)
    np.testing.assert_allclose(found.values, size**2 * expected.values, rtol=1e-9)
