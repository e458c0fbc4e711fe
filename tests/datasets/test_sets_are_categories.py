"""Every data set is taken as it is: none is mistaken for free text."""

import pytest

from nearkind import datasets
from nearkind.datasets.rules import RULES
from nearkind.encoding.codebook import Codebook

LARGE = {"adult", "census", "connect4"}
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else [])
    for name in datasets.names()
]


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_column_has_levels(name, real_file, monkeypatch):
    if name not in RULES:
        monkeypatch.setenv("NEARKIND_DATA", str(real_file(name).parent))
    X = datasets.load(name).X
    book = Codebook()
    book.fit_encode(X)
    assert book.n_values == X.nunique(dropna=False).tolist()
