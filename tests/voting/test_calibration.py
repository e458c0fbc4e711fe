"""Calibration: laws of probabilities, and that the fit finds what votes mean."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import nearkind as nk
from nearkind.baselines import Hamming
from nearkind.voting.calibration import SHARPEST, Calibration


def drawn(seed, n=400, n_classes=3, spread=1.0):
    """Shares of votes, some zero, and classes drawn by them."""
    rng = np.random.default_rng(seed)
    shares = rng.multinomial(9, rng.dirichlet(np.full(n_classes, spread)), n) / 9.0
    truth = np.array([rng.choice(n_classes, p=row) for row in shares])
    return shares, truth


def log_loss(calibration, shares, truth, weights):
    p = calibration.probabilities(shares)[np.arange(len(truth)), truth]
    return -np.average(np.log(p), weights=weights)


cases = st.tuples(
    st.integers(0, 10_000),
    st.integers(1, 60),
    st.integers(2, 6),
    st.sampled_from([0.05, 1.0, 20.0]),
)


@given(cases)
def test_probabilities_sum_to_one_and_none_is_zero(case):
    shares, truth = drawn(*case)
    weights = np.random.default_rng(case[0]).uniform(0.1, 3.0, len(truth))
    prior = np.full(case[2], 1.0 / case[2])
    found = Calibration.fit(shares, truth, weights, prior)
    p = found.probabilities(shares)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p > 0.0).all()
    assert 1.0 / SHARPEST <= found.sharpness * (1 + 1e-12) <= SHARPEST * (1 + 1e-9)
    assert 0.0 < found.prior_share < 1.0
    # With equal priors the order of shares is kept, and the same class is first.
    by_shares = np.take_along_axis(p, shares.argsort(axis=1, kind="stable"), axis=1)
    assert (np.diff(by_shares, axis=1) >= -1e-12).all()


@given(cases)
def test_no_fit_is_worse_than_votes_as_they_are(case):
    shares, truth = drawn(*case)
    shares = shares[:, ::-1]  # often wrong
    weights = np.ones(len(truth))
    prior = np.arange(1.0, case[2] + 1) / np.arange(1.0, case[2] + 1).sum()
    found = Calibration.fit(shares, truth, weights, prior)
    least = 1.0 / (len(truth) + case[2])
    assert found.prior_share >= least * (1 - 1e-9)
    plain = Calibration(1.0, least, prior)
    losses = [log_loss(c, shares, truth, weights) for c in (found, plain)]
    assert losses[0] <= losses[1] + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_no_point_of_a_fine_grid_is_better(seed):
    shares, truth = drawn(seed, n=120)
    weights = np.random.default_rng(seed).integers(1, 4, 120).astype(float)
    prior = np.array([0.5, 0.3, 0.2])

    def objective(at):
        penalty = np.log(at.sharpness) ** 2 / (2.0 * weights.sum())
        return log_loss(at, shares, truth, weights) + penalty

    found = objective(Calibration.fit(shares, truth, weights, prior))
    least = 1.0 / (weights.sum() + 3)
    for tau in np.geomspace(1.0 / SHARPEST, SHARPEST, 40):
        for share in np.geomspace(least, 0.9, 40):
            assert found <= objective(Calibration(tau, share, prior)) + 1e-6


@given(cases, st.booleans())
def test_no_general_solver_finds_a_better_calibration(case, often_wrong):
    """SciPy's L-BFGS-B from many starts is the oracle of Newton's method."""
    shares, truth = drawn(*case)
    shares = shares[:, ::-1] if often_wrong else shares
    rng = np.random.default_rng(case[0])
    weights, prior = rng.uniform(0.1, 3.0, len(truth)), rng.dirichlet(np.ones(case[2]))
    rows, n_rows = np.arange(len(truth)), weights.sum()

    def objective(at):
        share = 1.0 / (1.0 + np.exp(-at[1]))
        calibration = Calibration(np.exp(at[0]), share, prior)
        p = calibration.probabilities(shares)[rows, truth]
        return -np.average(np.log(p), weights=weights) + at[0] ** 2 / (2.0 * n_rows)

    fitted = Calibration.fit(shares, truth, weights, prior)
    odds = fitted.prior_share / (1.0 - fitted.prior_share)
    least = np.log(1.0 / (n_rows + case[2] - 1.0))
    bounds = [(-np.log(SHARPEST), np.log(SHARPEST)), (least, max(-least, least))]
    for start in product(np.log([0.4, 1.0, 3.0]), [-3.0, 0.0]):
        theirs = minimize(objective, np.clip(start, *np.transpose(bounds)),
                          bounds=bounds).fun  # fmt: skip
        ours = objective([np.log(fitted.sharpness), np.log(odds)])
        assert ours <= theirs + 1e-7


@pytest.mark.parametrize("tau", [0.5, 1.0, 2.5])
def test_what_votes_mean_is_found_from_many_rows(tau):
    rng = np.random.default_rng(7)
    prior = np.array([0.6, 0.3, 0.1])
    shares = rng.dirichlet(np.ones(3), 20_000)
    p = Calibration(tau, 0.1, prior).probabilities(shares)
    truth = (rng.random(len(p))[:, None] > p.cumsum(axis=1)).sum(axis=1)
    found = Calibration.fit(shares, truth, np.ones(len(p)), prior)
    assert found.sharpness == pytest.approx(tau, rel=0.1)
    assert found.prior_share == pytest.approx(0.1, abs=0.02)


def test_votes_that_say_nothing_leave_the_prior():
    rng = np.random.default_rng(3)
    truth = (rng.random(3_000) < 0.2).astype(int)
    shares = np.eye(2)[rng.integers(0, 2, 3_000)]
    prior = np.array([0.8, 0.2])
    p = Calibration.fit(shares, truth, np.ones(3_000), prior).probabilities(shares)
    np.testing.assert_allclose(p, np.tile(prior, (3_000, 1)), atol=0.05)


@pytest.mark.parametrize("n_rows", [1, 2, 10, 1_000])
def test_votes_that_are_all_right_are_not_certain(n_rows):
    shares, truth = np.eye(2)[np.arange(n_rows) % 2], np.arange(n_rows) % 2
    prior = np.array([0.5, 0.5])
    found = Calibration.fit(shares, truth, np.ones(n_rows), prior)
    assert found.prior_share == pytest.approx(1.0 / (n_rows + 2), rel=1e-3)


def test_a_weight_is_a_repetition():
    shares, truth = drawn(5, n=50)
    weights = np.random.default_rng(5).integers(0, 4, 50)
    prior = np.full(3, 1.0 / 3.0)
    again = Calibration.fit(
        shares.repeat(weights, axis=0), truth.repeat(weights), np.ones(weights.sum()),
        prior,
    )  # fmt: skip
    found = Calibration.fit(shares, truth, weights.astype(float), prior)
    assert found.sharpness == pytest.approx(again.sharpness, rel=1e-3)
    assert found.prior_share == pytest.approx(again.prior_share, rel=1e-3)


def test_tiny_shares_do_not_underflow_to_nothing():
    shares = np.array([[1e-300, 1e-301], [1.0, 1e-320]])
    p = Calibration(SHARPEST, 0.01, np.array([0.5, 0.5])).probabilities(shares)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


def test_a_class_of_one_row_is_possible():
    X = [["a"], ["a"], ["b"], ["b"], ["a"], ["b"], ["c"]]
    y = ["x", "x", "y", "y", "x", "y", "z"]
    model = nk.CPMLClassifierCV([Hamming()], n_neighbors=1, cv=3).fit(X, y)
    p = model.predict_proba([["a"], ["b"]])
    assert (p > 0.0).all()
    np.testing.assert_allclose(model.calibration_.prior, [3 / 7, 3 / 7, 1 / 7])


def test_a_tie_goes_to_the_class_of_more_rows():
    calibration = Calibration(1.0, 0.1, np.array([0.2, 0.8]))
    assert calibration.probabilities(np.array([[0.5, 0.5]])).argmax() == 1


@pytest.mark.parametrize("calibrate", ["yes", None, 1])
def test_the_flag_is_true_or_false(calibrate):
    model = nk.CPMLClassifierCV([Hamming()], calibrate=calibrate)
    with pytest.raises(ValueError, match=r"'calibrate' .* must be True or False"):
        model.fit([["a"], ["b"]] * 5, ["x", "y"] * 5)
