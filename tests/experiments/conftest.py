"""A reproduction that is quick to make."""

import pytest

from nearkind.experiments.reproduction import Reproduction


@pytest.fixture
def reproduction(tmp_path):
    return Reproduction(tmp_path / "made", repeats=1, jobs=2, seconds=60.0)
