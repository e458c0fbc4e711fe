"""Which text is a number, and which is missing."""

import re

import pytest

from nearkind.io import (
    Batches,
    LabelledSource,
    ReadingWarning,
    ReadOptions,
    infer_types,
    read_columns,
)
from nearkind.io.cells import MISSING
from nearkind.tables import read_table


def test_whole_numbers_numbers_and_text():
    columns = {
        "whole": ["1", "-2", "0"],
        "number": ["1", "2.5", "-.5"],
        "exponent": ["1e3", "2E-1", "3."],
        "zeros": ["007", "1", "2"],
        "plus": ["+49", "1", "2"],
        "name": ["1234567890123456", "1", "2"],
        "word": ["1", "2", "x"],
        "not finite": ["inf", "1", "2"],
        "arabic": ["٣", "1", "2"],
    }
    found = infer_types(columns)
    assert found["whole"] == [1, -2, 0]
    assert found["number"] == [1.0, 2.5, -0.5]
    assert found["exponent"] == [1000.0, 0.2, 3.0]
    assert all(type(cell) is float for cell in found["number"] + found["exponent"])
    for name in ("zeros", "plus", "name", "word", "not finite", "arabic"):
        assert found[name] == columns[name]


@pytest.mark.parametrize(
    ("cells", "options"),
    [
        (["1,5", "2,5", "3"], "--decimal , to"),
        (["1,234.5", "2.5", "3"], "--decimal . to"),
        (["1,234", "5"], "--decimal , or --decimal . to"),
    ],
)
def test_numbers_with_separators_stay_text_and_the_option_is_named(cells, options):
    with pytest.warns(ReadingWarning, match=re.escape(options)):
        assert infer_types({"a": cells}) == {"a": cells}


@pytest.mark.parametrize(
    ("decimal", "cells", "numbers"),
    [
        (",", "1,5;-2.345,5;3;1'000", [1.5, -2345.5, 3.0, 1000.0]),
        (".", "1.5;-2,345.5;3;1 000", [1.5, -2345.5, 3.0, 1000.0]),
        (",", "1.234;5", [1234, 5]),
        (",", "1,2,3;007", ["1,2,3", "007"]),
    ],
)
def test_decimal_marks_and_separators(tmp_path, decimal, cells, numbers):
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["a|b", *(f"{cell}|x" for cell in cells.split(";"))]))
    found = infer_types(read_columns(str(path), ReadOptions(decimal=decimal)))
    assert found["a"] == numbers
    labelled = "\n".join(f"{cell}|{i % 2}" for i, cell in enumerate(cells.split(";")))
    path.write_text(f"a|b\n{labelled}")
    source = LabelledSource(str(path), "b", options=ReadOptions(decimal=decimal))
    ((X, _),) = Batches(source)
    assert read_table(X).column(0).cells() == numbers


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["14.07.2022", "01.02.2023"], None),
        (["7/14/22", "2/1/23"], None),
        (["14-7-2022 10:30", "1-2-2023"], None),
        (["14/7/22", "1/2/23"], None),
        (["1/2/23", "7/7/22"], "dmy"),
        (["2022-07-14T10:00Z", "2023/2/1"], None),
    ],
)
def test_dates_become_year_month_and_weekday(cells, order):
    with pytest.warns(ReadingWarning, match="'day' holds dates"):
        found = infer_types({"day": [*cells, None]}, dates=order)
    assert list(found) == ["day_year", "day_month", "day_weekday"]
    assert found["day_year"][2] is None
    at = cells.index(next(c for c in cells if "23" in c))
    assert [part[at] for part in found.values()] == [2023, 2, "Wed"]


def test_dates_that_can_be_read_either_way_need_the_option():
    with pytest.raises(ValueError, match="--dates dmy"):
        infer_types({"day": ["1/2/23", "7/7/22"]})
    assert infer_types({"day": ["1/2/23"]}, text=["day"]) == {"day": ["1/2/23"]}
    assert infer_types({"day": ["1/2/23", "x"]}) == {"day": ["1/2/23", "x"]}


def test_days_that_are_not_in_the_calendar_are_missing():
    with pytest.warns(ReadingWarning):
        found = infer_types({"day": ["31.02.2022", "01.03.2022"]})
    assert found["day_month"] == [None, 3]


def test_missing_words_are_missing_unless_the_column_is_text():
    cells = ["1", None, *sorted(MISSING)]
    assert infer_types({"a": cells}) == {"a": [1] + [None] * (len(cells) - 1)}
    assert infer_types({"a": cells}, text=["a"]) == {"a": cells}
    assert infer_types({"a": ["None", "-", "n/a"]}) == {"a": ["None", "-", "n/a"]}
    assert infer_types({"a": [None, "NA"]}) == {"a": [None, None]}


def test_cells_that_are_no_text_stay():
    cells = [True, 1.5, None, "7", "NA"]
    assert infer_types({"a": cells}) == {"a": [True, 1.5, None, "7", None]}
