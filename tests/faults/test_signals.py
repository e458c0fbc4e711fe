"""Commands ended by a signal: files are whole or as they were, and nothing else stays.

``make faults TIMES=20`` ends each command so many times, each time at another moment.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from nearkind.experiments import read_rows

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="looks at processes in /proc"
)
TIMES = int(os.environ.get("TIMES", "1"))
SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM]
CLEAN = 130, 143
"""Exit codes of a command that a signal ended and that put its things away."""
LATE = (-signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM)
"""Exit codes without a clean-up: a signal that comes when all is written already."""
NEARKIND = [sys.executable, "-m", "nearkind"]
COMMANDS = {  # words, and the file that they write
    "fit": ("fit table.csv -t y -m single -o out.nearkind", "out.nearkind"),
    "search": ("fit table.csv -t y -m cv -o out.nearkind", "out.nearkind"),
    "predict": ("predict model.nearkind table.csv -o out.csv", "out.csv"),
}
REPRODUCE = "reproduce synthetic-4 --repeats 1 --rows 40 --jobs 1 -o made"
WRITER = """
import signal, sys
from nearkind.io.atomic_write import atomic_write
signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
print("ready", flush=True)
while True:
    for letter in (b"a", b"b"):
        with atomic_write("out.bin") as file:
            for _ in range(50):
                file.write(letter * 1000)
"""


def started(words, folder, **streams):
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        words,
        cwd=folder,
        start_new_session=True,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **streams,
    )


def is_ready(process):
    """Return whether a process handles SIGTERM itself: the command has begun."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return True
    caught = next((line.split()[1] for line in lines if line[:7] == "SigCgt:"), "0")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def wait_until_ready(process):
    while not is_ready(process) and process.poll() is None:
        time.sleep(0.05)


def run_until(words, folder, number, seconds):
    """Run a command, and end it so long after it has begun; return its exit code."""
    with started(words, folder, stdout=subprocess.DEVNULL) as process:
        wait_until_ready(process)
        try:
            said = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            said = process.communicate(timeout=600)[1]
        assert b"Traceback" not in said, said.decode()
        assert process.returncode in (0, *LATE, *CLEAN), said.decode()
        wait_for_group(process.pid)
        return process.returncode


def wait_for_group(group):
    """Wait until no process of a group is left; fail if one does not go."""
    end = time.monotonic() + 60
    while members(group):
        assert time.monotonic() < end, f"these are left: {members(group)}"
        time.sleep(0.05)


def members(group):
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = place.read_text().split(" (", 1)
        except OSError:
            continue
        state, _, its_group = rest.rpartition(")")[2].split()[:3]
        if int(its_group) == group and state not in "ZX":
            found.append(int(pid))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table and a model of it."""
    place = tmp_path_factory.mktemp("faults")
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (300, 5))
    cells = np.column_stack([rows, (rows[:, 0] + rows[:, 1]) % 3]).astype(str)
    lines = [",".join("abcdey"), *(",".join(row) for row in cells)]
    (place / "table.csv").write_text("\n".join(lines) + "\n")
    table = pd.DataFrame(rows, columns=list("abcde"))
    model = nk.CPMLClassifier("hamming").fit(table, cells[:, -1])
    nk.save(model, place / "model.nearkind")
    return place


@pytest.fixture(scope="module")
def whole(folder):
    """Return a function: the seconds that a command takes, and the file it writes."""
    known = {}

    def of(name):
        if name not in known:
            words, output = COMMANDS[name]
            start = time.monotonic()
            subprocess.run([*NEARKIND, *words.split()], cwd=folder, check=True)
            known[name] = time.monotonic() - start, (folder / output).read_bytes()
        return known[name]

    return of


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_ended_at_any_moment(name, number, folder, whole):
    seconds, expected = whole(name)
    words, output = COMMANDS[name]
    path, rng = folder / output, np.random.default_rng(number)
    before = {each.name for each in folder.iterdir()}
    for _ in range(TIMES):
        path.write_bytes(b"old")
        moment = rng.uniform(0.0, seconds)
        code = run_until([*NEARKIND, *words.split()], folder, number, moment)
        found = path.read_bytes()
        if found == b"old":
            assert code != 0
        elif output.endswith(".csv"):
            assert found == expected
        else:
            nk.load(path)  # which checks its sum
        left = {each.name for each in folder.iterdir()} - before
        if code == -signal.SIGKILL:
            for name in left:
                assert name.startswith(".nearkind-")
                (folder / name).unlink()
        else:
            assert not left


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_reproduction_goes_on_where_it_was_ended(number, tmp_path):
    rng, kept, n_ended = np.random.default_rng(number), b"", 0
    path, words = tmp_path / "made" / "rows.jsonl", [*NEARKIND, *REPRODUCE.split()]
    for _ in range(TIMES):
        code = run_until(words, tmp_path, number, rng.uniform(0.0, 20.0))
        n_ended += code != 0
        data = path.read_bytes() if path.exists() else b""
        data = data[: data.rfind(b"\n") + 1]
        assert data.startswith(kept)
        kept = data
    assert run_until(words, tmp_path, number, 3600.0) == 0
    assert path.read_bytes().startswith(kept)
    keys = [row.key for row in read_rows(path)]
    assert len(keys) == path.read_bytes().count(b"\n")  # none was made twice
    assert {each.suffix for each in path.parent.iterdir()} >= {".jsonl", ".svg"}
    hidden = [each for each in path.parent.iterdir() if each.name[0] == "."]
    assert number == signal.SIGKILL or not hidden


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_writer_is_ended_at_any_moment(number, tmp_path):
    rng = np.random.default_rng(number)
    for _ in range(TIMES):
        words = [sys.executable, "-c", WRITER]
        with started(words, tmp_path, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(rng.uniform(0.0, 0.1))
            process.send_signal(number)
            assert process.wait(60) in (-signal.SIGKILL, *CLEAN)
        names = {each.name for each in tmp_path.iterdir()}
        if "out.bin" in names:
            data = (tmp_path / "out.bin").read_bytes()
            assert data in (b"a" * 50_000, b"b" * 50_000)
        assert number == signal.SIGKILL or names <= {"out.bin"}


@pytest.mark.parametrize("number", SIGNALS[1:], ids=lambda number: number.name)
def test_a_command_that_waits_for_its_table_is_ended(number, tmp_path):
    words = [*NEARKIND, "fit", "-", "-t", "y", "-o", "out.nearkind"]
    with started(words, tmp_path, stdin=subprocess.PIPE) as process:
        process.stdin.write(b"a,y\n1,2\n")
        process.stdin.flush()
        wait_until_ready(process)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr.read().startswith(b"\nnearkind: stopped. No model was ")
    assert not list(tmp_path.iterdir())
