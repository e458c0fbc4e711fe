"""GB-LMNN: LMNN's map and trees that each lower its loss; new rows go through them."""

import re

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import GBLMNN, LMNN
from nearkind.projections.onehot import OneHot

X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0]
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
)


def _with_labels(model):
    codes = model.codebook_.encode(X)
    return np.column_stack([codes, np.unique(Y, return_inverse=True)[1]])


def test_it_starts_at_the_map_of_lmnn():
    model, start = GBLMNN(max_iter=3, tol=0.0).fit(X, Y), LMNN().fit(X, Y)
    np.testing.assert_array_equal(
        model.distance_.tables.embed(model.codebook_.encode(NEW)), start.transform(NEW)
    )
    assert len(model.distance_.trees.roots) == model.n_iter_ == 3


def test_the_first_tree_fits_the_gradient_of_the_loss():
    """Gradient by finite differences of a triple loop; the tree is scikit-learn's."""
    model = GBLMNN(max_iter=1, tol=0.0, max_depth=2).fit(X, Y)
    rows, first = np.unique(
        _with_labels(model),
        axis=0, return_index=True,
    )  # fmt: skip
    codes, y = rows[:, :-1], rows[:, -1]
    _, weights = np.unique(
        _with_labels(model),
        axis=0, return_counts=True,
    )  # fmt: skip
    U = model.distance_.tables.embed(codes)
    of_row = np.repeat(np.arange(len(codes)), weights)
    targets = nearest_of_class(U, y, of_row)
    G = finite_differences(lambda V: plain_loss(V, y, of_row, targets), U)
    phi = OneHot().fit(codes, model.codebook_.n_values, None, None).transform(codes)
    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    tree.fit(phi.reshape(len(codes), -1), -G / weights[:, None], weights)
    found, expected = (
        model.distance_.trees.embed(codes),
        tree.predict(phi.reshape(len(codes), -1)),
    )
    step = (found * expected).sum() / (expected**2).sum()
    assert step > 0.0
    np.testing.assert_allclose(found, step * expected, atol=1e-5 * np.abs(found).max())
    assert len(first) == len(codes)


def nearest_of_class(U, y, of_row):
    found = []
    for a, i in enumerate(of_row):
        others = [j for b, j in enumerate(of_row) if b != a and y[j] == y[i]]
        d2 = np.round(((U[others] - U[i]) ** 2).sum(axis=1), 7)
        order = np.lexsort((np.lexsort((others,)), others, d2))
        found.append([others[at] for at in order[:3]])
    return found


def plain_loss(U, y, of_row, targets):
    total = 0.0
    for i, near in zip(of_row, targets, strict=True):
        far = ((U[of_row[y[of_row] != y[i]]] - U[i]) ** 2).sum(axis=1)
        for j in near:
            d2 = ((U[i] - U[j]) ** 2).sum()
            total += 0.5 * d2 + 0.5 * np.maximum(1.0 + d2 - far, 0.0).sum()
    return total


def finite_differences(value, U, width=1e-5):
    G = np.zeros_like(U)
    for at in np.ndindex(U.shape):
        step = np.zeros_like(U)
        step[at] = width
        G[at] = (value(U + step) - value(U - step)) / (2 * width)
    return G


def test_new_rows_are_placed_by_map_and_trees():
    model = GBLMNN(max_iter=5).fit(X, Y)
    codes = model.codebook_.encode(NEW)
    expected = model.distance_.tables.embed(codes) + model.distance_.trees.embed(codes)
    np.testing.assert_array_equal(model.transform(NEW), expected)
    assert model.distance_.trees.embed(codes).any()


def test_trees_go_below_what_lmnn_can_reach():
    model = GBLMNN(tol=1e-3).fit(X, Y)
    assert model.objective_ < 0.8 * model.history_[0]
    assert model.history_[0] <= 1.01 * LMNN().fit(X, Y).objective_


def test_rows_that_lmnn_puts_into_one_place_stay_there():
    rows = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]]
    model = GBLMNN(n_neighbors=1).fit(rows, [0, 1, 1, 0])
    np.testing.assert_allclose(LMNN(1).fit(rows, [0, 1, 1, 0]).metric_, 0.0, atol=1e-9)
    assert (len(model.distance_.trees.roots), model.stop_reason_) == (0, "SETTLED")


def test_it_has_no_vectors_of_values():
    model = GBLMNN(max_iter=2).fit(X, Y)
    form = model.distance_
    assert (form.is_euclidean, form.has_vectors) == (True, False)
    assert not hasattr(model, "value_vectors_")
    with pytest.raises(
        ValueError, match="GBLMNN cannot be exported: it has neither vectors"
    ):
        nk.export.write(model, "never.json")


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (GBLMNN(max_depth=0), "'max_depth' parameter of GBLMNN .* >= 1; got 0"),
        (GBLMNN(learning_rate=0), "'learning_rate' .* a number > 0; got 0"),
        (GBLMNN(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)
