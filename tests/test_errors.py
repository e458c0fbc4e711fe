"""Suggestions for names that are not known, and errors that say where they happened."""

import pytest

from nearkind.errors import (
    ColumnError,
    Parameter,
    UnseenValueError,
    did_you_mean,
    error_context,
    nearest_names,
)


def test_capitals_dashes_and_blanks_do_not_count():
    assert nearest_names("Tic-Tac Toe", ["tic_tac_toe", "tic_tac"]) == ["tic_tac_toe"]
    assert nearest_names("COLOUR", ["colour", "Colour"]) == ["colour"]


def test_candidates_come_back_as_they_are():
    assert nearest_names("112", [3, 111, 1120]) == [1120, 111]
    assert nearest_names(7, ["a"]) == []
    assert nearest_names("monks7", ["monks1", "monks2", "zoo"], n=1) == ["monks2"]


def test_without_a_similar_name_some_are_listed():
    names = [f"v{i}" for i in range(20)]
    assert (
        did_you_mean("qqq", names, max_listed=2)
        == "Choose from 'v0', 'v1' and 18 more."
    )
    assert did_you_mean("qqq", names[:2]) == "Choose from 'v0', 'v1'."
    assert did_you_mean("v 1", ["v1x", "w"]) == "Did you mean 'v1x'?"


@pytest.mark.parametrize("kind", [ValueError, TypeError, ColumnError])
def test_an_error_keeps_its_class(kind):
    with pytest.raises(kind, match=r"^a\.csv: bad\.$") as error, error_context("a.csv"):
        raise kind("bad.")
    assert type(error.value) is kind


def test_an_error_that_takes_more_than_a_message_becomes_a_value_error():
    with (
        pytest.raises(ValueError, match=r"^a: .*can't decode") as error,
        error_context("a"),
    ):
        b"\xff".decode("utf-8")
    assert type(error.value) is ValueError


def test_a_prefix_keeps_the_parameters_that_a_message_names():
    advice = "Pass ", Parameter("unseen", "prior"), " for 'unseen tol'."
    with pytest.raises(UnseenValueError) as error, error_context("a.csv"):
        raise UnseenValueError(*advice)
    assert str(error.value) == "a.csv: Pass unseen='prior' for 'unseen tol'."
    worded = error.value.worded(lambda parameter: f"--{parameter.name}")
    assert worded == "a.csv: Pass --unseen for 'unseen tol'."


def test_other_errors_pass():
    with pytest.raises(KeyError), error_context("a"):
        raise KeyError("b")
