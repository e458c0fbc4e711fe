"""What LMCA, its kernel form, Chi2-LMNN and GB-LMNN share, against enumeration."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
from helpers.baseline_oracles import targets_with_shares
from helpers.estimator_tables import labelled_table
from nearkind.baselines import GBLMNN, LMCA, Chi2LMNN, KernelLMCA
from nearkind.encoding.rows import unique_rows
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

X, Y = labelled_table(40, seed=11)
WEIGHTS = np.random.default_rng(1).integers(0, 4, 40)
LEARNERS = {
    "lmca": LMCA(n_components=3),
    "lmca vdm": LMCA(coding="vdm"),
    "kernel": KernelLMCA(n_components=3),
    "linear": KernelLMCA(kernel="linear", coding="vdm"),
    "chi2": Chi2LMNN(),
    "trees": GBLMNN(learning_rate=0.2),
    "trees vdm": GBLMNN(coding="vdm", max_depth=2),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
)


def fitted(name, table=X, y=Y, sample_weight=None, **settings):
    settings = {"max_iter": 10} | settings
    return clone(LEARNERS[name]).set_params(**settings).fit(table, y, sample_weight)


# The objective, row by row


def squared(rows):
    flat = rows.reshape(len(rows), -1)
    return ((flat[:, None] - flat[None]) ** 2).sum(axis=2)


def chi_square(a, b):
    pairs = zip(a, b, strict=True)
    return 0.5 * sum((x - y) ** 2 / (x + y) for x, y in pairs if x + y > 0.0)


def histograms(model, cells):
    n_values = model.codebook_.n_values
    vdm = VDM().fit(cells.codes, n_values, cells.y, cells.weights)
    return vdm.transform(cells.codes)


def coded(model, cells):
    if getattr(model, "coding", "vdm") == "vdm":
        return histograms(model, cells)
    n_values = model.codebook_.n_values
    return OneHot().fit(cells.codes, n_values, None, None).transform(cells.codes)


def chi_squares(model, cells):
    shares = histograms(model, cells).reshape(len(cells), -1) / X.shape[1]
    return np.array([[chi_square(a, b) for b in shares] for a in shares])


def nearness(model, cells):
    """How near rows are before learning."""
    if isinstance(model, GBLMNN):
        return np.round(squared(model.distance_.tables.embed(cells.codes)), 7)
    if isinstance(model, Chi2LMNN):
        return np.round(chi_squares(model, cells), 9)
    by_histograms = squared(histograms(model, cells))
    return np.round(1e3 * squared(coded(model, cells)) + by_histograms, 7)


def margin_of(model, cells):
    if not isinstance(model, Chi2LMNN):
        return 1.0
    d, w = chi_squares(model, cells), cells.weights
    pairs = [
        (i, j) for i in range(len(w)) for j in range(len(w)) if cells.y[i] != cells.y[j]
    ]
    total = sum(w[i] * w[j] * d[i, j] for i, j in pairs)
    return model.margin * total / sum(w[i] * w[j] for i, j in pairs)


def hinge(model, margin, z):
    if z <= 0.0:
        return 0.0
    if isinstance(model, GBLMNN):
        return z
    return z * z / (2.0 * margin) if z < margin else z - margin / 2.0


def enumerated(model, table, y, weights):
    """Return the objective of the fitted distances, in a triple loop over rows."""
    numbers = np.unique(y, return_inverse=True)[1]
    codes = model.codebook_.encode(table)
    cells = unique_rows(codes, numbers, np.asarray(weights, float))
    kept = np.flatnonzero(cells.weights)
    cells = unique_rows(cells.codes[kept], cells.y[kept], cells.weights[kept])
    rows = np.repeat(np.arange(len(cells)), cells.weights.astype(int))
    near, margin = nearness(model, cells), margin_of(model, cells)
    represented = model.distance_.represent(cells.codes)
    d2 = model.distance_.compare(represented, represented) ** 2
    pull, push = 0.0, 0.0
    for a, i in enumerate(rows):
        alike = [j for b, j in enumerate(rows) if b != a and cells.y[j] == cells.y[i]]
        for j, part in targets_with_shares(near[i], alike, model.n_neighbors):
            pull += part * d2[i, j]
            for k in rows:
                if cells.y[k] != cells.y[i]:
                    push += part * hinge(model, margin, margin + d2[i, j] - d2[i, k])
    return (1.0 - model.mu) * pull + model.mu * push


@pytest.mark.parametrize(("mu", "n_neighbors"), [(0.5, 3), (0.3, 1), (1.0, 50)])
@every_learner
def test_objective_is_that_of_enumeration(name, mu, n_neighbors):
    model = fitted(name, X, Y, WEIGHTS, mu=mu, n_neighbors=n_neighbors)
    expected = enumerated(model, X, Y, WEIGHTS)
    assert model.objective_ == pytest.approx(expected, rel=1e-5)


@every_learner
def test_a_small_class_is_taken_whole_and_a_single_row_has_no_target(name):
    y = np.array(["most"] * 30 + ["two"] * 2 + ["one"])
    model = fitted(name, X[:33], y)
    assert model.objective_ == pytest.approx(
        enumerated(model, X[:33], y, np.ones(33)), rel=1e-5
    )


@every_learner
def test_no_iteration_raises_the_objective(name):
    model = fitted(name, max_iter=30)
    assert len(model.history_) == model.n_iter_ + 1
    assert model.history_[-1] == model.objective_
    assert model.objective_ < model.history_[0]
    assert (np.diff(model.history_) <= 1e-9 * model.history_[0]).all()


@every_learner
def test_the_same_seed_gives_the_same_bits(name):
    first, again = (fitted(name).pairwise_distances(X) for _ in range(2))
    np.testing.assert_array_equal(first, again)


@every_learner
def test_of_many_rows_some_are_drawn_by_the_seed(name):
    one, same, other = (
        fitted(name, max_rows=20, random_state=seed).pairwise_distances(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


# Odd tables and bad input


@every_learner
def test_equal_rows_stay_together(name):
    rows, y = [["a", "x"]] * 7, [0, 0, 0, 0, 1, 1, 1]
    model = fitted(name, rows, y, n_neighbors=2)
    assert (model.pairwise_distances(rows) == 0.0).all()
    assert model.stop_reason_ == "SETTLED"


@every_learner
def test_labels_without_a_triplet_are_refused(name):
    with pytest.raises(ValueError, match="only one class"):
        fitted(name, X, ["ham"] * 40)
    with pytest.raises(ValueError, match="they need a class of at least two rows"):
        fitted(name, X[:3], ["a", "b", "c"])
    with pytest.raises(ValueError, match="only one class"):
        fitted(name, X[:1], ["a"])


@pytest.mark.parametrize("name", ["lmca", "kernel", "chi2", "trees"])
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mu": 0}, "'mu' parameter of .* must be a number > 0 and <= 1; got 0"),
        ({"n_neighbors": 0}, "'n_neighbors' .* whole number >= 1; got 0"),
        ({"tol": -1}, "'tol' .* number >= 0; got -1"),
        ({"max_iter": 1.5}, "'max_iter' .* whole number >= 1; got 1.5"),
        ({"max_rows": 0}, "'max_rows' .* whole number >= 1; got 0"),
        ({"missing": "drop"}, "'missing' .* one of 'level'"),
    ],
)
def test_wrong_settings_are_refused(name, settings, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        fitted(name, **settings)


@every_learner
def test_running_out_of_iterations_is_said(name):
    with pytest.warns(ConvergenceWarning, match="ran out .* After 1 iterations the"):
        model = fitted(name, max_iter=1, tol=0.0)
    assert (model.n_iter_, model.stop_reason_) == (1, "MAX_ITER")


@every_learner
def test_it_learns_when_told_what_to_do_with_missing_and_unseen_values(name):
    model = fitted(name, missing="prior")
    strange = X[:3].assign(shape="never seen", size=None)
    assert np.isfinite(model.pairwise_distances(strange, X)).all()
    strict = fitted(name, unseen="error")
    with pytest.raises(nk.errors.UnseenValueError, match="never seen"):
        strict.pairwise_distances(strange)
