"""Run the commands that a page shows, and write their output below each.

    python -m tools.command_output README.md docs/cli.md

A page has blocks between ``<!-- shown -->`` and ``<!-- end -->``. Lines that start with
``$`` are commands, run one after the other in one empty folder; the other lines are
their output.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

BLOCK = re.compile(r"(?<=<!-- shown -->\n```console\n).*?(?=```\n<!-- end -->)", re.S)
PLAIN = {"COLUMNS": "88", "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def commands(text):
    """Return all commands of a page, in their order."""
    lines = "".join(BLOCK.findall(text)).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def outputs(text):
    """Return the output that a page shows for each command."""
    parts = re.split(r"^\$ .*\n", "".join(BLOCK.findall(text)), flags=re.M)
    return [part.rstrip("\n") for part in parts[1:]]


def run(command, folder):
    """Run a command and return its output; exit with it if the command fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"({command}) 2>&1"],
        cwd=folder,
        env=os.environ | PLAIN | {"PATH": path},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stdout}exit code {done.returncode}")
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())


def fill(text):
    """Return a page with the output of each command."""
    with TemporaryDirectory() as folder:
        return BLOCK.sub(lambda block: _fill_block(block[0], folder), text)


def _fill_block(text, folder):
    lines = [line for line in text.splitlines() if line.startswith("$ ")]
    parts = (f"{line}\n{run(line[2:], folder)}".rstrip() for line in lines)
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(fill(page.read_text()))
