"""Adam on a factor of the metric, with minibatches.

Soft neighbours compare all pairs of rows, which is too slow beyond a few thousand rows.
Each step here uses newly sampled rows, which sample a neighbour among a few thousand
others, and updates the factor by Adam (Kingma and Ba, 2015). Some rows are held out;
their loss determines when to shorten steps and when to stop.
"""

from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nearkind.metrics.metric import embed_by
from nearkind.metrics.spectrum import Spectrum, decompose, decompose_factor
from nearkind.protocols import Array
from nearkind.solvers.lbfgs import LBFGS, evaluate_in_factor, factor_of
from nearkind.solvers.objective import BatchProblems, Objective, endless_problems
from nearkind.solvers.solution import Callback, Progress, Solution, Stop

SHORTEST = 1.0 / 16.0
"""Share of the first step below which steps end."""
FIRST_ROWS = 2_000
"""Rows in a minibatch until the first step is halved, if no fewer are asked for."""
NARROW = 0.01
"""Squared length of any row, relative to the margin, up to which the last principal
axes are dropped."""
FEW_DIRECTIONS = 16
"""Directions up to which none is dropped: fewer make no step quicker."""
FEW_HELD = 100
"""Rows whose draws would be too few to tell when to end."""


@dataclass(frozen=True)
class Adam:
    """Minibatch descent on a factor of the metric, for losses that are smooth.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of rounds of steps; the objective is estimated after each round.
    tol : float, default=1e-4
        Halve the step when a round gains less than this fraction of the objective.
    rng : Generator, default=None
        Random number generator for the samples.
    margin : float, default=1.0
        Approximate change of the squared distance of two rows in a first step.
    rows : int, default=4000
        Rows in a minibatch.
    anchors : int, default=1000
        Rows of a minibatch that sample a neighbour.
    held_share : float, default=0.1
        Fraction of rows that are held out to estimate the objective.
    round_steps : int, default=10
        Steps in a round.
    max_rank : int, default=64
        Maximum number of directions.
    batches : callable, default=None
        Returns an iterator of problems on rows that do not fit in memory, for the first
        steps; None, or after these problems: rows of the objective.
    """

    max_iter: int = 200
    tol: float = 1e-4
    rng: np.random.Generator | None = None
    margin: float = 1.0
    rows: int = 4_000
    anchors: int = 1_000
    held_share: float = 0.1
    round_steps: int = 10
    max_rank: int = 64
    batches: BatchProblems = None

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Descend from a metric."""
        rng = np.random.default_rng(0) if self.rng is None else self.rng
        objective = objective.in_single()
        is_held = rng.random(objective.n_rows) < self.held_share
        if is_held.sum() < FEW_HELD:  # then estimates are of the rows that teach
            is_held[:] = True
        may_draw = ~is_held if not is_held.all() else is_held
        held = objective.sample_draws(2 * self.rows, rng, is_held)
        progress = Progress(start, self.tol, callback, proves=False)
        progress.offer(start, held.value(start))
        return progress.run(
            partial(self._descend, objective, held, may_draw, progress, rng)
        )

    def _descend(
        self,
        objective: Objective,
        held: Objective,
        may_draw: NDArray[np.bool_],
        progress: Progress,
        rng: np.random.Generator,
    ) -> Stop:
        progress.record(0)
        if not np.isfinite(progress.value):
            return Stop.NOT_FINITE
        point, was_interrupted = self._first_point(objective, progress.point, rng)
        lowest = at_start = held.value(point)
        progress.offer(point, lowest)
        if was_interrupted:
            return Stop.INTERRUPTED
        F = factor_of(point)
        step = self._first_step(objective, point)
        state = AdamState(F, step, np.zeros_like(F), np.zeros_like(F))

        def draw() -> Objective:
            rows = self.rows if state.step < longest else min(self.rows, FIRST_ROWS)
            return objective.sample_draws(rows, rng, may_draw, self.anchors)

        longest = state.step
        minibatches = endless_problems(self.batches, objective, draw)
        shortest, best = SHORTEST * state.step, copy(state)
        for t in range(1, self.max_iter + 1):
            for _ in range(self.round_steps):
                state.move(next(minibatches))
            before, F = lowest, state.F
            value = evaluate_in_factor(held, F).value
            progress.offer(partial(decompose_factor, F), value)
            if value < lowest:
                best, lowest = copy(state), value
            progress.record(t)
            if not value < before - self.tol * abs(before):
                state.step /= 2.0
                if state.step < shortest:
                    return Stop.SETTLED
                if not value < at_start:  # steps too long for a start that was good
                    state = replace(best, step=state.step)
                state.drop_directions(objective.Z, NARROW * self.margin)
        return Stop.MAX_ITER

    def _first_point(
        self, objective: Objective, start: Spectrum, rng: np.random.Generator
    ) -> tuple[Spectrum, bool]:
        """Return a metric of few directions, and whether Ctrl-C ended the search.

        They are those that half a minibatch of rows takes in 15 steps of L-BFGS.
        """
        if start.rank <= self.max_rank:
            return start, False
        solver = LBFGS(15, 1e-3, rng, self.rows // 2, self.max_rank)
        found = solver.solve(objective, start)
        return found.point.truncated(self.max_rank), found.reason is Stop.INTERRUPTED

    def _first_step(self, objective: Objective, point: Spectrum) -> float:
        """Return the change of every number of F that moves distances by a margin."""
        Z = objective.Z
        spread = float(np.square(Z, dtype=float).sum()) / objective.n_rows
        rank = max(1, factor_of(point).shape[1])
        return float(np.sqrt(self.margin / (2.0 * rank * max(spread, 1e-300))))


@dataclass
class AdamState:
    """The factor, and running means of its gradients and of their squares."""

    F: Array
    step: float
    mean: Array
    square: Array
    count: int = 0

    def move(self, minibatch: Objective) -> None:
        """Take one step."""
        G = evaluate_in_factor(minibatch, self.F).gradient
        self.count += 1
        self.mean = self.mean + 0.1 * (G - self.mean)
        self.square = self.square + 0.001 * (G * G - self.square)
        mean = self.mean / (1.0 - 0.9**self.count)
        square = self.square / (1.0 - 0.999**self.count)
        self.F = self.F - self.step * mean / (np.sqrt(square) + 1e-12)

    def drop_directions(self, Z: Array, most: float) -> None:
        """Rotate to principal axes and drop the last, which hold little of any row.

        Squares of gradients are rotated as variances of independent numbers.
        """
        if self.F.shape[1] <= FEW_DIRECTIONS:
            return
        vectors = decompose(self.F @ self.F.swapaxes(1, 2)).vectors
        axes = vectors[:, :, ::-1].swapaxes(1, 2)  # (B, r, r), widest first
        F = axes @ self.F
        r = F.shape[1]
        U = embed_by(Z, F).U.reshape(Z.shape[1], -1, r)
        left_out = np.square(U, dtype=float).sum(axis=1)[:, ::-1].cumsum(axis=1)
        kept = r - int((left_out.max(axis=0) <= most).sum())
        axes = axes[:, : max(kept, FEW_DIRECTIONS)]
        self.F, self.mean = axes @ self.F, axes @ self.mean
        self.square = axes**2 @ self.square
