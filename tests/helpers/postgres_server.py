"""A PostgreSQL of its own for the tests, in a temporary folder, on a socket."""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

OWNER = "postgres"
"""Who runs it if the tests are run by root, whom it refuses."""


@cache
def connection():
    """Return what psql calls the database; the test is skipped where there is none."""
    programs = _programs()
    if programs is None or shutil.which("psql") is None:
        pytest.skip("there is no PostgreSQL on this machine")
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="nk"))  # short: a socket's path is limited
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(name, *arguments):
        subprocess.run(
            [programs / name, "-D", data, *arguments],
            user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    run("initdb", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres", "-N")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-l", folder / "log", "-o", options, "-w", "start")
    atexit.register(run, "pg_ctl", "-m", "immediate", "stop")
    return f"host={folder} user=postgres dbname=postgres"


def _programs():
    """Return the folder of initdb, which Debian keeps off the path."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _user():
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(OWNER).pw_name
    except KeyError:
        pytest.skip("PostgreSQL refuses root, and there is no user postgres")


def psql(text):
    """Run statements, and meta-commands of psql."""
    command = ["psql", connection(), "-q", "-v", "ON_ERROR_STOP=1"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[-2_000:]
