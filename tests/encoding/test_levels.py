"""Levels: one code per value, in an order that rows do not change."""

import math
from decimal import Decimal
from fractions import Fraction

from nearkind.encoding import Bins, Levels
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


def test_text_that_writes_a_level_has_its_code():
    levels = Levels("size", [1, 2, "x"], has_missing=False)
    cells = column(["1", "2.0", "x", "3", "+1", "01"])
    assert levels.encode(cells).tolist() == [0, 1, 2, -1, -1, -1]
    assert levels.unseen_values(cells) == ["3", "+1", "01"]


def test_a_number_has_the_code_of_the_only_text_that_writes_it():
    levels = Levels("size", ["1", "2", "2.0", "007"], has_missing=True)
    cells = column([1, 1.0, Decimal(1), 2, 7, None])
    assert levels.encode(cells).tolist() == [0, 0, 0, -1, -1, 4]


def test_a_level_comes_before_what_is_written_alike():
    levels = Levels("size", [1, "1"], has_missing=False)
    assert [levels.code(value) for value in (1, "1", 1.0)] == [0, 1, 0]


def test_bins_read_text_that_writes_numbers():
    bins = Bins("age", [3.5, 7.0], has_missing=False)
    assert bins.encode(column(["1", "5", "9.5"])).tolist() == [0, 1, 2]
    assert [bins.code(text) for text in ("1", "5", "old")] == [0, 1, -1]
