"""HDML: bounds by enumeration of all codes, objectives and distances by plain loops."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import chisquare, ortho_group
from sklearn.exceptions import ConvergenceWarning

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import HDML
from nearkind.baselines.hdml import (
    HashedRows,
    best_planes,
    draw_triplets,
    learn_planes,
    objective,
    ranking_bounds,
    ranking_slopes,
)
from nearkind.baselines.matrix_learner import Coding
from nearkind.distances.bits import packed

X, Y = labelled_table(40, seed=5)
QUICK = {"n_bits": 16, "n_triplets": 500}
OUTPUTS = st.integers(1, 3).flatmap(
    lambda q: hnp.arrays(
        float, (3, 1, q), elements=st.integers(-6, 6).map(lambda k: k / 4)
    )
)
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


def differing(g, h):
    return sum(a != b for a, b in zip(g, h, strict=True))


def ranking_loss(g, near, far):
    return max(1 + differing(g, near) - differing(g, far), 0)


def signs(f):
    return np.where(f >= 0.0, 1, -1)


def enumerated_bound(f, near, far):
    """Return the bound of one triplet, from all codes of its three rows."""
    codes = list(product([-1, 1], repeat=len(f)))
    best = max(
        ranking_loss(g, h, k) + np.dot(g, f) + np.dot(h, near) + np.dot(k, far)
        for g, h, k in product(codes, repeat=3)
    )
    return best - sum(np.abs(part).sum() for part in (f, near, far))


def bound_by_dynamic_programming(f, near, far):
    """Return it as the source does: the best sum for every difference of distances."""
    best = {0: 0.0}
    for outputs in zip(f, near, far, strict=True):
        states = [
            ((g != h) - (g != k), np.dot((g, h, k), outputs))
            for g, h, k in product([-1, 1], repeat=3)
        ]
        found = {}
        for so_far, total in best.items():
            for change, score in states:
                at = so_far + change
                found[at] = max(found.get(at, -np.inf), total + score)
        best = found
    largest = max(max(1 + change, 0) + total for change, total in best.items())
    return largest - sum(np.abs(part).sum() for part in (f, near, far))


@given(OUTPUTS)
def test_the_bound_is_that_of_enumeration_of_all_codes(F):
    (bound,) = ranking_bounds(F)
    assert bound == pytest.approx(enumerated_bound(*F[:, 0]), abs=1e-12)


@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 3.0])
def test_the_bound_is_that_of_dynamic_programming(scale):
    F = scale * np.random.default_rng(0).normal(size=(3, 40, 12))
    bounds = ranking_bounds(F)
    expected = [bound_by_dynamic_programming(*F[:, t]) for t in range(40)]
    np.testing.assert_allclose(bounds, expected, atol=1e-10)


@given(OUTPUTS)
def test_it_is_no_less_than_the_loss_of_the_codes(F):
    (bound,) = ranking_bounds(F)
    assert bound >= ranking_loss(*signs(F[:, 0])) - 1e-12


def test_large_outputs_make_it_the_loss():
    F = 1e3 * np.random.default_rng(1).uniform(0.1, 1.0, (3, 50, 6))
    F *= np.random.default_rng(2).choice([-1.0, 1.0], F.shape)
    bounds = ranking_bounds(F)
    np.testing.assert_allclose(
        bounds, [ranking_loss(*signs(F[:, t])) for t in range(50)], atol=1e-9
    )


@given(OUTPUTS)
def test_slopes_lead_to_the_codes_that_attain_it(F):
    (bound,), slopes = ranking_bounds(F), ranking_slopes(F)
    codes = (slopes + signs(F))[:, 0]
    assert set(np.unique(codes)) <= {-1.0, 1.0}
    reached = ranking_loss(*codes) + (codes * F[:, 0]).sum() - np.abs(F).sum()
    assert reached == pytest.approx(bound, abs=1e-12)


def test_slopes_are_those_of_finite_differences():
    F = np.random.default_rng(2).normal(size=(3, 8, 5))
    slopes = ranking_slopes(F)
    step = 1e-6
    for at in np.ndindex(F.shape):
        move = np.zeros_like(F)
        move[at] = step
        rise = ranking_bounds(F + move).sum() - ranking_bounds(F - move).sum()
        assert rise / (2.0 * step) == pytest.approx(slopes[at], abs=1e-6)


def small_problem():
    rng = np.random.default_rng(3)
    codes, y = rng.integers(0, 3, (7, 4)), np.arange(7) % 3
    triplets = draw_triplets(codes, y, 50, 2, rng)
    return rng.normal(size=(7, 4)), triplets, rng.normal(size=(3, 4))


def test_the_objective_is_that_of_a_plain_loop_over_the_triplets():
    Z, triplets, planes = small_problem()
    bounds = [enumerated_bound(*(planes @ Z[i] for i in rows)) for rows in triplets.T]
    expected = np.mean(bounds) + 0.05 * (planes**2).sum()
    assert objective(Z, triplets, planes, 0.1) == pytest.approx(expected)


def test_it_does_not_depend_on_how_many_triplets_are_held(monkeypatch):
    whole = objective(*small_problem(), 0.1)
    monkeypatch.setattr("nearkind.baselines.hdml.AT_ONCE", 10)
    assert objective(*small_problem(), 0.1) == pytest.approx(whole)


class TestTriplets:
    codes = np.random.default_rng(0).integers(0, 3, (30, 3))
    y = np.arange(30) % 4

    def drawn(self, n_candidates=1, size=3_000):
        rng = np.random.default_rng(1)
        return draw_triplets(self.codes, self.y, size, n_candidates, rng)

    def test_are_of_one_class_and_of_another(self):
        i, j, k = self.drawn()
        assert (i != j).all()
        assert (self.y[i] == self.y[j]).all()
        assert (self.y[i] != self.y[k]).all()

    def test_each_row_is_as_likely(self):
        counts = np.bincount(self.drawn()[0], minlength=30)
        assert chisquare(counts).pvalue > 1e-3

    def test_of_many_candidates_the_nearest_that_is_not_equal_is_taken(self):
        codes, y = self.codes, self.y
        for rows in self.drawn(n_candidates=300, size=100).T:
            i = rows[0]
            differs = (codes != codes[i]).sum(axis=1)
            differs[differs == 0] = 9
            for found, kind in zip(rows[1:], (y == y[i], y != y[i]), strict=True):
                assert differs[found] == differs[kind].min()

    def test_rows_alone_in_their_class_are_no_anchors(self):
        y = np.array([0, 0, 1, 2])
        i, j, k = draw_triplets(self.codes[:4], y, 200, 3, np.random.default_rng(0))
        assert set(i) == set(j) == {0, 1}
        assert set(k) == {2, 3}


def problem(n_bits=16, seed=0):
    """Return rows, triplets and a start; the first column tells the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 2
    codes = np.column_stack([y, rng.integers(0, 2, (60, 6))])
    rows = HashedRows.of(codes)
    triplets = draw_triplets(codes, y, 500, 5, rng)
    return rows.Z, triplets, rows.random_planes(n_bits, rng)


