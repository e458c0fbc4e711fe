"""Tests of data sets: an empty cache, no network, and real files where they are."""

import os
from pathlib import Path
from urllib.error import URLError

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [os.environ.get("NEARKIND_DATA"), "../shared/data"]


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    """Return the cache folder, which is not there yet; nothing answers from outside."""
    base = tmp_path_factory.mktemp("caches")
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(base))

    def unreachable(**_):
        raise URLError("no network in tests")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)
    return base / "nearkind"


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("NEARKIND_DATA", raising=False)


@pytest.fixture
def real_file():
    """Return a function from name to real file; it skips where there is none."""

    def find(name):
        for folder in filter(None, FOLDERS):
            path = ROOT / folder / f"{name}.csv.gz"
            if path.is_file():
                return path
        return pytest.skip(f"no {name}.csv.gz in NEARKIND_DATA or ../shared/data")

    return find
