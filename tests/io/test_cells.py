"""Which text is a number, and which is missing."""

from nearkind.io import infer_types
from nearkind.io.cells import MISSING


def test_whole_numbers_numbers_and_text():
    columns = {
        "whole": ["1", "-2", "0"],
        "number": ["1", "2.5", "-.5"],
        "exponent": ["1e3", "2E-1", "3."],
        "zeros": ["007", "1", "2"],
        "plus": ["+49", "1", "2"],
        "comma": ["1,5", "2,5", "3"],
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
    for name in ("zeros", "plus", "comma", "name", "word", "not finite", "arabic"):
        assert found[name] == columns[name]


def test_missing_words_are_missing_unless_the_column_is_text():
    cells = ["1", None, *sorted(MISSING)]
    assert infer_types({"a": cells}) == {"a": [1] + [None] * (len(cells) - 1)}
    assert infer_types({"a": cells}, text=["a"]) == {"a": cells}
    assert infer_types({"a": ["None", "-", "n/a"]}) == {"a": ["None", "-", "n/a"]}
    assert infer_types({"a": [None, "NA"]}) == {"a": [None, None]}


def test_cells_that_are_no_text_stay():
    cells = [True, 1.5, None, "7", "NA"]
    assert infer_types({"a": cells}) == {"a": [True, 1.5, None, "7", None]}
