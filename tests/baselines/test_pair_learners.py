"""Learners of one matrix from pairs: worked figures, oracles, laws, bad input."""

import re

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
import strategies
from nearkind.baselines import coded_rows
from nearkind.baselines.coded_rows import Coding, LabelledRows, whitening
from nearkind.baselines.dml_eig import DMLEig, best_step, frank_wolfe
from nearkind.baselines.itml import ITML, project
from nearkind.baselines.mmc import MMC, Factor, Weights, spread
from nearkind.baselines.pola import POLA, Online
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from tables import labelled_table

LEARNERS = {
    "itml": ITML(),
    "pola": POLA(),
    "averaged pola": POLA(averaged=True),
    "dml_eig": DMLEig(max_iter=30),
    "mmc": MMC(),
    "diagonal mmc": MMC(diagonal=True),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)
every_coding = pytest.mark.parametrize("coding", ["onehot", "vdm"])
X, Y = labelled_table(50, seed=3)
NEW = labelled_table(12, seed=4)[0].replace({"noise": {"c": "never seen"}})


def fitted(name, X=X, Y=Y, **settings):
    return clone(LEARNERS[name]).set_params(**settings).fit(X, Y)


def normal_pairs(n_pairs, width, seed=0):
    """Differences that alike rows have mostly in the last directions."""
    rng = np.random.default_rng(seed)
    alike = rng.random(n_pairs) < 0.5
    V = rng.normal(size=(n_pairs, width))
    V[alike, : width // 2] *= 0.2
    return V, alike


# Worked figures


def test_itml_on_two_pairs():
    found = project(np.eye(2), np.eye(2), np.array([True, False]), np.array([0.5, 2.0]))
    np.testing.assert_allclose(found.M, np.diag([2 / 3, 4 / 3]), atol=1e-12)
    assert found.n_iter == 2  # the first sweep ends at the fixed point
    assert found.change < 1e-12


def test_pola_on_two_pairs():
    online = Online(2)
    losses = online.learn(np.array([[1.0, 0.0]]), np.array([False]))
    np.testing.assert_allclose(online.metric, np.diag([1.0, 0.0]))
    assert (losses, online.threshold) == ([2.0], 1.0)
    losses = online.learn(np.array([[1.0, 1.0]]), np.array([True]))
    expected = [[0.8085297440, -0.1557086015], [-0.1557086015, 0.0299867367]]
    np.testing.assert_allclose(online.metric, expected, atol=1e-10)
    assert losses == pytest.approx([1.0])
    assert online.threshold == pytest.approx(1.2)


def test_dml_eig_on_two_pairs():
    root = np.diag([0.5, 1.0])
    V = np.array([[1.0, 1.0], [2.0, 0.0]]) @ root
    found = frank_wolfe(V, tol=1e-4, max_iter=2000)
    assert found.objective == pytest.approx(0.8, abs=1e-4)
    assert found.gap <= 1e-4
    np.testing.assert_allclose(found.Z, [[0.8, 0.4], [0.4, 0.2]], atol=1e-3)
    np.testing.assert_allclose(root @ found.Z @ root, np.full((2, 2), 0.2), atol=1e-3)


def test_mmc_on_orthogonal_pairs():
    found = spread(np.diag([2.0, 1.0]), Factor.start(2), tol=1e-9)
    np.testing.assert_allclose(found.Z, np.diag([0.8, 0.2]), atol=1e-6)
    assert found.objective == pytest.approx((2 * 0.8**0.5 + 0.2**0.5) / 2)


# Fast paths against slow ones


def naive_pola(V, alike):
    M, b, losses, total = np.zeros((V.shape[1],) * 2), 1.0, [], 0.0
    for v, s in zip(V, np.where(alike, 1.0, -1.0), strict=True):
        losses.append(max(s * (v @ M @ v - b) + 1.0, 0.0))
        a = losses[-1] / ((v @ v) ** 2 + 1.0)
        values, vectors = np.linalg.eigh(M - s * a * np.outer(v, v))
        M = (vectors * np.maximum(values, 0.0)) @ vectors.T
        b = max(b + s * a, 1.0)
        total = total + M
    return M, b, np.array(losses), total / len(V)


@pytest.mark.parametrize("chunk", [1, 7, 400])
@pytest.mark.parametrize("width", [1, 2, 9])
def test_pola_in_chunks_is_pola_pair_by_pair(width, chunk):
    V, alike = normal_pairs(400, width)
    V[[3, 50]] = 0.0
    last, mean = Online(width), Online(width, averaged=True)
    losses = []
    for at in range(0, 400, chunk):
        part = slice(at, at + chunk)
        losses.append(last.learn(V[part], alike[part]))
        mean.learn(V[part], alike[part])
    M, b, expected, average = naive_pola(V, alike)
    np.testing.assert_allclose(last.metric, M, atol=1e-9)
    np.testing.assert_allclose(mean.metric, average, atol=1e-9)
    np.testing.assert_allclose(np.concatenate(losses), expected, atol=1e-9)
    assert last.threshold == pytest.approx(b, abs=1e-9)
    assert np.linalg.eigvalsh(last.metric)[0] >= -1e-12
    assert (expected > 0).sum() > 40


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


@pytest.mark.parametrize("width", [2, 4])
def test_mmc_reaches_the_optimum_of_a_convex_solver(width):
    V, _ = normal_pairs(15, width, seed=width)
    Z = cp.Variable((width, width), PSD=True)
    distances = cp.sqrt(cp.hstack([v @ Z @ v for v in V]))
    problem = cp.Problem(cp.Maximize(cp.sum(distances) / 15), [cp.trace(Z) <= 1])
    problem.solve(solver=cp.CLARABEL)
    found = spread(V, Factor.start(width), tol=1e-7)
    assert found.objective == pytest.approx(problem.value, rel=1e-5)
    assert found.objective + found.gap >= problem.value - 1e-6
    np.testing.assert_allclose(found.Z, Z.value, atol=1e-3)


def test_diagonal_mmc_is_twice_the_minimiser_of_its_source():
    V, _ = normal_pairs(15, 4)
    w = cp.Variable(4, nonneg=True)
    distances = cp.sum(cp.sqrt((V * V) @ w))
    cp.Problem(cp.Minimize(cp.sum(w) - cp.log(distances))).solve(solver=cp.CLARABEL)
    found = spread(V, Weights.start(4), tol=1e-9, max_iter=20_000)
    np.testing.assert_allclose(np.diag(found.Z), 2.0 * w.value, atol=1e-4)
    assert np.count_nonzero(found.Z - np.diag(np.diag(found.Z))) == 0


@pytest.mark.parametrize("kind", [Factor, Weights])
def test_every_step_of_mmc_goes_up_and_the_gap_holds(kind):
    V, _ = normal_pairs(40, 6)
    runs = [spread(V, kind.start(6), tol=0.0, max_iter=k) for k in range(1, 30)]
    values = np.array([run.objective for run in runs])
    assert (np.diff(values) >= -1e-12).all()
    best = spread(V, kind.start(6), tol=1e-10, max_iter=5000).objective
    assert all(run.objective + run.gap >= best - 1e-12 for run in runs)
    np.testing.assert_allclose([np.trace(run.Z) for run in runs], 1.0)


@pytest.mark.parametrize("width", [2, 4])
def test_the_optimum_of_dml_eig_lies_within_its_gap(width):
    V, _ = normal_pairs(12, width, seed=width)
    Z, least = cp.Variable((width, width), PSD=True), cp.Variable()
    far = [v @ Z @ v >= least for v in V]
    problem = cp.Problem(cp.Maximize(least), [cp.trace(Z) <= 1, *far])
    problem.solve(solver=cp.CLARABEL)
    found = frank_wolfe(V, tol=5e-2, max_iter=1000)
    assert found.objective <= problem.value + 1e-6 <= found.objective + found.gap + 2e-6
    assert found.gap <= 5e-2 * found.objective
    early = frank_wolfe(V, tol=1e-3, max_iter=3)
    assert early.n_iter == 3
    assert early.objective <= problem.value + 1e-6 <= early.objective + early.gap + 2e-6


def test_best_step_is_the_best_on_a_grid():
    rng = np.random.default_rng(0)
    d2, change, m = rng.random(30), rng.normal(size=30), 0.05
    grid = np.linspace(0.0, 1.0, 2001)
    smoothed = [-m * np.log(np.exp(-(d2 + a * change) / m).mean()) for a in grid]
    assert best_step(d2, change, m) == pytest.approx(
        grid[np.argmax(smoothed)], abs=1e-3
    )


# Coding and rows


@pytest.mark.parametrize("projection", [OneHot, VDM])
@settings(max_examples=30)
@given(table=strategies.tables(unseen=True))
def test_coded_rows_are_as_far_apart_as_projected_ones(projection, table):
    codes, n_values, y, _ = table
    tables = projection().fit(codes, n_values, y, np.ones(len(y))).tables
    codes = np.vstack([codes, np.full((1, len(n_values)), -1, np.int32)])
    plain, turned = (Coding.of(tables, turned=t).rows(codes) for t in (False, True))
    for i in range(len(codes)):
        np.testing.assert_allclose(
            ((plain - plain[i]) ** 2).sum(axis=1),
            ((turned - turned[i]) ** 2).sum(axis=1),
            atol=1e-9,
        )


def test_mean_over_alike_pairs_is_that_of_every_pair(monkeypatch):
    monkeypatch.setattr(coded_rows, "AT_ONCE", 20)  # several blocks a class
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (25, 2)).astype(np.int32)
    y = rng.integers(0, 3, 25)
    tables = OneHot().fit(codes, [3, 3], y, np.ones(25)).tables
    rows = LabelledRows(Coding.of(tables), codes, y)
    V = rows.differences(rows.pairs.alike())
    np.testing.assert_allclose(rows.within(), V.T @ V / len(V), atol=1e-12)


