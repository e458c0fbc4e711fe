"""Trees on codes: what scikit-learn's trees say, from plain arrays."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from nearkind.distances.trees import CodeTrees
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

RNG = np.random.default_rng(0)
N_VALUES = [3, 5, 2]
CODES = np.column_stack([RNG.integers(0, size, 60) for size in N_VALUES]).astype(
    np.int32
)
Y = RNG.integers(0, 3, 60)
WEIGHTS = RNG.integers(1, 4, 60).astype(float)
TARGETS = RNG.normal(size=(60, 2))
CODINGS = {"onehot": OneHot, "vdm": VDM}
every_coding = pytest.mark.parametrize("coding", CODINGS)


def grown(coding, max_depth=3, targets=TARGETS):
    """Return scikit-learn's tree, the rows it saw, and ours."""
    projection = CODINGS[coding]().fit(CODES, N_VALUES, Y, WEIGHTS)
    rows = projection.transform(CODES).reshape(60, -1)
    tables = [table.reshape(len(table), -1) for table in projection.tables]
    theirs = DecisionTreeRegressor(max_depth=max_depth, random_state=0)
    theirs.fit(rows, targets, WEIGHTS)
    return theirs, rows, CodeTrees.of(theirs, tables), tables


@every_coding
@pytest.mark.parametrize("max_depth", [1, 3, 12])
def test_rows_reach_the_leaves_that_scikit_learn_says(coding, max_depth):
    theirs, rows, ours, _ = grown(coding, max_depth)
    np.testing.assert_array_equal(ours.embed(CODES), theirs.predict(rows))


@every_coding
def test_trees_add_up(coding):
    one, rows, first, tables = grown(coding)
    two, _, second, _ = grown(coding, 2, TARGETS[::-1])
    both = CodeTrees.none(tables, 2).and_then(first, 0.5).and_then(second, -2.0)
    np.testing.assert_allclose(
        both.embed(CODES), 0.5 * one.predict(rows) - 2.0 * two.predict(rows), atol=1e-12
    )
    assert len(both.roots) == 2


@every_coding
def test_a_value_unseen_goes_the_way_of_most_rows(coding):
    _, _, trees, _ = grown(coding, 1)
    feature = trees.features[0]
    unseen = CODES[:1].copy()
    unseen[0, feature] = -1
    is_left = trees.goes_left[0, CODES[:, feature]]
    most = (
        trees.left[0] if WEIGHTS[is_left].sum() >= WEIGHTS.sum() / 2 else trees.right[0]
    )
    np.testing.assert_array_equal(trees.embed(unseen)[0], trees.vectors[most])


def test_no_tree_adds_nothing():
    tables = grown("vdm")[3]
    assert not CodeTrees.none(tables, 3).embed(CODES).any()


def test_a_tree_without_a_split_is_a_leaf():
    _, _, trees, _ = grown("onehot", 3, np.ones((60, 2)))
    assert trees.left.tolist() == trees.right.tolist() == [0]
    np.testing.assert_array_equal(trees.embed(CODES), np.ones((60, 2)))
