"""What a client sets for all of dask ends with its test, however the client ended."""

import dask
import pytest


@pytest.fixture(autouse=True)
def no_scheduler_is_left():
    """Forget who was to do the tasks; nobody is set before."""
    yield
    dask.config.config.pop("scheduler", None)
