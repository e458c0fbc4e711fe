"""What every test shares: laws draw the same cases each time; one thread a process."""

import os
import sys

import pytest
from hypothesis import settings

# Tests run side by side, and `fit` holds linear algebra to one thread as well.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("nearkind", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("nearkind")


@pytest.fixture(autouse=True)
def no_figure_is_left():
    """Close what a test has drawn: matplotlib warns of the twentieth figure."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def optimized(monkeypatch):
    """Leave optimisations on where a test is about one of them."""
    monkeypatch.delenv("NEARKIND_PLAIN", raising=False)
