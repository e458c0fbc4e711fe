"""Which of the two ways to sum is taken."""

import subprocess
import sys

import pytest

from nearkind.losses import pair_sums as sums
from nearkind.losses.pair_sums import by_merging, compiled


@pytest.fixture
def _forgetful():
    """Let the search for a compiler be made anew, here and afterwards."""
    sums.has_compiler.cache_clear()
    yield
    sums.has_compiler.cache_clear()


@pytest.mark.usefixtures("_forgetful")
def test_few_distances_are_not_worth_a_compiler():
    assert sums.engine(1) is by_merging
    assert sums.engine(sums.WORTH_COMPILING - 1) is by_merging
    assert sums.engine(sums.WORTH_COMPILING) is compiled


@pytest.mark.usefixtures("_forgetful")
def test_without_a_compiler_all_sums_are_merged(monkeypatch):
    monkeypatch.setattr(sums, "find_spec", lambda name: None)
    assert not sums.has_compiler()
    assert sums.engine(1 << 40) is by_merging


def test_loading_the_package_loads_no_compiler():
    code = "import sys, nearkind, nearkind.losses.hinge; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