def test_fewer_pairs_where_they_would_take_too_much_memory(monkeypatch):
    monkeypatch.setattr(coded_rows, "LARGEST_DIFFERENCES", 70)
    codes = np.arange(30, dtype=np.int32)[:, None]
    y = np.arange(30) % 2
    tables = OneHot().fit(codes, [30], y, np.ones(30)).tables
    rows = LabelledRows(Coding.of(tables), codes, y)
    assert len(rows.unlike(1000, np.random.default_rng(0))) == 70 // rows.coding.width


def test_whitening_leaves_unit_variance_where_there_is_any():
    S = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    root = whitening(S)
    np.testing.assert_allclose((root @ S @ root)[:2, :2], np.eye(2), atol=1e-4)
    assert root[2, 2] == pytest.approx((1e-5 * 5 / 3) ** -0.5)
    np.testing.assert_array_equal(whitening(np.zeros((2, 2))), np.eye(2))


# The estimators


@every_coding
@every_learner
def test_distances_are_those_of_the_metric(name, coding):
    model = fitted(name, coding=coding)
    projection = {"onehot": OneHot, "vdm": VDM}[coding]()
    codes = model.codebook_.encode(X)
    y = np.unique(Y, return_inverse=True)[1]
    projection.fit(codes, model.codebook_.n_values, y, np.ones(len(y)))
    x = projection.transform(codes).reshape(len(y), -1)
    V = x[:, None] - x[None]
    d2 = np.einsum("ijw,wv,ijv->ij", V, model.metric_, V)
    np.testing.assert_allclose(
        model.pairwise_distances(X, squared=True), d2, atol=1e-6 * d2.max()
    )
    assert np.linalg.eigvalsh(model.metric_)[0] >= -1e-9 * np.trace(model.metric_)


