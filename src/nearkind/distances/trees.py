"""Rows as vectors to which regression trees on codes add the vectors of leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_integers, check_reals, check_vectors
from nearkind.distances.vectors import EmbeddedForm
from nearkind.errors import RefusedError
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class CodeTrees:
    """Trees whose nodes ask which value a row has in one feature; vectors in leaves.

    Attributes
    ----------
    roots : ndarray of int of shape (T,)
        The node at which each tree begins.
    features : ndarray of int of shape (N,)
        The feature that each node looks at.
    goes_left : ndarray of bool of shape (N, S)
        By a row's code in that feature; the last place is for values unseen, code -1.
    left, right : ndarray of int of shape (N,)
        The next node, always a later one; of a leaf, itself.
    vectors : ndarray of shape (N, q)
        What a leaf adds to a row.

    Examples
    --------
    >>> stump = CodeTrees(
    ...     roots=np.array([0]), features=np.zeros(3, np.intp),
    ...     goes_left=np.array([[True, False, False]] + 2 * [[False] * 3]),
    ...     left=np.array([1, 1, 2]), right=np.array([2, 1, 2]),
    ...     vectors=np.array([[0.0], [-1.0], [1.0]]))
    >>> stump.embed(np.array([[0], [1], [-1]])).ravel()
    array([-1.,  1.,  1.])
    """

    roots: Numbers
    features: Numbers
    goes_left: NDArray[np.bool_]
    left: Numbers
    right: Numbers
    vectors: Array

    @classmethod
    def none(cls, tables: Sequence[Array], size: int) -> "CodeTrees":
        """Return no tree yet, on the values of such tables as ``of`` takes."""
        nothing = np.zeros(0, np.intp)
        sides = np.zeros((0, max(map(len, tables))), dtype=bool)
        return cls(nothing, nothing, sides, nothing, nothing, np.zeros((0, size)))

    @classmethod
    def of(cls, tree: Any, tables: Sequence[Array]) -> "CodeTrees":
        """Return one tree of scikit-learn's, which was fitted to coded rows.

        Where a value goes follows from its coordinates; a value that was not seen goes
        where most rows went.

        Parameters
        ----------
        tree : sklearn.tree.DecisionTreeRegressor
            Fitted to rows of concatenated vectors of values.
        tables : sequence of ndarray of shape (n_values[d] + 1, w_d)
            Those vectors; the last row is for values unseen.
        """
        nodes, n_nodes = tree.tree_, tree.tree_.node_count
        widths = [table.shape[1] for table in tables]
        starts = np.cumsum([0, *widths])
        owners = np.repeat(np.arange(len(widths)), widths)
        is_leaf = nodes.children_left < 0
        features = owners[np.where(is_leaf, 0, nodes.feature)]
        left, right = (
            np.where(is_leaf, np.arange(n_nodes), children)
            for children in (nodes.children_left, nodes.children_right)
        )
        sides = np.zeros((n_nodes, max(map(len, tables))), dtype=bool)
        weights = nodes.weighted_n_node_samples
        for node in np.flatnonzero(~is_leaf):
            d = features[node]
            column = tables[d][:-1, nodes.feature[node] - starts[d]]
            single = column.astype(np.float32)  # as scikit-learn compares
            sides[node, : len(single)] = single <= nodes.threshold[node]
            sides[node, -1] = weights[left[node]] >= weights[right[node]]
        vectors = np.where(is_leaf[:, None], nodes.value.reshape(n_nodes, -1), 0.0)
        return cls(np.zeros(1, np.intp), features, sides, left, right, vectors)

    def and_then(self, other: "CodeTrees", step: float) -> "CodeTrees":
        """Return these trees, and after them others whose leaves add ``step`` times."""
        first = len(self.features)
        return CodeTrees(
            np.append(self.roots, other.roots + first),
            np.append(self.features, other.features),
            np.concatenate([self.goes_left, other.goes_left]),
            np.append(self.left, other.left + first),
            np.append(self.right, other.right + first),
            np.concatenate([self.vectors, step * other.vectors]),
        )

    def embed(self, codes: Codes) -> Array:
        """Return the sum of the leaves that each row (n, D) reaches (n, q)."""
        rows, U = np.arange(len(codes)), np.zeros((len(codes), self.vectors.shape[1]))
        for root in self.roots:
            node = np.full(len(codes), root)
            while (self.left[node] != node).any():
                is_left = self.goes_left[node, codes[rows, self.features[node]]]
                node = np.where(is_left, self.left[node], self.right[node])
            U += self.vectors[node]
        return U


@dataclass(frozen=True, eq=False)
class TreeVectors(EmbeddedForm):
    """d = |u - u'|, u the sum of the vectors of a row's values and of its leaves.

    Attributes
    ----------
    tables : ValueTables
        One table of vectors per feature, the last one for unseen values.
    trees : CodeTrees
    """

    tables: ValueTables
    trees: CodeTrees

    @property
    def size(self) -> int:
        """Length q of the vectors."""
        return self.trees.vectors.shape[1]

    def represent(self, codes: Codes) -> Array:
        """Return the vectors of rows (n, q)."""
        return self.tables.embed(codes) + self.trees.embed(codes)

    def check(self) -> None:
        """Refuse nodes that ask for what is not there, or that lead back."""
        trees, n_values = self.trees, self.codebook.n_values
        size = check_vectors(self.tables.vectors, "tables", n_values)
        if type(trees) is not CodeTrees:
            raise RefusedError("trees are not trees")
        for name in ("roots", "features", "left", "right"):
            check_integers(getattr(trees, name), f"{name} of trees", (None,))
        sides = trees.goes_left
        if getattr(sides, "dtype", None) != np.bool_ or sides.ndim != 2:
            raise RefusedError("goes_left of trees is not a table of true and false")
        n_nodes = len(check_reals(trees.vectors, "vectors of trees", (None, size)))
        shapes = {len(part) for part in (trees.features, trees.left, trees.right)}
        if shapes != {n_nodes} or sides.shape != (n_nodes, max(n_values) + 1):
            raise RefusedError(
                "trees do not have one entry per node, or a side per value"
            )
        is_node = (trees.roots >= 0) & (trees.roots < n_nodes)
        is_feature = (trees.features >= 0) & (trees.features < len(n_values))
        if not is_node.all() or not is_feature.all():
            raise RefusedError("trees name a node or a column that is not there")
        itself = np.arange(n_nodes)
        is_leaf = (trees.left == itself) & (trees.right == itself)
        follows = (np.minimum(trees.left, trees.right) > itself) & (
            np.maximum(trees.left, trees.right) < n_nodes
        )
        if not (is_leaf | follows).all():
            raise RefusedError("trees lead back, or to no node")
