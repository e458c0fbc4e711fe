"""RFM: kernel regression and the mean product of its slopes, against plain loops."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ortho_group
from sklearn.preprocessing import OneHotEncoder

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import RFM
from nearkind.baselines.rfm import KernelRegression, distances, feature_matrix

BANDWIDTH, RIDGE = 1.5, 0.01
X, Y = labelled_table(40, seed=5)
COUNTS = np.random.default_rng(1).integers(1, 4, len(X))
rng = np.random.default_rng(0)
POINTS = rng.normal(size=(9, 4))
MARKS = rng.integers(1, 4, (9, 3)).astype(float)
METRIC = np.cov(rng.normal(size=(4, 30)))


def length_of(v, M):
    return np.sqrt(max(v @ M @ v, 0.0))


def median_length(Z, M):
    """Return the lower median distance between distinct rows that are apart."""
    Z = np.unique(Z, axis=0)
    found = sorted(length_of(a - b, M) for i, a in enumerate(Z) for b in Z[:i])
    found = [length for length in found if length > 1e-9]
    return found[(len(found) - 1) // 2]


def plain_regression(Z, T, M, bandwidth, ridge):
    """Fit to all rows, repeated ones among them; return (L, coefficients)."""
    L = bandwidth * median_length(Z, M)
    K = np.array([[np.exp(-length_of(a - b, M) / L) for b in Z] for a in Z])
    return L, np.linalg.solve(K + ridge * np.eye(len(Z)), T)


def plain_products(Z, T, M, bandwidth, ridge):
    """Return the mean of J'J over all rows."""
    L, coefficients = plain_regression(Z, T, M, bandwidth, ridge)
    total = np.zeros_like(M)
    for x in Z:
        J = np.zeros((T.shape[1], len(M)))
        for z, a in zip(Z, coefficients, strict=True):
            if (apart := length_of(x - z, M)) > 1e-9:
                slope = -np.exp(-apart / L) / (L * apart) * (M @ (x - z))
                J += np.outer(a, slope)
        total += J.T @ J / len(Z)
    return total


def plain_rounds(Z, T, n_rounds, bandwidth, ridge):
    M = np.eye(Z.shape[1])
    for _ in range(n_rounds):
        M = plain_products(Z, T, M, bandwidth, ridge)
        M /= np.trace(M)
    return M


def repeated(marks):
    """Return the number and the class of every row that marks count."""
    rows, classes = np.nonzero(marks)
    counts = marks[rows, classes].astype(int)
    return np.repeat(rows, counts), np.repeat(classes, counts)


def test_the_mean_product_of_slopes_is_that_of_plain_loops():
    rows, classes = repeated(MARKS)
    expected = plain_products(
        POINTS[rows], np.eye(3)[classes], METRIC, BANDWIDTH, RIDGE
    )
    found = KernelRegression.fit(POINTS, MARKS, METRIC, BANDWIDTH, RIDGE).agop()
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def predictions(fitted, rows):
    K = np.exp(-distances(rows, fitted.Z, fitted.M) / fitted.length)
    return K @ fitted.coefficients


def test_predictions_are_those_of_a_fit_to_repeated_rows():
    rows, classes = repeated(MARKS)
    Z, T = POINTS[rows], np.eye(3)[classes]
    L, coefficients = plain_regression(Z, T, METRIC, BANDWIDTH, RIDGE)
    new = np.random.default_rng(2).normal(size=(5, 4))
    expected = np.exp(-distances(new, Z, METRIC) / L) @ coefficients
    found = KernelRegression.fit(POINTS, MARKS, METRIC, BANDWIDTH, RIDGE)
    np.testing.assert_allclose(predictions(found, new), expected, atol=1e-8)


def test_slopes_are_those_of_finite_differences():
    """A row's own kernel is as high on both sides: it has no part in a difference."""
    fitted = KernelRegression.fit(POINTS, MARKS, METRIC, BANDWIDTH, RIDGE)
    step = 1e-4
    J = np.array(
        [
            (
                predictions(fitted, POINTS + step * axis)
                - predictions(fitted, POINTS - step * axis)
            )
            / (2.0 * step)
            for axis in np.eye(4)
        ]
    )  # (W, n, C)
    weights = MARKS.sum(axis=1)
    expected = np.einsum("vic,wic,i->vw", J, J, weights / weights.sum())
    np.testing.assert_allclose(fitted.agop(), expected, atol=1e-5 * expected.max())


