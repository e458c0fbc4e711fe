"""Names of columns, and cells as a fitted model has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.io import infer_types, match_levels, require_column
from nearkind.io.schema import ColumnRoles, check_classes, column_names

NAME = "1234567890123456"
WORDS = ["1", "2", "-3", "0", "2.50", ".5", "1e3", "007", "x", "NA", "?", NAME, None]
CELLS = st.sampled_from(WORDS)


def test_names_that_occur_twice_are_listed():
    with pytest.raises(ValueError, match="column 'a', 'b' occurs more than once"):
        column_names(["a", "b", "a ", "b", "c"])


def test_a_column_that_is_not_there():
    with pytest.raises(ValueError, match=r"no column 'Kind' in a\.csv\. Did you mean"):
        require_column("Kind", {"kind": []}, "a.csv")


def test_a_column_may_have_two_roles():
    roles = ColumnRoles("y", drop=("id",), text=("id", "zip"))
    assert roles.features(["zip", "id", "n", "y"], "a.csv") == ["zip", "n"]


@given(st.lists(CELLS, min_size=1, max_size=8))
def test_a_model_knows_the_cells_it_was_taught(cells):
    taught = infer_types({"a": cells})["a"]
    levels = {cell for cell in taught if cell is not None}
    assert match_levels({"a": cells}, {"a": levels})["a"] == taught


@given(st.lists(CELLS, min_size=1, max_size=8), st.lists(CELLS, min_size=1, max_size=8))
def test_what_else_is_in_a_file_does_not_matter_to_known_cells(cells, others):
    levels = {cell for cell in infer_types({"a": cells})["a"] if cell is not None}
    alone = match_levels({"a": cells}, {"a": levels})["a"]
    assert (
        match_levels({"a": cells + others}, {"a": levels})["a"][: len(cells)] == alone
    )


def test_numbers_of_a_typed_file_match_words_and_back():
    assert match_levels({"a": [1, 2, 3]}, {"a": {"1", "2", "x"}}) == {
        "a": ["1", "2", 3]
    }
    assert match_levels({"a": ["1", "x"]}, {"a": {1, 2}}) == {"a": [1, "x"]}
    assert match_levels({"a": ["2.75", "NA"]}, {"a": ()}) == {"a": [2.75, None]}  # bins
    assert match_levels({"a": ["NA", "?"]}, {"a": {"NA", "b"}}) == {"a": ["NA", None]}


def test_known_columns_are_in_the_order_of_the_model():
    found = match_levels(
        {"b": ["x"], "extra": ["y"], "a": ["z"]}, {"a": {"z"}, "b": {"x"}}
    )
    assert list(found) == ["a", "b"]


@pytest.mark.parametrize("labels", [range(200), map(float, range(100)), "abcdefgh"])
def test_many_classes_may_be_numbers_or_words(labels):
    check_classes(list(map(str, labels)), 1_000, "y", "a.csv")


@pytest.mark.parametrize("labels", [range(201), (i + 0.5 for i in range(21))])
def test_more_numbers_are_measured(labels):
    with pytest.raises(ValueError, match="looks like regression"):
        check_classes(list(map(str, labels)), 1_000, "y", "a.csv")
