"""Bars and words for what takes long."""

import io
from time import sleep

from nearkind.cli import progress
from nearkind.cli.progress import said_if_long


def test_a_bar_is_shown_on_a_terminal_if_it_takes_long(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    for patience, shown in ((0.0, True), (60.0, False)):
        screen = Terminal()
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setattr(progress, "PATIENCE", patience)
        with progress.progress_bar("counting", 2) as advance:
            advance(1)
            advance(1)
        assert ("counting" in screen.getvalue()) == shown
        assert ("100%" in screen.getvalue()) == shown


def test_it_is_said_only_if_it_takes_long(capsys, monkeypatch):
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    with said_if_long("compiling"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with said_if_long("compiling"):
        sleep(0.2)
    assert capsys.readouterr() == ("", "nearkind: compiling\n")