@every_coding
@every_learner
def test_the_same_seed_learns_the_same_distance(name, coding):
    one, same = (fitted(name, coding=coding).pairwise_distances(X) for _ in range(2))
    np.testing.assert_array_equal(one, same)


@every_learner
def test_a_given_generator_and_no_seed_are_taken(name):
    n_pairs = {"itml": {}, "pola": {"n_pairs": 60}, "averaged pola": {"n_pairs": 60}}
    few = n_pairs.get(name, {"n_pairs": 20})
    first, second = (
        fitted(name, random_state=seed, **few).pairwise_distances(X)
        for seed in (np.random.default_rng(5), None)
    )
    again = fitted(name, random_state=np.random.default_rng(5), **few)
    np.testing.assert_array_equal(again.pairwise_distances(X), first)
    assert (first != second).any()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@every_coding
@every_learner
def test_names_of_values_and_order_of_columns_do_not_matter(name, coding):
    rename = {"round": "zz", "flat": "00", "s": "Large", "low": "a low"}
    columns = ["noise", "size", "tone", "shape"]
    plain = fitted(name, coding=coding).pairwise_distances(NEW, X)
    other = fitted(name, X.replace(rename)[columns], coding=coding)
    changed = other.pairwise_distances(NEW.replace(rename), X.replace(rename))
    np.testing.assert_allclose(changed, plain, atol=1e-6 * plain.max())


