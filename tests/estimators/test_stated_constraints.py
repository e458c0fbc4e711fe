"""fit_constraints: side information instead of labels."""

import numpy as np
import pytest

import nearkind as nk
from tables import labelled_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def all_triplets(y):
    n = len(y)
    return np.array(
        [
            (i, j, k)
            for i in range(n)
            for j in range(n)
            for k in range(n)
            if i != j and y[i] == y[j] and y[k] != y[i]
        ]
    )


def test_stating_every_triplet_equals_learning_from_the_labels():
    X, y = labelled_table(16, seed=1, n_classes=2)
    settings = {"projection": "onehot", "max_iter": 600, "tol": 1e-4}
    labelled = nk.CPML(**settings).fit(X, y)
    stated = nk.CPML(**settings).fit_constraints(X, triplets=all_triplets(y))
    assert stated.objective_ == pytest.approx(labelled.objective_, rel=3e-4)
    assert stated.strength_max_ == pytest.approx(labelled.strength_max_, rel=1e-6)


def test_pairs_and_quadruplets_are_taken():
    X, y = labelled_table(20, seed=1)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 20, (2, 60))
    sides = np.where(y[i] == y[j], 1, -1)
    model = nk.CPML(projection="cooccurrence", constraints="pairs", max_iter=20)
    model.fit_constraints(X, pairs=np.column_stack([i, j, sides]))
    assert model.rank_ > 0
    alike, unlike = np.flatnonzero(sides == 1)[:5], np.flatnonzero(sides == -1)[:5]
    rows = np.column_stack([i[alike], j[alike], i[unlike], j[unlike]])
    nk.CPML(projection="onehot", max_iter=20).fit_constraints(X, quadruplets=rows)


def test_partly_labelled_rows_give_the_histograms():
    X, y = labelled_table(30, seed=2)
    partly = y.astype(object)
    partly[10:] = None
    model = nk.CPML(max_iter=5).fit_constraints(X, triplets=[[0, 1, 2]], y=partly)
    counted = nk.baselines.Euclidean().fit(X[:10], y[:10])
    np.testing.assert_array_equal(model.classes_, counted.classes_)
    for name, values in counted.categories_.items():
        at = [model.categories_[name].index(value) for value in values]
        d = list(X.columns).index(name)
        table = model._projection.tables[d][at, 0]
        shares = [
            [np.mean(y[:10][_same(X[:10][name], v)] == c) for c in model.classes_]
            for v in values
        ]
        np.testing.assert_allclose(table, shares)


def _same(column, value):
    return column.isna() if value is None else column == value
