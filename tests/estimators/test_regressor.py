"""Numbers predicted by neighbours: the plain definition, laws, and bad input."""

from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.optimize import check_grad
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from nearkind.baselines.mlkr import MLKR, loss_and_gradient
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import (
    FewHeldRowsWarning,
    MeasuredLabelsWarning,
    UnseenValueWarning,
)
from nearkind.estimators.targets import checked_target, with_target
from nearkind.tables import read_table

LIGHT = MLKR(max_iter=3)


def priced(n, seed=0):
    """Return rows of words and a number, and a price that they explain."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "make": rng.choice(["ash", "birch", "cedar"], n),
            "size": rng.choice(["S", "M", "L"], n),
            "noise": rng.choice(list("uvwxyz"), n),
            "age": rng.integers(0, 40, n).astype(float),
        }
    )
    price = X["make"].map({"ash": 1.0, "birch": 4.0, "cedar": 9.0})
    price = price + X["size"].map({"S": 0.0, "M": 2.0, "L": 3.0}) - 0.1 * X["age"]
    return X, price.to_numpy() + 0.1 * rng.standard_normal(n)


X, Y = priced(120)
NEW, _ = priced(30, seed=1)


@pytest.fixture(scope="module")
def model():
    return nk.CPMLRegressor(trend=True).fit(X, Y)


CHECKS = [
    pytest.param(instance, check, id=check.func.__name__)
    for instance, check in estimator_checks_generator(nk.CPMLRegressor(LIGHT))
    if check.func.__name__ != "check_array_api_input"
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_scikit_learn_agrees(estimator, check):
    check(estimator)


def plain_loss(L, Z, t, weights):
    """The loss of MLKR by its definition, row after row, copies written out."""
    rows = np.repeat(np.arange(len(t)), weights.astype(int))
    Z, t = Z[rows], t[rows]
    total = 0.0
    for i in range(len(t)):
        others = np.delete(np.arange(len(t)), i)
        votes = np.exp(-np.square((Z[others] - Z[i]) @ L.T).sum(axis=1))
        total += (votes @ t[others] / votes.sum() - t[i]) ** 2
    return total / len(t) / t.var()


def test_mlkr_has_the_loss_and_the_gradient_of_its_definition():
    rng = np.random.default_rng(0)
    Z, t = rng.standard_normal((8, 3)), rng.standard_normal(8)
    weights, L = rng.integers(1, 4, 8).astype(float), rng.standard_normal((2, 3))
    loss, _ = loss_and_gradient(L, Z, t, weights)
    assert loss == pytest.approx(plain_loss(L, Z, t, weights), rel=1e-9)

    def value(flat):
        return loss_and_gradient(flat.reshape(2, 3), Z, t, weights)[0]

    def slope(flat):
        return loss_and_gradient(flat.reshape(2, 3), Z, t, weights)[1].ravel()

    assert check_grad(value, slope, L.ravel()) < 1e-5


@pytest.mark.parametrize("scale", ["linear", "log", "quantile"])
def test_soft_votes_are_the_weighted_mean_of_their_definition(scale):
    y = np.exp(Y)
    model = nk.CPMLRegressor("euclidean", scale=scale, temperature=2.0).fit(X, y)
    to = model.committee_.scale
    d2 = model.metric_.pairwise_distances(NEW, X, squared=True)
    votes = np.exp(-d2 / 2.0)
    expected = to.invert(votes @ to.apply(y) / votes.sum(axis=1))
    np.testing.assert_allclose(model.predict(NEW), expected, rtol=1e-6)


def test_the_nearest_rows_vote_with_their_numbers():
    model = nk.CPMLRegressor("euclidean", weights="uniform", n_neighbors=1)
    rows = [["a", 1], ["b", 2], ["c", 3], ["d", 4]]
    model.fit(rows, [1.0, 5.0, 2.0, 8.0])
    np.testing.assert_allclose(model.predict(rows), [1.0, 5.0, 2.0, 8.0])


def test_a_trend_predicts_what_is_a_sum_over_the_columns():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 6, (200, 5)).astype(str)
    y = rows.astype(float) @ [1.0, 2.0, 3.0, 4.0, 5.0]
    model = nk.CPMLRegressor(LIGHT, trend=True).fit(rows[:150], y[:150])
    assert model.score(rows[150:], y[150:]) > 0.999


def test_the_order_of_rows_changes_nothing(model):
    order = np.random.default_rng(0).permutation(len(Y))
    other = nk.CPMLRegressor(trend=True).fit(X.iloc[order], Y[order])
    np.testing.assert_allclose(other.predict(NEW), model.predict(NEW), rtol=1e-6)


def test_weights_count_repetitions():
    weights = np.random.default_rng(8).integers(0, 3, len(Y))
    rows = np.repeat(np.arange(len(Y)), weights)
    settings = {"metric": LIGHT, "trend": True}
    one = nk.CPMLRegressor(**settings).fit(X, Y, sample_weight=weights)
    other = nk.CPMLRegressor(**settings).fit(X.iloc[rows], Y[rows])
    np.testing.assert_allclose(one.predict(NEW), other.predict(NEW), rtol=1e-6)


@pytest.mark.parametrize("container", [pl.DataFrame, pa.Table.from_pandas])
def test_containers_change_nothing(model, container):
    table = container(X)
    other = nk.CPMLRegressor(trend=True).fit(table, pa.array(Y))
    np.testing.assert_array_equal(other.predict(NEW), model.predict(NEW))


def test_missing_and_unseen_values_are_predicted(model):
    rows = X.head(2).assign(make=[None, "oak"], age=[np.nan, 1e300])
    with pytest.warns(UnseenValueWarning):
        assert np.isfinite(model.predict(rows)).all()


def test_intervals_hold_the_number_and_order_their_ends(model):
    X_new, y_new = priced(400, seed=5)
    ends = model.predict_interval(X_new, 0.8)
    held = (ends[:, 0] <= y_new) & (y_new <= ends[:, 1])
    assert held.mean() > 0.7
    quantiles = model.predict_quantiles(X_new, [0.1, 0.5, 0.9])
    assert (np.diff(quantiles, axis=1) >= 0.0).all()
    np.testing.assert_array_equal(quantiles[:, [0, 2]], ends)
    np.testing.assert_array_equal(model.predict_quantiles(X_new, 0.5), quantiles[:, 1])


def test_too_few_held_rows_give_infinite_ends_and_say_so(model):
    with pytest.warns(FewHeldRowsWarning, match=r"needs 1,999 held-out rows"):
        assert np.isinf(model.predict_interval(NEW, 0.999)).all()
    few = nk.CPMLRegressor(LIGHT).fit(X[:9], Y[:9])
    with pytest.raises(ValueError, match="at least 10 rows"):
        few.predict_interval(NEW)
    with pytest.raises(ValueError, match="above 0 and below 1"):
        model.predict_interval(NEW, 1.0)


def test_neighbours_effects_and_values_explain_a_prediction(model):
    found = model.explain(X.iloc[0], n_neighbors=3)
    assert found.predicted == model.predict(X.head(1))[0]
    near = found.neighbors
    np.testing.assert_allclose(near["target"], Y[near["row"]], rtol=1e-6)
    assert next(iter(found.effects["feature"])) in ("make", "size", "age")
    assert "Nearest training rows" in repr(found)
    total = found.base + sum(found.effects["effect"])
    assert total == pytest.approx(found.predicted)
    parts = model.explain_rows(X.head(3)).drop(columns="predicted")
    np.testing.assert_allclose(parts.sum(axis=1), model.predict(X.head(3)))
    low, high = found.interval
    assert low < found.predicted < high
    assert len(model.explain(X.iloc[0], X.iloc[1])) == 4
    assert model.value_distances("make").shape == (3, 3)
    assert model.kneighbors(NEW, 2)[1].shape == (30, 2)


def test_a_saved_model_answers_to_the_bit(model, tmp_path):
    for each in (model, nk.CPMLRegressor("hamming", scale="quantile").fit(X, Y)):
        path = tmp_path / "price.nearkind"
        nk.save(each, path)
        again = nk.load(path)
        np.testing.assert_array_equal(again.predict(NEW), each.predict(NEW))
        ends = [each.predict_interval(NEW) for each in (again, each)]
        np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize("name", ["cpml", "vdm", "rfm", "lin"])
def test_any_distance_learns_from_numbers(name):
    found = nk.CPMLRegressor(name).fit(X[:60], Y[:60])
    assert np.isfinite(found.predict(NEW)).all()


BAD = {
    "NaN": ([1.0, np.nan, 3.0], "contains NaN: 1 of 3 rows, the first is row 1"),
    "None": ([1.0, None, 3.0], "contains NaN"),
    "infinite": ([1.0, 2.0, np.inf], "contains infinity.*row 2"),
    "text": (["1", "2", "x"], r"text, '1', in row 0: CPMLClassifier"),
    "a type": ([1.0, 2.0, int], "<class 'int'> in row 2: pass one number"),
    "pairs": ([1.0, 2.0, (3.0, 4.0)], r"\(3.0, 4.0\) in row 2: pass one number"),
    "dates": ([date(2020, 1, day) for day in (1, 2, 3)], "days since the first"),
    "one number": ([5.0, 5.0, 5.0], "only one number, 5"),
    "too few": ([1.0, 2.0], "X has 3 rows, y has 2 numbers"),
    "none": (None, "requires y to be passed"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_target_is_refused_with_a_reason(case):
    y, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        nk.CPMLRegressor().fit([["a"], ["b"], ["c"]], y)


def test_no_quantiles_are_asked_for(model):
    assert model.predict_quantiles(NEW, []).shape == (30, 0)


def test_too_few_rows_and_weights_of_zero_are_refused():
    with pytest.raises(ValueError, match="at least 2 rows"):
        nk.CPMLRegressor().fit([["a"]], [1.0])
    with pytest.raises(ValueError, match="zero for every row"):
        nk.CPMLRegressor().fit([["a"], ["b"]], [1.0, 2.0], sample_weight=[0, 0])
    with pytest.raises(ValueError, match="'temperature' parameter"):
        nk.CPMLRegressor(weights="uniform", temperature=1.0).fit(X, Y)


def test_a_classifier_given_numbers_names_the_regressor():
    y = np.arange(120) * 1.5
    with pytest.raises(ValueError, match="CPMLRegressorCV"):
        nk.CPMLClassifier("hamming").fit(X, y)
    with pytest.warns(MeasuredLabelsWarning, match="CPMLRegressor "):
        nk.CPMLClassifier("hamming").fit(X, np.arange(120) * 2)


def test_huge_exact_and_few_numbers_are_targets():
    y = Y * 1e300
    model = nk.CPMLRegressor(LIGHT).fit(X, y)
    assert np.isfinite(model.predict(NEW)).all()
    numbers = checked_target([Fraction(1, 2), 10**20, True], 3, "CPMLRegressor")
    assert numbers.tolist() == [0.5, 1e20, 1.0]
    two = nk.CPMLRegressor("hamming", weights="uniform", n_neighbors=1)
    assert two.fit([["a"], ["b"]], [0, 1]).predict([["b"]]).tolist() == [1.0]


def test_quantile_ranges_are_classes():
    rows = CodedRows.of(read_table([[i % 7] for i in range(100)]), Codebook())
    found = with_target(rows, np.arange(100.0) ** 3)
    assert np.bincount(found.y).tolist() == [20] * 5
    zeros = with_target(rows, np.append(np.zeros(99), 7.0))
    assert np.bincount(zeros.y).tolist() == [99, 1]


def test_condensed_keeps_few_rows(model):
    few, some = model.condensed(10), model.condensed()
    sizes = [len(each.committee_.voters[0].rows) for each in (model, some, few)]
    assert sizes[2] == 10
    assert sizes[0] >= sizes[1]
    assert some.score(X, Y) > model.score(X, Y) - 0.05
    total = few.committee_.voters[0].rows.weights.sum()
    assert total == pytest.approx(len(Y))
    assert few.predict_interval(NEW).shape == (len(NEW), 2)
    np.testing.assert_array_equal(
        model.condensed(10**6).predict(NEW), model.predict(NEW)
    )
    with pytest.raises(ValueError, match="tolerance"):
        model.condensed(tolerance=2)
    with pytest.raises(ValueError, match="n_rows"):
        model.condensed(0)
