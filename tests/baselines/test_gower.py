import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from nearkind.baselines import Gower, Unbiased

CELLS = st.tuples(
    st.sampled_from(["a", "b", None]),
    st.sampled_from([1.5, -2.0, 7.25, 1e6, None]),
    st.sampled_from([0, 1, None]),
)
WEIGHTS = {"x1": 2.5}


def ranges_of(rows):
    """Return the range of each column of numbers, None for one of words."""
    columns = [
        [cell for cell in c if cell is not None] for c in zip(*rows, strict=True)
    ]
    return [
        None
        if any(isinstance(x, str) for x in c)
        else max(c, default=0) - min(c, default=0)
        for c in columns
    ]


def oracle(a, b, ranges, weights=(1.0, 1.0, 1.0), asymmetric=()):
    """Return Gower's distance of two rows, cell by cell."""
    total = known = 0.0
    for d, (x, y) in enumerate(zip(a, b, strict=True)):
        if x is None or y is None or (d in asymmetric and x == y == 0):
            continue
        known += weights[d]
        if ranges[d] is None:
            total += weights[d] * (x != y)
        elif x != y:
            apart = abs(x - y)
            total += weights[d] * (min(apart / ranges[d], 1.0) if ranges[d] else 1.0)
    return total / known if known else float(a != b)


@given(st.lists(CELLS, min_size=2, max_size=8), st.booleans())
def test_equals_the_sum_over_cells(rows, is_asymmetric):
    rows = [("a", 0.0, 0), ("b", 3.0, 1), *rows]
    settings = {"asymmetric": ["x2"]} if is_asymmetric else {}
    found = Gower(weights=WEIGHTS, **settings).fit(rows).pairwise_distances(rows)
    options = ranges_of(rows), (1.0, 2.5, 1.0), (2,) if is_asymmetric else ()
    expected = [[oracle(a, b, *options) for b in rows] for a in rows]
    np.testing.assert_allclose(found, expected, atol=1e-14)


@given(st.floats(-1e7, 1e7), st.floats(-1e7, 1e7))
def test_new_numbers_are_compared_as_they_are(x, y):
    rows = [[0.0], [3.0], [1000.0]]
    model = Gower().fit(rows)
    found = model.pairwise_distances([[x]], [*rows, [y]])[0]
    expected = [min(abs(x - z) / 1000.0, 1.0) for z in (0.0, 3.0, 1000.0)]
    np.testing.assert_allclose(found[:3], expected, atol=1e-9)
    if min(x, y) >= 0.0 and max(x, y) <= 1000.0:
        assert math.isclose(found[3], abs(x - y) / 1000.0, abs_tol=1e-9)


def test_contributions_add_up():
    rows = [["a", 1.0, None], ["b", 3.0, "p"], ["a", 9.0, "q"]]
    model = Gower(weights={"x0": 3.0}).fit(rows)
    for b in rows[1:]:
        parts = model.explain(rows[0], b)["contribution"]
        assert math.isclose(parts.sum(), model.pairwise_distances([rows[0]], [b])[0, 0])


def test_a_missing_cell_that_fit_did_not_see_is_left_out_without_a_warning():
    model = Gower().fit([["a", 1.0], ["b", 2.0]])
    found = model.pairwise_distances([[None, 1.0], ["a", None]], [["a", 1.0]])
    assert found.ravel().tolist() == [0.0, 0.0]


def test_rows_without_a_common_value_are_at_distance_one():
    rows = [["a", None], [None, 1.0], [None, None], [None, None]]
    D = Gower().fit([*rows, ["b", 2.0]]).pairwise_distances(rows)
    assert D[0, 1] == D[0, 2] == 1.0
    assert D[2, 3] == D[2, 2] == 0.0


@pytest.mark.parametrize("column", [["x"] * 3, [7.0] * 3, [None] * 3])
def test_constant_and_empty_columns_say_nothing_of_training_rows(column):
    rows = list(zip(["a", "b", "a"], column, strict=True))
    D = Gower().fit(rows).pairwise_distances(rows)
    share = 1.0 if column[0] is None else 0.5
    np.testing.assert_array_equal(
        D, share * np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    )


