"""The optimisation problem of CPML: projected rows and constraints.

``CPML.fit`` and its relatives (a path of strengths, stated constraints, batches) pose
it in the same steps and differ in where rows and constraints come from.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import UniqueRows
from nearkind.estimators.spec import CPMLSpec
from nearkind.metrics.compression import CompressedRows, compress, compress_tables
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.metrics.value_tables import feature_maps, relevance, value_tables
from nearkind.projections.base import gather
from nearkind.projections.coordinates import with_coordinates
from nearkind.protocols import Array, Constraints, LabelArray, Projection, Structure
from nearkind.solvers.objective import Objective
from nearkind.solvers.renewal import solve_with_renewal
from nearkind.solvers.solution import Callback, Record, Solution, Stop, zero_solution
from nearkind.streaming import BatchSummary, RowSample
from nearkind.validation.convergence import not_converged
from nearkind.validation.limits import check_size
from nearkind.validation.threads import one_blas_thread, thread_map

Counts = tuple[list[Array], Array]
"""Counts of each feature by value and class (n_values, C), and of each class (C,)."""
Steps = Callable[[Array], Callable[[Objective], Iterator[Any]]]
"""From the bases of a metric to what gives the problems of batches, one by one."""
ZERO_VALUE_ROWS = 1_000
"""Rows on which the objective at M = 0 is estimated."""


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


@dataclass(frozen=True)
class Projected:
    """Unique rows, their projection, and the vectors that the metric is learned on.

    Attributes
    ----------
    rows : UniqueRows
    projection : Projection
    structure : Structure
    tables : list of ndarray of shape (s_d + 1, R_d, C')
        Those of the projection, or shorter ones with the same distances.
    vectors : CompressedRows
    """

    rows: UniqueRows
    projection: Projection
    structure: Structure
    tables: list[Array]
    vectors: CompressedRows

    @property
    def phi(self) -> Array:
        """The rows, projected by ``tables`` (n, D, C')."""
        return _phi(self.projection, self.tables, self.rows)


@dataclass
class Problem:
    """What does not change with the strength.

    Attributes
    ----------
    projected : Projected
        The rows that constraints compare.
    constraints : Constraints
        On their distances.
    """

    projected: Projected
    constraints: Constraints
    _at_zero: Spectrum | None = None

    def descent_at_zero(self, objective: Objective) -> Spectrum:
        """Return minus the gradient at M = 0, computed once."""
        if objective.constraints is not self.constraints:
            return objective.descent_at_zero()
        if self._at_zero is None:
            self._at_zero = objective.descent_at_zero()
        return self._at_zero


def project(
    spec: CPMLSpec,
    book: Codebook,
    n_classes: int,
    counted: UniqueRows,
    compared: UniqueRows | None = None,
    counts: Counts | None = None,
) -> Projected:
    """Count values by class, and project the rows that constraints compare.

    Parameters
    ----------
    spec : CPMLSpec
    book : Codebook
        Of the rows.
    n_classes : int
    counted : UniqueRows
        Rows to count.
    compared : UniqueRows, default=None
        Rows in constraints; None: those counted.
    counts : Counts, default=None
        What has been counted elsewhere, instead of ``counted``.
    """
    compared = counted if compared is None else compared
    projection = with_coordinates(
        spec.make_projection(), book.positions, book.n_ordered
    )
    structure = spec.structure
    names, n_values = book.feature_names, book.n_values
    sizes = (names, n_values, len(compared), n_classes)
    check_size(projection, structure, *sizes, "projection", spec.cross_fit)
    if counts is None:
        y = counted.y if n_classes else None
        projection.fit(counted.codes, n_values, y, counted.weights)
    else:
        projection.fit_counts(*counts)
    tables = projection.tables
    if not spec.cross_fit:  # else a row has no vector of a table
        tables = compress_tables(tables, structure)
    with one_blas_thread():  # nothing holds phi (n, D, C) while Z is compressed
        Z = structure.blocks(_phi(projection, tables, compared))
        vectors = compress(np.ascontiguousarray(Z), spec.keeps_axes)
    return Projected(compared, projection, structure, tables, vectors)


def _phi(projection: Projection, tables: list[Array], rows: UniqueRows) -> Array:
    """Return phi (n, D, C) of training rows, by shorter tables if there are any."""
    if tables[0].shape == projection.tables[0].shape:
        return projection.transform_training(rows.codes, rows.y)
    return gather(tables, rows.codes)


def constrain(spec: CPMLSpec, rows: UniqueRows, classes: LabelArray) -> Any:
    """Return the constraints that the labels of rows imply."""
    labels = WeightedLabels(rows.y, rows.weights, rows.self_weights)
    constraints = spec.rule.bind(labels)
    if spec.is_local:
        warn_of_single_rows(labels, classes)
    return constraints


def warn_of_single_rows(labels: WeightedLabels, classes: LabelArray) -> None:
    """Warn of classes with a single row, where rows need others of their class."""
    single = [
        repr(name)
        for label, name in enumerate(classes.tolist())
        if not labels.same[labels.rows_of(label)].any()
    ]
    if single:
        warnings.warn(
            f"{len(single)} of {len(classes)} classes have one row, which has no "
            "target neighbour: "
            f"{', '.join(single[:5])}{' and more' if len(single) > 5 else ''}. "
            "Such a row only repels rows of other classes; add rows of its class.",
            UserWarning,
            stacklevel=5,
        )


@dataclass(frozen=True)
class Learned:
    """What solving a problem has found.

    Attributes
    ----------
    projected : Projected
    solution : Solution
    strength, strength_max : float
    """

    projected: Projected
    solution: Solution
    strength: float
    strength_max: float


def solve(
    spec: CPMLSpec,
    problem: Problem,
    start: Spectrum,
    callback: Callback | None = None,
    steps: Steps | None = None,
) -> Learned:
    """Choose the strength and minimise.

    Parameters
    ----------
    spec : CPMLSpec
    problem : Problem
    start : Spectrum
        Metric to start from, of the compressed rows.
    callback : callable, default=None
        Is called with each record of the solver.
    steps : Steps, default=None
        Problems of batches to take steps on, beyond the rows at hand.
    """
    vectors = problem.projected.vectors
    with thread_map(spec.n_jobs, vectors.Z.shape[1]) as run:
        parts = vectors.Z, problem.constraints, spec.regularizer
        objective = Objective(*parts, strength=0.0, map=run)
        batches = None if steps is None else steps(vectors.bases)
        objective = objective.renewed(start)
        with np.errstate(over="ignore", invalid="ignore"):  # solvers look for it
            return _solve(spec, problem, objective, start, callback, batches)


def _solve(
    spec: CPMLSpec,
    problem: Problem,
    objective: Objective,
    start: Spectrum,
    callback: Callback | None,
    batches: object,
) -> Learned:
    n_distances = objective.constraints.n_distances
    solver = spec.make_solver(n_distances, batches, spec.max_rows)
    at_zero = problem.descent_at_zero(objective)
    strength = spec.strength(objective.dual_norm(at_zero))
    strength_max = objective.strength_max(at_zero)
    if strength_max < 1e-12:  # rounding: vectors of values are of size one
        strength_max = 0.0
    objective = objective.with_strength(strength)
    if strength >= strength_max:
        is_small = objective.n_rows <= ZERO_VALUE_ROWS
        some = objective if is_small else objective.sample(ZERO_VALUE_ROWS, spec.rng)
        value = some.value(objective.zero)
        solution = zero_solution(objective.zero, value, spec.is_convex)
    else:
        solution = solve_with_renewal(solver, objective, start, callback)
    return Learned(problem.projected, solution, strength, strength_max)


def start_at(vectors: CompressedRows, last: Array | None) -> Spectrum:
    """Return the last metric if it has the right shape, else Euclidean distance."""
    n_blocks, width, _ = vectors.bases.shape
    if last is not None and last.shape == (n_blocks, width, width):
        return decompose(vectors.restrict(last)).positive()
    return vectors.identity


def last_metric(model: Any) -> Array | None:
    """Return the metric that the next fit starts from; None: the Euclidean one."""
    return getattr(model, "metric_", None) if model.warm_start else None


def keep(model: Any, learned: Learned) -> None:
    """Set what a CPML has learned: the metric, and a vector for every value.

    Parameters
    ----------
    model : CPML
        With ``codebook_``.
    learned : Learned
    """
    projected, solution = learned.projected, learned.solution
    point = projected.vectors.expand(solution.point)
    model.strength_, model.strength_max_ = learned.strength, learned.strength_max
    model.projection_, model.structure_ = projected.projection, projected.structure
    model.metric_ = point.matrix
    model.spectrum_ = np.zeros(model.metric_.shape[:2])  # (B, W)
    falling = np.sort(point.values, axis=1)[:, ::-1]
    model.spectrum_[:, : falling.shape[1]] = falling
    model.rank_ = point.rank
    model.objective_, model.gap_ = solution.value, solution.gap
    model.history_, model.n_iter_ = solution.history, solution.n_iter
    model.stop_reason_ = solution.reason.name
    maps = feature_maps(projected.tables, model.structure_, point)
    tables = value_tables(projected.tables, maps)
    shares = relevance(projected.phi, maps, projected.rows.weights)
    model.distance_ = ValueVectors(model.codebook_, tables, shares)
    warn_of(learned, model.rank_)


def warn_of(learned: Learned, rank: int) -> None:
    """Warn if the metric is zero or the optimum was not reached.

    Parameters
    ----------
    learned : Learned
    rank : int
        Of the metric.
    """
    solution = learned.solution
    if rank == 0:
        warnings.warn(
            f"The learned metric is zero, and so are all distances: {_cause(learned)}",
            UserWarning,
            stacklevel=4,
        )
    if solution.reason not in (Stop.TOLERANCE, Stop.SETTLED):
        told = not_converged(
            solution.reason,
            f"After {solution.n_iter} iterations the "
            f"objective is {solution.value:.6g}{_gap_clause(solution)}.",
        )
        warnings.warn(told, stacklevel=4)


def _cause(learned: Learned) -> str:
    if learned.strength_max > 0.0:
        return (
            f"strength={learned.strength:.3g} outweighs the loss. Pass a strength "
            f"below {learned.strength_max:.3g}, or strength='auto'."
        )
    return (
        "no direction in these columns brings rows of one class together. Use "
        "another projection, or add columns that separate the classes."
    )


def _gap_clause(solution: Solution) -> str:
    """Return how far from the optimum the objective may be."""
    if not np.isfinite(solution.gap):
        return ", by estimate"
    share = solution.gap / max(solution.value, 1e-300)
    return f", at most {solution.gap:.2g} ({share:.2%}) above the optimum"
