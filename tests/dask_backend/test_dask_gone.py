"""A cluster that goes away is reported in one sentence, and not waited for."""

import time
from pathlib import Path
from types import SimpleNamespace

import dask
import dask.dataframe as dd
import pytest
from distributed import Client, KilledWorker, LocalCluster

import nearkind as nk
import nearkind.dask
from helpers.dask_tables import (
    N_PARTITIONS,
    SETTINGS,
    readers,
    rows,
    split,
    under_watch,
    within_time,
)
from nearkind.dask import cluster as module


@pytest.fixture
def small():
    """Return a cluster in this process, and its client."""
    options = {"n_workers": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(**options) as found, Client(found) as client:
        yield found, client


def on_dask():
    return split(dd.from_pandas(rows(), npartitions=N_PARTITIONS, sort=False))


def fitted(X, y):
    model = nk.CPML(**SETTINGS)
    return nearkind.dask.fit(model, X, y, n_remembered=600, partitions_a_step=2)


def test_no_worker_is_left(small, monkeypatch):
    cluster, client = small
    monkeypatch.setattr(module, "PATIENCE", 1.0)
    monkeypatch.setattr(module, "POLL", 0.2)
    cluster.scale(0)
    while client.scheduler_info()["workers"]:
        time.sleep(0.05)
    answer = within_time(fitted, *on_dask())
    with pytest.raises(RuntimeError, match=r"lost while counting .*no worker for 1"):
        answer()


def test_the_client_is_closed(small, tmp_path):
    X, y = on_dask()
    answer = within_time(fitted, under_watch(X, tmp_path, N_PARTITIONS), y)
    end = time.monotonic() + 120
    while len(readers(tmp_path)) <= N_PARTITIONS and time.monotonic() < end:
        time.sleep(0.05)
    small[1].close()
    Path(tmp_path, "go").touch()
    with pytest.raises(RuntimeError, match="The cluster was lost while learning"):
        answer()


def test_a_task_that_kills_every_worker_that_takes_it(monkeypatch):
    def lost(*tasks):
        raise KilledWorker("summary", SimpleNamespace(address="tcp://one"), 3)

    monkeypatch.setattr(module.dask, "compute", lost)
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(RuntimeError, match=r"lost while counting \(KilledWorker: "),
    ):
        fitted(*on_dask())


def test_a_scheduler_that_does_not_answer_has_no_workers():
    def silent():
        raise OSError("Timed out trying to connect")

    assert module._n_workers(SimpleNamespace(scheduler_info=silent)) == 0
