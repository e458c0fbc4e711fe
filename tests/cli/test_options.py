"""Options that go together are one parameter of a command."""

from dataclasses import dataclass

import pytest
import typer
from typer.testing import CliRunner

from nearkind.cli.option_groups import argument, grouped, option


@dataclass(frozen=True, kw_only=True)
class Inner:
    """Options of a group in a group."""

    size: int = option("How large.", "--size", "-s", default=3, min=1)


@dataclass(frozen=True, kw_only=True)
class Outer:
    """An argument, an option and another group."""

    data: str = argument("What to read.", metavar="DATA")
    limit_of_rows: float | None = option("How many.")
    inner: Inner


@pytest.fixture
def command():
    """What runs a command of groups; it prints what it is given."""

    def show(outer: Outer, words: list[str] | None = option("Some."), n: int = 1):
        print(outer.data, outer.limit_of_rows, outer.inner.size, words, n)

    app = typer.Typer()
    app.command()(grouped(show))
    return lambda *given: CliRunner().invoke(app, given)


def test_a_group_has_an_option_per_field(command):
    assert command("a.csv").output == "a.csv None 3 None 1\n"
    given = (
        "-s",
        "4",
        "--limit-of-rows",
        "2",
        "--words",
        "x",
        "--words",
        "y",
        "--n",
        "5",
    )
    assert command(*given, "a.csv").output == "a.csv 2.0 4 ['x', 'y'] 5\n"


def test_what_is_missing_or_wrong_is_said(command):
    assert "Missing argument 'DATA'" in command().output
    assert "--size" in command("a.csv", "--size", "0").output


def test_help_lists_the_options_of_groups(command):
    listed = command("--help").output
    assert all(f"--{name}" in listed for name in ("size", "limit-of-rows", "words"))


def test_a_group_can_be_made_in_python():
    assert Outer(data="a.csv", inner=Inner()).limit_of_rows is None
    assert Inner().size == 3