def test_a_new_number_differs_from_the_only_one_of_fit():
    model = Gower().fit([[7.0], [7.0]])
    assert model.pairwise_distances([[7.5]], [[7.0]]) == 1.0


def test_every_number_is_a_row_of_its_own():
    X = np.random.default_rng(0).normal(size=(3000, 1))
    assert nk.NearestOutliers("gower", n_neighbors=1).fit(
        X
    ).distance_.codebook.n_values == [3000]


@given(st.lists(CELLS, min_size=2, max_size=8))
def test_unbiased_columns_contribute_equally(rows):
    rows = [("a", 0.0, 0), ("b", 3.0, 1), *rows]
    model = Unbiased().fit(rows)
    for d in range(3):
        column = [row[d] for row in rows if row[d] is not None]
        pairs = [
            model.distance_.scales[d] * (abs(x - y) / (ranges_of(rows)[d] or 1))
            if d
            else model.distance_.scales[d] * (x != y)
            for i, x in enumerate(column)
            for y in column[:i]
        ]
        assert math.isclose(np.mean(pairs), 1.0)


def test_unbiased_counts_repeated_rows_and_weights_alike():
    rows = [["a", 1.0], ["b", 2.0], ["a", 5.0]]
    weighted = Unbiased().fit(rows, sample_weight=[1, 3, 2]).distance_.scales
    repeated = Unbiased().fit([rows[i] for i in (0, 1, 1, 1, 2, 2)]).distance_.scales
    np.testing.assert_array_equal(weighted, repeated)


class TestRefuses:
    ROWS = pd.DataFrame({"size": ["s", "m"], "age": [1.0, 2.0]})

    @pytest.mark.parametrize(
        ("settings", "match"),
        [
            (
                {"weights": {"age": -1.0}},
                r"weight of column 'age' .* to 1e\+100; got -1.0",
            ),
            ({"weights": {"age": np.nan}}, r"weight of column 'age' .* got nan"),
            ({"weights": {"age": "2"}}, r"weight of column 'age' .* got '2'"),
            ({"weights": {"age": 0, "size": 0}}, r"weights of all columns are zero"),
            ({"weights": {"ages": 1}}, r"'ages', which is not a column\. .*'age'"),
            (
                {"weights": [1, 2]},
                r"'weights' parameter of Gower must be None or a dict",
            ),
            ({"asymmetric": ["sizes"]}, r"'sizes', which is not a column\. .*'size'"),
            ({"asymmetric": "size"}, r"'asymmetric' parameter of Gower must be a list"),
            (
                {"missing": "level"},
                r"'missing' parameter of Gower must be one of 'skip'",
            ),
            ({"numeric": "scale"}, r"'numeric' parameter of Gower must be one of 'num"),
        ],
    )
    def test_settings(self, settings, match):
        with pytest.raises(ValueError, match=match):
            Gower(**settings).fit(self.ROWS)

    def test_an_asymmetric_column_of_three_values(self):
        rows = [["a"], ["b"], ["c"]]
        with pytest.raises(
            ValueError, match="column 'x0', which has 3 values, such as"
        ):
            Gower(asymmetric=["x0"]).fit(rows)

    @pytest.mark.parametrize(
        "number", [np.inf, -np.inf, 10**400], ids=["plus", "minus", "huge"]
    )
    def test_infinite_numbers_in_fit_and_later(self, number):
        with pytest.raises(ValueError, match="Column 'age' holds an infinite number"):
            Gower().fit(pd.DataFrame({"age": pd.Series([1.0, number], dtype=object)}))
        model = Gower().fit(self.ROWS)
        with pytest.raises(ValueError, match=r"Column 'age' .* Pass numeric='bin'"):
            model.pairwise_distances([{"size": "s", "age": number}])

    def test_other_distances_keep_their_policies(self):
        with pytest.raises(ValueError, match=r"'missing' parameter of Hamming must be"):
            nk.baselines.Hamming(missing="skip").fit(self.ROWS)
        with pytest.raises(ValueError, match=r"'numeric' parameter of CPML must be"):
            nk.CPML(numeric="number").fit(self.ROWS, [0, 1])
