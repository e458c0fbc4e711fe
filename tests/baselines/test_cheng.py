"""Cheng: the error of the radial classifier, its descent, and the tables learned."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
from helpers.six_persons import PERSONS, RISK, rows_of
from nearkind.baselines import cheng as cheng_module
from nearkind.baselines.cheng import RIDGE, RadialError, descend

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
VDM, Cheng = nk.baselines.ValueDifference, nk.baselines.Cheng


def drawn_rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, 3))
    return rows_of(codes), (codes[:, 0] + (codes[:, 1] == 2)) % 3


def test_without_rounds_it_is_the_value_difference_and_a_little_a_mismatch():
    D = Cheng(max_iter=0).fit(PERSONS, RISK).pairwise_distances(PERSONS)
    vdm = VDM().fit(PERSONS, RISK).pairwise_distances(PERSONS)
    differ = 3 * nk.baselines.Hamming().fit(PERSONS).pairwise_distances(PERSONS)
    np.testing.assert_allclose(D, vdm + 1e-3 * differ, atol=1e-14)


def radial_problem(seed):
    """Return an error on two features of 3 and 2 places, and tables to evaluate at."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.integers(0, 3, 12), rng.integers(3, 5, 12)])
    targets, weights = np.eye(2)[rng.integers(0, 2, 12)], rng.integers(1, 4, 12)
    error = RadialError(rows, np.unique(rows, axis=0)[:4], targets, weights * 1.0, 0.7)
    tables = [np.abs(A + A.T) for A in (rng.normal(size=(s, s)) for s in (3, 2))]
    for A in tables:
        np.fill_diagonal(A, 0.0)
    return error, tables


@pytest.mark.parametrize("seed", range(3))
def test_kernel_and_error_are_a_loop(seed):
    error, tables = radial_problem(seed)
    point = error.fitted(tables, error.kernel(tables))
    total = 0.5 * RIDGE * (point.w**2).sum()
    for row, t, v in zip(error.rows, error.targets, error.weights, strict=True):
        f = np.zeros(2)
        for centre, w in zip(error.centres, point.w, strict=True):
            d = tables[0][row[0], centre[0]] + tables[1][row[1] - 3, centre[1] - 3]
            f += (row != centre).any() * w * np.exp(-0.7 * d)
        total += 0.5 * v * ((f - t) ** 2).sum()
    np.testing.assert_allclose(point.value, total, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_the_finite_difference(seed):
    error, tables = radial_problem(seed)
    point = error.fitted(tables, error.kernel(tables))
    for d, slope in enumerate(error.gradient(point)):
        for u, v in zip(*np.triu_indices(len(slope), 1), strict=True):
            ends = []
            for step in (-1e-5, 1e-5):
                moved = [A.copy() for A in tables]
                moved[d][[u, v], [v, u]] += step
                ends.append(error.value(error.kernel(moved), point.w))
            found = (ends[1] - ends[0]) / 2e-5
            np.testing.assert_allclose(slope[u, v], found, rtol=1e-6, atol=1e-8)
            assert slope[v, u] == slope[u, v]


@pytest.mark.parametrize("seed", range(3))
def test_no_small_change_of_the_classifier_lowers_the_error(seed):
    error, tables = radial_problem(seed)
    point = error.fitted(tables, error.kernel(tables))
    rng = np.random.default_rng(seed)
    for _ in range(20):
        other = point.w + 1e-2 * rng.normal(size=point.w.shape)
        assert error.value(point.kernel, other) > point.value


def test_the_error_falls_with_every_round():
    X, y = drawn_rows()
    model = Cheng(tol=0.0, max_iter=30).fit(X, y)
    assert model.n_iter_ == len(model.history_) - 1 > 5
    assert (np.diff(model.history_) <= 0.0).all()
    assert model.history_[-1] < 0.9 * model.history_[0]


def test_tables_are_symmetric_non_negative_and_zero_on_their_diagonal():
    for A in Cheng().fit(*drawn_rows()).distance_.tables:
        np.testing.assert_array_equal(A, A.T)
        assert (A >= 0.0).all()
        assert (np.diag(A) == 0.0).all()


def test_a_large_tolerance_stops_after_one_round():
    assert Cheng(tol=1.0).fit(*drawn_rows()).n_iter_ == 1


def test_scale_is_the_inverse_median_of_rows_and_other_centres():
    error, tables = radial_problem(0)
    d = -np.log(np.where(error.is_itself, 1.0, error.kernel(tables))) / 0.7
    assert error.scale(tables) == pytest.approx(1.0 / np.median(d[~error.is_itself]))


def test_descent_at_a_stationary_point_stops():
    error, tables = radial_problem(0)
    alone = replace(error, centres=error.rows[:1], rows=error.rows[:1],
                    targets=error.targets[:1], weights=error.weights[:1])  # fmt: skip
    found, history = descend(alone, tables, 10, 0.0)
    assert len(history) == 1
    np.testing.assert_array_equal(found[0], tables[0])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_few_of_many_rows_are_centres(monkeypatch):
    X, y = drawn_rows(60)
    seen = []

    def watch(error, *settings):
        seen.append(len(error.centres))
        return descend(error, *settings)

    monkeypatch.setattr(cheng_module, "MOST_CENTRES", 5)
    monkeypatch.setattr(cheng_module, "descend", watch)
    one, same, other = (
        Cheng(max_iter=5, random_state=seed).fit(X, y).pairwise_distances(X)
        for seed in (1, 1, 2)
    )
    assert seen == [5, 5, 5]
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_an_unseen_value_is_at_the_mean_distance_of_the_feature():
    X, y = drawn_rows()
    model = Cheng().fit(X, y)
    known = model.value_distances("x0").loc["v1"].mean()
    found = model.pairwise_distances([["new", "v0", "v0"]], [["v1", "v0", "v0"]])
    np.testing.assert_allclose(found, known)


def test_distances_of_missing_cells_are_learned_where_training_rows_have_them():
    X, y = drawn_rows()
    X = [[None, *row[1:]] if i % 3 == 0 else row for i, row in enumerate(X)]
    start, end = (
        Cheng(max_iter=rounds, missing="prior").fit(X, y).distance_.tables[0][-1]
        for rounds in (0, 20)
    )
    assert start[-1] == end[-1] == 0.0
    assert (np.abs(end - start)[:-1] > 1e-6).any()


def test_a_warning_only_if_the_last_round_still_gained_much():
    data = nk.datasets.load("monks1")
    with pytest.warns(ConvergenceWarning, match="after 1 rounds, .* Raise max_iter"):
        Cheng(max_iter=1, random_state=0).fit(data.X, data.y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Cheng(max_iter=0).fit(data.X, data.y)
        model = Cheng(tol=0.0, random_state=0).fit(data.X, data.y)
    assert model.n_iter_ == 100
    assert model.history_[-2] > model.history_[-1] > 0.99 * model.history_[-2]


def test_labels_are_needed_and_must_differ():
    with pytest.raises(ValueError, match="Cheng requires y"):
        Cheng().fit(PERSONS)
    with pytest.raises(ValueError, match=r"Cheng .* only one class"):
        Cheng().fit(PERSONS, ["Low"] * 6)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Cheng(max_iter=-1), "'max_iter' .* Cheng .* whole number >= 0; got -1"),
        (Cheng(max_iter=2.5), "'max_iter' .* got 2.5"),
        (Cheng(tol=-1e-3), "'tol' .* a number >= 0; got -0.001"),
    ],
    ids=repr,
)
def test_wrong_settings_are_named_before_any_data_are_read(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(None, None)
