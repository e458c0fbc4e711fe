"""LMNN and KDML: the worked figures, enumeration of every triplet, bad input."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from helpers.baseline_oracles import targets_with_shares
from helpers.estimator_tables import labelled_table
from helpers.local_problems import bound_at
from nearkind.baselines import KDML, LMNN, large_margin
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.rows import unique_rows
from nearkind.metrics.metric import embed, pairwise_distances
from nearkind.metrics.spectrum import decompose, identity
from nearkind.metrics.structures import Full, Single
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.lbfgs import SmoothedLBFGS
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Solution, Stop
from test_worked_examples import CODES, N_VALUES, PERSONS, SQUARED_TIMES_36
from test_worked_examples import Y as RISK

X, Y = labelled_table(40, seed=11)
WEIGHTS = np.random.default_rng(1).integers(0, 4, 40)
LEARNERS = {"onehot": LMNN(), "vdm": LMNN(coding="vdm"), "kdml": KDML()}
PROJECTIONS = {"onehot": OneHot, "vdm": VDM, "kdml": VDM}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def fitted(name, table=X, y=Y, sample_weight=None, **settings):
    return clone(LEARNERS[name]).set_params(**settings).fit(table, y, sample_weight)


def phi_of(model, name, codes, y, weights):
    projection = PROJECTIONS[name]()
    return projection.fit(codes, model.codebook_.n_values, y, weights).transform(codes)


def squared(rows):
    flat = rows.reshape(len(rows), -1)
    return ((flat[:, None] - flat[None]) ** 2).sum(axis=2)


def enumerated(model, name, table, y, weights):
    """Return the objective of fitted distances, row by row, and its number of targets.

    Rows equally near as coded are taken by their histograms; those still tied
    at the last place share it.
    """
    numbers = np.unique(y, return_inverse=True)[1]
    cells = unique_rows(
        model.codebook_.encode(table), numbers, np.asarray(weights, float)
    )
    cells_of_rows = np.repeat(np.arange(len(cells.y)), cells.weights.astype(int))
    at = model, name, cells.codes, cells.y, cells.weights
    nearness = 1e3 * squared(phi_of(*at)) + squared(phi_of(model, "vdm", *at[2:]))
    d2 = squared(model.distance_.represent(cells.codes))
    pull, push, n_targets = 0.0, 0.0, 0
    for a, i in enumerate(cells_of_rows):
        alike = [
            j
            for b, j in enumerate(cells_of_rows)
            if b != a and cells.y[j] == cells.y[i]
        ]
        strangers = d2[i, [k for k in cells_of_rows if cells.y[k] != cells.y[i]]]
        for j, part in targets_with_shares(nearness[i], alike, model.n_neighbors):
            pull, n_targets = pull + part * d2[i, j], n_targets + part
            push += part * np.maximum(1.0 + d2[i, j] - strangers, 0.0).sum()
    return (1.0 - model.mu) * pull + model.mu * push, round(n_targets, 6)


# Worked figures


@pytest.mark.parametrize(
    ("mu", "loss", "slope"), [(0.5, 9.625, 16.25), (1.0, 9.25, 12.5)]
)
def test_four_places_on_a_line(mu, loss, slope):
    Z = np.array([0.0, 1.0, 1.5, 3.5]).reshape(1, 4, 1, 1)
    labels = WeightedLabels(np.array([0, 0, 1, 1]), np.ones(4))
    start = identity(1, 1)
    bound = bound_at(Z, start, labels, 1.0, 1, pull=(1.0 - mu) / mu)
    at = Objective(Z, bound, Schatten(1.0), 0.0).linearize(start)
    assert at.value * bound.mass * mu == pytest.approx(loss)
    assert 2.0 * at.gradient.item() * bound.mass * mu == pytest.approx(slope)
    assert at.intercept * bound.mass == pytest.approx(3.0)  # active ones, margin 1


def test_six_persons_start_from_histograms_and_their_distances(monkeypatch):
    def stay(self, objective, start):
        return Solution(start, objective.value(start), np.nan, [], Stop.SETTLED)

    monkeypatch.setattr(SmoothedLBFGS, "solve", stay)
    table = [person[:3] for person in PERSONS]
    model = KDML(n_neighbors=1).fit(table, RISK)
    np.testing.assert_array_equal(model.codebook_.encode(table), CODES)
    phi = PROJECTIONS["kdml"]().fit(CODES, N_VALUES, RISK, np.ones(6)).transform(CODES)
    first = [1 / 2, 0, 1 / 2, 1, 0, 0, 2 / 3, 1 / 3, 0]
    np.testing.assert_allclose(Full().blocks(phi)[0, 0, 0], first)
    d2 = model.pairwise_distances(table, squared=True)
    np.testing.assert_allclose(36.0 * d2, SQUARED_TIMES_36, atol=1e-10)


# The objective and its symmetries


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_neighbors", [1, 3, 50])
@pytest.mark.parametrize("mu", [0.3, 1.0])
@every_learner
def test_objective_is_that_of_enumeration(name, mu, n_neighbors):
    at = {"mu": mu, "n_neighbors": n_neighbors, "max_iter": 15}
    model = fitted(name, X, Y, WEIGHTS, **at)
    expected, n_targets = enumerated(model, name, X, Y, WEIGHTS)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    counts = np.array([WEIGHTS[label == Y].sum() for label in np.unique(Y)])
    assert n_targets == (counts * np.minimum(n_neighbors, counts - 1)).sum()


@every_learner
def test_a_small_class_is_taken_whole_and_a_single_row_has_no_target(name):
    y = np.array(["most"] * 30 + ["two"] * 2 + ["one"])
    model = fitted(name, X[:33], y, max_iter=1000)
    expected, n_targets = enumerated(model, name, X[:33], y, np.ones(33))
    assert n_targets == 30 * 3 + 2 * 1
    assert model.objective_ == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_kdml_is_lmnn_on_histograms_to_the_last_bit():
    one, other = fitted("kdml", mu=0.7), fitted("vdm", mu=0.7)
    np.testing.assert_array_equal(one.metric_, other.metric_)
    np.testing.assert_array_equal(one.transform(X), other.transform(X))
    assert (one.metric_ != np.eye(len(one.metric_))).any()


@every_learner
def test_distances_are_those_of_a_positive_full_metric(name):
    model = fitted(name)
    y = np.unique(Y, return_inverse=True)[1]
    codes = model.codebook_.encode(X)
    Z = Full().blocks(phi_of(model, name, codes, y, np.ones(40)))
    spectrum = decompose(model.metric_[None])
    expected = pairwise_distances(embed(Z, spectrum.positive()).U)
    d2 = model.pairwise_distances(X, squared=True)
    np.testing.assert_allclose(d2, expected, atol=1e-8 * d2.max())
    assert spectrum.values.min() >= -1e-9 * spectrum.values.max()


def test_of_two_classes_kdml_is_one_matrix_over_the_features():
    y = np.where(Y == "ham", 0, 1)
    model = fitted("kdml", X, y)
    M = model.metric_.reshape(4, 2, 4, 2)
    half = 0.5 * (M[:, 0, :, 0] - M[:, 0, :, 1] - M[:, 1, :, 0] + M[:, 1, :, 1])
    phi = phi_of(model, "kdml", model.codebook_.encode(X), y, np.ones(40))
    U = embed(Single().blocks(phi), decompose(half[None]).positive()).U
    d2 = model.pairwise_distances(X, squared=True)
    np.testing.assert_allclose(d2, pairwise_distances(U), atol=1e-8 * d2.max())


@pytest.mark.parametrize("mu", [0.25, 1.0])
@every_learner
def test_equal_rows_stay_together(name, mu):
    rows, y = [["a", "x"]] * 7, [0, 0, 0, 0, 1, 1, 1]
    model = fitted(name, rows, y, mu=mu, n_neighbors=2)
    n_triplets = 2 * (4 * 3 + 3 * 4)
    assert model.objective_ == pytest.approx(mu * n_triplets)
    assert (model.pairwise_distances(rows) == 0.0).all()


# Many rows


def many_rows():
    rng = np.random.default_rng(0)
    codes = np.unique(rng.integers(0, 4, (400, 5)), axis=0)
    noise = rng.random(len(codes)) < 0.1
    return codes.astype(str), (codes[:, 0] + noise) % 4


@pytest.mark.slow
@every_learner
def test_a_sample_comes_near_the_exact_solution(name, monkeypatch):
    rows, y = many_rows()
    exact = fitted(name, rows, y, max_iter=1000)
    monkeypatch.setattr(large_margin, "ROWS", 250)
    sampled = fitted(name, rows, y, max_iter=1000)
    assert len(rows) > 300
    assert (sampled.metric_ != exact.metric_).any()
    (whole, _), (reached, _) = (
        enumerated(model, name, rows, y, np.ones(len(rows)))
        for model in (exact, sampled)
    )
    assert exact.objective_ == pytest.approx(whole, rel=1e-6)
    assert 0.999 * whole <= reached <= 1.2 * whole
    assert sampled.objective_ == pytest.approx(whole, rel=0.2)


@every_learner
def test_samples_estimate_the_objective_without_bias(name, monkeypatch):
    kept = []

    def keep(self, objective, start):
        kept.append((replace(objective, map=map), start))
        return Solution(start, objective.value(start), np.nan, [], Stop.SETTLED)

    monkeypatch.setattr(SmoothedLBFGS, "solve", keep)
    whole = fitted(name, *many_rows()).objective_
    ((objective, start),) = kept
    samples = [objective.sample(150, np.random.default_rng(k)) for k in range(40)]
    values = [0.5 * s.value(start) * s.constraints.mass / whole for s in samples]
    assert abs(np.mean(values) - 1.0) <= 3.0 * np.std(values) / 40**0.5
    assert np.std(values) < 0.2


# Bad input


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (LMNN(mu=0), "'mu' parameter of LMNN must be a number > 0 and <= 1; got 0"),
        (KDML(mu=1.5), "'mu' parameter of KDML .* <= 1; got 1.5"),
        (LMNN(mu=np.nan), "'mu' .* got nan"),
        (LMNN(n_neighbors=0), "'n_neighbors' .* whole number >= 1; got 0"),
        (KDML(n_neighbors=2.0), "'n_neighbors' parameter of KDML .* got 2.0"),
        (LMNN(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
        (LMNN(tol=-1e-3), "'tol' .* number >= 0; got -0.001"),
        (KDML(max_iter=0), "'max_iter' .* whole number >= 1; got 0"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)


@every_learner
def test_labels_without_a_triplet_are_refused(name):
    with pytest.raises(ValueError, match="only one class"):
        fitted(name, X, ["ham"] * 40)
    with pytest.raises(ValueError, match="they need a class of at least two rows"):
        fitted(name, X[:3], ["a", "b", "c"])


def test_running_out_of_iterations_is_said():
    with pytest.warns(ConvergenceWarning, match="ran out .* After 2 iterations the"):
        model = LMNN(max_iter=2, tol=0.0).fit(X, Y)
    assert (model.n_iter_, model.stop_reason_) == (2, "MAX_ITER")
