"""CompressedRows rows: the same distances from fewer channels and directions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import integers, stacks
from nearkind.losses.edges import AnchorPairs
from nearkind.metrics.compression import (
    CompressedRows,
    compress,
    compress_tables,
    most_channels,
    rows_first,
)
from nearkind.metrics.metric import embed, pairwise_distances
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.projections.base import gather

STRUCTURES = [Single(), Multi(), Diagonal(), Full()]
every_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=repr)


def histograms(n, n_features, n_classes):
    """Return phi (n, D, C) whose channels sum to one."""
    rng = np.random.default_rng(n)
    return rng.dirichlet(np.ones(n_classes), size=(n, n_features))


def some_zero(phi):
    """Return phi with a feature that none has and a channel of one feature less."""
    phi = phi.copy()
    phi[:, 0] = 0.25
    phi[:, 1, 0] = 0.0
    return phi


NORMAL = np.random.default_rng(1).normal(size=(12, 3, 4))
TABLES = {  # phi (n, D, C)
    "of any numbers": NORMAL,
    "of histograms": histograms(12, 3, 4),
    "of fewer rows than directions": NORMAL[:2],
    "of fewer histograms than directions": histograms(3, 5, 4),
    "of one row": NORMAL[:1],
    "of equal rows": np.repeat(NORMAL[:1], 7, axis=0),
    "of one channel": NORMAL[:, :, :1],
    "of one feature": NORMAL[:, :1],
    "with constant columns": some_zero(NORMAL),
    "with a faint feature": NORMAL * np.array([1.0, 1e-3, 1.0])[:, None],
    "with a faint channel": NORMAL * np.array([1.0, 1e-3, 1.0, 1.0]),
    "with a repeated feature": NORMAL[:, [0, 1, 1]],
    "of zeros": np.zeros((4, 2, 3)),
    "far from zero": 1e6 + NORMAL,
    "of small numbers": 1e-9 * NORMAL,
}
every_table = pytest.mark.parametrize("table", TABLES)


def random_metric(rows: CompressedRows, seed: int) -> Spectrum:
    """Return a metric on compressed rows, singular."""
    B, _, _, W = rows.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, max(1, W - 1), W))
    return decompose(F.swapaxes(1, 2) @ F)


def distances(Z, point):
    return pairwise_distances(embed(Z, point).U)


def check_distances(Z, rows, point):
    there, here = distances(Z, rows.expand(point)), distances(rows.Z, point)
    scale = np.ptp(Z) ** 2 * (1.0 + np.abs(point.values).max())
    np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.covering(1)
@every_structure
@every_table
@pytest.mark.parametrize("seed", [0, 1])
def test_a_metric_gives_all_rows_the_same_distances_expanded(structure, table, seed):
    Z = structure.blocks(TABLES[table])
    rows = compress(Z)
    check_distances(Z, rows, random_metric(rows, seed))


@every_structure
@given(data=st.data())
def test_distances_are_the_same_for_any_table_and_metric(structure, data):
    shape = [data.draw(st.integers(1, 4)) for _ in range(3)]
    Z = structure.blocks(data.draw(integers(shape, -2, 2)))
    rows = compress(Z)
    B, _, _, W = rows.Z.shape
    check_distances(Z, rows, decompose(data.draw(stacks(B, W))))


@pytest.mark.covering(1)
@every_structure
@every_table
def test_a_metric_on_the_table_shrinks_to_one_of_the_same_distances(structure, table):
    Z = structure.blocks(TABLES[table])
    rows = compress(Z)
    B, _, _, W = Z.shape
    F = np.random.default_rng(3).normal(size=(B, W, W))
    M = F @ F.swapaxes(1, 2)
    there = distances(Z, decompose(M))
    here = distances(rows.Z, decompose(rows.restrict(M)))
    scale = np.ptp(Z) ** 2 * np.abs(M).max()
    np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.covering(1)
@every_structure
@every_table
def test_nothing_grows_and_rows_are_centred(structure, table):
    Z = structure.blocks(TABLES[table])
    rows = compress(Z)
    assert rows.Z.shape[:2] == Z.shape[:2]
    assert rows.bases.shape == (len(Z), Z.shape[3], rows.Z.shape[3])
    assert 1 <= rows.Z.shape[2] <= Z.shape[2]
    assert 1 <= rows.Z.shape[3] <= Z.shape[3]
    size = 1e-12 * (1.0 + np.abs(Z).max())
    np.testing.assert_allclose(rows.Z.mean(axis=1), 0.0, atol=size)


@pytest.mark.covering(1)
@every_structure
@every_table
def test_bases_are_orthonormal_and_end_in_zeros(structure, table):
    rows = compress(structure.blocks(TABLES[table]))
    widths = []
    for basis in rows.bases:
        width = np.count_nonzero(np.abs(basis).sum(axis=0))
        expected = np.diag(np.arange(basis.shape[1]) < width).astype(float)
        np.testing.assert_allclose(basis.T @ basis, expected, atol=1e-9)
        widths.append(width)
    assert max(widths) == rows.bases.shape[2]


@pytest.mark.covering(1)
@every_structure
@every_table
def test_shrinking_what_was_expanded_gives_it_back(structure, table):
    rows = compress(structure.blocks(TABLES[table]))
    point = random_metric(rows, 5)
    back = rows.restrict(rows.expand(point).matrix)
    there = np.abs(rows.bases).sum(axis=1) > 0.0  # (B, W'), not padded
    seen = there[:, :, None] & there[:, None, :]
    np.testing.assert_allclose(back, point.matrix * seen, atol=1e-9)


@pytest.mark.covering(1)
@every_structure
@every_table
def test_expanding_a_metric_that_ignores_padding_keeps_its_spectrum(structure, table):
    rows = compress(structure.blocks(TABLES[table]))
    anything = random_metric(rows, 6)
    point = decompose(rows.restrict(rows.expand(anything).matrix)).positive()
    whole = rows.expand(point)
    assert whole.rank == decompose(whole.matrix).rank == point.rank
    for M, values in zip(whole.matrix, point.values, strict=True):
        expected = np.append(np.zeros(len(M) - len(values)), values)
        np.testing.assert_allclose(np.linalg.eigvalsh(M), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("structure", "n_channels", "width"),
    [(Single(), 3, 5), (Multi(), 1, 5), (Diagonal(), 3, 1), (Full(), 1, 15)],
    ids=repr,
)
def test_histograms_lose_the_channel_that_follows_from_the_others(
    structure, n_channels, width
):
    rows = compress(structure.blocks(histograms(40, 5, 4)))
    assert rows.Z.shape[2:] == (n_channels, width)


def test_rows_fill_no_more_directions_than_their_number_less_one():
    rows = compress(np.random.default_rng(2).normal(size=(1, 4, 1, 9)))
    assert rows.Z.shape == (1, 4, 1, 3)


def test_blocks_of_unequal_rank_are_padded_to_the_largest():
    Z = np.random.default_rng(4).normal(size=(2, 9, 1, 4))
    Z[1, :, :, 1:] = 7.0
    rows = compress(Z)
    assert rows.bases.shape == (2, 4, 4)
    np.testing.assert_array_equal(rows.bases[1, :, 1:], 0.0)
    np.testing.assert_allclose(np.abs(rows.bases[1, :, 0]), [1, 0, 0, 0], atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 4, 0, 2), (1, 4, 3, 0), (2, 4, 1, 0)], ids=str)
def test_rows_without_channels_or_directions_stay_empty(shape):
    rows = compress(np.zeros(shape))
    B, _, _, W = shape
    kept = rows.bases.shape[2]
    zero = Spectrum(np.zeros((B, kept)), np.zeros((B, kept, kept)))
    assert rows.Z.shape == (*shape[:3], kept)
    np.testing.assert_array_equal(rows.expand(zero).matrix, np.zeros((B, W, W)))
    assert rows.restrict(np.zeros((B, W, W))).shape == (B, kept, kept)


@every_structure
def test_the_table_stays_as_it_was(structure):
    phi = NORMAL.copy()
    compress(structure.blocks(phi))
    np.testing.assert_array_equal(phi, NORMAL)


def test_euclidean_distance_is_zero_on_padding():
    Z = np.zeros((2, 5, 1, 3))
    Z[0, :, 0] = np.random.default_rng(0).normal(size=(5, 3))
    Z[1, :, 0, 1] = np.arange(5.0)
    rows = compress(Z)
    np.testing.assert_array_equal(np.sort(rows.identity.values), [[1, 1, 1], [0, 0, 1]])
    found = np.linalg.eigvalsh(rows.expand(rows.identity).matrix)
    np.testing.assert_allclose(found, [[1, 1, 1], [0, 0, 1]], atol=1e-12)


@pytest.mark.parametrize("structure", [Single(), Multi(), Diagonal(), Full()])
def test_all_blocks_of_a_row_lie_together(structure):
    phi = np.random.default_rng(0).normal(size=(9, 4, 3))
    Z = compress(np.ascontiguousarray(structure.blocks(phi))).Z
    assert Z.swapaxes(0, 1).flags.c_contiguous
    weights = np.random.default_rng(1).normal(size=(2, 9))
    edges = AnchorPairs(np.array([0, 3]))
    by_blocks = edges.adjoint(np.ascontiguousarray(Z), weights)
    np.testing.assert_allclose(edges.adjoint(Z, weights), by_blocks, atol=1e-12)


@every_structure
@pytest.mark.parametrize("n_channels", [3, 40])
def test_tables_of_fewer_channels_have_the_same_distances(structure, n_channels):
    rng = np.random.default_rng(2)
    tables = [rng.normal(size=(s, R, n_channels)) for s, R in [(3, 1), (4, 2), (2, 1)]]
    tables[1][2] = tables[1][0]  # equal values
    fewer = compress_tables(tables, structure)
    is_shorter = n_channels == 40 and structure in (Single(), Diagonal())
    assert {table.shape[2] for table in fewer} == {13 if is_shorter else n_channels}
    codes = rng.integers(0, 2, (9, 3))
    long, short = (structure.blocks(gather(each, codes)) for each in (tables, fewer))
    M = rng.normal(size=(short.shape[0], short.shape[3], short.shape[3]))
    point = decompose(M @ M.swapaxes(1, 2))
    np.testing.assert_allclose(distances(short, point), distances(long, point))


@pytest.mark.parametrize(("share", "n_kept"), [(2e-12, 2), (5e-13, 1)])
@pytest.mark.parametrize("n_copies", [1, 3])
def test_a_direction_of_a_negligible_variance_is_dropped(share, n_kept, n_copies):
    one, other = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    rows = np.column_stack([3.0 * one, 3.0 * np.sqrt(share) * other])
    wide = np.tile(rows, n_copies)  # directions more than rows, or fewer
    assert compress(wide[None, :, None, :]).Z.shape == (1, 4, 1, n_kept)
    assert compress(wide[None, :, :, None]).Z.shape == (1, 4, n_kept, 1)


def test_axes_may_be_kept():
    Z = Single().blocks(histograms(12, 3, 4))
    rows = compress(Z, keep_axes=True)
    assert rows.Z.shape == (1, 12, 3, 3)  # a channel less
    np.testing.assert_array_equal(rows.bases, np.eye(3)[None])
    check_distances(Z, rows, random_metric(rows, 2))


@every_structure
def test_channels_that_count_alike_are_as_many_as_rows_at_most(structure):
    is_alike = structure in (Single(), Diagonal())
    for n_rows, n_channels in [(3, 5), (5, 5), (7, 5), (1, 5)]:
        most = min(n_rows, n_channels) if is_alike else n_channels
        assert most_channels(n_rows, n_channels, structure) == most


def test_tables_that_need_all_channels_are_left_as_they_are():
    tables = [np.ones((3, 1, 4)), np.ones((2, 1, 4))]
    for structure in STRUCTURES:
        for ours, given_ in zip(
            compress_tables(tables, structure), tables, strict=True
        ):
            assert ours is given_


def test_rows_first_is_the_same_array_in_another_order():
    Z = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
    np.testing.assert_array_equal(rows_first(Z), Z)
    assert rows_first(Z).swapaxes(0, 1).flags.c_contiguous
