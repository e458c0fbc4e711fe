"""Where the files of real sets are; a test that needs one is skipped without it."""

import os
import re
from pathlib import Path

import pytest

from nearkind.datasets.rules import RULES

ROOT = Path(__file__).parents[2]
FOLDERS = [os.environ.get("NEARKIND_DATA"), "../shared/data"]


def real_file(name):
    """Return the file of a real set, or skip the test where there is none."""
    for folder in filter(None, FOLDERS):
        path = ROOT / folder / f"{name}.csv.gz"
        if path.is_file():
            return path
    return pytest.skip(f"no {name}.csv.gz in NEARKIND_DATA or ../shared/data")


def needed_files(text, monkeypatch):
    """Let the code of a page find the sets that it loads and no rule defines."""
    for name in set(re.findall(r'datasets\.load\("(\w+)"', text)) - set(RULES):
        monkeypatch.setenv("NEARKIND_DATA", str(real_file(name).parent))