def test_it_descends_to_where_it_settles():
    Z, triplets, start = problem()
    found = learn_planes(Z, triplets, start, np.random.default_rng(0), max_iter=500)
    assert found.reason.name == "SETTLED"
    assert found.objective == objective(Z, triplets, found.planes, 1e-3)
    assert found.objective < 0.5 * objective(Z, triplets, start, 1e-3)


def test_a_start_that_cannot_be_bettered_is_kept():
    Z, triplets = np.array([[-1.0], [-1.0], [1.0]]), np.array([[0], [1], [2]])
    start = np.array([[2.0]])
    found = learn_planes(Z, triplets, start, np.random.default_rng(0), strength=0.0)
    np.testing.assert_array_equal(found.planes, start)
    assert (found.objective, found.n_iter, found.reason.name) == (0.0, 5, "SETTLED")


def test_passes_that_run_out_are_told():
    with pytest.warns(ConvergenceWarning, match="ran out .* After 2 passes"):
        model = HDML(**QUICK, max_iter=2).fit(X, Y)
    assert (model.n_iter_, model.stop_reason_) == (2, "MAX_ITER")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_bits", [1, 5, 64, 70])
def test_distances_are_shares_of_bits_that_differ(n_bits):
    model = HDML(n_bits, n_triplets=500, max_iter=5).fit(X, Y)
    outputs = sum(
        table[code]
        for table, code in zip(
            model.distance_.tables.vectors, model.codebook_.encode(X).T, strict=True
        )
    )
    codes = signs(outputs)
    expected = [[differing(g, h) / n_bits for h in codes] for g in codes]
    np.testing.assert_array_equal(model.pairwise_distances(X), expected)
    U = model.transform(X)
    assert U.shape == (40, n_bits)
    apart = ((U[:, None] - U) ** 2).sum(axis=2)
    np.testing.assert_allclose(apart, expected, atol=1e-12)


def test_bits_are_packed_into_words():
    bits = np.random.default_rng(0).random((3, 130)) < 0.5
    words = packed(bits)
    assert (words.shape, words.dtype) == ((3, 3), np.uint64)
    assert np.bitwise_count(words).sum() == bits.sum()


