"""CPML: learn a distance between rows of categories from labels or constraints."""

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, replace
from typing import Any, Self

from nearkind import theory
from nearkind.constraints.stated import read_stated, stated_constraints
from nearkind.encoding.rows import CodedRows, UniqueRows, row_keys
from nearkind.estimators import batches
from nearkind.estimators.base import (
    VectorDistance,
    backend_of,
    code_rows,
    keep_codebook,
)
from nearkind.estimators.bases import BaseEstimator, CallbackSupport
from nearkind.estimators.batches import N_REFERENCE, BatchProblems, forget_batches
from nearkind.estimators.labels import partly_labelled_rows
from nearkind.estimators.problem import (
    Problem,
    constrain,
    keep,
    last_metric,
    project,
    solve,
    start_at,
)
from nearkind.estimators.progress import fit_progress
from nearkind.estimators.spec import CPMLSpec, exponent, strength_of
from nearkind.losses.edges import difference_matrices
from nearkind.protocols import Array, Map, Projection, Structure
from nearkind.solvers.solution import Record
from nearkind.streaming import BatchSummary, RowSample
from nearkind.tables import read_table
from nearkind.validation.parameters import estimator_class


class FittedCPML:
    """What ``fit`` sets beside the form; see :class:`CPML`."""

    metric_: Array
    spectrum_: Array
    rank_: int
    objective_: float
    gap_: float
    history_: list[Record]
    n_iter_: int
    stop_reason_: str
    strength_: float
    strength_max_: float
    projection_: Projection
    structure_: Structure
    class_count_: Array
    n_samples_seen_: int
    reference_: RowSample
    batch_summary_: BatchSummary


