import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.model_files import loaded, saved
from nearkind.baselines import Gower, Unbiased
from nearkind.errors import ModelFileError

SIZES = ["S", "M", "L", "XL"]
ORDER = {"size": SIZES}
CELLS = ["M", "S", "L", "S", None, "L"]
X = pd.DataFrame({"size": CELLS, "tone": list("aababb")})
Y = [0, 1, 0, 0, 1, 1]
CATEGORICAL = X.assign(size=pd.Categorical(CELLS, SIZES, ordered=True))
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


def tables():
    yield CATEGORICAL
    pl = pytest.importorskip("polars")
    cells = pl.Series(CELLS, dtype=pl.Enum(SIZES))
    yield pl.DataFrame({"size": cells, "tone": X["tone"].tolist()})
    pa = pytest.importorskip("pyarrow")
    yield pa.Table.from_pandas(CATEGORICAL)


def test_ordered_types_are_as_the_parameter():
    stated = Gower(ordered=ORDER).fit(X)
    assert stated.categories_["size"] == [*SIZES, None]
    for table in tables():
        declared = Gower().fit(table)
        assert declared.categories_["size"] == [*SIZES, None]
        D = stated.pairwise_distances(X)
        np.testing.assert_array_equal(declared.pairwise_distances(table), D)


def test_the_parameter_goes_before_the_type():
    turned = Gower(ordered={"size": ["M", "S", "L", "XL"]}).fit(CATEGORICAL)
    assert turned.value_distances("size").loc["M", "S"] == 0.25


def test_levels_over_the_range_that_occurs():
    table = Gower(ordered=ORDER).fit(X).value_distances("size")
    # A mean over two columns, of which the other one is equal.
    assert table.loc["S"].tolist() == [0.0, 0.25, 0.5, 0.5, 0.0]
    assert table.loc["M", "XL"] == 0.5


def test_podani_counts_rows_between():
    # Ranks with ties: r is the mean rank of a level, T the number of its rows.
    cells = list("aabcccddddd")
    T = np.array([2, 1, 3, 5])
    r = np.cumsum(T) - (T - 1) / 2
    gap = np.abs(r[:, None] - r) - (T[:, None] - 1) / 2 - (T - 1) / 2
    expected = np.where(np.eye(4) > 0, 0.0, gap / gap[0, 3])
    model = Gower(ordered={"x0": list("abcd")}, ordinal="podani")
    D = model.fit([[cell] for cell in cells]).value_distances("x0")
    np.testing.assert_allclose(D, expected, atol=1e-15)


def test_podani_places_a_level_without_rows_between_its_neighbours():
    model = Gower(ordered={"x0": list("abc")}, ordinal="podani")
    D = model.fit([["a"], ["a"], ["c"]]).value_distances("x0")
    assert 0.0 < D.loc["a", "b"] < D.loc["a", "c"] == 1.0


def test_unbiased_scales_orders():
    model = Unbiased(ordered=ORDER).fit(X[["size"]].dropna())
    D = model.pairwise_distances(X[["size"]].dropna())
    assert np.isclose(D[np.triu_indices(5, 1)].mean(), 1.0)


@pytest.mark.parametrize("name", nk.baselines.all())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*learned nothing")
def test_every_distance_takes_an_order_and_a_file_keeps_it(name):
    kind = nk.baselines.all()[name]
    few = {"max_iter": 3} if "max_iter" in kind().get_params() else {}
    model = kind(ordered=ORDER, **few).fit(X, Y)
    assert model.categories_["size"] == [*SIZES, None]
    rows = [*X.to_dict("records"), {"size": "XL", "tone": "a"}]
    D = model.pairwise_distances(rows)
    assert not np.isnan(D).any()
    again = loaded(saved(model))
    np.testing.assert_array_equal(again.pairwise_distances(rows), D)
    with pytest.raises(ValueError, match=r"'size' has the value 'XS' \(did you mean"):
        again.pairwise_distances([{"size": "XS", "tone": "a"}])


class TestRefuses:
    @pytest.mark.parametrize(
        ("ordered", "match"),
        [
            (
                {"size": ["S", "M"]},
                r"'size' has the value 'L', which is not in its order",
            ),
            ({"size": [*SIZES, "M"]}, r"order of column 'size' .* names 'M' more than"),
            ({"size": [*SIZES, None]}, r"order of column 'size' .* a missing value"),
            ({"size": [*SIZES, np.nan]}, r"order of column 'size' .* a missing value"),
            ({"size": []}, r"order of column 'size' .* is empty"),
            ({"size": "SML"}, r"order of column 'size' .* must be a list of values"),
            ({"sizes": SIZES}, r"'sizes', which is not a column\. Did you mean 'size'"),
            (SIZES, r"'ordered' parameter must be None or a dict"),
        ],
    )
    @pytest.mark.parametrize("kind", [Gower, nk.CPML, nk.CPMLClassifier])
    def test_odd_orders(self, kind, ordered, match):
        with pytest.raises(ValueError, match=match):
            kind(ordered=ordered).fit(X, Y)

    def test_a_file_with_a_value_twice(self):
        data = saved(Gower(ordered=ORDER).fit(X))
        with pytest.raises(ModelFileError):
            loaded(data.replace(b'"levels":["S","M"', b'"levels":["S","S"'))


def test_supervised_distances_learn_from_the_order():
    # Distances add up along the order: under M = I one step is 1, all steps 3.
    model = nk.CPML("full", projection="thermometer", ordered=ORDER, strength=1e-9)
    tables = model.fit(X, Y).distance_.tables
    assert tables.vectors[0].shape[0] == len(SIZES) + 2
    lmnn = nk.baselines.LMNN(coding="thermometer", ordered=ORDER).fit(X, Y)
    assert list(lmnn.value_distances("size")[:4].columns[:4]) == SIZES


def test_the_search_tries_it_where_a_column_is_ordered():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 60)
    sizes = pd.Categorical.from_codes(codes, SIZES, ordered=True)
    table, labels = pd.DataFrame({"size": sizes}), rng.random(60) < 0.2 + 0.2 * codes
    tried = nk.CPMLClassifierCV(cv=2).fit(table, labels).cv_results_["candidate"]
    assert "neighbors by ordered values" in set(tried)
    plain = nk.CPMLClassifierCV(cv=2).fit(table.astype(str), labels)
    assert "neighbors by ordered values" not in set(plain.cv_results_["candidate"])
    stated = nk.CPMLClassifierCV(cv=2, ordered=ORDER).fit(table.astype(str), labels)
    assert "neighbors by ordered values" in set(stated.cv_results_["candidate"])
