"""README, docs/cli.md and docs/start.md show what the commands print, numbers aside."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from helpers.commands import run
from nearkind.cli.application import COMMANDS

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
command_output = pytest.importorskip("tools.command_output")
sys.path.remove(str(ROOT))
PAGE = (ROOT / "docs" / "cli.md").read_text()


def words(text):
    """Return the words: numbers, bars and the order of ties differ elsewhere."""
    return sorted(re.sub(r"[\d.,+█-]+", " ", text).split())


def printed(command, folder):
    """Return what a command prints, from this process where that can be."""
    program, *arguments = shlex.split(command)
    if program != "nearkind" or "|" in arguments:
        return command_output.run(command, folder)
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("page", ["README.md", "docs/cli.md", "docs/start.md"])
def test_what_is_shown_is_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    pairs = list(
        zip(command_output.commands(text), command_output.outputs(text), strict=True)
    )
    assert pairs
    for command, output in pairs:
        said, came = map(words, (output, printed(command, tmp_path)))
        assert said == came, command


def test_every_command_has_its_section():
    names = {command.__name__ for command in COMMANDS}
    sections = set(re.findall(r"^## (\w+)$", PAGE, flags=re.M)) - {"Tables", "Outputs"}
    assert sections == names - {"demo", "datasets", "reproduce"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_every_command_has_help(command):
    result = run(command.__name__, "--help")
    assert result.exit_code == 0
    assert command.__doc__.splitlines()[0][:30] in result.stdout


def test_a_page_is_filled_in():
    before = "before\n<!-- shown -->\n```console\n"
    after = "```\n<!-- end -->\nafter\n"
    filled = command_output.fill(f"{before}$ echo a b\nold\n$ true\n{after}")
    assert filled == f"{before}$ echo a b\na b\n\n$ true\n{after}"
    assert command_output.commands(filled) == ["echo a b", "true"]
    assert command_output.outputs(filled) == ["a b", ""]