@every_learner
def test_learned_distances_beat_noise(name):
    model = fitted(name)
    noise = model.value_distances("noise").to_numpy()
    shape = model.value_distances("shape").to_numpy()
    assert noise.max() < shape.max()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@every_coding
@every_learner
def test_missing_as_prior_and_unseen_values_have_finite_distances(name, coding):
    model = fitted(name, coding=coding, missing="prior")
    D = model.pairwise_distances(NEW, X)
    assert np.isfinite(D).all()
    assert model.transform(NEW).shape == (12, len(model.get_feature_names_out()))


def test_in_a_classifier():
    for learner in LEARNERS.values():
        model = nk.CPMLClassifier(clone(learner), n_neighbors=3).fit(X, Y)
        assert model.score(X, Y) > 0.6


def test_pola_loses_less_as_it_goes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    told = np.array(["a", "b", "c"])[y]
    noise = rng.integers(0, 4, (300, 3)).astype(str)
    model = POLA().fit(np.column_stack([told, noise]), y)
    assert len(model.loss_history_) == 5 * 300
    quarters = [part.mean() for part in np.array_split(model.loss_history_, 4)]
    assert quarters[-1] < 0.2 * quarters[0]
    assert model.threshold_ >= 1.0


def test_pola_takes_all_pairs_of_few_rows_and_draws_of_more():
    table, y = labelled_table(102)
    assert len(POLA().fit(table[:100], y[:100]).loss_history_) == 100 * 99 / 2
    assert len(POLA().fit(table, y).loss_history_) == 5 * 102
    assert len(POLA(n_pairs=40).fit(table, y).loss_history_) == 40


def test_pola_goes_on_where_it_was():
    model = POLA().partial_fit(X, Y)
    np.testing.assert_array_equal(
        model.pairwise_distances(X), POLA().fit(X, Y).pairwise_distances(X)
    )
    before, n_pairs = model.metric_, len(model.loss_history_)
    online = model._online
    more, labels = labelled_table(20, seed=8)
    model.partial_fit(more, labels)
    assert model._online is online
    assert len(model.loss_history_) == n_pairs + 20 * 19 / 2
    assert (model.metric_ != before).any()
    assert np.linalg.eigvalsh(model.metric_)[0] >= -1e-9
    refitted = model.fit(X, Y)
    np.testing.assert_array_equal(refitted.metric_, before)


def test_pola_may_go_on_with_one_class_and_labels_missing():
    model = POLA().partial_fit(X, Y)
    n_pairs = len(model.loss_history_)
    some = np.array(["ham", "ham", None, "ham"], dtype=object)
    model.partial_fit(X[:4], some)
    assert len(model.loss_history_) == n_pairs + 3


def test_pola_takes_later_only_labels_that_were_named():
    with pytest.raises(ValueError, match=r"labels that the first call .*\['tea'\]"):
        POLA().partial_fit(X, Y).partial_fit(X[:2], ["ham", "tea"])
    model = POLA().partial_fit(X, Y, classes=["egg", "ham", "jam", "tea"])
    n_pairs = len(model.loss_history_)
    assert len(model.partial_fit(X[:2], ["ham", "tea"]).loss_history_) == n_pairs + 1


