"""Rows and values in two dimensions."""

import numpy as np
import pytest

import nearkind as nk
from nearkind.baselines import Euclidean, Hamming
from nearkind.pages.mds import LANDMARKS, place_rows, place_values


def table(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = (y[:, None] + rng.integers(0, 2, (n_rows, 4))) % 4
    return X.astype(str), y


@pytest.mark.parametrize("n_rows", [3, 50, LANDMARKS])
def test_vectors_are_projected_on_their_principal_components(n_rows):
    X, y = table(n_rows)
    model = Euclidean().fit(X, y)
    U = model.transform(X)
    U = U - U.mean(axis=0)
    left, sizes, _ = np.linalg.svd(U, full_matrices=False)
    places = place_rows(model.distance_, model.codebook_.encode(X))
    np.testing.assert_allclose(
        np.abs(places), np.abs(left[:, :2] * sizes[:2]), atol=1e-7
    )


def test_more_rows_than_landmarks_are_placed_by_their_distances():
    X, y = table(LANDMARKS + 150)
    model = Euclidean().fit(X, y)
    codes = model.codebook_.encode(X)
    places = place_rows(model.distance_, codes)
    for row in np.unique(codes, axis=0)[:20]:  # equal rows stand at one place
        same = places[(codes == row).all(axis=1)]
        np.testing.assert_allclose(same - same[0], 0.0, atol=1e-9)
    _, sizes, _ = np.linalg.svd(model.transform(X) - model.transform(X).mean(axis=0))
    assert (places**2).sum() > 0.95 * (sizes[:2] ** 2).sum()


def test_equal_rows_have_no_spread():
    rows = [["a", "b"]] * 5
    model = Hamming().fit(rows)
    assert np.array_equal(
        place_rows(model.distance_, model.codebook_.encode(rows)), np.zeros((5, 2))
    )


def test_rows_infinitely_far_apart_are_place_rows():
    rows = [["a", "x"], ["b", "y"], ["a", "y"]]
    model = nk.baselines.all()["lin"]().fit(rows)
    codes = model.codebook_.encode(rows)
    assert np.isinf(model.pairwise_distances(rows)).any()
    assert np.isfinite(place_rows(model.distance_, codes)).all()


def test_values_are_as_far_apart_as_the_model_says():
    X, y = table(60)
    model = Euclidean().fit(X, y)
    typical = np.zeros(4, dtype=np.int32)
    places = place_values(model.distance_, typical, 1)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    stated = np.asarray(model.value_distances("x1"))
    np.testing.assert_allclose(apart, stated, atol=1e-7)  # three classes: a plane
