"""A reproduction that is quick to make."""

from dataclasses import replace

import pytest

from nearkind.experiments.design import Design
from nearkind.experiments.paper.protocol import PROTOCOLS
from nearkind.experiments.paper.reproduction import Reproduction

SMALL = replace(
    PROTOCOLS["quick"],
    name="small",
    design=Design(strengths=(0.1,), rows=100, tol=0.05),
    variant_rows=100,
    features=(2,),
    weights=(0.1, 0.9),
    classes_timed=(2, 3),
    rows_timed=(100,),
)


@pytest.fixture
def reproduction(tmp_path):
    return Reproduction(tmp_path / "made", SMALL, jobs=2, seconds=60.0)
