"""Weights, strengths and margins at the ends of what a float can hold."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from nearkind import CPML
from nearkind.baselines import Burnaby, Goodall3, Hamming
from nearkind.estimators.weights import check_weights

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 80)
X = ((RNG.integers(0, 4, (80, 4)) + Y[:, None] * [1, 0, 1, 0]) % 4).astype(str)
UNEVEN = RNG.integers(1, 4, 80).astype(float)


@pytest.mark.parametrize("weight", [1e308, 1e200, 1e155, 1e40])
def test_only_ratios_of_huge_weights_matter(weight):
    expected = CPML(tol=1e-3).fit(X, Y, sample_weight=UNEVEN * 1e20)
    found = CPML(tol=1e-3).fit(X, Y, sample_weight=UNEVEN / 4.0 * weight)
    np.testing.assert_allclose(found.metric_, expected.metric_, rtol=1e-6)


@pytest.mark.parametrize("weight", [1e-30, 1e-160, 1e-300])
def test_only_ratios_of_tiny_weights_matter(weight):
    expected = CPML(tol=1e-3).fit(X, Y, sample_weight=UNEVEN / 8.0)
    found = CPML(tol=1e-3).fit(X, Y, sample_weight=UNEVEN * weight)
    np.testing.assert_allclose(found.metric_, expected.metric_, rtol=1e-6)


@pytest.mark.parametrize("weight", [1e308, 1e155, 1e-160, 1e-300])
@pytest.mark.parametrize("distance", [Burnaby, Goodall3, Hamming])
def test_frequency_distances_are_finite_at_any_weight(distance, weight):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = distance().fit(X, Y, sample_weight=np.full(80, weight))
    assert np.isfinite(fitted.pairwise_distances(X)).all()


def test_ordinary_weights_stay_as_they_are():
    for weights in (UNEVEN, UNEVEN * 1e29, UNEVEN * 1e-29, np.r_[1.0, 1e-300]):
        np.testing.assert_array_equal(check_weights(weights, len(weights)), weights)


@pytest.mark.covering(1)
@pytest.mark.parametrize("p", [1.0, 1.0001, 2.0, np.inf])
@pytest.mark.parametrize(
    ("strength", "is_zero"),
    [(s, False) for s in (5e-324, 1e-300, 1e-100, 1e-12, 1e-6)]
    + [(s, True) for s in (1.0, 1e6, 1e12, 1e300)],
)
def test_strengths(strength, is_zero, p):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = CPML(strength=strength, p=p, tol=1e-2).fit(X, Y)
    assert np.isfinite(model.metric_).all()
    assert (model.rank_ == 0) == is_zero
    assert model.objective_ <= 1.0  # of M = 0


@pytest.mark.covering(1)
@pytest.mark.parametrize("settings", [{}, {"p": 2.0, "powered": True}, {"p": np.inf}])
@pytest.mark.parametrize("strength", [5e-324, 1e-300, 1e-100, 1e-12])
@pytest.mark.covering(1)
def test_tiny_strengths_on_classes_that_a_column_tells_apart(strength, settings):
    told = np.column_stack([Y.astype(str), X])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # a share of nothing is left
        model = CPML(strength=strength, tol=1e-2, **settings).fit(told, Y)
    assert np.isfinite(model.metric_).all()
    assert model.objective_ < 1e-6


@pytest.mark.parametrize("margin", [1e-9, 1e-3, 1.0, 1e3, 1e6])
def test_margins(margin):
    """At M = 0 the loss is the margin; the best metric scales with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = CPML(margin=margin).fit(X, Y)
    whole = CPML().fit(X, Y)
    assert model.objective_ / margin == pytest.approx(whole.objective_, rel=2e-3)
