"""Compile before the clock runs: the first fit by numba takes seconds longer."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, simplefilter

import nearkind as nk


def warm_up(**settings: Any) -> None:
    """Fit a small set by these settings and either solver for all rows or samples."""
    data = nk.datasets.make_synthetic(600, random_state=0)
    with no_complaints():
        for solver in ("proximal", "stochastic"):
            nk.CPML(**settings, solver=solver, max_iter=20).fit(data.X, data.y)


@contextmanager
def no_complaints() -> Iterator[None]:
    """Hide warnings of early stops and unseen values: tables say what they cost."""
    with catch_warnings():
        simplefilter("ignore")
        yield
