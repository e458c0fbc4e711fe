"""fit_constraints: side information instead of labels."""

import warnings

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table

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
        table = model.projection_.tables[d][at, 0]
        shares = [
            [np.mean(y[:10][_same(X[:10][name], v)] == c) for c in model.classes_]
            for v in values
        ]
        np.testing.assert_allclose(table, shares)


def _same(column, value):
    return column.isna() if value is None else column == value


def test_several_kinds_have_a_common_optimum_with_a_proof():
    X, y = labelled_table(20, seed=1)
    triplets = all_triplets(y)[::40]
    pairs = [(i, i + 1, 1 if y[i] == y[i + 1] else -1) for i in range(19)]
    stated = {"triplets": triplets, "pairs": pairs}
    settings = {"projection": "onehot", "strength": 0.05}
    model = nk.CPML(**settings, max_iter=600).fit_constraints(X, **stated)
    D = model.pairwise_distances(X, squared=True)
    i, j, k = triplets.T
    loss = np.maximum(D[i, j] + 1.0 - D[i, k], 0.0).mean()
    sides = np.array([side for *_, side in pairs])
    steps = np.array([D[i, j] for i, j, _ in pairs])
    loss += np.maximum(1.0 + sides * (steps - 1.0), 0.0).mean()
    penalty = 0.05 * model.spectrum_.sum()
    assert model.objective_ == pytest.approx(loss + penalty, rel=1e-6)
    assert model.gap_ <= 1e-3 * model.objective_
    other = nk.CPML(**settings, solver="subgradient", max_iter=300)
    other.fit_constraints(X, **stated)
    assert other.objective_ >= model.objective_ - model.gap_ - 1e-9


def test_constraints_of_any_shape_give_one_model():
    X, y = labelled_table(16, seed=1, n_classes=2)
    rows = all_triplets(y)[:50]
    forms = [rows, rows.tolist(), pd.DataFrame(rows), (tuple(row) for row in rows)]
    models = [
        nk.CPML(projection="onehot", max_iter=5).fit_constraints(X, triplets=form)
        for form in forms
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.metric_, models[0].metric_)


def test_conflicts_are_told_at_the_line_of_the_caller():
    X = [["a", "b"], ["a", "c"], ["d", "c"], ["d", "b"], ["a", "b"]]
    rows = [(0, 1, 2), (0, 2, 1), (3, 2, 1), (4, 3, 0)]  # rows 0 and 4 are equal
    model = nk.CPML(projection="onehot", max_iter=5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit_constraints(X, triplets=rows)
    hopeless, opposed = (str(w.message) for w in caught[:2])
    assert hopeless.startswith("1 of 4 triplets cannot be met")
    assert opposed.startswith("2 of 4 triplets contradict others")
    assert {w.filename for w in caught} == {__file__}


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"triplets": [(0, 1, 2), (3, 4, 99)]}, r"triplets\[1\] .* row 99"),
        ({"triplets": [(0, 1, 1)]}, r"triplets\[0\] .* with itself"),
        ({"pairs": [(0, 1, 1)], "triplets": []}, "triplets must hold .* got none"),
        ({}, "nothing to learn from"),
    ],
)
def test_what_cannot_be_stated_is_refused(stated, words):
    X, _ = labelled_table(16, seed=1)
    with pytest.raises(ValueError, match=words):
        nk.CPML(projection="onehot").fit_constraints(X, **stated)
