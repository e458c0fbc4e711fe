"""The problem that CPML solves: rows projected, constraints on their distances.

``CPML.fit`` and its relatives (a path of strengths, stated constraints, batches) pose
it in the same steps and differ in where rows and constraints come from.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.rows import UniqueRows
from nearkind.estimators import params
from nearkind.estimators.convergence import not_converged
from nearkind.metrics.compression import CompressedRows, compress, compress_tables
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.projections.base import gather
from nearkind.projections.coordinates import with_coordinates
from nearkind.protocols import Array, Constraints, Projection, Structure
from nearkind.solvers.objective import Objective
from nearkind.solvers.renewal import solve_with_renewal
from nearkind.solvers.solution import Callback, Solution, Stop, zero_solution
from nearkind.validation.limits import check_size
from nearkind.validation.threads import one_blas_thread, thread_map

Counts = tuple[list[Array], Array]
"""Counts of each feature by value and class (n_values, C), and of each class (C,)."""
Steps = Callable[[Array], Callable[[Objective], Iterator[Any]]]
"""From the bases of a metric to what gives the problems of batches, one by one."""
ZERO_VALUE_ROWS = 1_000
"""Rows on which the objective at M = 0 is estimated."""


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
    rng : numpy.random.Generator
        Of what is drawn.
    """

    projected: Projected
    constraints: Constraints
    rng: np.random.Generator
    _at_zero: Spectrum | None = None

    def descent_at_zero(self, objective: Objective) -> Spectrum:
        """Return minus the gradient at M = 0, computed once."""
        if objective.constraints is not self.constraints:
            return objective.descent_at_zero()
        if self._at_zero is None:
            self._at_zero = objective.descent_at_zero()
        return self._at_zero


def project(
    model: Any,
    counted: UniqueRows,
    compared: UniqueRows | None = None,
    counts: Counts | None = None,
) -> Projected:
    """Count values by class, and project the rows that constraints compare.

    Parameters
    ----------
    model : CPML
        With ``codebook_`` and ``classes_``.
    counted : UniqueRows
        Rows to count.
    compared : UniqueRows, default=None
        Rows in constraints; None: those counted.
    counts : Counts, default=None
        What has been counted elsewhere, instead of ``counted``.
    """
    compared = counted if compared is None else compared
    book, n_classes = model.codebook_, len(model.classes_)
    projection = with_coordinates(params.projection(model), book.positions)
    structure = params.structure(model)
    names, n_values = book.feature_names, book.n_values
    sizes = (names, n_values, len(compared), n_classes)
    check_size(projection, structure, *sizes, "projection", model.cross_fit)
    if counts is None:
        y = counted.y if n_classes else None
        projection.fit(counted.codes, n_values, y, counted.weights)
    else:
        projection.fit_counts(*counts)
    tables = projection.tables
    if not model.cross_fit:  # else a row has no vector of a table
        tables = compress_tables(tables, structure)
    with one_blas_thread():  # nothing holds phi (n, D, C) while Z is compressed
        Z = structure.blocks(_phi(projection, tables, compared))
        vectors = compress(np.ascontiguousarray(Z), params.keeps_axes(model))
    return Projected(compared, projection, structure, tables, vectors)


def _phi(projection: Projection, tables: list[Array], rows: UniqueRows) -> Array:
    """Return phi (n, D, C) of training rows, by shorter tables if there are any."""
    if tables[0].shape == projection.tables[0].shape:
        return projection.transform_training(rows.codes, rows.y)
    return gather(tables, rows.codes)


def constrain(model: Any, rows: UniqueRows, rng: np.random.Generator) -> Any:
    """Return the constraints that the labels of rows imply."""
    labels = WeightedLabels(rows.y, rows.weights, rows.own)
    constraints = params.constraints(model, rng).bind(labels)
    params.warn_of_single_rows(model, labels, model.classes_)
    return constraints


def solve(
    model: Any,
    problem: Problem,
    start: Spectrum,
    callback: Callback | None = None,
    steps: Steps | None = None,
) -> Solution:
    """Choose the strength and minimise; set ``strength_`` and ``strength_max_``.

    Parameters
    ----------
    model : CPML
    problem : Problem
    start : Spectrum
        Metric to start from, of the compressed rows.
    callback : callable, default=None
        Is called with each record of the solver.
    steps : Steps, default=None
        Problems of batches to take steps on, beyond the rows at hand.
    """
    vectors = problem.projected.vectors
    with thread_map(model.n_jobs, vectors.Z.shape[1]) as run:
        objective = params.objective_class(model)(
            vectors.Z,
            problem.constraints,
            params.regularizer(model),
            strength=0.0,
            map=run,
        )
        batches = None if steps is None else steps(vectors.bases)
        objective = objective.renewed(start)
        with np.errstate(over="ignore", invalid="ignore"):  # solvers look for it
            return _solve(model, problem, objective, start, callback, batches)


def _solve(
    model: Any,
    problem: Problem,
    objective: Objective,
    start: Spectrum,
    callback: Callback | None,
    batches: Any,
) -> Solution:
    n_distances = objective.constraints.n_distances
    solver = params.solver(model, n_distances, problem.rng, batches)
    at_zero = problem.descent_at_zero(objective)
    strength = params.strength(model)(objective.dual_norm(at_zero))
    model.strength_ = strength
    model.strength_max_ = objective.strength_max(at_zero)
    if model.strength_max_ < 1e-12:  # rounding: vectors of values are of size one
        model.strength_max_ = 0.0
    objective = objective.with_strength(strength)
    if strength >= model.strength_max_:
        is_small = objective.n_rows <= ZERO_VALUE_ROWS
        some = objective if is_small else objective.sample(ZERO_VALUE_ROWS, problem.rng)
        value = some.value(objective.zero)
        return zero_solution(objective.zero, value, params.is_convex(model))
    return solve_with_renewal(solver, objective, start, callback)


def start_at(vectors: CompressedRows, last: Array | None) -> Spectrum:
    """Return the last metric if it has the right shape, else Euclidean distance."""
    n_blocks, width, _ = vectors.bases.shape
    if last is not None and last.shape == (n_blocks, width, width):
        return decompose(vectors.restrict(last)).positive()
    return vectors.identity


def warn_of(solution: Solution, model: Any) -> None:
    """Warn if the metric is zero or the optimum was not reached.

    Parameters
    ----------
    solution : Solution
        How the solver ended.
    model : CPML
        Fitted, with ``rank_``, ``strength_`` and ``strength_max_``.
    """
    if model.rank_ == 0:
        warnings.warn(
            f"The learned metric is zero, and so are all distances: {_cause(model)}",
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


def _cause(model: Any) -> str:
    if model.strength_max_ > 0.0:
        return (
            f"strength={model.strength_:.3g} outweighs the loss. Pass a strength "
            f"below {model.strength_max_:.3g}, or strength='auto'."
        )
    return (
        "no direction in these columns brings rows of one class together. Take another "
        "projection, or add columns that tell the classes apart."
    )


def _gap_clause(solution: Solution) -> str:
    """Return how far from the optimum the objective may be."""
    if not np.isfinite(solution.gap):
        return ", by estimate"
    share = solution.gap / max(solution.value, 1e-300)
    return f", at most {solution.gap:.2g} ({share:.2%}) above the optimum"
