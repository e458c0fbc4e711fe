"""Labels of one batch."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nearkind as nk
from nearkind.estimators.labels import batch_labels

BIG = 2**53
MAKERS = {
    "list": list,
    "object": lambda y: np.array(y, dtype=object),
    "Int64": lambda y: pd.Series(pd.array(y, dtype="Int64")),
    "UInt64": lambda y: pd.Series(pd.array(y, dtype="UInt64")),
    "pandas objects": lambda y: pd.Series(y, dtype=object),
    "polars": pl.Series,
    "pyarrow": pa.array,
}


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
@pytest.mark.parametrize("y", [["b", "a", "b"], [2, 1, 2], [True, False, True]])
def test_classes_are_sorted_and_numbers_find_them(make, y):
    classes, numbers = batch_labels(make(y), "Nobody")
    assert classes.tolist() == sorted(set(y))
    assert classes[numbers].tolist() == y


def test_categories_no_row_has_are_no_classes():
    y = pd.Series(["b", "b"], dtype=pd.CategoricalDtype(["a", "b"]))
    assert batch_labels(y, "Nobody")[0].tolist() == ["b"]


def test_a_batch_may_be_empty_or_a_column():
    assert [len(part) for part in batch_labels([], "Nobody")] == [0, 0]
    with pytest.warns(UserWarning, match="column-vector"):
        assert batch_labels(np.array([[1], [2]]), "Nobody")[1].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        (None, ValueError, "requires y to be passed"),
        (["a", None], ValueError, "missing values: 1 of 2, the first in row 1"),
        ([0.5, 1.25], ValueError, "Unknown label type"),
        (["a", 1], TypeError, "mixes labels of types int, str"),
        (np.zeros((2, 2)), ValueError, "1d array"),
    ],
)
def test_what_is_no_label_is_refused(y, error, words):
    with pytest.raises(error, match=words):
        batch_labels(y, "Nobody")


class TestWholeNumbersThatFloatsRound:
    """Two labels never become one."""

    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_they_stay_distinct(self, make):
        y = [BIG, BIG + 1] * 3
        model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(
            [["a"], ["b"]] * 3, make(y)
        )
        assert model.classes_.tolist() == [BIG, BIG + 1]
        assert batch_labels(make(y), "Nobody")[0].tolist() == [BIG, BIG + 1]

    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_they_stay_distinct_beside_gaps(self, make):
        X, y = [["a"], ["b"]] * 3, [BIG, BIG + 1, BIG, BIG + 1, None, None]
        model = nk.CPML(max_iter=50).fit_constraints(X, y=make(y))
        assert model.classes_.tolist() == [BIG, BIG + 1]

    @pytest.mark.parametrize("make", [list, MAKERS["object"]])
    @pytest.mark.parametrize(
        ("y", "label"),
        [([-1, 2**63 + 1, 2**63 + 2], 2**63 + 1), ([1.0, BIG, BIG + 1], BIG + 1)],
    )
    def test_they_are_refused_where_only_floats_hold_all(self, make, y, label):
        with pytest.raises(ValueError, match=f"The label {label} in row .* as text"):
            nk.CPMLClassifier("hamming", n_neighbors=1).fit(
                [["a"], ["b"], ["c"]], make(y)
            )

    @pytest.mark.parametrize("numeric", ["auto", "category"])
    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_values_of_a_column_stay_distinct_too(self, make, numeric):
        y = make([BIG, BIG + 1, 1])
        X = [[v] for v in y] if isinstance(y, list) else pd.DataFrame({"a": y})
        X = pl.DataFrame({"a": y}) if isinstance(y, pl.Series) else X
        X = pa.table({"a": y}) if isinstance(y, pa.Array) else X
        assert nk.baselines.Hamming(numeric=numeric).fit(X).codebook_.n_values == [3]
