"""Options that go together are one parameter of a command."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from nearkind.cli import application, option_groups
from nearkind.cli.option_groups import argument, grouped, option


@dataclass(frozen=True, kw_only=True)
class Inner:
    """Options of a group in a group."""

    size: int = option(default=3)


@dataclass(frozen=True, kw_only=True)
class Outer:
    """An argument, an option and another group."""

    data: str = argument()
    limit_of_rows: float | None = option()
    inner: Inner


SOURCE = Path(application.__file__).parent
TABLE = {
    "Inner": {"size": {"help": "How large.", "names": ["--size", "-s"], "min": 1}},
    "Outer": {
        "data": {"help": "What to read.", "metavar": "DATA"},
        "limit_of_rows": {"help": "How many."},
    },
    "show": {"words": {"help": "Some."}},
}


@pytest.fixture
def command(monkeypatch):
    """What runs a command of groups; it prints what it is given."""
    monkeypatch.setattr(option_groups, "_table", lambda: TABLE)

    def show(outer: Outer, words: list[str] | None = option(), n: int = 1):
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


def test_every_option_of_the_table_is_one_of_a_command_or_a_group():
    table = tomllib.loads((SOURCE / "options.toml").read_text())
    code = "".join(path.read_text() for path in SOURCE.glob("*.py"))
    assert table.pop("Shared").keys() == set(re.findall(r'shared\(\s*"(\w+)"', code))
    known = {path.stem for path in SOURCE.glob("*.py")} | set(
        re.findall(r"^class (\w+)", code, re.M)
    )
    assert set(table) <= known
    for owner, options in table.items():
        for name in options:
            assert re.search(rf"    {name}: .*=\s*(option|argument)\(", code), (
                owner,
                name,
            )
