"""Checks of what a file holds: what is just allowed passes, the next is refused."""

from types import SimpleNamespace

import numpy as np
import pytest

from nearkind.persistence import checks as c
from nearkind.persistence.container import RefusedError
from nearkind.solvers.solution import Record

BOOK = SimpleNamespace(n_values=[2, 3])
BELOW = float(np.nextafter(c.MAX_NUMBER, 0.0))
RECORD = Record(0, 1.0, 1.0, 0.0)
A, B, C = np.zeros((3, 3)), np.zeros((4, 4)), np.zeros((4, 3))


def row(*numbers):
    return np.array([numbers], dtype=float)


def codes(*rows):
    return np.array(rows, dtype=np.int32)


def tables(*parts):
    return SimpleNamespace(tables=parts, vectors=parts)


def below_zero(*places):
    some = np.zeros((3, 3))
    some[places] = -1e-300
    return some


PASSES = {
    "reals": (c.check_reals(2), [row(), row(0.0, BELOW, -BELOW), np.zeros((0, 0))]),
    "classes": (
        c.check_classes,
        [np.array(["a", "b"]), np.array([-1, 0, 5]), np.array([], dtype=object),
         np.array([True]), np.array([0.5, 2.0])],
    ),
    "number": (
        c.check_number,
        [0, -1, 2**63 - 1, 1 - 2**63, 0.5, -np.inf, float("nan")],
    ),
    "amount": (c.check_amount, [0, 0.0, 7, BELOW]),
    "count": (c.check_count, [0, 1, 10**30]),
    "reason": (c.check_reason, ["TOLERANCE", "MAX_ITER"]),
    "history": (c.check_history, [[], [1.0], [RECORD], [RECORD, 0.5]]),
    "kind": (c.check_kind(dict, list), [{}, []]),
    "vectors": (c.check_vectors, [tables(A, C), tables(A[:, :1], C[:, :1])]),
    "codes": (c.check_codes, [codes([-1, -1]), codes([1, 2], [0, 0])]),
    "pairs": (c.check_pairs, [tables(A, B), tables(A - 1.0, B)]),
    "distances": (c.check_distances, [tables(A, B), tables(A, B + 1.0)]),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSES)
def test_what_is_just_allowed_passes(name):
    check, values = PASSES[name]
    for value in values:
        check(value, "it", BOOK)


@pytest.mark.parametrize(
    ("check", "value", "why"),
    [
        (c.check_reals(2), [[0.0]], "^it is not an array of floats"),
        (c.check_reals(2), row(0.0).astype(np.float32), "not an array of floats"),
        (c.check_reals(2), np.zeros(3), "^it has 1 axes instead of 2$"),
        (c.check_reals(2), np.zeros((1, 1, 1)), "^it has 3 axes instead of 2$"),
        (c.check_reals(2), row(0.0, c.MAX_NUMBER), "enormous or not finite"),
        (c.check_reals(2), row(0.0, -c.MAX_NUMBER), "enormous or not finite"),
        (c.check_reals(2), row(np.nan), "enormous or not finite"),
        (c.check_classes, ["a", "b"], "not an array of labels"),
        (c.check_classes, np.array([["a"]]), "not an array of labels"),
        (c.check_classes, np.array("a"), "not an array of labels"),
        (c.check_classes, np.array(["a", "b", "b"]), "not sorted, or not distinct"),
        (c.check_classes, np.array([1, 0]), "not sorted, or not distinct"),
        (c.check_classes, np.array([np.nan, 0.0]), "not sorted, or not distinct"),
        (c.check_classes, np.array(["a"], dtype=object), "are objects instead"),
        (c.check_number, 2**63, r"^it is 9223372036854775808 instead of a number"),
        (c.check_number, -(2**63), "instead of a number"),
        (c.check_number, True, "it is True instead of a number"),
        (c.check_number, "1", "it is '1' instead of a number"),
        (c.check_number, np.float64(1.0), "instead of a number"),
        (c.check_amount, -1e-300, "negative or not finite"),
        (c.check_amount, -1, "negative or not finite"),
        (c.check_amount, c.MAX_NUMBER, "negative or not finite"),
        (c.check_amount, float("nan"), "negative or not finite"),
        (c.check_amount, None, "instead of a number"),
        (c.check_count, -1, "it is -1 instead of a whole number >= 0"),
        (c.check_count, 1.0, "it is 1.0 instead of a whole number"),
        (c.check_count, True, "it is True instead of a whole number"),
        (c.check_reason, "tolerance", "it is 'tolerance' instead of one of TOLERANCE"),
        (c.check_history, (1.0,), "not a list of records or of numbers"),
        (c.check_history, [1.0, 1], "not a list of records or of numbers"),
        (c.check_history, [RECORD, None], "not a list of records or of numbers"),
        (c.check_kind(dict), [], "^it is of type list instead of dict$"),
        (c.check_kind(dict, list), 1, "^it is of type int instead of dict or list$"),
        (c.check_kind(int), True, "of type bool instead of int"),
        (c.check_vectors, tables(A), "does not have one table a column"),
        (c.check_vectors, tables(A, C, C), "does not have one table a column"),
        (c.check_vectors, tables(A[:2], C), "does not have one row a value"),
        (c.check_vectors, tables(A, np.zeros((5, 3))), "not have one row a value"),
        (c.check_vectors, tables(A, C[:, :2]), "of different lengths, or of none"),
        (c.check_vectors, tables(A[:, :0], C[:, :0]), "different lengths, or of none"),
        (c.check_vectors, tables(A, C[None]), "has 3 axes instead of 2"),
        (c.check_codes, codes([0, 0]).astype(np.int64), "array of whole numbers"),
        (c.check_codes, [[0, 0]], "array of whole numbers"),
        (c.check_codes, codes(0, 0), "one a column, of at least one row"),
        (c.check_codes, codes([0]), "one a column, of at least one row"),
        (c.check_codes, codes([0, 0, 0]), "one a column, of at least one row"),
        (c.check_codes, codes([0, 0])[:0], "one a column, of at least one row"),
        (c.check_codes, codes([0, 0])[None], "one a column, of at least one row"),
        (c.check_codes, codes([0, 0], [2, 0]), "a code of a row stands for no value"),
        (c.check_codes, codes([0, 3]), "a code of a row stands for no value"),
        (c.check_codes, codes([0, -2]), "a code of a row stands for no value"),
        (c.check_pairs, tables(A, C), "has a table that is not square"),
        (c.check_pairs, tables(A), "does not have one table a column"),
        (c.check_distances, tables(A, C), "has a table that is not square"),
        (c.check_distances, tables(below_zero(2, 1), B), "has a negative distance"),
    ],
)
def test_what_is_just_beyond_is_refused(check, value, why):
    with pytest.raises(RefusedError, match=why):
        check(value, "it", BOOK)


