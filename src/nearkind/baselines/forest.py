"""Forest neighbours: rows are alike that reach the same leaves of a random forest."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.distances.kernel import coded_rows
from nearkind.distances.leaf_codes import LeafCodes
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.protocols import Array, Codes
from nearkind.solvers.solution import Deadline, Stop
from nearkind.validation.parameters import Seed, WholeNumber, generator

MOST_INDICATORS = 12
"""Values of a column up to which each has an indicator."""


class ForestNeighbors(Learner, WeightedBaseline):
    """Proximities of a random forest: two rows are alike that share many leaves.

        d(x, x') = share of the trees in which x and x' reach different leaves

    d is a pseudometric, and its root is Euclidean. With soft votes, the training rows
    vote by their proximities to a row as RF-GAP defines them, which adds up to the
    probabilities of the forest, and for the training rows to its out-of-bag
    probabilities. Breiman, *Random forests*, Machine Learning 45, 2001; Rhodes, Cutler
    and Moon, *Geometry- and accuracy-preserving random forest proximities*, arXiv
    2201.12682. The trees are scikit-learn's. Our readings: each tree draws each
    distinct row a Poisson number of times, equal rows together; numbers are used as
    such, ordered values by their rank, other values by indicators or, in columns of
    many values, by rank of frequency; a value not seen in fit is like none of the
    others.

    Parameters
    ----------
    n_estimators : int, default=300
        Number of trees.
    min_samples_leaf : int, default=1
        Distinct rows that a leaf holds at least.
    random_state : int, RandomState or None, default=0
        Selects the rows of each tree, and the columns that its nodes look at.
    unseen, missing, numeric, ordered : default="prior", "level", "scale", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    n_iter_ : int
        Number of trees, fewer than ``n_estimators`` if time ran out.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = ForestNeighbors(50).fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    _has_coordinates = True

    n_estimators: WholeNumber = 300
    _: KW_ONLY
    min_samples_leaf: WholeNumber = 1
    random_state: Seed = 0
    numeric: str = "scale"

    def _learn(self, rows: CodedRows) -> LeafCodes:
        unique, book = rows.merge_equal().labelled, rows.codebook
        coding = value_coding(book, unique.codes, unique.weights)
        rng = generator(self.random_state)
        columns = intrinsic_order(unique, book.n_values)
        salts = salts_of(columns, rng)
        places = places_of(coding, columns)
        X = coded_rows(coding, unique.codes)[:, places]
        none = np.zeros(0, np.intp)
        roots = np.zeros(self.n_estimators, np.intp)
        bare = LeafCodes(book, coding, roots, none, np.zeros(0), none, none, salts)
        drawn = bare.draws(unique.codes) * unique.weights[:, None]
        trees = self._grown(X, unique.y, drawn, rng)
        nodes = joined(trees, places)
        return LeafCodes(book, coding, **nodes, salts=salts)

    def _grown(
        self, X: Array, y: NDArray[np.intp], drawn: Array, rng: np.random.Generator
    ) -> list[Any]:
        """Return trees grown on the rows that each drew, until time is up."""
        from sklearn.tree import DecisionTreeClassifier  # takes 0.1 s

        deadline, trees = Deadline.current(), []
        single = X.astype(np.float32)  # as scikit-learn compares
        seeds = rng.integers(2**31, size=self.n_estimators)
        settings = {"max_features": "sqrt", "min_samples_leaf": self.min_samples_leaf}
        for weights, seed in zip(drawn.T, seeds.tolist(), strict=True):
            some = np.flatnonzero(weights)
            some = some if len(some) else np.arange(1)
            tree = DecisionTreeClassifier(**settings, random_state=seed)
            tree.fit(
                single[some],
                y[some],
                np.maximum(weights[some], 1e-300),
                check_input=False,
            )
            trees.append(tree.tree_)
            if deadline.has_passed:
                break
        self.n_iter_ = len(trees)
        all_grown = len(trees) == self.n_estimators
        self.stop_reason_ = (Stop.SETTLED if all_grown else Stop.OUT_OF_TIME).name
        return trees


def value_coding(book: Codebook, codes: Codes, weights: Array) -> list[Array]:
    """Return for each feature the numbers that trees see of its values (s_d + 1, w_d).

    A missing number is below all others. A value not seen in fit has no indicator, and
    is in the middle of an axis.
    """
    found = []
    columns = zip(codes.T, book.n_values, book.positions, book.n_ordered, strict=True)
    for d, (column, size, position, n_ordered) in enumerate(columns):
        missing = book.features_[d].missing_code if d < len(book.features_) else -1
        if position is not None:
            axis = np.append(position, 0.0)
            if missing >= 0:
                axis[missing] = position.min() - 1.0
        elif n_ordered or size <= 2:
            axis = np.append(np.arange(size), (size - 1) / 2.0)
            axis[n_ordered or size : size] = -1.0
        elif size <= MOST_INDICATORS:
            found.append(np.vstack([np.eye(size), np.zeros(size)]))
            continue
        else:
            known = column >= 0
            totals = np.bincount(column[known], weights[known], size)
            axis = np.append(np.argsort(np.argsort(-totals, kind="stable")), size)
        found.append(np.float32(axis).astype(float)[:, None])
    return found


Order = list[tuple[int, NDArray[np.intp]]]
"""Features and, for each, its codes, in an order that does not depend on names."""


def intrinsic_order(rows: UniqueRows, n_values: Sequence[int]) -> Order:
    """Return features and their values ordered by how they split the classes.

    A forest of the same seed is then the same if columns or values change places.
    """
    n_classes, found = int(rows.y.max()) + 1, []
    for d, (column, size) in enumerate(zip(rows.codes.T, n_values, strict=True)):
        at = np.where(column < 0, size, column) * n_classes + rows.y
        table = np.bincount(at, rows.weights, (size + 1) * n_classes)
        table = table.reshape(size + 1, n_classes)
        by_class = np.lexsort(table[:size].T)
        found.append((size, table[by_class].tolist(), d, by_class))
    return [
        (d, np.append(by_class, -1))
        for *_, d, by_class in sorted(found, key=lambda each: each[:2])
    ]


def salts_of(columns: Order, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return random numbers of the values of each feature (s_d + 1,)."""
    found: dict[int, NDArray[np.intp]] = {}
    for d, values in columns:
        found[d] = np.empty(len(values), dtype=np.intp)
        found[d][values] = rng.integers(2**62, size=len(values))
    return [found[d] for d in range(len(columns))]


def places_of(coding: Sequence[Array], columns: Order) -> NDArray[np.intp]:
    """Return the order in which trees are given the numbers of coded rows (W,)."""
    starts = np.cumsum([0, *(table.shape[1] for table in coding)])
    return np.concatenate(
        [
            starts[d]
            + (values[:-1] if coding[d].shape[1] > 1 else np.zeros(1, np.intp))
            for d, values in columns
        ]
    )


def joined(trees: Sequence[Any], places: NDArray[np.intp]) -> dict[str, Any]:
    """Return roots, columns, thresholds, left and right of scikit-learn's trees."""
    sizes = [tree.node_count for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    first = np.repeat(roots, sizes)
    itself = np.arange(sum(sizes))
    left, right, columns, thresholds = (
        np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("children_left", "children_right", "feature", "threshold")
    )
    is_leaf = left < 0
    return {
        "roots": roots,
        "columns": np.where(is_leaf, 0, places[np.maximum(columns, 0)]),
        "thresholds": np.where(is_leaf, 0.0, thresholds),
        "left": np.where(is_leaf, itself, left + first),
        "right": np.where(is_leaf, itself, right + first),
    }
