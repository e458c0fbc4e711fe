"""Checks of diagnostics: what is just allowed passes, the next is refused."""

import numpy as np
import pytest

from nearkind.errors import RefusedError
from nearkind.persistence import diagnostics as d
from nearkind.persistence.diagnostics import ROUNDING
from nearkind.persistence.diagnostics import check_positive_semidefinite as check_psd
from nearkind.solvers.solution import Record

RECORD = Record(0, 1.0, 1.0, 0.0)
PASSES = {
    "classes": (
        d.check_classes,
        [np.array(["a", "b"]), np.array([-1, 0, 5]), np.array([], dtype=object),
         np.array([True]), np.array([0.5, 2.0])],
    ),
    "number": (
        d.CHECKS["gap_"],
        [0, -1, 2**63 - 1, 1 - 2**63, 0.5, -np.inf, float("nan")],
    ),
    "count": (d.CHECKS["rank_"], [0, 1, 10**30]),
    "reason": (d.CHECKS["stop_reason_"], ["TOLERANCE", "MAX_ITER"]),
    "history": (d.CHECKS["history_"], [[], [1.0], [RECORD], [RECORD, 0.5]]),
    "kind": (d.check_kind(dict, list), [{}, []]),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSES)
def test_what_is_just_allowed_passes(name):
    check, values = PASSES[name]
    for value in values:
        check(value, "it")


@pytest.mark.parametrize(
    ("check", "value", "why"),
    [
        (d.check_classes, ["a", "b"], "not an array of labels"),
        (d.check_classes, np.array([["a"]]), "not an array of labels"),
        (d.check_classes, np.array("a"), "not an array of labels"),
        (d.check_classes, np.array(["a", "b", "b"]), "not sorted, or not distinct"),
        (d.check_classes, np.array([1, 0]), "not sorted, or not distinct"),
        (d.check_classes, np.array([np.nan, 0.0]), "not sorted, or not distinct"),
        (d.check_classes, np.array(["a"], dtype=object), "are objects instead"),
        (d.CHECKS["gap_"], 2**63, r"^it is 9223372036854775808 instead of a number"),
        (d.CHECKS["gap_"], -(2**63), "instead of a number"),
        (d.CHECKS["gap_"], True, "it is True instead of a number"),
        (d.CHECKS["gap_"], "1", "it is '1' instead of a number"),
        (d.CHECKS["gap_"], np.float64(1.0), "instead of a number"),
        (d.CHECKS["rank_"], -1, "it is -1 instead of a whole number >= 0"),
        (d.CHECKS["rank_"], 1.0, "it is 1.0 instead of a whole number"),
        (d.CHECKS["rank_"], True, "it is True instead of a whole number"),
        (
            d.CHECKS["stop_reason_"],
            "tolerance",
            "it is 'tolerance' instead of one of TOLERANCE",
        ),
        (d.CHECKS["history_"], (1.0,), "instead of a list of records or"),
        (d.CHECKS["history_"], [1.0, 1], "instead of a list of records or"),
        (d.CHECKS["history_"], [RECORD, None], "instead of a list of records or"),
        (d.check_kind(dict), [], r"^it is \[\] instead of dict$"),
        (d.check_kind(dict, list), 1, "^it is 1 instead of dict or list$"),
        (d.check_kind(int), True, "it is True instead of int"),
    ],
)
def test_what_is_just_beyond_is_refused(check, value, why):
    with pytest.raises(RefusedError, match=why):
        check(value, "it")


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_metric_may_miss_symmetry_and_positivity_by_rounding(size):
    off, dip = np.zeros((2, 2)), np.diag([0.0, -1.0])
    off[0, 1] = 1.0
    one = np.diag([1.0, 0.0])
    for some, share in [(off, 0.99), (dip, 0.99), (-off, 0.99)]:
        check_psd(size * (one + share * ROUNDING * some), "M")
    with pytest.raises(RefusedError, match="M is not symmetric"):
        check_psd(size * (one + 1.01 * ROUNDING * off), "M")
    with pytest.raises(RefusedError, match="M is not positive semi-definite"):
        check_psd(size * (one + 1.01 * ROUNDING * dip), "M")


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (0, 0), (2, 3, 3), (0, 2, 2)])
def test_zero_is_positive_semidefinite(shape):
    check_psd(np.zeros(shape), "M")


@pytest.mark.parametrize(
    ("M", "why"),
    [
        (np.ones(2), "M has 1 axes instead of 2"),
        (np.eye(2)[None, None], "M has 4 axes instead of 2"),
        (np.ones((2, 3)), "M is not square"),
        (-0.5 * np.eye(2), "not positive semi-definite"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "not positive semi-definite"),
    ],
)
def test_what_is_no_metric_is_refused(M, why):
    with pytest.raises(RefusedError, match=why):
        check_psd(M, "M")


def test_every_matrix_of_a_stack_is_looked_at():
    stack = np.array([np.eye(2), np.eye(2)])
    stack[1, 0, 1] = 0.5
    with pytest.raises(RefusedError, match="not symmetric"):
        check_psd(stack, "M")
    stack[1, 1] = 0.5, -1.0
    with pytest.raises(RefusedError, match="not positive semi-definite"):
        check_psd(stack, "M")