# Bad input


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (ITML(gamma=0), "'gamma' parameter of ITML must be a number > 0; got 0"),
        (ITML(tol=-1), "'tol' .* >= 0; got -1"),
        (ITML(n_constraints=1), "'n_constraints' .* whole number >= 2; got 1"),
        (ITML(max_iter=0.5), "'max_iter' .* whole number >= 1; got 0.5"),
        (POLA(averaged="yes"), "'averaged' parameter of POLA must be True or False"),
        (POLA(n_pairs=0), "'n_pairs' .* whole number >= 2; got 0"),
        (POLA(coding="pca"), "'coding' .* one of 'onehot', 'vdm'; got 'pca'"),
        (DMLEig(smoothing=0), "'smoothing' parameter of DMLEig .* > 0; got 0"),
        (DMLEig(tol=np.nan), "'tol' .* >= 0; got nan"),
        (MMC(diagonal=1), "'diagonal' parameter of MMC must be True or False; got 1"),
        (MMC(n_pairs=None), "'n_pairs' .* whole number >= 1; got None"),
        (MMC(missing="drop"), "'missing' .* one of 'level'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)


@every_learner
def test_labels_without_a_difference_or_a_likeness_are_refused(name):
    with pytest.raises(ValueError, match="only one class"):
        fitted(name, X, ["ham"] * 50)
    with pytest.raises(ValueError, match="3 rows has a class of its own"):
        fitted(name, X[:3], ["a", "b", "c"])


@every_coding
@every_learner
def test_equal_rows_leave_the_euclidean_distance_and_a_warning(name, coding):
    rows, y = [["a", "x"]] * 6, [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning, match="learned nothing, because"):
        model = fitted(name, rows, y, coding=coding)
    assert (model.pairwise_distances(rows) == 0.0).all()


@every_coding
def test_itml_says_so_if_all_rows_are_equally_far_apart(coding):
    with pytest.warns(UserWarning, match="equally far apart"):
        model = ITML(coding=coding).fit([["a"], ["b"]] * 4, [0, 1] * 4)
    assert model.pairwise_distances([["a"]], [["b"]]) == pytest.approx(2**0.5)


@every_coding
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "itml"])
def test_one_feature_is_enough(name, coding):
    rows, y = [["a"], ["b"], ["a"], ["b"], ["c"], ["c"]], [0, 1, 0, 1, 1, 0]
    model = fitted(name, rows, y, coding=coding)
    assert model.pairwise_distances([["a"]], [["b"]]) > 0.0


@every_coding
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "dml_eig"])
def test_constant_columns_change_nothing(name, coding):
    plain = fitted(name, coding=coding)
    wider = fitted(name, X.assign(same="x"), coding=coding)
    np.testing.assert_allclose(
        wider.pairwise_distances(X.assign(same="x")),
        plain.pairwise_distances(X),
        rtol=0.05,
        atol=1e-3,
    )


@every_coding
@every_learner
def test_equal_rows_of_two_labels_do_no_harm(name, coding):
    model = fitted(name, pd.concat([X, X[:5]]), np.r_[Y, np.roll(Y, 1)[:5]])
    assert np.isfinite(model.pairwise_distances(X)).all()


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
def test_a_metric_too_large_is_refused_before_it_is_made():
    rows = [[f"v{i}", "x"] for i in range(8000)]
    words = r"ITML would need a matrix of 8,001 x 8,001 .* coding='vdm'"
    with pytest.raises(ValueError, match=words):
        ITML().fit(rows, np.arange(8000) % 2)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (ITML(max_iter=1, tol=1e-12), "multipliers still changed by"),
        (MMC(max_iter=1), "may be .* below its optimum"),
    ],
)
def test_running_out_of_iterations_is_said(learner, words):
    with pytest.warns(ConvergenceWarning, match=words):
        learner.fit(X, Y)
    assert learner.n_iter_ == 1


def test_dml_eig_says_how_far_it_got():
    short = DMLEig(max_iter=2).fit(X, Y)
    assert (short.n_iter_, short.stop_reason_) == (2, "MAX_ITER")
    assert short.gap_ > 0.01 * short.objective_
    done = DMLEig(tol=0.5, max_iter=5000).fit(X, Y)
    assert done.stop_reason_ == "TOLERANCE"
    assert done.gap_ <= 0.5 * done.objective_
    assert done.objective_ <= short.objective_ + short.gap_
