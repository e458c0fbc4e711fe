"""ITML: worked figures, and its formulas as a plain loop."""

import numpy as np
import pytest

from helpers.baseline_oracles import normal_pairs
from nearkind.baselines.itml import ITML, project

every_coding = pytest.mark.parametrize("coding", ["onehot", "vdm"])


def test_itml_on_two_pairs():
    found = project(np.eye(2), np.eye(2), np.array([True, False]), np.array([0.5, 2.0]))
    np.testing.assert_allclose(found.M, np.diag([2 / 3, 4 / 3]), atol=1e-12)
    assert found.n_iter == 2  # the first sweep ends at the fixed point
    assert found.change < 1e-12


def naive_itml(V, alike, u, high, gamma, n_sweeps):
    M, lam = np.eye(V.shape[1]), np.zeros(len(V))
    xi = np.where(alike, u, high)
    for _ in range(n_sweeps):
        for t, v in enumerate(V):
            p = v @ M @ v
            if alike[t]:
                a = min(lam[t], gamma / (gamma + 1) * (1 / p - 1 / xi[t]))
                beta, xi[t] = a / (1 - a * p), 1 / (1 / xi[t] + a / gamma)
            else:
                a = min(lam[t], gamma / (gamma + 1) * (1 / xi[t] - 1 / p))
                beta, xi[t] = -a / (1 + a * p), 1 / (1 / xi[t] - a / gamma)
            lam[t] -= a
            M = M + beta * np.outer(M @ v, M @ v)
    return M


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_itml_is_its_formulas(gamma):
    V, alike = normal_pairs(60, 5)
    found = project(np.eye(5), V, alike, np.where(alike, 2.0, 6.0), gamma, 0.0, 7)
    expected = naive_itml(V, alike, 2.0, 6.0, gamma, 7)
    np.testing.assert_allclose(found.M, expected, rtol=1e-9, atol=1e-11)
    assert np.linalg.eigvalsh(found.M)[0] > 0.0
    assert found.n_iter == 7


def test_itml_with_weak_slack_ends_within_its_bounds():
    V = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    alike, bounds = np.array([True, False, True]), np.array([0.5, 4.0, 0.5])
    found = project(np.eye(3), V, alike, bounds, gamma=1e6, tol=1e-9, max_iter=10_000)
    d2 = np.einsum("iw,iw->i", V @ found.M, V)
    assert (d2[alike] <= bounds[alike] + 1e-3).all()
    assert (d2[~alike] >= bounds[~alike] - 1e-3).all()


@every_coding
def test_itml_says_so_if_all_rows_are_equally_far_apart(coding):
    with pytest.warns(UserWarning, match="equally far apart"):
        model = ITML(coding=coding).fit([["a"], ["b"]] * 4, [0, 1] * 4)
    assert model.pairwise_distances([["a"]], [["b"]]) == pytest.approx(2**0.5)