def test_rows_at_one_place_under_the_metric_have_no_slope_between_them():
    M = np.diag([1.0, 0.0])
    Z, marks = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.eye(2)[[0, 1, 0]]
    expected = plain_products(Z, marks, M, BANDWIDTH, RIDGE)
    found = KernelRegression.fit(Z, marks, M, BANDWIDTH, RIDGE).agop()
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("counts", [np.ones(40, int), COUNTS], ids=["one", "many"])
def test_the_metric_is_that_of_plain_rounds_on_indicators(counts):
    rows = np.repeat(np.arange(40), counts)
    filled = X.fillna("nothing")
    Z = OneHotEncoder(sparse_output=False).fit_transform(filled)
    T = OneHotEncoder(sparse_output=False).fit_transform(Y[:, None])
    expected = plain_rounds(Z[rows], T[rows], 2, BANDWIDTH, RIDGE)
    model = RFM(2, bandwidth=BANDWIDTH, ridge=RIDGE).fit(
        filled, Y, sample_weight=counts
    )
    np.testing.assert_allclose(model.metric_, expected, atol=1e-9)
    assert np.trace(model.metric_) == pytest.approx(1.0)
    np.testing.assert_allclose(
        model.pairwise_distances(filled), distances(Z, Z, expected), atol=1e-6
    )


def test_the_metric_is_that_of_plain_rounds_on_histograms():
    vdm = nk.baselines.Euclidean().fit(X, Y)
    Z = np.hstack(
        [
            vdm.distance_.tables.vectors[d][vdm.codebook_.encode(X)[:, d]].reshape(
                len(X), -1
            )
            for d in range(4)
        ]
    ).round(12)
    T = OneHotEncoder(sparse_output=False).fit_transform(Y[:, None])
    M = plain_rounds(Z, T, 2, BANDWIDTH, RIDGE)
    model = RFM(2, bandwidth=BANDWIDTH, ridge=RIDGE, coding="vdm").fit(X, Y)
    np.testing.assert_allclose(
        model.pairwise_distances(X), distances(Z, Z, M), atol=1e-6
    )


def test_a_rotation_of_the_rows_turns_the_metric():
    Q = ortho_group.rvs(4, random_state=0)
    M, turned = (feature_matrix(Z, MARKS, 3) for Z in (POINTS, POINTS @ Q))
    np.testing.assert_allclose(Q @ turned @ Q.T, M, atol=1e-9)


def test_the_scale_of_the_rows_does_not_matter():
    M = feature_matrix(POINTS, MARKS)
    np.testing.assert_allclose(feature_matrix(100.0 * POINTS, MARKS), M, atol=1e-9)


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
def test_an_unseen_value_stands_amid_those_of_its_feature():
    model = RFM().fit(X, Y)
    for table in model.distance_.tables.vectors:
        np.testing.assert_allclose(table[:-1].mean(axis=0), table[-1], atol=1e-9)
    unseen = pd.DataFrame([["never"] * 4], columns=X.columns)
    assert np.isfinite(model.pairwise_distances(unseen, X)).all()


def test_it_follows_a_rule_between_columns():
    data = nk.datasets.load("monks1", as_frame=False)
    relevance = np.diag(RFM().fit(data.X, data.y).metric_)
    tables = [3, 3, 2, 3, 4, 2]
    shares = [part.sum() for part in np.split(relevance, np.cumsum(tables)[:-1])]
    assert min(shares[0], shares[1], shares[4]) > 10.0 * max(shares[2], shares[3])


class TestOfManyRowsSomeAreDrawn:
    def test_by_their_seed(self):
        first, again, other = (
            RFM(max_rows=20, random_state=seed).fit(X, Y).metric_ for seed in (0, 0, 1)
        )
        np.testing.assert_array_equal(first, again)
        assert np.abs(first - other).max() > 1e-3

    def test_of_each_class(self):
        y = np.where(np.arange(40) == 7, "rare", "often")
        model = RFM(max_rows=10).fit(X, y)
        assert np.isfinite(model.metric_).all()
        assert model.pairwise_distances(X.iloc[[7]], X)[0, :7].min() > 0.0

    def test_as_many_as_there_are_are_all(self):
        everything = RFM(max_rows=40).fit(X, Y).metric_
        np.testing.assert_array_equal(everything, RFM().fit(X, Y).metric_)


def test_threads_change_no_bit():
    data = nk.datasets.load("monks1", as_frame=False)
    one, two = (RFM(n_jobs=n).fit(data.X, data.y).metric_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_where_nothing_differs_nothing_is_learned():
    rows = [["a"], ["a"], ["a"]]
    model = RFM().fit(rows, [0, 1, 1])
    np.testing.assert_array_equal(model.pairwise_distances(rows), np.zeros((3, 3)))


def test_a_matrix_too_large_is_refused():
    rows = [[f"{column} {i}" for column in "ab"] for i in range(4_000)]
    words = "8,000 x 8,000 numbers .* Column 'x0' has the most values, 4,000"
    with (
        pytest.warns(nk.errors.NearlyUniqueWarning),
        pytest.raises(ValueError, match=words),
    ):
        RFM().fit(rows, np.arange(4_000) % 2)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (RFM(n_rounds=0), "'n_rounds' parameter of RFM .* whole number >= 1; got 0"),
        (RFM(bandwidth=0), "'bandwidth' parameter of RFM must be a number > 0; got 0"),
        (RFM(ridge=-1), "'ridge' parameter of RFM must be a number > 0; got -1"),
        (RFM(max_rows=1.5), "'max_rows' .* whole number >= 1; got 1.5"),
        (RFM(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)