def test_rows_are_centred_and_of_mean_square_length_one():
    Z = HashedRows.of(np.random.default_rng(0).normal(3.0, 2.0, (9, 4))).Z
    np.testing.assert_allclose(Z.mean(axis=0), [0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-12)
    assert (Z[:, :-1] ** 2).sum() == pytest.approx(9.0)


def test_vectors_of_values_add_up_to_the_outputs_of_the_planes():
    tables = [table.reshape(len(table), -1) for table in (np.eye(4), np.eye(3))]
    coding = Coding.of(tables)
    codes = np.random.default_rng(0).integers(0, [3, 2], (20, 2))
    rows = HashedRows.of(coding.rows(codes))
    planes = rows.random_planes(6, np.random.default_rng(1))
    found = rows.value_tables(coding, planes).embed(codes)
    np.testing.assert_allclose(found, rows.Z @ planes.T, atol=1e-8)


def test_bits_of_the_start_halve_the_rows():
    rng = np.random.default_rng(0)
    rows = HashedRows.of(rng.normal(size=(50, 4)))
    outputs = rows.Z @ rows.random_planes(20, rng).T
    assert (np.abs((outputs >= 0.0).mean(axis=0) - 0.5) < 0.02).all()


def test_the_best_planes_are_those_of_plain_counts():
    Z, triplets, planes = problem(n_bits=20)
    outputs = planes @ Z.T >= 0.0
    gains = [
        sum(int(bit[i] != bit[k]) - int(bit[i] != bit[j]) for i, j, k in triplets.T)
        for bit in outputs
    ]
    order = sorted(range(20), key=lambda bit: -gains[bit])
    found = best_planes(Z, triplets, planes, 7)
    np.testing.assert_array_equal(found, planes[order[:7]])


def test_a_column_that_tells_the_class_is_found():
    rows, y = [[a, b] for a in "xyz" for b in "pq"], np.arange(6) % 2
    D = HDML(n_bits=16).fit(rows, y).pairwise_distances(rows)
    is_alike = y[:, None] == y
    assert D[is_alike].max() < 0.2 < 0.8 < D[~is_alike].min()


def test_of_many_rows_some_say_where_bits_begin(monkeypatch):
    monkeypatch.setattr("nearkind.baselines.hdml.START_ROWS", 40)
    rng = np.random.default_rng(0)
    rows = HashedRows.of(rng.normal(size=(400, 4)))
    planes = rows.random_planes(500, rng)
    assert planes[:, :-1].std() == pytest.approx(1.0, abs=0.1)
    outputs = rows.Z @ planes.T >= 0.0
    assert (np.abs(outputs.mean(axis=0) - 0.5) < 0.35).all()


def test_the_start_follows_rows_that_are_turned():
    rows = np.random.default_rng(0).normal(size=(30, 4))
    Q = ortho_group.rvs(4, random_state=0)
    plain, turned = (HashedRows.of(Z) for Z in (rows, rows @ Q))
    outputs = [
        part.Z @ part.random_planes(8, np.random.default_rng(1)).T
        for part in (plain, turned)
    ]
    np.testing.assert_allclose(outputs[1], outputs[0], atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_seed_fixes_everything():
    first, again, other = (
        HDML(**QUICK, max_iter=3, random_state=seed).fit(X, Y).transform(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_unseen_and_missing_values():
    model = HDML(**QUICK, max_iter=3).fit(X, Y)
    strange = pd.DataFrame([["never"] * 4, [None] * 4], columns=X.columns)
    D = model.pairwise_distances(strange, X)
    assert ((D >= 0.0) & (D <= 1.0)).all()


def test_where_nothing_differs_all_distances_are_zero():
    rows = [["a"], ["a"], ["a"]]
    model = HDML().fit(rows, [0, 1, 1])
    np.testing.assert_array_equal(model.pairwise_distances(rows), np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("y", "words"),
    [([0, 0, 0], "y holds only one class"), ([0, 1, 2], "imply no triplets")],
)
def test_labels_without_triplets_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        HDML().fit([["a"], ["b"], ["c"]], y)


def test_weights_are_refused():
    metric = nk.CPMLClassifier(HDML())
    with pytest.raises(ValueError, match="HDML takes no sample_weight"):
        metric.fit(X, Y, sample_weight=np.arange(1.0, 41.0))


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (HDML(n_bits=0), "'n_bits' parameter of HDML .* whole number >= 1; got 0"),
        (HDML(n_triplets=0), "'n_triplets' .* whole number >= 1; got 0"),
        (HDML(n_candidates=0), "'n_candidates' .* whole number >= 1; got 0"),
        (HDML(strength=-1), "'strength' parameter of HDML must be a number >= 0"),
        (HDML(max_iter=1.5), "'max_iter' .* whole number >= 1; got 1.5"),
        (HDML(tol=-1), "'tol' parameter of HDML must be a number >= 0; got -1"),
        (HDML(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)
