"""Bars and words for what takes long."""

import io
import sys
from time import sleep

import pytest

from nearkind.cli import progress
from nearkind.validation.threads import in_threads


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch, patience):
    """Return a terminal on which bars are shown after some seconds."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(progress, "PATIENCE", patience)
    return sys.stderr


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (60.0, False)])
def test_a_bar_is_shown_on_a_terminal_if_it_takes_long(monkeypatch, patience, shown):
    screen = terminal(monkeypatch, patience)
    with progress.progress_bar("counting", 2) as advance:
        advance(1)
        advance(1)
    assert ("counting" in screen.getvalue()) == shown
    assert ("100%" in screen.getvalue()) == shown


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (60.0, False)])
def test_parts_of_rows_are_counted_if_it_takes_long(monkeypatch, patience, shown):
    screen = terminal(monkeypatch, patience)
    with progress.said_if_long("comparing rows"):
        sleep(0.1)
        assert in_threads(str, [1, 2]) == ["1", "2"]
    assert ("comparing rows" in screen.getvalue()) == shown
    assert ("100%" in screen.getvalue()) == shown
