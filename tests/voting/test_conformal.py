"""Sets of classes: they cover as often as asked, grow with it, and say their limits."""

import warnings

import numpy as np
import pytest
from scipy.stats import binom

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.racers import few
from nearkind.baselines import Hamming
from nearkind.errors import FewHeldRowsWarning
from nearkind.voting.conformal import ConformalScores, rows_needed

X, y = labelled_table(60)
QUERY, _ = labelled_table(40, seed=9)


@pytest.fixture(scope="module")
def model():
    return few().fit(X, y)


def noisy_table(n, seed):
    """Rows of three columns of four values, and classes drawn by the first two."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (n, 3))
    chance = np.exp(np.stack([rows[:, 0], rows[:, 1], np.full(n, 1.5)], axis=1))
    chance /= chance.sum(axis=1, keepdims=True)
    truth = (rng.random(n)[:, None] > chance.cumsum(axis=1)).sum(axis=1)
    return rows, truth


def oracle(scores, coverage):
    """The k-th smallest score, k = ceil((n + 1) * coverage)."""
    k = int(np.ceil(round((len(scores) + 1) * coverage, 9)))
    return np.sort(scores)[k - 1] if k <= len(scores) else np.inf


@pytest.mark.parametrize("n", [1, 2, 9, 10, 99, 100, 101])
@pytest.mark.parametrize("coverage", [0.1, 0.5, 0.7, 0.9, 0.95, 0.99])
def test_the_threshold_is_the_order_statistic(n, coverage):
    rng = np.random.default_rng(n)
    p = rng.dirichlet(np.ones(3), n)
    truth = rng.integers(0, 3, n)
    held = ConformalScores.of(p, truth, np.ones(n))
    scores = 1.0 - p[np.arange(n), truth]
    assert held.thresholds(3, coverage, False)[0] == oracle(scores, coverage)
    expected = [oracle(scores[truth == c], coverage) for c in range(3)]
    assert held.thresholds(3, coverage, True).tolist() == expected
    assert (oracle(scores, coverage) < np.inf) == (n >= rows_needed(coverage))


def test_a_weight_is_a_repetition():
    rng = np.random.default_rng(0)
    p, truth = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40)
    weights = rng.integers(1, 4, 40)
    held = ConformalScores.of(p, truth, weights.astype(float))
    again = ConformalScores.of(
        p.repeat(weights, axis=0), truth.repeat(weights), np.ones(weights.sum())
    )
    for coverage in (0.5, 0.8, 0.9):
        for by_class in (False, True):
            np.testing.assert_array_equal(
                held.thresholds(3, coverage, by_class),
                again.thresholds(3, coverage, by_class),
            )


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("coverage", [0.7, 0.9])
def test_sets_of_exchangeable_rows_cover(coverage, by_class):
    """Over 300 draws of 60 scores the mean coverage is at least that asked for."""
    rng = np.random.default_rng(1)
    n_held, n_new, n_draws = 60, 20, 300
    p = rng.dirichlet(np.ones(3), (n_draws, n_held + n_new))
    truth = (rng.random(p.shape[:2])[..., None] > p.cumsum(axis=2)).sum(axis=2)
    hits = np.zeros(3), np.zeros(3)
    for probabilities, classes in zip(p, truth, strict=True):
        held = ConformalScores.of(
            probabilities[:n_held], classes[:n_held], np.ones(n_held)
        )
        mask = held.sets(probabilities[n_held:], coverage, by_class)
        new = classes[n_held:]
        for c in range(3):
            hits[0][c] += mask[np.flatnonzero(new == c), c].sum()
            hits[1][c] += (new == c).sum()
    groups = zip(*hits, strict=True) if by_class else [(hits[0].sum(), hits[1].sum())]
    for n_in, n_rows in groups:
        assert n_in >= binom.ppf(1e-3, int(n_rows), coverage)


@pytest.mark.parametrize("coverage", [0.8, 0.9])
def test_sets_of_a_search_cover_new_rows(coverage):
    rows, truth = noisy_table(900, 0)
    model = nk.CPMLClassifierCV([Hamming()], n_neighbors=(5, 15)).fit(rows, truth)
    new, classes = noisy_table(4_000, 1)
    for by_class in (False, True):
        mask = model.predict_set(new, coverage, by_class)
        found = mask[np.arange(len(new)), classes].mean()
        assert found >= binom.ppf(1e-3, 900, coverage) / 900  # of held rows, drawn too
        assert mask.sum(axis=1).mean() < 3.0


def test_sets_grow_with_the_coverage(model):
    last = np.zeros((40, 3), dtype=bool)
    for coverage in (0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0):
        mask = model.predict_set(QUERY, coverage)
        assert (mask >= last).all()
        last = mask
    assert last.all()


def test_the_most_probable_class_is_always_in(model):
    mask = model.predict_set(QUERY, 1e-9)
    assert mask.dtype == bool
    answers = np.searchsorted(model.classes_, model.predict(QUERY))
    assert mask[np.arange(40), answers].all()


def test_sets_that_may_be_empty_cover_no_more_than_asked(model):
    whole = model.predict_set(QUERY, 0.2)
    part = model.predict_set(QUERY, 0.2, allow_empty=True)
    assert (part <= whole).all()
    assert (part.sum(axis=1) == 0).any()
    truth = np.repeat([0, 1], 50)
    p = np.linspace(0.6, 0.9, 100)[:, None] * np.eye(2)[truth] + 0.1
    held = ConformalScores.of(p, truth, np.ones(100))
    covered = held.sets(p, 0.5, allow_empty=True)[np.arange(100), truth]
    assert covered.mean() == pytest.approx(0.5, abs=0.02)  # all right, half covered


@pytest.mark.parametrize("coverage", [0, 0.0, -0.1, 1.5, np.nan, "x", None, True])
def test_what_is_no_coverage_is_refused(model, coverage):
    with pytest.raises(ValueError, match=r"must be a number above 0, and 1 at most"):
        model.predict_set(QUERY, coverage)


def test_too_few_rows_are_told(model):
    with pytest.warns(
        FewHeldRowsWarning, match=r"needs 99 held-out rows; there were 60"
    ):
        assert model.predict_set(QUERY, 0.99).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict_set(QUERY, 1).all()


def test_a_class_of_too_few_rows_is_in_every_set():
    rows, labels = [["a"], ["b"]] * 30 + [["b"]], ["x", "y"] * 30 + ["z"]
    model = nk.CPMLClassifierCV([Hamming()], n_neighbors=1, cv=3).fit(rows, labels)
    with pytest.warns(
        FewHeldRowsWarning, match=r"held-out rows of each class, and 'z'"
    ):
        mask = model.predict_set([["a"], ["b"]], by_class=True)
    assert mask.tolist() == [[True, False, True], [False, True, True]]


def test_scores_are_of_all_held_rows_and_the_same_again(model):
    again = few().fit(X, y)
    assert len(model.conformal_scores_.scores) == 60
    for name in ("scores", "truth", "weights"):
        mine, theirs = (
            getattr(m.conformal_scores_, name).tobytes() for m in (model, again)
        )
        assert mine == theirs


def test_the_confusion_counts_held_rows(model):
    np.testing.assert_array_equal(
        model.confusion_.sum(axis=1), np.unique(y, return_counts=True)[1]
    )
    assert model.held_accuracy_ == pytest.approx(model.best_score_)
