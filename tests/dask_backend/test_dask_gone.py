"""A cluster that goes away is reported in one sentence, and not waited for."""

import os
import subprocess
import sys
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


@pytest.fixture
def scheduler(tmp_path):
    """Return a scheduler's process; a worker has joined it, and a client is there."""
    place = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "dask", "{}", "--scheduler-file", str(place)]
    roles = {"scheduler": ["--port", "0", "--no-dashboard"], "worker": ["--no-nanny"]}
    started = [
        subprocess.Popen(
            [*(word.format(role) for word in command), *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.DEVNULL,
        )
        for role, options in roles.items()
    ]
    try:
        with Client(scheduler_file=str(place), timeout=120) as client:
            client.wait_for_workers(1, timeout=120)
            yield started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "stop_after"), [("counting", 0), ("learning", N_PARTITIONS)]
)
def test_the_scheduler_is_killed(scheduler, tmp_path, monkeypatch, phase, stop_after):
    monkeypatch.setattr(module, "PATIENCE", 10.0)
    X, y = on_dask()
    answer = within_time(fitted, under_watch(X, tmp_path, stop_after), y)
    end = time.monotonic() + 120
    while len(readers(tmp_path)) <= stop_after and time.monotonic() < end:
        time.sleep(0.05)
    scheduler.kill()
    with pytest.raises(RuntimeError, match=f"The cluster was lost while {phase}"):
        answer()
    Path(tmp_path, "go").touch()


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


def test_a_scheduler_that_does_not_answer_in_time_has_no_workers():
    def silent(asked, callback_timeout):
        assert asked == "who is there?"
        raise TimeoutError(callback_timeout)

    rpc = SimpleNamespace(identity="who is there?")
    client = SimpleNamespace(status="running", scheduler=rpc, sync=silent)
    assert module._n_workers(client) == 0
    assert module._n_workers(SimpleNamespace(status="closed")) == 0
