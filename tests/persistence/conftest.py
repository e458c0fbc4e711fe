"""Real sets, where their files are."""

import pytest

import nearkind as nk
from helpers.real_files import real_file


@pytest.fixture
def real_set(monkeypatch):
    """Return a function from name to set; it skips where there is no file."""

    def load(name):
        monkeypatch.setenv("NEARKIND_DATA", str(real_file(name).parent))
        return nk.datasets.load(name)

    return load
