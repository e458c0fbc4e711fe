"""One cluster a module, and no scheduler that outlives its test."""

import dask
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

PRELOADED = [
    "distributed",
    "dask.dataframe",
    "pandas",
    "nearkind.experiments.preload",
]
"""Imported once: workers are forked from a process that has them, in a moment. Python
starts one such process alone, so that it must do for sandboxes too."""


@pytest.fixture(autouse=True)
def no_scheduler_is_left():
    """Remove the scheduler that a client sets for all of dask, however it ended."""
    yield
    dask.config.config.pop("scheduler", None)


@pytest.fixture(scope="module")
def cluster():
    """Return a cluster of two processes; it starts a killed one again.

    It ends with its module: a cluster looks after its processes by threads of its own,
    which tests of memory and of opened files elsewhere would see.
    """
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(PRELOADED)
        options = {"threads_per_worker": 1, "dashboard_address": ":0"}
        with LocalCluster(n_workers=2, processes=True, **options) as found:
            yield found


@pytest.fixture
def client(cluster):
    """Return a client of the cluster, both of whose workers are there."""
    with Client(cluster) as found:
        found.wait_for_workers(2, timeout=120)
        yield found
