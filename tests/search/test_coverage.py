"""What holds by chance: coverage, calibration and seeds, each with its error rate.

A mean over independent tables is compared with what is promised, four standard errors
being allowed: a right search fails a test once in 30,000 runs of other seeds, and these
seeds are fixed.
"""

import numpy as np
import pytest

import nearkind as nk
from benchmarks.coverage import draw, measure
from nearkind.baselines import Euclidean, Hamming

ALLOWED = 4.0
FEW = [Hamming(), Euclidean()]


def mean_and_error(found):
    found = np.asarray(found, dtype=float)
    return found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))


def covered(n_rows, n_classes, noise, seed, coverage):
    rng = np.random.default_rng(seed)
    X, y = draw(n_rows, n_classes, noise, rng)
    new, truth = draw(200, n_classes, noise, rng)
    model = nk.CPMLClassifierCV(FEW, n_jobs=1).fit(X, y)
    mask = model.predict_set(new, coverage, allow_empty=True)
    return (mask & (truth[:, None] == model.classes_)).any(axis=1).mean()


@pytest.mark.filterwarnings("ignore::nearkind.errors.FewHeldRowsWarning")
@pytest.mark.parametrize(
    ("n_tables", "n_rows", "n_classes", "noise"),
    [
        (10, 40, 2, 1.0),
        *(
            pytest.param(40, *each, marks=pytest.mark.slow)
            for each in [(40, 2, 1.0), (40, 5, 1.0), (100, 5, 1.0), (100, 2, 0.3)]
        ),
    ],
)
def test_sets_cover_as_often_as_asked(n_tables, n_rows, n_classes, noise):
    seeds = range(n_tables)
    found = [covered(n_rows, n_classes, noise, seed, 0.8) for seed in seeds]
    mean, error = mean_and_error(found)
    assert mean >= 0.8 - ALLOWED * error


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(("n_rows", "n_tables"), [(40, 100), (100, 100), (300, 40)])
def test_sets_of_the_default_search_cover(n_rows, n_tables, n_classes, noise):
    found = [measure(n_rows, n_classes, noise, seed) for seed in range(n_tables)]
    mean, error = mean_and_error(found)
    assert (mean[:3] >= np.array([0.5, 0.8, 0.9]) - ALLOWED * error[:3]).all()
    assert mean[3] <= mean[4] + ALLOWED * np.hypot(error[3], error[4])  # best_score_


@pytest.mark.slow
def test_probabilities_are_as_large_as_answers_are_right():
    """The mean probability of the answer is its accuracy, within 4 points."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = draw(200, 2, 0.4, rng)
        new, truth = draw(300, 2, 0.4, rng)
        model = nk.CPMLClassifierCV(FEW, n_jobs=1).fit(X, y)
        p = model.predict_proba(new)
        found.append(p.max(axis=1).mean() - (model.predict(new) == truth).mean())
    mean, error = mean_and_error(found)
    assert abs(mean) <= 0.04 + ALLOWED * error


@pytest.mark.slow
def test_no_seed_is_better_than_another():
    """Accuracy on new rows by folds of seed 0 and of seed 1, over the same tables."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = draw(60, 2, 0.3, rng)
        new, truth = draw(300, 2, 0.3, rng)
        scores = [
            nk.CPMLClassifierCV(FEW, n_jobs=1, random_state=state)
            .fit(X, y)
            .score(new, truth)
            for state in (0, 1)
        ]
        found.append(scores[0] - scores[1])
    mean, error = mean_and_error(found)
    assert abs(mean) <= ALLOWED * error
