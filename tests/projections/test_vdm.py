"""Class histograms worked by hand, and the pseudo-counts that counts imply."""

import warnings

import numpy as np
import pytest
from scipy.stats import dirichlet_multinomial

from nearkind.projections.vdm import VDM, empirical_bayes, shares

HALF = np.array([0.5, 0.5])
CODES = np.array([[0], [0], [0], [1], [-1], [2]], dtype=np.int32)
Y = np.array([0, 0, 1, 1, 1, -1])
WEIGHTS = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 9.0])  # the last row has no label
PRIOR = [0.25, 0.75]


def fitted(*settings):
    return VDM(*settings).fit(CODES, [3], Y, WEIGHTS)


def test_counts_prior_and_pseudo_counts_are_kept():
    vdm = fitted(4.0)
    np.testing.assert_array_equal(vdm.counts[0], [[2, 2], [0, 2], [0, 0]])
    np.testing.assert_array_equal(vdm.prior, PRIOR)
    assert vdm.pseudo == [4.0]
    assert fitted(lambda counts, prior: counts.sum() + prior[1]).pseudo == [6.75]
    assert vdm.shape([3, 7], 5) == (2, 5)


@pytest.mark.parametrize(
    ("pseudo", "expected"),
    [
        (0.0, [[0.5, 0.5], [0.0, 1.0], PRIOR, PRIOR]),
        (4.0, [[3 / 8, 5 / 8], [1 / 6, 5 / 6], PRIOR, PRIOR]),
    ],
)
def test_a_value_has_the_shares_of_its_classes(pseudo, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (table,) = fitted(pseudo).tables
    np.testing.assert_allclose(table[:, 0], expected)


def test_cross_fitting_takes_one_row_away_from_its_own_value():
    vdm = fitted(0.0, True)
    phi = vdm.transform_training(CODES, Y)[:, 0]
    third = [1 / 3, 2 / 3]
    expected = [third, third, [2 / 3, 1 / 3], [0.0, 1.0], PRIOR, PRIOR]
    np.testing.assert_allclose(phi, expected)
    plain = vdm.transform(CODES)
    np.testing.assert_array_equal(vdm.transform_training(CODES, None), plain)
    np.testing.assert_array_equal(fitted().transform_training(CODES, Y), plain)


def test_shares_are_shrunk_to_the_prior():
    found = shares(np.array([[3.0, 1.0], [0.0, 0.0]]), 4.0, np.array(PRIOR))
    np.testing.assert_allclose(found, [[0.5, 0.5], PRIOR])


def likelihood(m, counts, prior):
    law = dirichlet_multinomial(m * prior, counts.sum(axis=1).astype(int))
    return law.logpmf(counts.astype(int)).sum()


@pytest.mark.parametrize("most", range(6, 11))
def test_pseudo_counts_are_at_the_top_of_the_likelihood(most):
    counts = np.array([[most, 10 - most], [2, 8], [5, 5], [7, 3], [1, 9]], dtype=float)
    prior = counts.sum(axis=0) / counts.sum()
    m = empirical_bayes(counts, prior)
    assert 0.1 < m < 100.0
    top = likelihood(m, counts, prior)
    for factor in (0.99, 1.01):
        assert likelihood(factor * m, counts, prior) < top


def test_a_class_without_rows_changes_no_pseudo_counts():
    counts = np.array([[9.0, 1.0], [2.0, 8.0], [5.0, 5.0]])
    more = np.insert(counts, 1, 0.0, axis=1)
    found = empirical_bayes(more, np.array([0.5, 0.0, 0.5]))
    assert found == empirical_bayes(counts, HALF)


@pytest.mark.parametrize(
    ("counts", "m"),
    [
        (50.0 * np.eye(2), 0.001),  # every value is of one class
        (np.full((2, 2), 50.0), 1e6),  # every value is as the prior
        (np.eye(2), 1e6),  # every value is seen once: nothing is known
        (np.zeros((2, 2)), 1e6),
    ],
)
def test_pseudo_counts_go_from_a_thousandth_to_a_million(counts, m):
    assert empirical_bayes(counts, HALF) == m
