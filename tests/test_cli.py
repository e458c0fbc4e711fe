"""The command line as a user meets it."""

import subprocess
import sys

import pytest


def run(*arguments):
    command = [sys.executable, "-m", "nearkind", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_demo_tells_what_was_learned():
    out = run("demo", "monks1")
    assert out.returncode == 0, out.stderr
    for words in (
        "432 rows",
        "proven within",
        "Hamming",
        "looks at",
        "squared distance",
    ):
        assert words in out.stdout
    assert "\x1b" not in out.stdout  # no colours, no bars in a pipe
    assert out.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["demo", "balence"], 1, "Did you mean 'balance'?"),
        (["demo", "mushroom"], 1, "NEARKIND_DATA"),
        (["dance"], 2, "No such command"),
        (["demo", "--fast"], 2, "No such option"),
    ],
)
def test_errors_are_one_sentence_and_a_code(arguments, code, words, monkeypatch):
    monkeypatch.delenv("NEARKIND_DATA", raising=False)
    out = run(*arguments)
    assert out.returncode == code
    assert words in out.stderr
    assert "Traceback" not in out.stderr


def test_help_and_version():
    assert "demo" in run("--help").stdout
    assert run("--version").stdout.strip().count(".") == 2
