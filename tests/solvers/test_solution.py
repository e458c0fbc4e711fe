"""What solvers share: the best so far, the gap, the history, and how they are ended."""

from contextlib import suppress
from itertools import count

import numpy as np
import pytest

from nearkind.metrics.spectrum import identity
from nearkind.solvers import solution
from nearkind.solvers.solution import (
    Deadline,
    Progress,
    Record,
    Solution,
    Stop,
    zero_solution,
)

START, OTHER = identity(1, 2), identity(1, 2)


def part(*lines, value=1.0):
    """A solution with lines of history (iteration, seconds)."""
    history = [Record(t, value, 0.5, seconds) for t, seconds in lines]
    return Solution(START, value, 0.5, history, Stop.SETTLED)


def test_a_part_goes_on_counting_where_the_one_before_it_ended():
    first, second = part((0, 0.5), (3, 2.0)), part((0, 0.25), (4, 1.0), value=0.5)
    last = part((1, 0.125), value=0.25)
    whole = last.after([first, second])
    assert [(r.iteration, r.seconds) for r in whole.history] == [
        (0, 0.5), (3, 2.0), (3, 2.25), (7, 3.0), (8, 3.125),
    ]  # fmt: skip
    assert [r.value for r in whole.history] == [1.0, 1.0, 0.5, 0.5, 0.25]
    assert (whole.value, whole.n_iter) == (0.25, 8)
    assert first.after([]) == first


def test_without_history_no_iteration_was_made():
    assert part().n_iter == 0
    assert part((1, 0.5)).after([part()]).n_iter == 1


@pytest.mark.parametrize("is_convex", [(), (True,), (False,)])
def test_zero_is_proven_where_the_loss_is_convex(is_convex):
    found = zero_solution(START, 0.75, *is_convex)
    assert found.point is START
    assert (found.value, found.n_iter) == (0.75, 0)
    assert found.history == [Record(0, 0.75, found.gap, 0.0)]
    if all(is_convex):
        assert (found.gap, found.reason) == (0.0, Stop.TOLERANCE)
    else:
        assert np.isnan(found.gap)
        assert found.reason is Stop.SETTLED


def test_the_first_of_equally_good_points_is_kept():
    progress = Progress(START, 0.1)
    assert progress.point is START
    assert progress.offer(START, 2.0)
    assert not progress.offer(OTHER, 2.0)
    assert not progress.offer(OTHER, np.nan)
    assert (progress.point is START, progress.value) == (True, 2.0)
    assert progress.offer(OTHER, 1.5)
    assert (progress.point is OTHER, progress.value) == (True, 1.5)


def test_a_point_that_takes_time_is_computed_once_and_only_if_it_is_asked_for():
    asked = []
    progress = Progress(START, 0.1)
    for value in (3.0, 2.0):
        progress.offer(lambda value=value: asked.append(value) or OTHER, value)
    assert not asked
    assert progress.point is progress.point is OTHER
    assert asked == [2.0]


def test_the_gap_is_to_the_highest_bound_and_never_negative():
    progress = Progress(START, 0.25)
    progress.offer(START, 2.0)
    assert (progress.gap, progress.done) == (2.0, False)  # nothing is below 0
    progress.raise_bound(-1.0)
    assert progress.gap == 2.0
    progress.raise_bound(1.25)
    assert (progress.gap, progress.done) == (0.75, False)
    progress.raise_bound(1.0)
    assert progress.gap == 0.75
    progress.raise_bound(1.5)
    assert (progress.gap, progress.done) == (0.5, True)  # a quarter of 2
    progress.raise_bound(2.0 + 1e-9)
    assert progress.gap == 0.0


def test_what_is_estimated_has_no_gap_and_is_never_done():
    progress = Progress(START, 1e9, proves=False)
    progress.offer(START, 2.0)
    assert np.isnan(progress.gap)
    assert not progress.done


def test_a_record_has_the_seconds_since_the_start(monkeypatch):
    clock, told = count(0.25, 0.5), []
    monkeypatch.setattr(solution, "perf_counter", lambda: next(clock))
    progress = Progress(START, 0.1, told.append)
    progress.offer(START, 2.0)
    progress.record(0)
    progress.raise_bound(0.5)
    progress.record(4)
    assert told == [Record(0, 2.0, 2.0, 0.5), Record(4, 2.0, 1.5, 1.0)]
    found = progress.run(lambda: Stop.MAX_ITER)
    assert found == Solution(START, 2.0, 1.5, told, Stop.MAX_ITER)
    assert found.n_iter == 4


def test_time_is_up_after_the_deadline_and_not_at_it(monkeypatch):
    monkeypatch.setattr(solution, "perf_counter", lambda: 10.0)
    assert not Deadline().has_passed
    assert not Deadline(10.5).has_passed
    assert not Deadline(10.0).has_passed
    assert Deadline(9.5).has_passed


def test_a_deadline_ends_what_began_in_its_block_and_nothing_else():
    outer, inner = Deadline(), Deadline()

    def ended(progress):
        return progress.run(lambda: progress.record(0) or Stop.MAX_ITER).reason

    before = Progress(START, 0.1)
    with outer.limit():
        with suppress(ValueError), inner.limit():
            within = Progress(START, 0.1)
            raise ValueError
        between = Progress(START, 0.1)
    after = Progress(START, 0.1)
    inner.end()
    assert ended(within) is Stop.OUT_OF_TIME
    assert len(within.history) == 1  # the line is written before
    assert ended(between) is Stop.MAX_ITER
    outer.end()
    assert ended(between) is Stop.OUT_OF_TIME
    assert ended(before) is ended(after) is Stop.MAX_ITER


def test_ctrl_c_ends_a_descent_and_other_errors_are_not_hidden():
    def raise_(error):
        raise error

    progress = Progress(START, 0.1)
    found = progress.run(lambda: raise_(KeyboardInterrupt))
    assert found.reason is Stop.INTERRUPTED
    with pytest.raises(ZeroDivisionError):
        progress.run(lambda: raise_(ZeroDivisionError))
