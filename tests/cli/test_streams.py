"""Arguments, pipes and standard streams that are not as they usually are."""

import csv
import os
import signal
import subprocess
import sys

import pytest

from helpers.commands import PETS, complaint, done, run
from nearkind.cli.comparison import _table
from nearkind.cli.fit import _end_search_by_signal
from nearkind.io import LabelledSource, read_columns

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs bash")
SLOW = pytest.mark.slow
NEARKIND = f"{sys.executable} -m nearkind"


def shell(line, folder=None):
    """Run a line of bash in a folder; return its exit code, output and complaints."""
    out = subprocess.run(
        ["bash", "-c", line.replace("nearkind ", f"{NEARKIND} ", 1)],
        capture_output=True, encoding="utf-8", check=False, cwd=folder,
    )  # fmt: skip
    assert "Traceback" not in out.stderr
    return out.returncode, out.stdout, out.stderr


def test_an_argument_that_is_not_utf_8():
    code, out, told = shell(r"nearkind predict $'m\xff.nearkind' pets.csv")
    assert (code, out) == (2, "")
    assert r"The argument 'm\xff.nearkind' is not UTF-8" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        "datasets",
        *(pytest.param(w, marks=SLOW) for w in ("datasets balance", "--help")),
    ],
)
def test_closed_standard_output(words):
    code, _, told = shell(f"nearkind {words} >&-")
    assert code == 1
    assert told.startswith("nearkind: Standard output is closed")
    assert told.count("\n") == 1
    assert shell(f"nearkind {words} >&- 2>&-") == (1, "", "")


def test_closed_standard_input():
    code, _, told = shell("nearkind duplicates - <&-")
    assert (code, told.count("\n")) == (1, 1)
    assert "Standard input is closed" in told


@pytest.mark.parametrize(
    "words",
    [
        "--version",
        *(pytest.param(w, marks=SLOW) for w in ("--help", "fit --help", "datasets")),
    ],
)
def test_a_reader_that_goes_away(words):
    code, _, told = shell(f"nearkind {words} | true; exit ${{PIPESTATUS[0]}}")
    assert (code, told) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "words",
    ["--help", *(pytest.param(w, marks=SLOW) for w in ("--version", "datasets"))],
)
def test_a_full_disk_behind_standard_output(words):
    code, _, told = shell(f"nearkind {words} > /dev/full")
    assert (code, told) == (1, "nearkind: No space left on device.\n")


def piped(folder, data):
    """Return a pipe from which bytes can be read once, and who writes them."""
    path = folder / "pipe"
    os.mkfifo(path)
    script = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    writer = subprocess.Popen(
        [sys.executable, "-c", script, path], stdin=subprocess.PIPE
    )
    writer.stdin.write(data)
    writer.stdin.close()
    return path, writer


@pytest.mark.parametrize("command", ["predict", "fit"])
def test_data_from_a_pipe(models, pets, tmp_path, command):
    place, writer = piped(tmp_path, PETS.encode())
    with writer:
        if command == "predict":
            found = done("predict", models["hamming"], place)
            assert found == done("predict", models["hamming"], pets)
        else:
            words = ("-t", "kind", "-m", "hamming", "-o", tmp_path / "m.nearkind")
            assert "12 rows" in done("fit", place, *words)


def test_a_pipe_is_copied_for_other_processes(tmp_path):
    place, writer = piped(tmp_path, PETS.encode())
    with writer:
        table = _table(LabelledSource(str(place), "kind"), tmp_path)
    assert table.name == "pipe"
    assert (tmp_path / "copy").read_text() == PETS


def test_a_pipe_is_not_read_in_batches(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    words = ("-t", "kind", "-m", "single", "--stream", "-o", tmp_path / "m.nearkind")
    assert "pipe cannot be read in batches" in complaint(
        "fit", tmp_path / "pipe", *words
    )


def test_a_model_from_a_pipe(models, pets, tmp_path):
    place, writer = piped(tmp_path, models["hamming"].read_bytes())
    with writer:
        assert done("predict", place, pets).count("\n") == 13
    place.unlink()
    place, writer = piped(tmp_path, b"no model")
    with writer:
        assert f"Cannot load '{place}'" in complaint("predict", place, pets)


def test_a_folder_does_not_hide_a_set_and_a_file_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "monks1").mkdir()
    assert "monks1: 432 rows" in done("duplicates", "monks1", "--pairs", "1")
    (tmp_path / "balance").write_text("a,b\n1,2\n1,2\n")
    told = run("duplicates", "balance")
    assert "balance: 2 rows" in told.stdout
    assert (
        "'balance' is both a file in this folder and a built-in data set" in told.stderr
    )
    assert run("duplicates", "./balance").stderr == ""


def test_a_search_in_the_background_is_ended_by_sigterm(capsys):
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.getsignal(number) for number in numbers]
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_search_by_signal()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
        assert "SIGTERM" in capsys.readouterr().err
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@pytest.mark.parametrize("length", [200_000, 5_000_000])
@pytest.mark.parametrize("newline", ["", "\n"])
def test_long_cells_are_read(tmp_path, length, newline):
    path = tmp_path / "long.csv"
    cell = "a" * length + newline + "b"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["text", "kind"], [cell, "x"], [cell, "y"]])
    found = read_columns(str(path))
    assert found["kind"] == ["x", "y"]
    assert found["text"] == [cell, cell]
