"""CPML: learn a distance between rows of categories from labels or constraints."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from nearkind.constraints.labels import Labels
from nearkind.constraints.stated import read_stated, stated_constraints
from nearkind.encoding.unique_rows import Cells, collapse, row_keys
from nearkind.estimators import shorthand
from nearkind.estimators.batches import LearnsFromBatches, Steps
from nearkind.estimators.bounded import Bounded
from nearkind.estimators.elsewhere import home_of
from nearkind.estimators.labelled import Labelled
from nearkind.estimators.outcome import warn_of
from nearkind.estimators.paths import GoesAlongStrengths
from nearkind.estimators.problem import Problem, start_at
from nearkind.estimators.settings import generator
from nearkind.estimators.size import check_size
from nearkind.estimators.targets import partly_known, training_rows
from nearkind.estimators.threads import one_blas_thread, thread_map
from nearkind.estimators.value_vectors import ValueVectorDistance
from nearkind.estimators.watching import CallbackSupport, watching
from nearkind.metrics.compression import Compressed, compress
from nearkind.metrics.spectrum import Spectrum
from nearkind.metrics.value_tables import relevance, value_tables
from nearkind.projections.scaled import scaled
from nearkind.protocols import Array
from nearkind.solvers.objective import Objective
from nearkind.solvers.renewing import solve_renewing
from nearkind.solvers.solution import Callback, Solution, Stop, zero_solution
from nearkind.tables import read_table


class CPML(
    CallbackSupport,
    LearnsFromBatches,
    GoesAlongStrengths,
    Bounded,
    Labelled,
    ValueVectorDistance,
    BaseEstimator,
):
    """Categorical metric learning with Schatten p-norms.

    Every value becomes a vector (by default its class histogram), and a positive
    semi-definite matrix M is learned that brings rows of one class together:

        min over M of  mean [d_ij + margin - d_ik]_+  +  strength * ||M||_p

    over all triplets of rows i, j of one class and k of another, d the squared
    distance under M.

    Parameters
    ----------
    structure : {"single", "multi", "diagonal", "full"}
        One matrix for all classes (CPs), one a class (CPm), one weight a feature, or
        one matrix over every (feature, class) or (feature, value) pair.
    projection : {"vdm", "onehot", "vdm+onehot", "cooccurrence", "vdm+cooccurrence"}
        Values as class histograms, as indicators, both, as histograms of the other
        features, which need no labels, or as histograms of both kinds: for rows that
        are partly labelled.
    constraints : {"triplets", "pairs", "quadruplets", "neighbors"}
        What must hold between distances. "neighbors" is no constraint but a chance: a
        row that draws a neighbour, near ones more likely, should draw one of its class.
        It follows rules between columns, takes least time and has no certificate.
    scope : "all", "local" or int
        Every constraint that the labels imply, exactly; triplets of each row's nearest
        of its class, its targets, renewed as the metric moves; or so many constraints
        drawn at random.
    n_targets : int
        Targets of a row, for scope="local"; a smaller class is taken whole.
    p : float, 1 <= p <= inf, or a Regularizer
        Of the Schatten norm: 1 finds few directions, 2 spreads, inf evens out. An
        object with the methods of ``nearkind.protocols.Regularizer`` is taken as it is.
    powered : bool
        Penalise Tr(M^p) instead of the norm; only the scale of ``strength`` changes.
    strength : float, "auto" or a share such as "0.5%"
        Weight of the penalty, as a number or as a share of ``strength_max_``; "auto" is
        "1%".
    margin : float
        By how much a distance must be smaller; for "neighbors", over which difference
        of squared distances a chance falls to 1 / e.
    smoothing : float or "auto"
        Pseudo-counts that draw class histograms to the class prior; "auto" estimates
        them for each feature by empirical Bayes.
    cross_fit : bool
        Learn the metric on histograms from which each row's own label is left out.
    solver : {"auto", "proximal", "stochastic", "subgradient"}
        Accelerated proximal gradient with a certificate; steps on samples of rows, for
        large tables; the paper's algorithms. "auto" is proximal up to 4,000 distinct
        rows (or 16 million stated or sampled distances) and stochastic beyond.
    max_iter, tol : int, float
        Stop after so many iterations, or when the proven gap is below this share of the
        objective (stochastic: when it falls no more).
    warm_start : bool
        Start from the metric of the last fit if it has the same shape.
    unseen : {"prior", "error"}
        Values that fit did not see get the class prior, or are refused.
    missing : {"level", "prior", "error"}
        A missing value is a level of its own, gets the class prior, or is refused.
    numeric : {"auto", "category", "bin", "scale"}
        Numeric columns: categories if there are at most 20 distinct numbers and
        quantile bins otherwise; every number a category; bins; or one standardised
        coordinate, on which a missing number stands at the mean and one beyond those
        of fit at the outermost.
    n_jobs : int or None
        Threads over blocks of rows, None for one a core; no bit of the result depends
        on it.
    random_state : int, RandomState or None
        Seed of sampled constraints.
    verbose : int
        1 shows a progress bar on a terminal and prints lines elsewhere, 2 prints lines
        everywhere. scikit-learn's own callbacks are set by ``set_callbacks``.

    Attributes
    ----------
    metric_ : (B, W, W), the learned matrices
    spectrum_ : (B, W), their eigenvalues, falling
    rank_ : number of eigenvalues that are not zero
    feature_relevance_ : (D,), share of the mean squared distance between rows as the
        metric was learned from them; sums to one
    value_vectors_ : dict, for each feature a vector a value, in the order of
        ``categories_``
    categories_ : dict, for each feature its values
    objective_, gap_ : objective reached, and a proven bound on how far it is from the
        optimum
    history_ : list of Record(iteration, value, gap, seconds)
    stop_reason_ : name of the reason for stopping, such as "TOLERANCE"
    strength_, strength_max_ : strength used; smallest at which M = 0 is optimal
    classes_, n_features_in_, feature_names_in_, n_iter_ : as in scikit-learn
    n_samples_seen_, class_count_, reference_ : after ``fit_batches`` or ``partial_fit``
        the rows that were counted, those of each class, and the sample that was kept

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(strength=0.02, tol=1e-3, max_iter=1000).fit(data.X, data.y)
    >>> round(model.objective_, 2), model.stop_reason_
    (0.62, 'TOLERANCE')
    """

    has_coordinates = True

    def __init__(
        self,
        structure="single",
        projection="vdm",
        constraints="triplets",
        scope="all",
        n_targets=3,
        p=1.0,
        powered=False,
        strength="auto",
        margin=1.0,
        smoothing=0.0,
        cross_fit=False,
        solver="auto",
        max_iter=200,
        tol=1e-4,
        warm_start=False,
        unseen="prior",
        missing="level",
        numeric="auto",
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.structure = structure
        self.projection = projection
        self.constraints = constraints
        self.scope = scope
        self.n_targets = n_targets
        self.p = p
        self.powered = powered
        self.strength = strength
        self.margin = margin
        self.smoothing = smoothing
        self.cross_fit = cross_fit
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distance from labels.

        Parameters
        ----------
        X : table of any kind, one row a sample
        y : one label a row; -1 is a label like any other. Rows without a label are for
            ``fit_constraints(X, y=y)``
        sample_weight : one weight >= 0 a row, counting repetitions of it; None: ones

        Returns
        -------
        self
        """
        if (home := home_of(X)) is not None:
            return home.fit(self, X, y, sample_weight)
        problem = self._posed(X, y, sample_weight)
        with watching(self, self.max_iter, X, y, sample_weight) as callback:
            self._learn(problem, callback, self._last())
        return self

    def _posed(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """Read and count; return what is to be learned from."""
        rng = generator(self.random_state)
        shorthand.check(self, rng)
        self.forget_batches()
        rows = training_rows(X, y, sample_weight, type(self).__name__)
        codes = self._learn_codes(shorthand.codebook(self), rows.table, rows.weights)
        self.classes_ = rows.classes
        cells = collapse(codes, rows.y, rows.weights)
        constraints = self._implied(cells, rng)
        return Problem(self._project(cells, cells), constraints, cells, rng)

    def fit_constraints(
        self,
        X: Any,
        triplets: Any = None,
        pairs: Any = None,
        quadruplets: Any = None,
        y: Any = None,
    ) -> Self:
        """Learn the distance from stated comparisons of rows, or from some labels.

        Comparisons are by row number, counted from 0 in the order of X. The mean losses
        of the kinds stated are added up: each kind weighs the same, however many it
        has. If none is stated, the known labels imply them as in ``fit``, by
        ``constraints`` and ``scope``; with every row labelled this is ``fit(X, y)``.

        Parameters
        ----------
        X : table of any kind
        triplets : tuples (i, j, k): i is nearer to j than to k
        pairs : tuples (i, j, side): side +1 if alike, -1 if not
        quadruplets : tuples (i, j, k, l): i is nearer to j than k is to l
        y : labels, None or NaN where unknown. Whole numbers without such gaps may have
            -1 for unknown, as in scikit-learn; in ``fit`` it is a label. Labelled rows
            give class histograms, all rows co-occurrence; the projections "onehot" and
            "cooccurrence" need no y

        Returns
        -------
        self

        Examples
        --------
        >>> import nearkind as nk
        >>> X = [["red", "s"], ["red", "m"], ["blue", "s"], ["blue", "m"]]
        >>> model = nk.CPML(projection="onehot", tol=0.1)
        >>> _ = model.fit_constraints(X, triplets=[(0, 1, 2), (3, 2, 1)])
        >>> model.feature_relevance_.round(2).tolist()
        [1.0, 0.0]
        """
        rng = generator(self.random_state)
        shorthand.check(self, rng)
        self.forget_batches()
        table = read_table(X)
        rows = {"triplets": triplets, "pairs": pairs, "quadruplets": quadruplets}
        stated = read_stated(rows, table.n_rows)
        self.classes_, numbers = partly_known(y, table.n_rows, bool(stated))
        ones = np.ones(table.n_rows)
        codes = self._learn_codes(shorthand.codebook(self), table, ones)
        seen = cells = collapse(codes, numbers, ones)
        if stated:
            places, margin = row_keys(codes), shorthand.margin(self)
            constraints = stated_constraints(stated, cells.of_row, places, margin)
        else:
            seen = cells.labelled
            constraints = self._implied(seen, rng)
        with watching(self, self.max_iter, X, y) as callback:
            problem = Problem(self._project(cells, seen), constraints, seen, rng)
            self._learn(problem, callback, self._last())
        return self

    def _implied(self, cells: Cells, rng: np.random.Generator) -> Any:
        """Return the constraints that the labels of cells imply."""
        labels = Labels(cells.y, cells.weights, cells.own)
        constraints = shorthand.constraints(self, rng).bind(labels)
        shorthand.warn_of_lonely(self, labels, self.classes_)
        return constraints

    def _project(self, cells: Cells, seen: Cells, counted: Any = None) -> Compressed:
        """Count histograms on cells; return those in constraints, projected.

        Or take what was counted: by code and class (n_values, C), and by class (C,).
        """
        projection = scaled(shorthand.projection(self), self.codebook_.positions)
        structure = shorthand.structure(self)
        n_values = self.codebook_.n_values
        n_classes = len(self.classes_)
        names = self.codebook_.names_
        check_size(projection, structure, names, n_values, len(seen.y), n_classes)
        y = cells.y if n_classes else None
        if counted is None:
            projection.fit(cells.codes, n_values, y, cells.weights)
        else:
            projection.fit_counts(*counted)
        phi = projection.transform_training(seen.codes, seen.y)
        self._projection, self._structure = projection, structure
        with one_blas_thread():
            return compress(np.ascontiguousarray(structure.blocks(phi)))

    def _learn(
        self,
        problem: Problem,
        callback: Callback | None,
        last: Array | None,
        steps: Steps | None = None,
    ) -> None:
        """Minimise the objective, from the last metric if there is one, and keep it."""
        rows = problem.rows
        with thread_map(self.n_jobs, rows.Z.shape[1]) as run:
            regularizer = shorthand.regularizer(self)
            at = rows.Z, problem.constraints, regularizer
            objective = Objective(*at, strength=0.0, map=run)
            start = start_at(rows, last)
            batches = None if steps is None else steps(rows.bases)
            objective = objective.renewed(start)
            with np.errstate(over="ignore", invalid="ignore"):  # solvers look for it
                solution = self._solve(problem, objective, start, callback, batches)
        self._keep(solution, rows.expand(solution.point), problem.cells)

    def _stay(self, rows: Compressed, cells: Cells, last: Array | None) -> None:
        """Keep the metric as it is, because the labels imply nothing yet."""
        start = start_at(rows, last)
        self.strength_ = self.strength_max_ = 0.0
        solution = Solution(start, 0.0, np.nan, [], Stop.SETTLED)
        self._keep(solution, rows.expand(start), cells)

    def _solve(
        self,
        problem: Problem,
        objective: Objective,
        start: Spectrum,
        callback: Callback | None,
        batches: Any,
    ) -> Solution:
        """Choose the strength and minimise."""
        rng = problem.rng
        n_distances = objective.constraints.n_distances
        solver = shorthand.solver(self, n_distances, rng, batches)
        regularizer = objective.regularizer
        at_zero = problem.slope_at_zero(objective)
        strength = shorthand.strength(self)(regularizer.dual_norm(at_zero))
        self.strength_ = strength
        self.strength_max_ = regularizer.strength_max(at_zero)
        if self.strength_max_ < 1e-12:  # rounding: vectors of values are of size one
            self.strength_max_ = 0.0
        objective = objective.with_strength(strength)
        if strength >= self.strength_max_:
            is_small = objective.n_rows <= 1_000
            some = objective if is_small else objective.sample(1_000, rng)
            value = some.value(objective.zero)
            return zero_solution(objective.zero, value, shorthand.is_convex(self))
        return solve_renewing(solver, objective, start, callback)

    def _last(self) -> Array | None:
        """Return the metric to start from, if that is wished."""
        return getattr(self, "metric_", None) if self.warm_start else None

    def _keep(self, solution: Solution, point: Spectrum, cells: Cells) -> None:
        self.metric_ = point.matrix
        self.spectrum_ = np.zeros(self.metric_.shape[:2])  # (B, W)
        falling = np.sort(point.values, axis=1)[:, ::-1]
        self.spectrum_[:, : falling.shape[1]] = falling
        self.rank_ = point.rank
        self.objective_, self.gap_ = solution.value, solution.gap
        self.history_, self.n_iter_ = solution.history, solution.n_iter
        self.stop_reason_ = solution.reason.name
        self.value_tables_ = value_tables(
            self._projection.tables, self._structure, point
        )
        phi = self._projection.transform_training(cells.codes, cells.y)
        self.feature_relevance_ = relevance(
            phi, self._projection.tables, self._structure, point, cells.weights
        )
        warn_of(solution, self)
