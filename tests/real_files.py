"""Where the files of real sets are; a test that needs one is skipped without it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [os.environ.get("NEARKIND_DATA"), "../shared/data"]


def real_file(name):
    """Return the file of a real set, or skip the test where there is none."""
    for folder in filter(None, FOLDERS):
        path = ROOT / folder / f"{name}.csv.gz"
        if path.is_file():
            return path
    return pytest.skip(f"no {name}.csv.gz in NEARKIND_DATA or ../shared/data")
