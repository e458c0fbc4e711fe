"""Names, values and labels that a terminal would obey, in all that commands print."""

import csv
import io
import json
import os
import pty
import subprocess
import sys

import pytest

from helpers.commands import complaint, done, run

ESCAPE, TURN, BREAK = "\x1b[31m", "\u202e", "\n"
HOSTILE = "\x1b\x7f\x9b\u202e"
HEAD = f"co{ESCAPE}lour", f"si{TURN}ze", f"ki{BREAK}nd"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "hostile.csv"
    rows = [
        (f"r{ESCAPE}ed{i % 3}", f"s{TURN}mall{i % 2}", f"a{ESCAPE}{BREAK}b{i % 2}")
        for i in range(12)
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEAD, *rows])
    return path


@pytest.fixture
def model(table, tmp_path):
    path = tmp_path / "m.nearkind"
    done("fit", table, "-t", HEAD[2], "-m", "single", "-o", path)
    return path


def commands(table, model):
    return {
        "fit": (
            "fit",
            table,
            "-t",
            HEAD[2],
            "-m",
            "hamming",
            "-o",
            f"{model}2.nearkind",
        ),
        "predict": ("predict", model, table, "--keep"),
        "neighbors": ("neighbors", model, table, "--row", "0"),
        "explain": ("explain", model, table, "--row", "0"),
        "explain two": ("explain", model, table, "--rows", "0", "1"),
        "duplicates": ("duplicates", table),
        "audit": ("audit", table, "-t", HEAD[2]),
        "an unknown column": (
            "fit",
            table,
            "-t",
            f"k{ESCAPE}ind",
            "-o",
            f"{model}2.nearkind",
        ),
    }


def on_a_terminal(*arguments):
    """Return what a command writes to a terminal."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "nearkind", *map(str, arguments)]
    plain = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}
    with subprocess.Popen(command, stdout=there, stderr=there, env=plain) as process:
        os.close(there)
        written = b""
        while True:
            try:
                written += os.read(here, 1 << 16)
            except OSError:  # the other end has gone
                break
        process.wait()
    os.close(here)
    return written.decode()


@pytest.mark.parametrize("name", [*commands(None, None)])
def test_nothing_of_the_data_steers_a_terminal(table, model, name):
    result = run(*commands(table, model)[name])
    said = result.stderr if name == "predict" else result.output
    assert not set(HOSTILE) & set(said)
    if name not in ("predict", "an unknown column"):
        assert r"\x1b[31m" in said


def test_predictions_on_a_terminal_are_a_line_each(table, model):
    said = on_a_terminal(*commands(table, model)["predict"])
    assert not set(HOSTILE) & set(said)
    assert len(said.splitlines()) == 1 + 1 + 12  # the score, the header, the rows


def test_predictions_in_a_pipe_are_as_they_are(table, model):
    rows = list(csv.reader(io.StringIO(done(*commands(table, model)["predict"]))))
    assert tuple(rows[0][:3]) == HEAD
    assert rows[1][0] == f"r{ESCAPE}ed0"
    assert rows[1][2] == f"a{ESCAPE}{BREAK}b0"


def test_json_is_escaped_and_means_the_same(table, model):
    text = done(*commands(table, model)["neighbors"], "--json")
    assert not set(HOSTILE) & set(text)
    assert list(json.loads(text)["cells"]) == list(HEAD[:2])


def test_delete_and_tags_in_json(capsys):
    from nearkind.cli.console import print_json

    letters = "\x7f\x9b\u202e\U000e0041\ud800é"
    print_json({"a": letters})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": letters}
    assert text.replace("é", "").isascii()
    assert "\x7f" not in text


@pytest.fixture
def halves(tmp_path):
    path = tmp_path / "halves.jsonl"
    rows = [
        {"a\ud800": f"v\udc00{i % 3}", "b": i % 2, "kind": f"k\ud801{i % 2}"}
        for i in range(12)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_halves_of_characters_are_escaped_or_refused_by_name(halves, tmp_path):
    model = tmp_path / "m.nearkind"
    assert r"a\ud800" in done("fit", halves, "-t", "kind", "-m", "single", "-o", model)
    done("neighbors", model, halves, "--row", "0")
    out = run("predict", model, halves)
    assert (out.exit_code, out.stdout) == (1, "")
    assert r"Column 'predicted' is called or holds 'k\ud8010', with half" in out.stderr
    for ending in ("csv", "jsonl", "parquet"):
        output = tmp_path / f"out.{ending}"
        out = run("predict", model, halves, "-o", output)
        assert "half of a character" in out.stderr
        assert not output.exists()


def test_a_label_that_ends_in_nul_is_refused(tmp_path):
    path = tmp_path / "nul.jsonl"
    rows = [{"a": i % 3, "kind": "k" + "\0" * (i % 2)} for i in range(12)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for flag in ("--stream", "--no-stream"):
        model = tmp_path / "m.nearkind"
        said = complaint("fit", path, "-t", "kind", "-m", "single", flag, "-o", model)
        assert "ends in a NUL character" in said
