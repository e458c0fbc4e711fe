"""Tests of data sets: an empty cache, no network, and real files where they are."""

from urllib.error import URLError

import pytest

from helpers.real_files import real_file


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


@pytest.fixture(name="real_file")
def finds_real_files():
    """Return a function from name to real file; it skips where there is none."""
    return real_file
