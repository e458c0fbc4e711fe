"""Exported models against Python, on drawn tables of words, numbers and gaps."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import nearkind as nk
from helpers.export_frames import ODD
from helpers.export_readers import READERS, assert_equal, expected
from helpers.strategies import examples

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.MixedValuesWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*learned metric is zero"),
]
COLUMNS = {
    "words": (st.sampled_from(ODD), object),
    "gaps": (st.sampled_from([None, *ODD[:3]]), object),
    "whole": (st.integers(-2, 2), np.int64),
    "tenths": (st.integers(-40, 40).map(lambda k: k / 10) | st.just(np.nan), float),
    "booleans": (st.booleans(), object),
}
METRICS = [
    nk.baselines.Euclidean(),
    nk.baselines.Euclidean(numeric="scale"),
    nk.baselines.Hamming(missing="prior"),
    nk.CPML(max_iter=3, strength="10%", numeric="bin"),
    nk.CPML(max_iter=3, strength="10%", crosses=1),
]


@st.composite
def models_and_rows(draw):
    """A classifier fitted to half of some rows, and all of them."""
    n = draw(st.integers(8, 20))
    kinds = draw(st.lists(st.sampled_from([*COLUMNS]), min_size=1, max_size=3))
    columns = {}
    for d, kind in enumerate(kinds):
        cells, dtype = COLUMNS[kind]
        drawn = draw(st.lists(cells, min_size=n, max_size=n))
        columns[f"{kind} {d}"] = pd.Series(drawn, dtype=dtype)
    X, y = pd.DataFrame(columns), np.array(["ham", "egg"] * n)[:n]
    model = nk.CPMLClassifier(
        draw(st.sampled_from(METRICS)),
        n_neighbors=draw(st.sampled_from([1, 3, 50])),
        weights=draw(st.sampled_from(["uniform", "distance", "soft"])),
    )
    half = n // 2
    return model.fit(X[:half], y[:half]), X


@pytest.mark.parametrize("name", ["json", "sqlite", "duckdb", "onnx"])
def test_an_export_says_what_python_says(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")

    @examples(5, suppress_health_check=[HealthCheck.too_slow])
    @given(models_and_rows())
    def law(case):
        model, rows = case
        assert_equal(READERS[name](model, rows, folder), expected(model, rows))

    law()
