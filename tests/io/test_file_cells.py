"""Which text is a number, which is missing, and what a model would call it."""

from hypothesis import given
from hypothesis import strategies as st

from nearkind.io import as_known, typed
from nearkind.io.cells import MISSING, number

NAME = "1234567890123456"
WORDS = ["1", "2", "-3", "0", "2.50", ".5", "1e3", "007", "x", "NA", "?", NAME, None]
CELLS = st.sampled_from(WORDS)


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
    found = typed(columns)
    assert found["whole"] == [1, -2, 0]
    assert found["number"] == [1.0, 2.5, -0.5]
    assert found["exponent"] == [1000.0, 0.2, 3.0]
    assert all(type(cell) is float for cell in found["number"] + found["exponent"])
    for name in ("zeros", "plus", "comma", "name", "word", "not finite", "arabic"):
        assert found[name] == columns[name]


def test_missing_words_are_missing_unless_the_column_is_text():
    cells = ["1", None, *sorted(MISSING)]
    assert typed({"a": cells}) == {"a": [1] + [None] * (len(cells) - 1)}
    assert typed({"a": cells}, text=["a"]) == {"a": cells}
    assert typed({"a": ["None", "-", "n/a"]}) == {"a": ["None", "-", "n/a"]}
    assert typed({"a": [None, "NA"]}) == {"a": [None, None]}


def test_cells_that_are_no_text_stay():
    cells = [True, 1.5, None, "7", "NA"]
    assert typed({"a": cells}) == {"a": [True, 1.5, None, "7", None]}


@given(st.lists(CELLS, min_size=1, max_size=8))
def test_a_model_knows_the_cells_it_was_taught(cells):
    taught = typed({"a": cells})["a"]
    levels = {cell for cell in taught if cell is not None}
    assert as_known({"a": cells}, {"a": levels})["a"] == taught


@given(st.lists(CELLS, min_size=1, max_size=8), st.lists(CELLS, min_size=1, max_size=8))
def test_what_else_is_in_a_file_does_not_matter_to_known_cells(cells, others):
    levels = {cell for cell in typed({"a": cells})["a"] if cell is not None}
    alone = as_known({"a": cells}, {"a": levels})["a"]
    assert as_known({"a": cells + others}, {"a": levels})["a"][: len(cells)] == alone


def test_numbers_of_a_typed_file_match_words_and_back():
    assert as_known({"a": [1, 2, 3]}, {"a": {"1", "2", "x"}}) == {"a": ["1", "2", 3]}
    assert as_known({"a": ["1", "x"]}, {"a": {1, 2}}) == {"a": [1, "x"]}
    assert as_known({"a": ["2.75", "NA"]}, {"a": ()}) == {"a": [2.75, None]}  # bins
    assert as_known({"a": ["NA", "?"]}, {"a": {"NA", "b"}}) == {"a": ["NA", None]}


def test_known_columns_are_in_the_order_of_the_model():
    found = as_known({"b": ["x"], "extra": ["y"], "a": ["z"]}, {"a": {"z"}, "b": {"x"}})
    assert list(found) == ["a", "b"]


@given(st.from_regex(r"-?[0-9.eE+]{1,8}", fullmatch=True))
def test_a_number_is_what_python_reads(text):
    value = number(text)
    assert value is None or value == float(text)
