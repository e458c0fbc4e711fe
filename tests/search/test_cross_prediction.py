"""Cross-predictions: each fold by what the others choose, and nothing else of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.search.cross_prediction import (
    N_PARTS,
    POWERS,
    HeldVotes,
    best_factors,
)
from nearkind.search.ensemble import stacked_members
from nearkind.search.scoring import Accuracy, BalancedAccuracy
from nearkind.voting.calibration import Calibration

seeds = st.integers(0, 1_000)


def votes_of(seed, n=40, n_classes=3, n_folds=4, **changed):
    """Three contenders with two ways to vote, of which the last is often right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    tables = rng.dirichlet(np.ones(n_classes), (3, 2, n)).astype(np.float32)
    tables[2] = 0.5 * tables[2] + 0.5 * np.eye(n_classes, dtype=np.float32)[truth]
    given = {
        "tables": list(tables),
        "alive": [np.ones(2, dtype=bool)] * 3,
        "families": [0, 1, 1],
        "truth": truth,
        "weights": np.ones(n),
        "counts": np.ones(n),
        "fold_of": np.arange(n) * n_folds // n,
        "class_weights": np.bincount(truth, minlength=n_classes).astype(float),
        "most_members": 3,
        "scoring": Accuracy(),
        "calibrate": True,
    }
    return HeldVotes(**{**given, **changed})


@pytest.mark.parametrize("calibrate", [True, False])
@given(seeds)
def test_each_fold_is_answered_by_what_the_others_choose(calibrate, seed):
    votes = votes_of(seed, calibrate=calibrate)
    found = votes.cross_probabilities()[0]
    for fold in range(4):
        mine = votes.fold_of == fold
        others = [table[:, ~mine] for table in votes.tables]
        truth, ones = votes.truth[~mine], np.ones((~mine).sum())
        members, weights = stacked_members(
            others, votes.alive, votes.families, truth, ones, 3, Accuracy()
        )
        shares = [
            sum(w * t[m.contender][m.way].astype(float)
                for m, w in zip(members, weights, strict=True))
            for t in (others, [table[:, mine] for table in votes.tables])
        ]  # fmt: skip
        expected = shares[1]
        if calibrate:
            counts = np.maximum(np.bincount(truth, minlength=3), 0.5)
            prior = counts / counts.sum()
            fitted = Calibration.fit(shares[0], truth, ones, prior)
            expected = fitted.probabilities(shares[1])
        np.testing.assert_allclose(found[mine], expected, rtol=1e-12)


@given(seeds, st.integers(0, 39))
def test_no_label_changes_what_is_said_of_its_own_fold(seed, row):
    votes = votes_of(seed)
    truth = votes.truth.copy()
    truth[row] = (truth[row] + 1) % 3
    class_weights = np.bincount(truth, minlength=3).astype(float)
    again = votes_of(seed, truth=truth, class_weights=class_weights,
                     tables=votes.tables)  # fmt: skip
    mine = votes.fold_of == votes.fold_of[row]
    np.testing.assert_allclose(
        again.cross_probabilities()[0][mine],
        votes.cross_probabilities()[0][mine],
        rtol=1e-12,
    )


def test_rows_of_a_single_fold_are_answered_in_parts():
    votes = votes_of(0, fold_of=np.zeros(40, dtype=int))
    parts = votes_of(0, fold_of=np.arange(40) % N_PARTS)
    np.testing.assert_array_equal(
        votes.cross_probabilities()[0], parts.cross_probabilities()[0]
    )


def test_a_single_row_is_answered_by_all_there_is():
    votes = votes_of(3, n=1, n_folds=1)
    found = votes.cross_probabilities()[0]
    np.testing.assert_array_equal(found, votes.choose().probabilities(votes.tables))


def test_a_class_held_whole_by_a_fold_stays_possible():
    truth = np.repeat([0, 1, 2, 0], 10)
    votes = votes_of(1, truth=truth, class_weights=np.array([20.0, 10.0, 10.0]))
    assert (votes.cross_probabilities()[0] > 0.0).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_factors_are_those_of_the_largest_score(n_classes):
    rng = np.random.default_rng(0)
    totals = np.array([80.0, 15.0, 5.0])[:n_classes]
    truth = rng.choice(n_classes, 300, p=totals / totals.sum())
    p = rng.dirichlet(np.ones(n_classes), 300) + 0.4 * np.eye(n_classes)[truth]
    p = p * totals / (p * totals).sum(axis=1, keepdims=True)

    def recall(p):
        return BalancedAccuracy().score(p, truth, np.ones(300))

    factors = best_factors(p, totals, recall)
    found = recall(p * factors)
    assert found > recall(p)
    for power in POWERS:
        assert found >= recall(p * (totals / totals.sum()) ** -power)
    assert best_factors(np.eye(n_classes)[truth], totals, recall) is None
