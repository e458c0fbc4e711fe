"""What a run prints: plain lines in a pipe, a bar on a terminal."""

from nearkind.experiments import Row
from nearkind.experiments.runner import RunProgress, show_progress

ROW = Row("zoo", "lmnn", 0, "shares, k=1", 7, accuracy=0.75, seconds=1.25)


def test_a_pipe_gets_a_plain_line_a_row(capsys):
    with show_progress(3) as callback:
        callback(RunProgress(0, 2, [ROW.key]))
        callback(RunProgress(1, 2, [ROW.key], ROW))
        callback(RunProgress(2, 2, [], ROW._replace(status="timed out", accuracy=None)))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "3 rows are there already"
    assert lines[1].startswith(f"1/2  zoo  lmnn  #0  accuracy {ROW.accuracy:.4f}")
    assert lines[1].endswith("left")
    assert lines[2].startswith("2/2  zoo  lmnn  #0  timed out")
    assert len(lines) == 3


def test_a_terminal_gets_a_bar(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with show_progress() as callback:
        callback(RunProgress(0, 2, [ROW.key]))
        callback(
            RunProgress(
                1, 2, [ROW.key], ROW._replace(status="failed: [why]", accuracy=None)
            )
        )
    said = capsys.readouterr().err
    assert "1/2" in said
    assert "zoo lmnn #0" in said
    assert "failed: [why]" in said
