"""Run the commands that a page shows, and write what they print below each.

    python -m tools.shown README.md docs/cli.md

A page holds blocks between ``<!-- shown -->`` and ``<!-- end -->``: lines that start
with ``$`` are commands of one shell in one empty folder, the others their output.
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
    """Return what a page says that each command prints."""
    parts = re.split(r"^\$ .*\n", "".join(BLOCK.findall(text)), flags=re.M)
    return [part.rstrip("\n") for part in parts[1:]]


def printed(command, folder):
    """Run a command; return what it prints, which must not be an error."""
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
        raise SystemExit(f"{command}\n{done.stdout}ended with {done.returncode}")
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())


def filled(text):
    """Return a page with the output of each command."""
    with TemporaryDirectory() as folder:
        return BLOCK.sub(lambda block: _block(block[0], folder), text)


def _block(text, folder):
    shown = [line for line in text.splitlines() if line.startswith("$ ")]
    parts = (f"{line}\n{printed(line[2:], folder)}".rstrip() for line in shown)
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(filled(page.read_text()))
