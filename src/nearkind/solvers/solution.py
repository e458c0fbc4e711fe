"""The solution of a solver: the metric, its history and the reason for stopping."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from time import perf_counter
from typing import NamedTuple

import numpy as np

from nearkind.errors import Parameter
from nearkind.metrics.spectrum import Spectrum


class Stop(Enum):
    """Why a solver stopped; the text says what to try next."""

    def __new__(cls, *parts: str | Parameter) -> "Stop":
        """Return a member whose value is the text of its parts."""
        self = object.__new__(cls)
        self._value_, self.parts = "".join(map(str, parts)), parts
        return self

    parts: tuple[str | Parameter, ...]

    TOLERANCE = "The objective is within the tolerance of its proven lower bound."
    SETTLED = (
        "The objective, on large tables as estimated on a sample of rows, falls no "
        "more. There is no proof; take CPML with solver='proximal' for one, with any "
        "constraints but 'neighbors'."
    )
    MAX_ITER = (
        "The iterations ran out before the tolerance was met. Raise ",
        Parameter("max_iter"),
        " or ",
        Parameter("tol"),
        ".",
    )
    NO_DESCENT = (
        "No step descends any more, though the lower bound does not prove this "
        "optimal. Take solver='proximal', or accept the gap reported."
    )
    NOT_FINITE = (
        "The objective is not finite. Look for enormous sample weights, margin or "
        "strength, and scale them down."
    )
    OUT_OF_TIME = (
        "Time ran out; this is the best metric so far. Allow more time, such as a "
        "larger ",
        Parameter("time_budget"),
        ".",
    )
    INTERRUPTED = (
        "Interrupted; this is the best metric so far. Fit again with warm_start=True "
        "to go on from here."
    )


class Record(NamedTuple):
    """One line of a solver's history."""

    iteration: int
    value: float  # best objective so far
    gap: float  # best objective less best proven lower bound
    seconds: float


Callback = Callable[[Record], None]


@dataclass(frozen=True)
class Solution:
    """The best metric found."""

    point: Spectrum
    value: float
    gap: float
    history: list[Record]
    reason: Stop

    @property
    def n_iter(self) -> int:
        """Number of iterations made."""
        return self.history[-1].iteration if self.history else 0

    def after(self, others: Iterable["Solution"]) -> "Solution":
        """Return it with the history of those that came before it in front."""
        history: list[Record] = []
        for part in (*others, self):
            done = history[-1] if history else Record(0, 0.0, 0.0, 0.0)
            history += [
                line._replace(
                    iteration=done.iteration + line.iteration,
                    seconds=done.seconds + line.seconds,
                )
                for line in part.history
            ]
        return replace(self, history=history)


class Deadline:
    """A time after which solvers end with the best metric so far.

    Parameters
    ----------
    at : float, default=inf
        Time, as ``perf_counter`` has it.

    Examples
    --------
    >>> deadline = Deadline()
    >>> deadline.has_passed
    False
    >>> deadline.end()
    >>> deadline.has_passed
    True
    """

    def __init__(self, at: float = np.inf) -> None:
        self.at = at

    @property
    def has_passed(self) -> bool:
        """Whether time is up."""
        return perf_counter() > self.at

    def end(self) -> None:
        """Let it pass now."""
        self.at = -np.inf

    @staticmethod
    def current() -> "Deadline":
        """Return that of the ``limit`` block around, or one that never passes."""
        return _deadline.get() or Deadline()

    @contextmanager
    def limit(self) -> Iterator[None]:
        """Let solvers that run in this block, and in this thread, end by then."""
        before = _deadline.set(self)
        try:
            yield
        finally:
            _deadline.reset(before)


_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class _OutOfTimeError(Exception):
    """Raised by ``Progress.record``; ``Progress.run`` catches it."""


def zero_solution(zero: Spectrum, value: float, is_convex: bool = True) -> Solution:
    """Return M = 0, which nothing near it betters at strength_max and beyond.

    Where the loss is convex it is the optimum.
    """
    gap, reason = (0.0, Stop.TOLERANCE) if is_convex else (np.nan, Stop.SETTLED)
    return Solution(zero, value, gap, [Record(0, value, gap, 0.0)], reason)


class Progress:
    """The best metric and the best lower bound so far, and when that is enough."""

    def __init__(
        self,
        start: Spectrum,
        tol: float,
        callback: Callback | None = None,
        *,
        proves: bool = True,
    ) -> None:
        self._start = perf_counter()
        self._callback = callback
        self._deadline = _deadline.get()
        self.tol = tol
        self._best: Spectrum | Callable[[], Spectrum] = start
        self.value = np.inf
        # Loss and regularizer are never negative; an estimate has no bound at all.
        self.bound = 0.0 if proves else np.nan
        self.history: list[Record] = []

    @property
    def point(self) -> Spectrum:
        """The best point so far."""
        if not isinstance(self._best, Spectrum):
            self._best = self._best()
        return self._best

    def offer(self, point: Spectrum | Callable[[], Spectrum], value: float) -> bool:
        """Keep the point if it is the best so far; say whether it is.

        Instead of the point a function may be given that returns it, if that takes
        time: it is called when the point is asked for.
        """
        better = value < self.value
        if better:
            self._best, self.value = point, value
        return better

    def raise_bound(self, bound: float) -> None:
        """Keep the bound if it is the best so far."""
        self.bound = max(self.bound, bound)

    @property
    def gap(self) -> float:
        """Best objective less best lower bound, never negative; NaN without proof."""
        return float(np.maximum(self.value - self.bound, 0.0))

    @property
    def done(self) -> bool:
        """Whether the gap is within tol of the objective."""
        return self.gap <= self.tol * self.value

    def record(self, iteration: int) -> None:
        """Write a line of history and tell the callback."""
        seconds = perf_counter() - self._start
        self.history.append(Record(iteration, self.value, self.gap, seconds))
        if self._callback is not None:
            self._callback(self.history[-1])
        if self._deadline is not None and self._deadline.has_passed:
            raise _OutOfTimeError

    def run(self, descend: Callable[[], Stop]) -> Solution:
        """Run a descent and return the best point, the start if none is finite.

        Ctrl-C or a deadline ends the descent, and what was found is kept.
        """
        try:
            reason = descend()
        except KeyboardInterrupt:
            reason = Stop.INTERRUPTED
        except _OutOfTimeError:
            reason = Stop.OUT_OF_TIME
        return Solution(self.point, self.value, self.gap, self.history, reason)
