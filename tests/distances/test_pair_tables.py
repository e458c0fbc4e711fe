"""Tables of pairs of values: sums over features, and tables that are too large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import tables
from nearkind.baselines import DILCA, DM3, Association, Cheng, ValueDifference
from nearkind.distances.pair_tables import table_sums

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]


@given(table=tables(unseen=True), data=st.data())
def test_sums_of_pair_tables_are_a_loop(table, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    parts = [rng.normal(size=(s + 1, s + 1)) for s in table.n_values]
    start = np.cumsum([0, *(s + 1 for s in table.n_values)])[:-1]
    at = np.where(table.codes < 0, table.n_values, table.codes)
    expected = [
        [sum(A[u, v] for A, u, v in zip(parts, x, y, strict=True)) for y in at]
        for x in at
    ]
    found = table_sums(parts, at + start, at + start)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("kind", [Association, DILCA, DM3])
def test_too_many_pairs_of_values_are_refused(kind):
    ids = [[f"id {i}", "x"] for i in range(7100)]
    with pytest.raises(
        ValueError, match=rf"{kind.__name__} .*all columns.* 'x0' .*7,1"
    ):
        kind().fit(ids)


@pytest.mark.parametrize("kind", [ValueDifference, Cheng])
def test_too_many_values_are_refused(kind):
    ids = [[f"id {i}"] for i in range(7100)]
    with pytest.raises(ValueError, match=rf"{kind.__name__} .* 'x0' .* 7,100"):
        kind().fit(ids, [0, 1] * 3550)
