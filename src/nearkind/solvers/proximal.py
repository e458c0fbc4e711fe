"""Proximal gradient steps on a hinge whose corner is smoothed, L-BFGS between them.

Proximal steps find the directions of the metric, L-BFGS their lengths. Where the
penalty is not smooth there is no L-BFGS, and the steps are accelerated (Beck and
Teboulle, 2009) with restart (O'Donoghue and Candes, 2015). The corner is narrowed as
the smoothed problem nears its optimum (Nesterov, 2005); derivatives of the smoothed
hinge are multipliers in [0, 1] that give a lower bound for the plain one. A large
problem is first solved to a low accuracy on a sample of its rows.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.solvers.lbfgs import minimize_factor
from nearkind.solvers.objective import Linearization, Objective
from nearkind.solvers.solution import Callback, Progress, Solution, Stop


@dataclass(frozen=True)
class Proximal:
    """Proximal gradient and L-BFGS with smoothing continuation and a certificate.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when the gap is below this fraction of the objective.
    width : float, default=0.1
        Initial width of the smoothed corner, relative to the loss at M = 0.
    check_every : int, default=15
        Iterations between two evaluations of the optimality gap.
    warm_rows : int, default=1000
        Start on a sample of this many rows if there are at least twice as many.
    """

    max_iter: int = 200
    tol: float = 1e-4
    width: float = 0.1
    check_every: int = 15
    warm_rows: int = 1_000

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Minimise the objective over positive semi-definite metrics."""
        hinge = objective.with_loss(Hinge())
        progress = Progress(start, self.tol, callback)
        progress.offer(start, hinge.value(start))
        return progress.run(partial(self._run, hinge, start, progress))

    def _run(self, hinge: Objective, start: Spectrum, progress: Progress) -> Stop:
        if hinge.n_rows >= 2 * self.warm_rows:
            sample = hinge.sample(self.warm_rows, np.random.default_rng(0))
            state = replace(self, tol=max(self.tol, 1e-2)).descend(sample, start)
        else:
            state = self._begin(hinge, start)
        return self._descend(hinge, state, progress)

    def descend(self, objective: Objective, start: Spectrum) -> "State":
        """Minimise, and return where the descent stands, to go on from there."""
        hinge = objective.with_loss(Hinge())
        state, progress = self._begin(hinge, start), Progress(start, self.tol)
        progress.offer(start, hinge.value(start))
        self._descend(hinge, state, progress)
        return state

    def one_round(self, hinge: Objective, start: Spectrum) -> tuple[Spectrum, int]:
        """Descend under the widest corner without proof; return where to, and steps."""
        state = State(start, start, self._widest(hinge))
        made = self._round(hinge, state, self.max_iter)
        return state.point, made

    def _begin(self, hinge: Objective, start: Spectrum) -> "State":
        """Take the width that proves most: near the optimum a narrow one does."""
        widest = self._widest(hinge)
        states = [State(start, start, widest / shrink) for shrink in (1.0, 9.0, 81.0)]
        bounds = [state.bound(hinge)[1] for state in states]
        good = np.array(bounds) >= (1.0 - 1e-9) * max(bounds)  # ties, up to rounding
        return states[int(np.argmax(good))]

    def _widest(self, hinge: Objective) -> float:
        return self.width * max(hinge.loss_value(hinge.zero), 1e-300)

    def _descend(self, hinge: Objective, state: "State", progress: Progress) -> Stop:
        t = 0
        while True:
            known = state.point is progress.point
            value = progress.value if known else hinge.value(state.point)
            if not np.isfinite(value):
                return Stop.NOT_FINITE
            progress.offer(state.point, value)
            self._certify(hinge, state, progress)
            progress.record(t)
            if progress.done:
                return Stop.TOLERANCE
            if t >= self.max_iter:
                return Stop.MAX_ITER
            if (made := self._round(hinge, state, self.max_iter - t)) == 0:
                return Stop.NOT_FINITE
            t += made

    def _round(self, hinge: Objective, state: "State", left: int) -> int:
        """Take proximal steps, then L-BFGS if possible; return the number of both."""
        is_smooth = hinge.regularizer.is_smooth
        n_steps = 1 if is_smooth else min(left, self.check_every)
        if is_smooth:
            state.shorten(hinge)
        for _ in range(n_steps):
            if not state.step(hinge):
                return 0
        if is_smooth and n_steps < left:
            n_steps += state.run_lbfgs(hinge, min(left - n_steps, self.check_every))
        return n_steps

    def _certify(self, hinge: Objective, state: "State", progress: Progress) -> None:
        """Raise the bound; narrow the corner while it hides what is left to gain.

        Eight times at most.
        """
        for _ in range(8):
            at, bound = state.bound(hinge)
            progress.raise_bound(bound)
            corner = state.corner(at)
            nearly_solved = at.value - (bound - corner) <= 0.5 * corner
            if progress.done or not nearly_solved:
                return
            state.narrow()


