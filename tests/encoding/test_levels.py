"""Levels: one code a value, in an order that rows do not change."""

import math
from decimal import Decimal
from fractions import Fraction

from nearkind.encoding import Levels
from nearkind.tables import canonical, read_table


def column(cells):
    return read_table([[cell] for cell in cells]).column(0)


def test_canonical_order():
    values = ["b", 10, (2,), "a", 2.5, True, b"x", "10", -math.inf]
    expected = [-math.inf, True, 2.5, 10, "10", "a", "b", b"x", (2,)]
    assert canonical(values) == canonical(values[::-1]) == expected


def test_numbers_that_do_not_compare_are_still_ordered():
    values = [Fraction(1, 3), Decimal("0.5"), 2]
    assert canonical(values) == canonical(values[::-1])


def test_levels_tell_codes_and_unseen_values():
    levels = Levels("size", ["large", "small"], has_missing=True)
    assert levels.values == ["large", "small", None]
    assert (levels.n_values, levels.missing_code) == (3, 2)
    cells = column(["small", "huge", None, "large", "tiny", "huge"])
    assert levels.encode(cells).tolist() == [1, -1, 2, 0, -1, -1]
    assert levels.unseen_values(cells) == ["huge", "tiny"]
