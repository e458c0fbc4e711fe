"""What commands do beside their work: no network, no other programs, no other files."""

import json
import os
import subprocess
import sys

import pytest

AUDITED = """
import json, os, sys

seen = []
OTHERS = (
    "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto",
    "urllib.Request", "subprocess.Popen", "os.system", "os.exec", "os.fork",
    "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn",
    "pickle.find_class",
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def watch(event, arguments):
    if event in OTHERS:
        seen.append([event, repr(arguments)])
    elif event == "open" and isinstance(arguments[0], str) and arguments[2] & WRITES:
        seen.append([event, os.path.abspath(arguments[0])])


import numpy.testing  # older ones ask lscpu for the machine as they are loaded
import scipy.stats  # older ones try the folder for temporary files
from threadpoolctl import ThreadpoolController

import nearkind
from nearkind.cli import app

ThreadpoolController()  # older ones ask ldconfig for libraries
sys.addaudithook(watch)
nearkind.load(sys.argv[1])
try:
    app(sys.argv[2:])
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(seen), file=sys.stderr)
"""


def audit(*arguments):
    """Return what a command that loads a model is seen to do."""
    quiet = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    out = subprocess.run(
        [sys.executable, "-c", AUDITED, *map(str, arguments)],
        capture_output=True, encoding="utf-8", check=False, env=quiet,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    return json.loads(out.stderr.splitlines()[-1])


def test_the_hook_sees_what_is_done(models, tmp_path):
    output = tmp_path / "zoo.csv"
    seen = audit(models["hamming"], "datasets", "balance", "-o", output)
    assert {os.path.dirname(path) for _, path in seen} == {str(tmp_path)}


@pytest.mark.covering(1)
@pytest.mark.parametrize("method", ["hamming", "single"])
@pytest.mark.parametrize("command", ["predict", "report"])
def test_a_model_is_used_without_network_and_other_programs(
    models, pets, tmp_path, method, command
):
    output = tmp_path / "out" / ("page.html" if command == "report" else "answers.csv")
    output.parent.mkdir()
    seen = audit(models[method], command, models[method], pets, "-o", output)
    assert {event for event, _ in seen} <= {"open"}
    assert {os.path.dirname(path) for _, path in seen} == {str(output.parent)}
    assert list(output.parent.iterdir()) == [output]