@dataclass
class State:
    """Where the descent stands: M, the extrapolated Y (it may be indefinite), speed."""

    point: Spectrum
    ahead: Spectrum
    width: float
    curvature: float = 1e-2
    momentum: float = 1.0
    known: tuple[Spectrum, float, Linearization] | None = None  # the last, and where

    def linearize(self, hinge: Objective, point: Spectrum) -> Linearization:
        """Linearize the smoothed objective at a metric; the last one is remembered."""
        if self.known is not None:
            where, width, last = self.known
            if where is point and width == self.width:
                return last
        at = hinge.with_loss(SmoothedHinge(self.width)).linearize(point)
        self.known = point, self.width, at
        return at

    def bound(self, hinge: Objective) -> tuple[Linearization, float]:
        """Linearize at M; return the lower bound that this proves, too."""
        at = self.linearize(hinge, self.point)
        if not np.isfinite(at.value):
            return at, 0.0
        return at, hinge.lower_bound(at.gradient, at.intercept, self.point)

    def corner(self, at: Linearization) -> float:
        """Return what the smoothed dual lies below the plain one, linearized at M.

        It is width / 2 times the mean of alpha^2.
        """
        return float(at.intercept + (at.gradient * self.point.matrix).sum() - at.loss)

    def step(self, hinge: Objective) -> bool:
        """Take one accelerated step; say whether the objective is finite."""
        smooth = hinge.with_loss(SmoothedHinge(self.width))
        at = self.linearize(hinge, self.ahead)
        if not np.isfinite(at.value):
            return False
        new = self._search(smooth, at)
        moved = new.matrix - self.point.matrix
        if ((self.ahead.matrix - new.matrix) * moved).sum() > 0.0:
            self.momentum = 1.0  # the step points back: forget the speed
        grown = (1.0 + (1.0 + 4.0 * self.momentum**2) ** 0.5) / 2.0
        speed = (self.momentum - 1.0) / grown
        self.ahead = decompose(new.matrix + speed * moved) if speed > 0.0 else new
        self.point, self.momentum = new, grown
        self.curvature *= 0.9
        return True

    def shorten(self, hinge: Objective) -> None:
        """Begin the search for a step no longer than ten times M itself."""
        size = np.linalg.norm(self.ahead.matrix)
        steepness = np.linalg.norm(self.linearize(hinge, self.ahead).gradient)
        if size > 0.0 and np.isfinite(steepness):
            self.curvature = max(self.curvature, 0.1 * float(steepness / size))

    def run_lbfgs(self, hinge: Objective, max_steps: int) -> int:
        """Go on by L-BFGS; return the number of steps made."""
        smooth = hinge.with_loss(SmoothedHinge(self.width))
        self.point, made, at = minimize_factor(smooth, self.point, max_steps)
        self.known = None if at is None else (self.point, self.width, at)
        self.ahead, self.momentum = self.point, 1.0
        return made

    def _search(self, smooth: Objective, at: Linearization) -> Spectrum:
        """Double the curvature until its quadratic model bounds the loss."""
        M, G = self.ahead.matrix, at.gradient
        largest = np.abs(self.ahead.values).max(initial=0.0)
        # The smoothed loss is a difference of squares over the width, rounded.
        unit = np.finfo(smooth.Z.dtype).eps  # sums are in double precision
        rounding = unit**0.75 * at.loss + 4.0 * unit * (1.0 + largest) ** 2 / self.width
        while True:
            new = smooth.prox(M - G / self.curvature, 1.0 / self.curvature)
            move = new.matrix - M
            model = at.loss + (G * move).sum()
            model += 0.5 * self.curvature * (move * move).sum()
            if smooth.loss_value(new) <= model + rounding or self.curvature > 1e12:
                return new
            self.curvature *= 2.0

    def narrow(self) -> None:
        """Narrow the corner and start again from here."""
        self.width /= 3.0
        self.ahead, self.momentum = self.point, 1.0
