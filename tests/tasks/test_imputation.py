"""Missing cells are filled from the nearest rows that have a value in their column."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.strategies import tables

PETS = pd.DataFrame(
    {
        "kind": ["cat", "cat", "dog", None, "dog"],
        "weight": [4.0, 5.0, 20.0, 22.0, np.nan],
        "coat": pd.Categorical(["short", "short", "long", "long", None]),
        "age": pd.array([1, 2, None, 8, 9], dtype="Int64"),
    }
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=check.func.__name__)
        for model, check in estimator_checks_generator(nk.NeighborImputer())
        if check.func.__name__ != "check_array_api_input"
    ],
)
def test_scikit_learns_own_check(model, check):
    check(model)


def most_voted(d, values, weights, k):
    """Return the value of the k nearest rows, and its share; None if two are tied."""
    votes, left = {}, k
    for level in np.unique(d):
        here = d == level
        share = min(1.0, left / weights[here].sum())
        for value, weight in zip(values[here], weights[here], strict=True):
            votes[value] = votes.get(value, 0.0) + share * weight / (level or 1.0)
        left -= share * weights[here].sum()
        if left < 1e-9 or level == 0.0:  # equal rows vote alone
            break
    total = sum(votes.values())
    first, *others = sorted(votes.values(), reverse=True)
    if others and first - others[0] < 1e-6:
        return None
    return max(votes, key=votes.get), first / total


@given(table=tables(min_rows=5), k=st.integers(1, 3), data=st.data())
def test_the_filled_value_is_that_of_a_literal_vote(table, k, data):
    X = table.codes.astype(str).astype(object)
    n_hidden = data.draw(st.integers(1, len(X) - 1))
    X[:n_hidden, 0] = None
    model = nk.NeighborImputer("gower", n_neighbors=k, weights="distance")
    model.fit(X, sample_weight=table.weights)
    known = X[n_hidden:]
    d = model.distance_.pairwise_distances(X[:n_hidden], known).round(9)
    filled, told = model.transform(X), model.certainty(X)
    assert not pd.isna(filled).any()
    np.testing.assert_array_equal(filled[n_hidden:], known)
    for row in range(n_hidden):
        expected = most_voted(d[row], known[:, 0], table.weights[n_hidden:], k)
        if expected is not None:
            assert filled[row, 0] == expected[0]
            assert told["certainty"][row] == pytest.approx(expected[1])


def test_a_number_is_the_weighted_median():
    X = pd.DataFrame({"a": ["x"] * 5 + ["y"] * 3, "n": [2, 1, 9, 5, None, 90, 80, 70]})
    model = nk.NeighborImputer("hamming", n_neighbors=4).fit(X)
    new = pd.DataFrame({"a": ["x", "y"], "n": [np.nan, np.nan]})
    # Of x: 1, 2, 5, 9; of y: 70, 80, 90 and one vote of x: the smaller of two medians.
    assert model.transform(new)["n"].tolist() == [2.0, 70.0]
    told = model.certainty(new)
    assert told["row"].tolist() == [0, 1]
    spread = np.mean([8, 7, 4, 0, 61, 71, 81])  # of the column from its median, 9
    assert told["certainty"][0] == pytest.approx(1 - (1 + 0 + 3 + 7) / 4 / spread)


def test_equal_rows_fill_exactly_and_training_rows_are_filled_from_others():
    filled = nk.NeighborImputer(n_neighbors=2).fit_transform(PETS)
    assert filled["kind"].tolist() == ["cat", "cat", "dog", "dog", "dog"]
    assert filled["weight"].tolist()[:4] == [4.0, 5.0, 20.0, 22.0]
    assert (filled.dtypes == PETS.dtypes).all()
    assert PETS.isna().sum().sum() == 4  # the table given is left as it is


@pytest.mark.parametrize(
    "kind",
    [
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda X: X.astype(object).to_dict("list"),
        lambda X: X.astype(object).to_dict("records"),
        lambda X: X.astype(object).to_numpy(),
        lambda X: [tuple(row) for row in X.astype(object).to_numpy().tolist()],
    ],
)
@pytest.mark.parametrize("add_indicator", [False, True])
def test_a_table_of_any_kind_is_filled(kind, add_indicator):
    model = nk.NeighborImputer(n_neighbors=2, add_indicator=add_indicator)
    expected = model.fit_transform(PETS)
    given = kind(PETS)
    found = nk.NeighborImputer(n_neighbors=2, add_indicator=add_indicator)
    found = found.fit_transform(given)
    if not isinstance(given, list) or isinstance(given[0], dict):
        assert type(found) is type(given)
    if isinstance(found, pa.Table):
        found = found.to_pandas()
    found = found.to_dicts() if isinstance(found, pl.DataFrame) else found
    names = model.get_feature_names_out()
    is_bare = isinstance(found, np.ndarray)
    shown = pd.DataFrame(found, columns=names if is_bare else None)
    assert list(shown.columns) == list(names) == list(expected.columns)
    assert (
        shown.astype(str)
        .replace(r"\.0$", "", regex=True)
        .equals(expected.astype(str).replace(r"\.0$", "", regex=True))
    )


def test_frames_come_out_as_asked():
    model = nk.NeighborImputer(n_neighbors=2).set_output(transform="polars")
    assert isinstance(model.fit_transform(PETS), pl.DataFrame)


def test_columns_are_found_by_name():
    model = nk.NeighborImputer(n_neighbors=2).fit(PETS)
    turned = PETS[["age", "kind", "coat", "weight"]]
    filled = model.transform(turned)
    assert list(filled.columns) == list(turned.columns)
    assert filled[PETS.columns].equals(model.transform(PETS))


class TestAtTheEdge:
    def test_a_row_without_any_value_gets_the_usual_ones(self):
        X = pd.DataFrame({"a": ["x", "x", "y", None], "n": [1, 2, 3, None]})
        filled = nk.NeighborImputer(n_neighbors=5).fit_transform(X)
        assert filled.iloc[3].tolist() == ["x", 2.0]

    def test_a_column_without_any_value_stays_as_it_is(self):
        X = pd.DataFrame({"a": ["x", None], "gone": [None, None]})
        with pytest.warns(match="'gone' has no value"):
            filled = nk.NeighborImputer().fit_transform(X)
        assert filled["a"].tolist() == ["x", "x"]
        assert filled["gone"].isna().all()

    def test_a_value_that_is_new_to_a_categorical_type_is_added(self):
        X = PETS.assign(coat=pd.Categorical(["none", None, None, None, None]))
        model = nk.NeighborImputer(n_neighbors=1).fit(PETS)
        assert model.transform(X)["coat"].tolist()[:2] == ["none", "short"]

    def test_nothing_missing_is_nothing_changed(self):
        whole = PETS.iloc[:2]
        model = nk.NeighborImputer().fit(PETS)
        assert model.transform(whole).equals(whole)
        assert len(model.certainty(whole)["row"]) == 0

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"n_neighbors": 0}, "n_neighbors"),
            ({"weights": "soft"}, "'uniform', 'distance'"),
            ({"add_indicator": 1}, "True or False"),
            ({"metric": nk.CPML()}, "learns from labels"),
        ],
    )
    def test_wrong_settings_are_refused(self, settings, words):
        with pytest.raises(ValueError, match=words):
            nk.NeighborImputer(**settings).fit(PETS)

    def test_an_infinite_number_is_refused_by_name(self):
        X = PETS.assign(weight=[1.0, np.inf, 2.0, 3.0, None])
        with pytest.raises(ValueError, match="'weight' holds an infinite number"):
            nk.NeighborImputer().fit(X)

    @pytest.mark.parametrize("large", [2**53 + 1, 10**400])
    def test_whole_numbers_that_floats_do_not_hold_stay(self, large):
        X = [[0.1, large], [None, 3], [0.5, large]]
        filled = nk.NeighborImputer("hamming").fit_transform(X)
        assert filled[:, 1].tolist() == [large, 3, large]
        assert nk.NeighborImputer().fit_transform([[1, 2.0], [3, None]]).dtype == float

    def test_a_number_beyond_all_floats_is_a_neighbour_like_others(self):
        X = [[10**400, "a"], [10**400, "a"], [1, "b"], [None, "a"]]
        filled = nk.NeighborImputer("hamming", n_neighbors=2).fit_transform(X)
        assert filled[3, 0] == 10**400

    def test_lists_of_odd_cells_are_filled_and_no_rows_refused(self):
        filled = nk.NeighborImputer().fit_transform([[(1, 2), 1.0], [None, 1.0]])
        assert filled.tolist() == [[(1, 2), 1.0], [(1, 2), 1.0]]
        model = nk.NeighborImputer().fit([[1.0], [2.0]])
        assert model.transform([["x"], [None]]).tolist() == [["x"], [1.0]]
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            model.transform([])
        with pytest.raises(NotFittedError):
            nk.NeighborImputer().transform([["a"]])
