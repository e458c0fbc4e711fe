"""GB-LMNN: boosted regression trees on the loss of LMNN."""

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkind.baselines.coding import CodingName, flat_tables
from nearkind.baselines.large_margin import LMNN
from nearkind.baselines.margin_learner import Descent, MarginDescent, MarginLoss
from nearkind.distances.kernel import coded_rows
from nearkind.distances.trees import CodeTrees, TreeVectors
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.estimators.base import EmbeddedDistance
from nearkind.losses.hinge import Hinge
from nearkind.metrics.metric import Embedding
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Map
from nearkind.solvers.solution import Stop
from nearkind.validation.parameters import NonNegative, Positive, WholeNumber, generator

SUFFICIENT = 1e-4
"""Share of what the slope promises that a step must gain."""
HALVINGS = 20
"""How often a step is halved before there is none."""


class GBLMNN(EmbeddedDistance, MarginDescent):
    """Gradient-boosted large margin nearest neighbour.

        u(x) = L x + sum over t of a_t h_t(x),  d_ij = |u(x_i) - u(x_j)|^2
        (1 - mu) sum of d_ij  +  mu sum of [1 + d_ij - d_il]_+  descends

    over rows i, their k nearest j of the same class under L, and all rows l of other
    classes. L is LMNN's (:class:`nearkind.baselines.LMNN`); each tree h_t is fitted by
    least squares to the negative gradient of the sum in u(x_i). Kedem, Tyree,
    Weinberger, Sha and Lanckriet, *Non-linear metric learning*, NIPS 2012. The trees
    are scikit-learn's DecisionTreeRegressor, on coded rows. Our readings: the step a_t
    moves rows by ``learning_rate`` on average and is halved until the sum decreases; no
    rows are held out to select the number of trees; a value that a tree has not seen
    goes to the side of most rows. If L maps all rows to one point, trees cannot
    separate them. A row is not a sum of value vectors, so there is ``transform`` but
    neither ``explain`` nor an export.

    Parameters
    ----------
    n_neighbors : int, default=3
        Target neighbours per row; fewer in smaller classes.
    mu : float, 0 < mu <= 1, default=0.5
        Weight of pushing impostors away, against pulling targets.
    max_depth : int, default=4
        Depth of the trees.
    learning_rate : float > 0, default=0.1
        Root mean square of the moves of a tree; the margin is a squared distance of 1.
    max_iter : int, default=100
        Maximum number of trees.
    tol : float, default=0.03
        Stop when a tree gains less than this fraction of the initial sum. More trees
        overfit.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms, for L and for the trees.
    max_rows : int, default=4_000
        Maximum number of distinct rows for trees; larger tables are subsampled,
        stratified by class.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows, and among equally good splits.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    history_ : list of float
        Objective at the start and after each tree.
    objective_ : float
        Final value of the objective.
    n_iter_ : int
        Number of trees; also 1 if there are none.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = GBLMNN(n_neighbors=1).fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    n_neighbors: WholeNumber = 3
    _: KW_ONLY
    max_depth: WholeNumber = 4
    learning_rate: Positive = 0.1
    max_iter: WholeNumber = 100
    tol: NonNegative = 0.03
    coding: CodingName = "onehot"

    def _start(self, rows: CodedRows) -> ValueTables:
        """Return LMNN's map; it need not be the best there is."""
        settings = self.get_params()
        shared = LMNN().get_params().keys() - {"max_iter", "tol"}
        learner = LMNN(**{name: settings[name] for name in shared})
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            return learner.fit(rows).distance_.tables

    def _descend(
        self, rows: CodedRows, drawn: UniqueRows, run: Map
    ) -> tuple[TreeVectors, Descent]:
        from sklearn.tree import DecisionTreeRegressor  # takes 0.1 s

        tables = self._start(rows)
        coding = flat_tables(self._fit_coding(rows, len(drawn)))
        X = coded_rows(coding, drawn.codes)
        seed = int(generator(self.random_state).integers(2**31))

        def grow(target: Array) -> CodeTrees:
            tree = DecisionTreeRegressor(max_depth=self.max_depth, random_state=seed)
            return CodeTrees.of(tree.fit(X, target, drawn.weights), coding)

        U = tables.embed(drawn.codes)
        U = U - U.mean(axis=0)
        loss = self._loss(drawn, Embedding(U, U), Hinge(), run)
        nothing = CodeTrees.none(coding, U.shape[1])
        step = self.learning_rate, self.max_iter, self.tol
        trees, found = boost(loss, U, drawn, grow, nothing, *step)
        return TreeVectors(rows.codebook, tables, trees), found


def boost(
    loss: MarginLoss,
    U: Array,
    rows: UniqueRows,
    grow: Callable[[Array], CodeTrees],
    trees: CodeTrees,
    learning_rate: float,
    max_iter: int,
    tol: float,
) -> tuple[CodeTrees, Descent]:
    """Move rows down a loss by trees, and return the trees.

    Parameters
    ----------
    loss : MarginLoss
    U : ndarray of shape (n, q)
        Vectors of the rows at the start.
    rows : UniqueRows
        The rows; weight m is equivalent to m equal rows.
    grow : callable
        From targets (n, q) to the tree that fits them best.
    trees : CodeTrees
        The existing trees, to which others are added.
    learning_rate, max_iter, tol : float, int, float
        As in :class:`GBLMNN`.
    """
    weights = rows.weights[:, None]
    value, G = loss.gradient(U)
    history = [value]
    while len(history) <= max_iter:
        tree = grow(-G / weights)
        move = tree.embed(rows.codes)
        slope = float((G * move).sum())
        length = _root_mean_square(move, rows.weights)
        if not slope < 0.0 or not length > 0.0:
            return trees, Descent(U, history, Stop.SETTLED)
        step = _descending_step(loss, U, value, move, slope, learning_rate / length)
        if step is None:
            return trees, Descent(U, history, Stop.SETTLED)
        trees, U = trees.and_then(tree, step), U + step * move
        value, G = loss.gradient(U)
        history.append(value)
        if history[-2] - value <= tol * history[0]:
            return trees, Descent(U, history, Stop.SETTLED)
    return trees, Descent(U, history, Stop.MAX_ITER)


def _descending_step(
    loss: MarginLoss, U: Array, value: float, move: Array, slope: float, step: float
) -> float | None:
    """Return the first of step, step / 2, ... that descends enough, if one does."""
    for _ in range(HALVINGS):
        if loss.value(U + step * move) <= value + SUFFICIENT * step * slope:
            return step
        step *= 0.5
    return None


def _root_mean_square(vectors: Array, weights: Array) -> float:
    return float(np.sqrt(np.average((vectors**2).sum(axis=1), weights=weights)))
