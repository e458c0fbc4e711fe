"""A table is read once, whatever is learned from it, and a search reads no more."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.committees import with_members
from nearkind.tables import Table

N_ROWS = 90


@pytest.fixture
def readings(monkeypatch):
    """Count how often each column of a user's table is read."""
    counts, column = Counter(), Table.column

    def counted(self, d):
        if type(self) is Table:  # not one that has been factorized
            counts[self.names[d]] += 1
        return column(self, d)

    monkeypatch.setattr(Table, "column", counted)
    return counts


def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N_ROWS)
    word = np.where(rng.random(N_ROWS) < 0.1, None, rng.choice(list("abc"), N_ROWS))
    numbers = {"x": rng.normal(size=N_ROWS) + y, "few": rng.integers(4, size=N_ROWS)}
    return pd.DataFrame({"word": word, **numbers}), y.astype(str)


QUICK = {"tol": 0.1, "max_iter": 5}
MODELS = [
    nk.CPML(**QUICK),
    nk.CPMLClassifier(nk.CPML(**QUICK)),
    nk.CPMLClassifier(nk.baselines.Goodall1()),
    nk.CPMLClassifierCV(cv=3),
    nk.CPMLClassifierCV([nk.baselines.Hamming(), nk.CPML(**QUICK, numeric="scale")]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_fit_reads_every_column_once(model, readings):
    X, y = rows()
    model.fit(X, y)
    assert readings == dict.fromkeys(X.columns, 1)


@pytest.mark.filterwarnings("ignore")
def test_a_path_of_strengths_reads_every_column_once(readings):
    X, y = rows()
    for _ in nk.CPML(**QUICK).fit_path(X, y, ["10%", "1%"]):
        pass
    assert readings == dict.fromkeys(X.columns, 1)


@pytest.mark.filterwarnings("ignore")
def test_partly_labelled_rows_are_read_once(readings):
    X, y = rows()
    labels = np.where(np.arange(N_ROWS) % 4 == 0, None, y)
    nk.CPMLClassifier(nk.CPML(**QUICK)).fit(X, labels)
    assert readings == dict.fromkeys(X.columns, 1)


@pytest.mark.filterwarnings("ignore")
def test_predicting_reads_every_column_once(readings):
    X, y = rows()
    alone = nk.CPMLClassifier(nk.CPML(**QUICK)).fit(X, y)
    several = nk.CPMLClassifierCV([nk.baselines.Hamming()], n_neighbors=1, cv=2).fit(
        X, y
    )
    with_members(several, [alone, *several.members_])
    for model in (alone, several):
        readings.clear()
        model.predict(X)
        assert readings == dict.fromkeys(X.columns, 1)
