"""The value difference metric: worked figures, formula and other implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.metrics.pairwise import ValueDifferenceMetric
from sklearn.preprocessing import TargetEncoder

import nearkind as nk
from helpers.six_persons import PERSONS, RISK, rows_of
from helpers.strategies import tables

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
VDM = nk.baselines.ValueDifference


@pytest.mark.parametrize(
    ("model", "expected", "back"),
    [
        (VDM(), 7 / 6, 7 / 6),
        (VDM(exponent=1), 7 / 3, 7 / 3),
        (VDM(weighting="query"), 1.0202200573, 0.7384535701),
        (VDM(weighting="symmetric"), *[(1.0202200573 + 0.7384535701) / 2] * 2),
    ],
    ids=repr,
)
def test_persons_one_and_two(model, expected, back):
    D = model.fit(PERSONS, RISK).pairwise_distances(PERSONS)
    np.testing.assert_allclose([D[0, 1], D[1, 0]], [expected, back], atol=1e-10)


def class_shares(rows, y, d, value):
    labels = [c for row, c in zip(rows, y, strict=True) if row[d] == value]
    labels = labels or y
    return np.array([labels.count(c) / len(labels) for c in sorted(set(y))])


@pytest.mark.parametrize("weighting", ["none", "query", "symmetric"])
@given(table=tables(), exponent=st.sampled_from([1.0, 1.5, 2.0]))
def test_distances_are_the_formula(weighting, table, exponent):
    whole = table.repeated()
    train, y = rows_of(whole.codes), whole.y.tolist()
    rows = [*rows_of(table.codes), ["never seen"] * len(table.n_values)]

    def term(d, u, v):
        p, q = class_shares(train, y, d, u), class_shares(train, y, d, v)
        size = {"none": 1.0, "query": np.sqrt(p @ p)}
        size["symmetric"] = (np.sqrt(p @ p) + np.sqrt(q @ q)) / 2
        return size[weighting] * (np.abs(p - q) ** exponent).sum()

    model = VDM(exponent, weighting=weighting)
    model.fit(rows_of(table.codes), table.y, sample_weight=table.weights)
    D = range(len(table.n_values))
    expected = [[sum(term(d, x[d], z[d]) for d in D) for z in rows] for x in rows]
    np.testing.assert_allclose(model.pairwise_distances(rows), expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.* is deprecated in favor of .scipy")
@given(table=tables())
def test_distances_are_those_of_imbalanced_learn(table):
    peer = ValueDifferenceMetric(k=2, r=2).fit(table.codes, table.y)
    rows = rows_of(table.codes)
    found = VDM().fit(rows, table.y).pairwise_distances(rows)
    np.testing.assert_allclose(found, peer.pairwise(table.codes), atol=1e-12)


@pytest.mark.filterwarnings("ignore:.* is deprecated in favor of .scipy")
def test_distances_of_real_rows_are_those_of_imbalanced_learn():
    data = nk.datasets.load("tic_tac_toe")
    codes = np.column_stack(
        [np.unique(data.X[c], return_inverse=True)[1] for c in data.X]
    )
    peer = ValueDifferenceMetric(k=2, r=2).fit(codes, data.y)
    found = VDM().fit(data.X, data.y).pairwise_distances(data.X)
    np.testing.assert_allclose(found, peer.pairwise(codes), atol=1e-12)


def test_shares_are_those_of_the_target_encoder():
    data = nk.datasets.load("balance")
    encoder = TargetEncoder(target_type="multiclass", smooth=0)
    Z = encoder.fit(data.X, data.y).transform(data.X)
    d2 = ((Z[:, None] - Z) ** 2).sum(axis=2)
    vdm = VDM().fit(data.X, data.y)
    euclidean = nk.baselines.Euclidean().fit(data.X, data.y)
    np.testing.assert_allclose(vdm.pairwise_distances(data.X), d2, atol=1e-12)
    np.testing.assert_allclose(
        euclidean.pairwise_distances(data.X, squared=True), d2, atol=1e-12
    )


def test_value_distances_are_what_one_feature_adds():
    table = VDM().fit(PERSONS, RISK).value_distances("Marital")
    assert list(table.index) == list(table.columns) == ["Mar", "Sin"]
    np.testing.assert_allclose(table, [[0, 8 / 9], [8 / 9, 0]], atol=1e-15)


def test_labels_are_needed_and_must_differ():
    with pytest.raises(ValueError, match="ValueDifference requires y"):
        VDM().fit(PERSONS)
    with pytest.raises(ValueError, match=r"ValueDifference .* only one class"):
        VDM().fit(PERSONS, ["Low"] * 6)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (VDM(exponent=0), "'exponent' parameter of ValueDifference .* > 0; got 0"),
        (VDM(exponent="2"), "'exponent' .* got '2'"),
        (
            VDM(weighting="row"),
            "'weighting' .* 'none', 'query', 'symmetric'; got 'row'",
        ),
    ],
    ids=repr,
)
def test_wrong_settings_are_named_before_any_data_are_read(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(None, None)


def test_powers_that_vanish_beside_the_largest_are_zero_as_in_exports():
    rows = [["a"], ["a"], ["b"], ["b"], ["b"], ["c"], ["d"]]
    labels = [0, 1, 0, 1, 1, 0, 1]
    distances = VDM(exponent=1000.0).fit(rows, labels).pairwise_distances(rows)
    assert (distances > 0.0).sum() == 2  # c and d, which share no class