@pytest.mark.parametrize("numbers", [[], [1.0], [-1e300, 0.0, 1e300]])
def test_numbers_in_rising_order_pass(numbers):
    assert c.rising(np.array(numbers), "edges").tolist() == numbers


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (np.zeros((1, 1)), "edges of a column are not a list of finite numbers"),
        (np.array(1.0), "not a list of finite numbers"),
        (np.array([0.0, np.inf]), "not a list of finite numbers"),
        (np.array([np.nan]), "not a list of finite numbers"),
        (np.array([0, 1]), "not an array of floats"),
        (np.array([0.0, 1.0, 1.0]), "edges of a column are not in rising order"),
        (np.array([1.0, 0.0]), "not in rising order"),
    ],
)
def test_numbers_not_in_rising_order_are_refused(value, why):
    with pytest.raises(RefusedError, match=why):
        c.rising(value, "edges")


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_metric_may_miss_symmetry_and_positivity_by_rounding(size):
    off, dip = np.zeros((2, 2)), np.diag([0.0, -1.0])
    off[0, 1] = 1.0
    one = np.diag([1.0, 0.0])
    for some, share in [(off, 0.99), (dip, 0.99), (-off, 0.99)]:
        M = size * (one + share * c.ROUNDING * some)
        assert c.positive_semidefinite(M, "M", 2) is M
    with pytest.raises(RefusedError, match="M is not symmetric"):
        c.positive_semidefinite(size * (one + 1.01 * c.ROUNDING * off), "M", 2)
    with pytest.raises(RefusedError, match="M is not positive semi-definite"):
        c.positive_semidefinite(size * (one + 1.01 * c.ROUNDING * dip), "M", 2)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (0, 0), (2, 3, 3), (0, 2, 2)])
def test_zero_is_positive_semidefinite(shape):
    c.check_psd(len(shape))(np.zeros(shape), "M", BOOK)


@pytest.mark.parametrize(
    ("M", "why"),
    [
        (np.eye(2)[None], "M has 3 axes instead of 2"),
        (np.ones((2, 3)), "M is not square"),
        (-0.5 * np.eye(2), "not positive semi-definite"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "not positive semi-definite"),
    ],
)
def test_what_is_no_metric_is_refused(M, why):
    with pytest.raises(RefusedError, match=why):
        c.check_psd(2)(M, "M", BOOK)


def test_every_matrix_of_a_stack_is_looked_at():
    stack = np.array([np.eye(2), np.eye(2)])
    stack[1, 0, 1] = 0.5
    with pytest.raises(RefusedError, match="not symmetric"):
        c.check_psd(3)(stack, "M", BOOK)
    stack[1, 1] = 0.5, -1.0
    with pytest.raises(RefusedError, match="not positive semi-definite"):
        c.check_psd(3)(stack, "M", BOOK)


def test_columns_and_values_may_be_many():
    wide = SimpleNamespace(n_values=[1] * 300)
    c.check_codes(np.zeros((2, 300), np.int32), "it", wide)
    c.check_vectors(tables(*[np.zeros((2, 1))] * 300), "it", wide)
    long = SimpleNamespace(n_values=[300])
    c.check_codes(np.full((1, 1), 299, np.int32), "it", long)
    c.check_vectors(tables(np.zeros((301, 300))), "it", long)
    c.check_distances(tables(np.zeros((301, 301))), "it", long)
    c.check_psd(2)(np.zeros((300, 300)), "it", long)
