"""CPML: a distance learned from labels or constraints."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, replace
from typing import Self

from nearkind import theory
from nearkind.constraints.comparisons import (
    read_stated,
    rows_compared,
    stated_constraints,
)
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
from nearkind.estimators.labels import constraint_rows
from nearkind.estimators.problem import (
    FittedCPML,
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
from nearkind.protocols import Array, Map, Regularizer, TableLike
from nearkind.tables import read_table
from nearkind.validation.parameters import Seed, estimator_class


@estimator_class()
class CPML(FittedCPML, CallbackSupport, VectorDistance, BaseEstimator):
    """Categorical metric learning with Schatten p-norms.

    Each value is represented by a vector (by default its class histogram), and a
    positive semi-definite matrix M is learned under which rows of the same class are
    near each other:

        min over M of  mean [d_ij + margin - d_ik]_+  +  strength * ||M||_p

    over all triplets of rows i, j of one class and k of another, where d is the
    squared distance under M. The most important settings are ``structure``,
    ``projection`` and ``constraints``.

    Parameters
    ----------
    structure : {"single", "multi", "diagonal", "full"}, default="single"
        One matrix for all classes (CPs), one matrix per class (CPm), one weight per
        feature, or one matrix over all (feature, class) or (feature, value) pairs.
    projection : str, default="vdm"
        Representation of values: class histograms ("vdm"), one-hot ("onehot"), both
        ("vdm+onehot"), cumulative one-hot for ordered columns ("thermometer"; other
        columns are one-hot), one-hot of which a column of more than 100 values has only
        its 20 commonest, and class histograms for all ("pooled"), co-occurrence with
        the values of other features, which needs no labels ("cooccurrence"), or
        histograms and co-occurrence ("vdm+cooccurrence"), for partly labelled rows.
    constraints : {"triplets", "pairs", "quadruplets", "neighbors"}, default="triplets"
        The kind of constraint on distances. "neighbors" instead maximises the
        probability that a sampled neighbour has the same class, where near rows are
        sampled with a higher probability. It fits rules on combinations of columns, is
        the fastest to learn and has no optimality certificate.
    scope : "all", "local" or int, default="all"
        "all" uses every constraint that the labels imply, exactly. "local" uses
        triplets of the nearest rows of the same class (target neighbours), which are
        updated as the metric changes. An int samples that many constraints.
    n_targets : int, default=3
        Number of target neighbours per row, for scope="local"; all rows of a smaller
        class.
    p : float, 1 <= p <= inf, or Regularizer, default=1.0
        Exponent of the Schatten norm: 1 gives metrics of low rank, 2 and inf of higher
        rank. An object with the methods of ``nearkind.protocols.Regularizer`` is used
        as the regularizer.
    powered : bool, default=False
        Penalise Tr(M^p) instead of the norm; only the scale of ``strength`` changes.
    penalty : {"schatten", "l1"}, default="schatten"
        The norm given by ``p`` and ``powered``, or the sum of the absolute entries of
        M, which leaves pairs of features uncoupled and does not use ``p``.
    strength : float, "auto" or a percentage such as "0.5%", default="auto"
        Weight of the penalty, as a number or as a percentage of ``strength_max_``;
        "auto" is "1%".
    margin : float, default=1.0
        Margin of the constraints. For "neighbors", the difference of squared distances
        over which the sampling probability falls to 1 / e.
    smoothing : float or "auto", default=0.0
        Number of pseudo-counts that shrink class histograms to the class prior; "auto"
        estimates it for each feature by empirical Bayes.
    cross_fit : bool, default=False
        Learn the metric on histograms that leave out each row's own label.
    solver : str, default="auto"
        "proximal" is accelerated proximal gradient with an optimality certificate.
        "stochastic" takes steps on samples of rows, for large tables. "subgradient"
        and "paper" are the algorithms of the paper, repaired and as printed, where
        lambda is 1 / ``strength``. "auto" is "proximal" up to 4,000 unique rows (or 16
        million stated or sampled distances) and "stochastic" beyond.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        Relative optimality gap at which the solver stops ("stochastic" stops when the
        objective no longer decreases).
    warm_start : bool, default=False
        Start from the metric of the previous fit if it has the same shape.
    unseen : {"prior", "error"}, default="prior"
        Values that fit did not see get the class prior, or are refused.
    missing : {"level", "prior", "error"}, default="level"
        A missing value is a level of its own, gets the class prior, or is refused.
    numeric : {"auto", "category", "bin", "scale"}, default="auto"
        Numeric columns become categories if they have at most 20 distinct numbers and
        quantile bins otherwise ("auto"), categories, bins, or one standardised
        coordinate, with missing numbers at the mean and numbers outside the range of
        fit at its nearest end.
    ordered : dict of column to sequence, default=None
        The values of columns in ascending order, such as
        ``{"size": ["S", "M", "L"]}``; other values are refused. Ordered categoricals of
        pandas and pyarrow and ``Enum`` of polars are ordered by default.
        projection="thermometer" learns from the order.
    crosses : int, "auto" or list of pairs of column names, default=0
        Pairs of columns to add as columns named "a x b", whose values are the pairs of
        values seen in fit. An int adds at most that many pairs, the most informative
        beyond their parts first; "auto" adds those that clearly are, at most 30 with
        at most 2,000 pairs of values in total. For rules on two columns.
    n_jobs : int, default=None
        Number of threads; None means 1 and -1 one per core. Results do not depend on
        it.
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
        Their eigenvalues, in descending order.
    rank_ : int
        Number of nonzero eigenvalues.
    feature_relevance_ : ndarray (D,)
        Contribution of each feature to the mean squared distance between training
        rows, as shares that sum to one. Crosses come after the columns, here and below.
    value_vectors_ : dict of ndarray
        One vector per value of each feature, in the order of ``categories_``.
    categories_ : dict of list
        Values of each feature.
    projection_, structure_ : Projection, Structure
        From codes to phi, and from phi to the vectors that ``metric_`` compares.
    objective_, gap_ : float
        Final objective, and a proven bound on its distance to the optimum.
    history_ : list of Record
        Iteration, value, gap and seconds of each iteration.
    stop_reason_ : str
        Name of the reason for stopping, such as "TOLERANCE".
    strength_, strength_max_ : float
        Strength used, and the smallest one at which M = 0 is optimal.
    classes_, n_features_in_, feature_names_in_, n_iter_ : as in scikit-learn
    n_samples_seen_, class_count_, reference_ : int, ndarray, RowSample
        After ``fit_batches`` or ``partial_fit``: the number of rows, the number of rows
        of each class, and the sample that was kept.

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
    scope: str | int = "all"
    n_targets: int = 3
    p: float | Regularizer = 1.0
    powered: bool = False
    strength: float | str = "auto"
    margin: float = 1.0
    smoothing: float | str = 0.0
    cross_fit: bool = False
    solver: str = "auto"
    max_iter: int = 200
    tol: float = 1e-4
    warm_start: bool = False
    crosses: int | str | Sequence[tuple[object, object]] = 0
    n_jobs: int | None = None
    random_state: Seed = None
    verbose: int = 0
    penalty: str = "schatten"

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Fit the distance to labelled rows.

        Parameters
        ----------
        X : table of any kind, one row per sample
        y : array-like (n,), default=None
            One label per row; None is refused and -1 is an ordinary label. For partly
            labelled rows use ``fit_constraints(X, y=y)``.
        sample_weight : array-like (n,), default=None
            One weight >= 0 per row, the number of its repetitions; None means ones.

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
        X: TableLike,
        y: object,
        strengths: Iterable[float | str],
        sample_weight: object = None,
        *,
        max_rows: int | None = None,
    ) -> Iterator[Self]:
        """Fit at a sequence of strengths, with warm starts.

        The table is read and counted once. Pass strengths in descending order, so that
        the rank increases; directions removed by a strong penalty are not restored.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        strengths : iterable
            Each as ``strength`` may be, which it becomes.
        max_rows : int, default=None
            Maximum number of distinct rows that ``constraints="neighbors"`` compares at
            a time, for fast approximate fits: each fit draws a new sample, or
            minibatches of that size. Histograms use all rows. None: as in ``fit``.

        Yields
        ------
        self
            Fitted at one strength after the other: use it immediately, or copy it.

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
        X: TableLike,
        triplets: object = None,
        pairs: object = None,
        quadruplets: object = None,
        y: object = None,
    ) -> Self:
        """Fit the distance to comparisons of rows, or to partly labelled rows.

        Comparisons refer to row numbers from 0. The objective is the sum of the mean
        losses of the kinds given, so that each kind has the same weight. If none is
        given, the known labels imply the constraints, as in ``fit``, by ``constraints``
        and ``scope``; if all rows are labelled this is ``fit(X, y)``.

        Parameters
        ----------
        X : table of any kind
        triplets : array-like (m, 3), default=None
            Tuples (i, j, k): i is nearer to j than to k.
        pairs : array-like (m, 3), default=None
            Tuples (i, j, side): side is +1 if i and j are similar, -1 if not.
        quadruplets : array-like (m, 4), default=None
            Tuples (i, j, k, l): i is nearer to j than k is to l.
        y : array-like (n,), default=None
            Labels, None or NaN where unknown. If all are whole numbers, -1 means
            unknown, as in scikit-learn; in ``fit`` it is a label. Class histograms use
            the labelled rows, co-occurrence all rows; the projections "onehot" and
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
        rows = constraint_rows(table, y, spec.codebook, bool(stated))
        forget_batches(self)
        keep_codebook(self, rows.codebook)
        self.classes_ = rows.classes
        counted = compared = rows.merge_equal()
        if stated:
            compared, of_row = rows_compared(stated, counted)
            constraints = stated_constraints(
                stated, of_row, row_keys(rows.codes), spec.margin
            )
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
        source: object,
        *,
        n_remembered: int = N_REFERENCE,
        map: Map = map,
        problems: BatchProblems = batches.problems,
    ) -> Self:
        """Fit the distance to a table of any length, in batches.

        The first pass counts all values and samples the same number of rows of each
        class; the second takes steps on the rows of each batch together with the
        sample. Histograms are exactly those of ``fit`` on the whole table. If the
        sample can hold all rows, so is the metric, and there is no second pass.
        ``crosses`` are selected and counted on the sample, weighted by class
        frequency; pairs of values that are not in it are unseen.

        Parameters
        ----------
        source : list of (X, y), callable or ``nearkind.batches(path, target=...)``
            Batches, or a function that returns an iterator of them; the same batches in
            the same order each time it is read.
        n_remembered : int, default=20_000
            Maximum number of rows to keep, balanced over the classes.
        map : callable, default=map
            Like the builtin, for the first pass; it must be lazy to save memory.
        problems : callable, default=batches.problems
            Returns the problems of the second pass.

        Returns
        -------
        self
            With ``n_samples_seen_``, ``class_count_`` and ``reference_``, the rows that
            were kept; ``partial_fit`` can continue.

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

    def partial_fit(self, X: TableLike, y: object, classes: object = None) -> Self:
        """Update the distance with one more batch.

        After all batches the histograms are exactly those of ``fit`` on the whole
        table; the metric is learned on a sample of all rows so far. New values are
        added. ``crosses`` are selected on the sample in each call; if other pairs are
        selected than before, the metric is learned again.

        Parameters
        ----------
        X : table of any kind
            With the same columns in each call.
        y : array-like (n,)
            One label per row.
        classes : array-like, default=None
            All labels, in the first call; by default those of the first batch.

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
        """Share of each feature in the mean squared distance (D,)."""
        shares: Array = self.distance_.shares
        return shares

    def generalization_bound(
        self, X: TableLike, delta: float = 0.05, variant: str = "corrected"
    ) -> theory.Bound:
        """Return a bound on the excess pair loss on new rows (Theorem 2).

        The theorem assumes a projection that does not depend on X, so it holds for rows
        whose labels the histograms have not seen; for training rows it is a guide.

        Parameters
        ----------
        X : table
            Rows that the metric was learned from.
        delta : float, default=0.05
            Probability that the bound fails.
        variant : {"corrected", "printed"}, default="corrected"
            The theorem as corrected, or as printed in the paper.

        Returns
        -------
        Bound
            Prints as a sentence, which states whether the bound is informative.
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

    def difference_matrices(self, X: TableLike) -> tuple[Array, float]:
        """Return A^(i, i + n // 2) of pairs of rows (n // 2, B, W, W), and p."""
        p, phi = (
            exponent(self),
            self.projection_.transform(self._answering().encode(X)),
        )
        return difference_matrices(self.structure_.blocks(phi)), p
