"""Laws of every kind of edges, under every structure: forward and back are adjoint."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import examples, integers, metrics
from nearkind.losses import edges as edges_module
from nearkind.losses.edges import (
    AnchorPairs,
    PairList,
    difference_matrices,
    weighted_gram,
)
from nearkind.metrics.metric import Embedding, embed
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Diagonal, Full, Multi, Single

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
SQUARE = np.array(list(itertools.product(range(4), repeat=2))).T
EDGES = {
    "every pair": PairList(*np.triu_indices(4, 1)),
    "loops and both directions": PairList(*SQUARE),
    "an edge twice": PairList(np.array([0, 1, 0]), np.array([3, 2, 3])),
    "all anchors": AnchorPairs(np.arange(4)),
    "two anchors, not in order": AnchorPairs(np.array([3, 1])),
}
every_kind = pytest.mark.parametrize("kind", EDGES)
every_structure = pytest.mark.parametrize("structure", STRUCTURES)


def ends_of(edges, n):
    """Return (left, right), each in the shape of the edges' distances."""
    if isinstance(edges, PairList):
        return edges.left, edges.right
    return np.broadcast_arrays(edges.anchors[:, None], np.arange(n)[None, :])


def forward(edges, Z, M):
    return edges.squared_distances(embed(Z, decompose(M)))


@every_kind
@every_structure
@given(data=st.data())
@examples(8)
def test_distances_are_those_of_the_stored_matrices(kind, structure, data):
    psd = data.draw(st.booleans())
    phi, M = data.draw(metrics(STRUCTURES[structure], psd=psd))
    all_pairs = oracles.squared_distances(
        oracles.difference_matrices(phi, structure), M
    )
    Z = STRUCTURES[structure].blocks(phi)
    expected = all_pairs[ends_of(EDGES[kind], len(phi))]
    np.testing.assert_allclose(forward(EDGES[kind], Z, M), expected, atol=1e-10)


@every_kind
@every_structure
@given(data=st.data())
@examples(8)
def test_pull_back_is_the_adjoint_of_the_distances(kind, structure, data):
    psd = data.draw(st.booleans())
    phi, M = data.draw(metrics(STRUCTURES[structure], psd=psd))
    Z = STRUCTURES[structure].blocks(phi)
    d2 = forward(EDGES[kind], Z, M)
    w = data.draw(integers(d2.shape, -3, 3))
    G = EDGES[kind].adjoint(Z, w)
    np.testing.assert_allclose(np.vdot(w, d2), np.vdot(G, M), atol=1e-9)


@every_kind
@every_structure
@given(data=st.data())
@examples(8)
def test_pull_back_is_the_weighted_sum_of_the_stored_matrices(kind, structure, data):
    phi, _ = data.draw(metrics(STRUCTURES[structure]))
    A = oracles.difference_matrices(phi, structure)
    left, right = ends_of(EDGES[kind], len(phi))
    w = data.draw(integers(left.shape, -3, 3))
    terms = zip(w.ravel(), left.ravel(), right.ravel(), strict=True)
    expected = sum(weight * A[i, j] for weight, i, j in terms)
    G = EDGES[kind].adjoint(STRUCTURES[structure].blocks(phi), w)
    np.testing.assert_allclose(G, expected, atol=1e-9)
    np.testing.assert_array_equal(G, G.swapaxes(1, 2))


@every_kind
@every_structure
@given(data=st.data())
@examples(8)
def test_halves_add_up_to_the_pull_back(kind, structure, data):
    phi, _ = data.draw(metrics(STRUCTURES[structure]))
    Z = STRUCTURES[structure].blocks(phi)
    left, _ = ends_of(EDGES[kind], len(phi))
    w = data.draw(integers(left.shape, -3, 3))
    G, at_rows = EDGES[kind].adjoint_parts(Z, w)
    nodes = np.einsum("n,bnkv,bnkw->bvw", at_rows, Z, Z)
    whole = EDGES[kind].adjoint(Z, w)
    np.testing.assert_allclose(G + nodes, whole, atol=1e-9)
    np.testing.assert_allclose(weighted_gram(Z, at_rows), nodes, atol=1e-9)


@every_kind
@given(data=st.data())
@examples(8)
def test_pull_back_is_rows_around_the_laplacian(kind, data):
    phi, _ = data.draw(metrics(STRUCTURES["full"]))
    Z = STRUCTURES["full"].blocks(phi)  # one block and one vector: Z is (n, W)
    left, _ = ends_of(EDGES[kind], len(phi))
    w = data.draw(integers(left.shape, -3, 3))
    LZ = EDGES[kind].apply_laplacian(Z[0, :, 0], w)
    G = EDGES[kind].adjoint(Z, w)
    np.testing.assert_allclose(Z[0, :, 0].T @ LZ, G[0], atol=1e-9)


