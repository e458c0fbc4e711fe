"""Checks of numbers: what is just allowed passes, the next is refused."""

import numpy as np
import pytest

from nearkind.distances import checks as c
from nearkind.errors import RefusedError

N_VALUES = [2, 3]
BELOW = float(np.nextafter(c.MAX_NUMBER, 0.0))
A, B, C = np.zeros((3, 3)), np.zeros((4, 4)), np.zeros((4, 3))


def row(*numbers):
    return np.array([numbers], dtype=float)


def codes(*rows):
    return np.array(rows, dtype=np.int32)


def reals(value):
    return c.check_reals(value, "it", (None, None))


def integers(value):
    return c.check_integers(value, "it", (3,))


def vectors(value):
    return c.check_vectors(value, "it", N_VALUES)


def squares(value):
    return c.check_tables(value, "it", N_VALUES, square=True)


def coded(value):
    return c.check_codes(value, "it", N_VALUES)


def amount(value):
    return c.check_amount(value, "it")


PASSES = {
    "reals": (reals, [row(), row(0.0, BELOW, -BELOW), np.zeros((0, 0))]),
    "integers": (integers, [np.arange(3), np.full(3, -1)]),
    "amount": (amount, [0, 0.0, 7, BELOW]),
    "vectors": (vectors, [(A, C), [A[:, :1], C[:, :1]]]),
    "codes": (coded, [codes([-1, -1]), codes([1, 2], [0, 0])]),
    "squares": (squares, [(A, B), (A - 1.0, B)]),
}


@pytest.mark.parametrize("name", PASSES)
def test_what_is_just_allowed_passes(name):
    check, values = PASSES[name]
    for value in values:
        check(value)


@pytest.mark.parametrize(
    ("check", "value", "why"),
    [
        (reals, [[0.0]], "^it is not an array of floats"),
        (reals, row(0.0).astype(np.float32), "not an array of floats"),
        (reals, np.zeros(3), "^it has 1 axes instead of 2$"),
        (reals, np.zeros((1, 1, 1)), "^it has 3 axes instead of 2$"),
        (reals, row(0.0, c.MAX_NUMBER), "enormous or not finite"),
        (reals, row(0.0, -c.MAX_NUMBER), "enormous or not finite"),
        (reals, row(np.nan), "enormous or not finite"),
        (integers, [0, 1, 2], "^it is not an array of whole numbers$"),
        (integers, np.arange(3.0), "not an array of whole numbers"),
        (integers, np.arange(3, dtype=np.int32), "not an array of whole numbers"),
        (integers, np.zeros((3, 1), int), "not an array of whole numbers"),
        (integers, np.arange(4), r"^it has shape \(4,\) instead of \(3,\)$"),
        (amount, -1e-300, "negative or not finite"),
        (amount, -1, "negative or not finite"),
        (amount, c.MAX_NUMBER, "negative or not finite"),
        (amount, float("nan"), "negative or not finite"),
        (amount, None, "^it is None instead of a number$"),
        (amount, 2**63, "instead of a number"),
        (amount, True, "it is True instead of a number"),
        (amount, "1", "it is '1' instead of a number"),
        (amount, np.float64(1.0), "instead of a number"),
        (vectors, (A,), "does not have one table per column"),
        (vectors, (A, C, C), "does not have one table per column"),
        (vectors, 3, "does not have one table per column"),
        (vectors, (A[:2], C), "does not have one row per value"),
        (vectors, (A, np.zeros((5, 3))), "not have one row per value"),
        (vectors, (A, C[:, :2]), "of different lengths, or of none"),
        (vectors, (A[:, :0], C[:, :0]), "different lengths, or of none"),
        (vectors, (A, C[None]), "has 3 axes instead of 2"),
        (coded, codes([0, 0]).astype(np.int64), "array of whole numbers"),
        (coded, [[0, 0]], "array of whole numbers"),
        (coded, codes(0, 0), "one per column, of at least one row"),
        (coded, codes([0]), "one per column, of at least one row"),
        (coded, codes([0, 0, 0]), "one per column, of at least one row"),
        (coded, codes([0, 0])[:0], "one per column, of at least one row"),
        (coded, codes([0, 0])[None], "one per column, of at least one row"),
        (coded, codes([0, 0], [2, 0]), "a code of a row stands for no value"),
        (coded, codes([0, 3]), "a code of a row stands for no value"),
        (coded, codes([0, -2]), "a code of a row stands for no value"),
        (squares, (A, C), "has a table that is not square"),
        (squares, (A,), "does not have one table per column"),
    ],
)
def test_what_is_just_beyond_is_refused(check, value, why):
    with pytest.raises(RefusedError, match=why):
        check(value)


def test_columns_and_values_may_be_many():
    c.check_codes(np.zeros((2, 300), np.int32), "it", [1] * 300)
    assert c.check_vectors([np.zeros((2, 1))] * 300, "it", [1] * 300) == 1
    c.check_codes(np.full((1, 1), 299, np.int32), "it", [300])
    assert c.check_vectors([np.zeros((301, 300))], "it", [300]) == 300
    c.check_tables([np.zeros((301, 301))], "it", [300], square=True)
