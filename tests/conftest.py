"""What every test shares: laws draw the same cases each time; one thread a process."""

import gc
import os
import signal
import sys
from collections import defaultdict

import pytest
from hypothesis import settings

# Tests run side by side, and `fit` holds linear algebra to one thread as well.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Commands that tests start and interrupt end also where SIGINT is ignored, as by nohup.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples of each law: few in `make test`, many in `make test-slow`.
QUICK = settings(deadline=None, derandomize=True, max_examples=20)
settings.register_profile("quick", QUICK)
settings.register_profile("thorough", QUICK, max_examples=200)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark as slow what the marker `covering` leaves out of a product of parameters."""
    from helpers.covering import least_covering  # NumPy comes after OMP_NUM_THREADS

    products = defaultdict(list)
    for item in items:
        if item.get_closest_marker("covering") and hasattr(item, "callspec"):
            products[item.nodeid.split("[")[0]].append(item)
    for cases in products.values():
        strength = cases[0].get_closest_marker("covering").args[0]
        values = [
            {name: id(value) for name, value in case.callspec.params.items()}
            for case in cases
        ]
        kept = least_covering(values, strength)
        for number, case in enumerate(cases):
            if number not in kept:
                case.add_marker(pytest.mark.slow)


def pytest_collection_finish():
    """Leave the collected tests out of garbage collections, a tenth of all the time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish():
    """Let the interpreter put away what was collected, as libraries expect."""
    gc.unfreeze()


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