@every_kind
@every_structure
def test_pull_back_is_the_slope_of_the_distances_in_the_metric(kind, structure):
    rng = np.random.default_rng(7)
    phi = rng.normal(size=(5, 2, 3))
    B, W = STRUCTURES[structure].shape(2, 3)
    Z = STRUCTURES[structure].blocks(phi)
    F = rng.normal(size=(B, W, W))
    M = F @ F.swapaxes(1, 2)
    w = rng.normal(size=ends_of(EDGES[kind], 5)[0].shape)
    G = EDGES[kind].adjoint(Z, w)
    for b, v, u in np.ndindex(M.shape):
        step = np.zeros_like(M)
        step[b, v, u] += 0.5e-4
        step[b, u, v] += 0.5e-4
        rise = forward(EDGES[kind], Z, M + step) - forward(EDGES[kind], Z, M - step)
        np.testing.assert_allclose(np.vdot(w, rise) / 2e-4, G[b, v, u], atol=1e-7)


def test_chunks_of_a_pair_list_add_up(monkeypatch):
    rng = np.random.default_rng(3)
    left, right = rng.integers(0, 9, size=(2, 50))
    Z = rng.normal(size=(2, 9, 1, 3))
    w = rng.normal(size=50)
    spectrum = decompose(np.array([np.eye(3), np.ones((3, 3))]))
    edges = PairList(left, right)
    d2, G = edges.squared_distances(embed(Z, spectrum)), edges.adjoint(Z, w)
    LU = edges.apply_laplacian(Z[0, :, 0], w)
    monkeypatch.setattr(edges_module, "_AT_ONCE", 20)
    np.testing.assert_allclose(
        edges.squared_distances(embed(Z, spectrum)), d2, atol=1e-13
    )
    np.testing.assert_allclose(edges.adjoint(Z, w), G, atol=1e-12)
    np.testing.assert_allclose(edges.apply_laplacian(Z[0, :, 0], w), LU, atol=1e-12)


class Watched(np.ndarray):
    """An array that remembers the size of every part that is taken."""

    sizes: list[int] = []  # noqa: RUF012

    def __getitem__(self, at):
        part = super().__getitem__(at)
        self.sizes.append(np.size(part))
        return part


@pytest.fixture
def sizes(monkeypatch):
    """Sizes of what is taken from watched arrays."""
    monkeypatch.setattr(Watched, "sizes", [])
    return Watched.sizes


@pytest.mark.parametrize("at_once", [1, 12, 24, 25])
def test_no_more_differences_than_allowed_are_made_at_a_time(
    at_once, sizes, monkeypatch
):
    rng = np.random.default_rng(3)
    edges = PairList(*rng.integers(0, 9, size=(2, 7)))
    Z, w = rng.normal(size=(2, 9, 3, 2)).view(Watched), rng.normal(size=7)
    U = rng.normal(size=(9, 12)).view(Watched)
    monkeypatch.setattr(edges_module, "_AT_ONCE", at_once)
    at_a_time = max(1, at_once // 12)  # edges: a row has twelve numbers either way
    expected = [12 * n for n in [at_a_time] * (7 // at_a_time) + [7 % at_a_time] if n]
    for run in (
        lambda: edges.adjoint(Z, w),
        lambda: edges.squared_distances(Embedding(U, np.asarray(U))),
        lambda: edges.apply_laplacian(U, w),
    ):
        sizes.clear()
        run()
        assert sizes[::2] == sizes[1::2] == expected


def test_edges_without_a_column_are_no_trouble():
    nothing = np.zeros((3, 0))
    edges = PairList(np.array([0, 1]), np.array([1, 2]))
    d2 = edges.squared_distances(Embedding(nothing, nothing))
    np.testing.assert_array_equal(d2, [0.0, 0.0])


@pytest.mark.parametrize("n_rows", [1, 4, 5, 11])
def test_rows_are_weighted_some_at_a_time(n_rows, sizes, monkeypatch):
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(2, n_rows, 3, 2)).view(Watched)
    w = rng.normal(size=n_rows)
    monkeypatch.setattr(edges_module, "_ROWS", 4)
    G = weighted_gram(Z, w)
    expected = np.einsum("n,bnkv,bnkw->bvw", w, np.asarray(Z), np.asarray(Z))
    np.testing.assert_allclose(G, expected, atol=1e-12)
    assert max(sizes) <= 12 * 4
    assert len(sizes) == 2 * -(-n_rows // 4)


@every_structure
@given(data=st.data())
@examples(8)
def test_difference_matrices_are_those_of_rows_half_a_table_apart(structure, data):
    phi, _ = data.draw(metrics(STRUCTURES[structure]))
    A = oracles.difference_matrices(phi, structure)
    half = len(phi) // 2
    written_out = difference_matrices(STRUCTURES[structure].blocks(phi))
    expected = [A[i, i + half] for i in range(half)]
    np.testing.assert_allclose(written_out, expected, atol=1e-12)