@estimator_class()
class CPML(FittedCPML, CallbackSupport, VectorDistance, BaseEstimator):
    """Categorical metric learning with Schatten p-norms.

    Every value becomes a vector (by default its class histogram), and a positive
    semi-definite matrix M is learned that brings rows of one class together:

        min over M of  mean [d_ij + margin - d_ik]_+  +  strength * ||M||_p

    over all triplets of rows i, j of one class and k of another, d the squared
    distance under M.

    Parameters
    ----------
    structure : {"single", "multi", "diagonal", "full"}, default="single"
        One matrix for all classes (CPs), one a class (CPm), one weight a feature, or
        one matrix over every (feature, class) or (feature, value) pair.
    projection : str, default="vdm"
        Values as class histograms ("vdm"), as indicators ("onehot"), both
        ("vdm+onehot"), as histograms of the other features, which need no labels
        ("cooccurrence"), or as histograms of both kinds ("vdm+cooccurrence"): for rows
        that are partly labelled.
    constraints : {"triplets", "pairs", "quadruplets", "neighbors"}, default="triplets"
        What must hold between distances. "neighbors" is no constraint but a chance: a
        row that draws a neighbour, near ones more likely, should draw one of its class.
        It follows rules between columns, takes least time and has no certificate.
    scope : "all", "local" or int, default="all"
        Every constraint that the labels imply, exactly; triplets of each row's nearest
        of its class, its targets, renewed as the metric moves; or so many constraints
        drawn at random.
    n_targets : int, default=3
        Targets of a row, for scope="local"; a smaller class is taken whole.
    p : float, 1 <= p <= inf, or Regularizer, default=1.0
        Of the Schatten norm: 1 finds few directions, 2 spreads, inf evens out. An
        object with the methods of ``nearkind.protocols.Regularizer`` is taken as it is.
    powered : bool, default=False
        Penalise Tr(M^p) instead of the norm; only the scale of ``strength`` changes.
    penalty : {"schatten", "l1"}, default="schatten"
        The norm of ``p`` and ``powered``, or the sum of all |M_pq|, which leaves pairs
        of features uncoupled; it takes no ``p``.
    strength : float, "auto" or a share such as "0.5%", default="auto"
        Weight of the penalty, as a number or as a share of ``strength_max_``; "auto" is
        "1%".
    margin : float, default=1.0
        By how much a distance must be smaller; for "neighbors", over which difference
        of squared distances a chance falls to 1 / e.
    smoothing : float or "auto", default=0.0
        Pseudo-counts that draw class histograms to the class prior; "auto" estimates
        them for each feature by empirical Bayes.
    cross_fit : bool, default=False
        Learn the metric on histograms from which each row's own label is left out.
    solver : str, default="auto"
        Accelerated proximal gradient with a certificate ("proximal"); steps on samples
        of rows, for large tables ("stochastic"); the paper's algorithms, repaired
        ("subgradient") or as printed ("paper"), where lambda is 1 / ``strength``.
        "auto" is proximal up to 4,000 unique rows (or 16 million stated or sampled
        distances) and stochastic beyond.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-4
        Stop when the proven gap is below this share of the objective (stochastic: when
        the objective falls no more).
    warm_start : bool, default=False
        Start from the metric of the last fit if it has the same shape.
    unseen : {"prior", "error"}, default="prior"
        Values that fit did not see get the class prior, or are refused.
    missing : {"level", "prior", "error"}, default="level"
        A missing value is a level of its own, gets the class prior, or is refused.
    numeric : {"auto", "category", "bin", "scale"}, default="auto"
        Numeric columns: categories if there are at most 20 distinct numbers and
        quantile bins otherwise; every number a category; bins; or one standardised
        coordinate, on which a missing number stands at the mean and one beyond those
        of fit at the outermost.
    crosses : int, "auto" or list of pairs of column names, default=0
        Pairs of columns that are one more column each, named "a x b", whose values are
        the pairs of values seen in fit: so many of those that say most of the class
        beyond their parts, fewer if fewer do; those that clearly do, at most 30 with
        at most 2,000 pairs of values in all; or these. For rules between two columns.
    n_jobs : int, default=None
        Threads over chunks of rows. None is one, -1 one per core; no bit of the result
        depends on it.
    random_state : int, RandomState or None, default=None
        Seed of sampled constraints.
    verbose : int, default=0
        1 shows a progress bar on a terminal and prints lines elsewhere, 2 prints lines
        everywhere. scikit-learn's own callbacks are set by ``set_callbacks``.

    Attributes
    ----------
    metric_ : ndarray (B, W, W)
        The learned matrices.
    spectrum_ : ndarray (B, W)
        Their eigenvalues, falling.
    rank_ : int
        Number of eigenvalues that are not zero.
    feature_relevance_ : ndarray (D,)
        Share of the mean squared distance between rows as the metric was learned from
        them; sums to one. Crosses come after the columns, here and below.
    value_vectors_ : dict of ndarray
        For each feature a vector a value, in the order of ``categories_``.
    categories_ : dict of list
        For each feature its values.
    projection_, structure_ : Projection, Structure
        From codes to phi, and from phi to the vectors that ``metric_`` compares.
    objective_, gap_ : float
        Objective reached, and a proven bound on how far it is from the optimum.
    history_ : list of Record
        Iteration, value, gap and seconds of each iteration.
    stop_reason_ : str
        Name of the reason for stopping, such as "TOLERANCE".
    strength_, strength_max_ : float
        Strength used; smallest at which M = 0 is optimal.
    classes_, n_features_in_, feature_names_in_, n_iter_ : as in scikit-learn
    n_samples_seen_, class_count_, reference_ : int, ndarray, RowSample
        After ``fit_batches`` or ``partial_fit`` the rows that were counted, those of
        each class, and the sample that was kept.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(strength=0.02, tol=1e-3, max_iter=1000).fit(data.X, data.y)
    >>> round(model.objective_, 2), model.stop_reason_
    (0.62, 'TOLERANCE')
    """

    _requires_labels = True
    _has_coordinates = True
    _is_learned = True

    structure: str = "single"
    _: KW_ONLY
    projection: str = "vdm"
    constraints: str = "triplets"
    scope: Any = "all"
    n_targets: int = 3
    p: Any = 1.0
    powered: bool = False
    strength: Any = "auto"
    margin: float = 1.0
    smoothing: Any = 0.0
    cross_fit: bool = False
    solver: str = "auto"
    max_iter: int = 200
    tol: float = 1e-4
    warm_start: bool = False
    crosses: Any = 0
    n_jobs: Any = None
    random_state: Any = None
    verbose: int = 0
    penalty: str = "schatten"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distance from labels.

        Parameters
        ----------
        X : table of any kind, one row a sample
        y : array-like (n,), default=None
            One label a row, None is refused; -1 is a label like any other. Rows without
            a label are for ``fit_constraints(X, y=y)``.
        sample_weight : array-like (n,), default=None
            One weight >= 0 a row, counting repetitions of it; None: ones.

        Returns
        -------
        self
        """
        if (backend := backend_of(X)) is not None:
            return backend.fit(self, X, y, sample_weight)
        spec = CPMLSpec.of(self)
        forget_batches(self)
        rows = code_rows(self, X, y, sample_weight)  # codes (n, D)
        problem = self._pose(spec, rows.merge_equal())  # Z (B, n, K, W), constraints
        with fit_progress(self, X, y, sample_weight) as callback:
            start = start_at(problem.projected.vectors, last_metric(self))
            learned = solve(spec, problem, start, callback)  # M (B, W, W)
            keep(self, learned)  # a vector per value
        return self

    def _pose(self, spec: CPMLSpec, unique: UniqueRows) -> Problem:
        """Return the problem that labelled rows pose."""
        constraints = constrain(spec, unique, self.classes_)
        projected = project(spec, self.codebook_, len(self.classes_), unique)
        return Problem(projected, constraints)

    def fit_path(
        self,
        X: Any,
        y: Any,
        strengths: Iterable[Any],
        sample_weight: Any = None,
        *,
        max_rows: int | None = None,
    ) -> Iterator[Self]:
        """Learn at one strength after the other, each from where the last one ended.

        The table is read and counted once. From strong to weak, few directions lead to
        more; directions that a strong penalty took away stay away.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        strengths : iterable
            Each as ``strength`` may be, which it becomes.
        max_rows : int, default=None
            Distinct rows that ``constraints="neighbors"`` compares at a time: each fit
            draws a sample anew, or minibatches of that size. All rows are counted. It
            makes rough fits of large tables quick. None: as in ``fit``.

        Yields
        ------
        self
            Fitted at one strength after the other: use it at once, or copy it.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("credit_risk", as_frame=False)
        >>> path = nk.CPML(tol=0.01).fit_path(data.X, data.y, ["50%", "10%", "1%"])
        >>> [model.rank_ for model in path]
        [1, 1, 2]
        """
        if backend_of(X) is not None:
            raise ValueError(
                f"{type(self).__name__}.fit_path reads a table whole, and this one is "
                "in partitions. Call fit at each strength, or pass X.compute()."
            )
        problem = None
        for strength in strengths:
            self.strength = strength
            if problem is None:
                spec = CPMLSpec.of(self)
                forget_batches(self)
                unique = code_rows(self, X, y, sample_weight).merge_equal()
                problem = self._pose(spec, unique)
                start = start_at(problem.projected.vectors, last_metric(self))
            spec = replace(spec, strength=strength_of(self), max_rows=max_rows)
            with fit_progress(self, X, y, sample_weight) as callback:
                learned = solve(spec, problem, start, callback)
                keep(self, learned)
            start = learned.solution.point.positive()
            yield self

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
        triplets : array-like (m, 3), default=None
            Tuples (i, j, k): i is nearer to j than to k.
        pairs : array-like (m, 3), default=None
            Tuples (i, j, side): side +1 if alike, -1 if not.
        quadruplets : array-like (m, 4), default=None
            Tuples (i, j, k, l): i is nearer to j than k is to l.
        y : array-like (n,), default=None
            Labels, None or NaN where unknown. Whole numbers without such gaps may have
            -1 for unknown, as in scikit-learn; in ``fit`` it is a label. Labelled rows
            give class histograms, all rows co-occurrence; the projections "onehot" and
            "cooccurrence" need no y.

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
        spec = CPMLSpec.of(self)
        given = {"triplets": triplets, "pairs": pairs, "quadruplets": quadruplets}
        table = X if isinstance(X, CodedRows) else read_table(X)
        stated = read_stated(given, table.n_rows)
        rows = partly_labelled_rows(table, y, spec.codebook, bool(stated))
        forget_batches(self)
        keep_codebook(self, rows.codebook)
        self.classes_ = rows.classes
        counted = compared = rows.merge_equal()
        if stated:
            rows_at = counted.of_row, row_keys(rows.codes)
            constraints = stated_constraints(stated, *rows_at, spec.margin)
        else:
            compared = counted.labelled
            constraints = constrain(spec, compared, self.classes_)
        n_classes = len(self.classes_)
        projected = project(spec, self.codebook_, n_classes, counted, compared)
        problem = Problem(projected, constraints)
        with fit_progress(self, X, y) as callback:
            start = start_at(projected.vectors, last_metric(self))
            keep(self, solve(spec, problem, start, callback))
        return self

    def fit_batches(
        self,
        source: Any,
        *,
        n_remembered: int = N_REFERENCE,
        map: Map = map,
        problems: BatchProblems = batches.problems,
    ) -> Self:
        """Learn the distance from a table of any length, batch by batch.

        The first pass counts every value of every row and draws a sample of rows, of
        each class as many; the second takes steps on rows of each batch beside rows of
        the sample. Histograms are exactly those of ``fit`` to the whole table. If the
        sample has room for all rows so is the rest, and there is no second pass. Only
        ``crosses`` are always chosen and counted in the sample, each class weighing as
        much as it has rows; pairs of values that are not in it are unseen.

        Parameters
        ----------
        source : list of (X, y), callable or ``nearkind.batches(path, target=...)``
            Batches, or a function that returns an iterator of them; the same batches in
            the same order each time it is read.
        n_remembered : int, default=20_000
            Rows to keep at most, with all classes alike.
        map : callable, default=map
            As the builtin, for the first pass; lazy, or it will hold every batch.
        problems : callable, default=batches.problems
            Gives the problems to take steps on, for the second pass.

        Returns
        -------
        self
            With ``n_samples_seen_``, ``class_count_`` and ``reference_``, the rows that
            were kept; ``partial_fit`` can go on from there.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> halves = [(data.X[i::2], data.y[i::2]) for i in (0, 1)]
        >>> nk.CPML().fit_batches(halves).n_samples_seen_
        432
        """
        batches.fit_batches(self, source, n_remembered, map, problems)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one more batch, going on from the present metric.

        After all batches the histograms are exactly those of ``fit`` to the whole
        table; the metric is learned on a sample of all rows so far. New values extend
        the tables. ``crosses`` are chosen and counted in the sample each time; where
        other pairs are chosen than before, the metric is learned anew.

        Parameters
        ----------
        X : table of any kind
            With the same columns in each call.
        y : array-like (n,)
            One label a row.
        classes : array-like, default=None
            All labels there will be, in the first call; if left out there, those of the
            first batch are all.

        Returns
        -------
        self

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPML(tol=0.01)
        >>> for rows in (slice(0, 200), slice(200, None)):
        ...     _ = model.partial_fit(data.X[rows], data.y[rows], classes=["0", "1"])
        >>> model.n_samples_seen_
        432
        """
        batches.partial_fit(self, X, y, classes, type(self).__name__)
        return self

    @property
    def feature_relevance_(self) -> Array:
        """Share of each feature in the mean squared distance between rows (D,)."""
        shares: Array = self.distance_.shares
        return shares

    def generalization_bound(
        self, X: Any, delta: float = 0.05, variant: str = "corrected"
    ) -> theory.Bound:
        """Bound what the pair loss on new rows may exceed that on X by (Theorem 2).

        The theorem takes the projection as given beforehand. It holds for rows X whose
        labels the histograms have not seen; for the rows of fit read it as a guide.

        Parameters
        ----------
        X : table
            The rows the metric was learned from.
        delta : float, default=0.05
            Probability that the bound fails.
        variant : {"corrected", "printed"}, default="corrected"
            The theorem as corrected, or as printed in the paper.

        Returns
        -------
        Bound
            Prints as a sentence and says when it is too large to mean anything.
        """
        codes = self._answering().encode(X)
        if self.constraints != "pairs":
            raise ValueError(
                "The theorem is about pair constraints, but this model was fitted with "
                f"constraints={self.constraints!r}. Fit with constraints='pairs'."
            )
        return theory.bound_terms(
            p=exponent(self),
            n_samples=len(codes),
            n_features=self.metric_.shape[0] * self.metric_.shape[1],
            diameter=theory.diameter(self.projection_.tables),
            strength=self.strength_,
            delta=delta,
            variant=variant,
            penalty="power" if self.powered else "norm",
        )

    def difference_matrices(self, X: Any) -> tuple[Array, float]:
        """Return A^(i, i + n // 2) of pairs of rows (n // 2, B, W, W), and p."""
        p, phi = (
            exponent(self),
            self.projection_.transform(self._answering().encode(X)),
        )
        return difference_matrices(self.structure_.blocks(phi)), p
