"""On a cluster of two processes: the same answers, also when one of them is killed."""

import os
import signal
import time
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pytest

import nearkind as nk
import nearkind.dask
from helpers.dask_tables import (
    N_PARTITIONS,
    SETTINGS,
    assert_same_tables,
    objective_of,
    partitions,
    readers,
    rows,
    split,
    under_watch,
    within_time,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.RememberedRowsWarning"),
]
TABLE = rows()


def on_dask():
    return split(dd.from_pandas(TABLE, npartitions=N_PARTITIONS, sort=False))


def fitted(X, y):
    model = nk.CPML(**SETTINGS)
    return nearkind.dask.fit(model, X, y, n_remembered=600, partitions_a_step=2)


@pytest.fixture(scope="module")
def wanted():
    """Return what the same partitions teach here."""
    source = [split(part) for part in partitions(TABLE)]
    return nk.CPML(**SETTINGS).fit_batches(source, n_remembered=600)


@pytest.fixture(scope="module")
def alone():
    """Return what the same partitions teach without a cluster."""
    with dask.config.set(scheduler="synchronous"):
        return fitted(*on_dask())


def test_other_processes_count_and_learn(client, tmp_path, wanted):
    X, y = on_dask()
    found = fitted(under_watch(X, tmp_path), y)
    who = readers(tmp_path)
    assert len(who) > N_PARTITIONS  # both passes
    assert os.getpid() not in who
    assert_same_tables(found, wanted)
    assert found.reference_.table == wanted.reference_.table
    np.testing.assert_array_equal(found.reference_.labels, wanted.reference_.labels)


def test_as_good_as_learning_here(client):
    X, y = on_dask()
    found = nearkind.dask.fit(
        nk.CPML(**SETTINGS), X, y, n_remembered=1200, partitions_a_step=2
    )
    whole = nk.CPML(tol=1e-3, strength=found.strength_).fit(*split(TABLE))
    value = objective_of(whole, *split(TABLE))
    assert value(found) == pytest.approx(value(whole), rel=0.005)


def test_no_bit_depends_on_the_cluster(client, alone):
    np.testing.assert_array_equal(fitted(*on_dask()).metric_, alone.metric_)


@pytest.mark.parametrize(
    ("phase", "stop_after"), [("counting", 0), ("learning", N_PARTITIONS)]
)
def test_a_worker_is_killed_in_fit(client, tmp_path, alone, phase, stop_after):
    X, y = on_dask()
    answer = within_time(fitted, under_watch(X, tmp_path, stop_after), y)
    kill_one(tmp_path, stop_after)
    np.testing.assert_array_equal(answer().metric_, alone.metric_)


@pytest.mark.parametrize("method", ["predict", "kneighbors"])
@pytest.mark.slow
def test_a_worker_is_killed_while_it_answers(client, tmp_path, method):
    X, y = split(TABLE)
    model = nk.CPMLClassifier(nk.CPML(tol=0.1)).fit(X[:300], y[:300])
    lazy = getattr(model, method)(under_watch(on_dask()[0], tmp_path, 0))
    assert not readers(tmp_path)
    answer = within_time(dask.compute, lazy)
    kill_one(tmp_path, 0)
    [found] = answer()
    np.testing.assert_array_equal(found, getattr(model, method)(X))


def kill_one(folder, stop_after):
    """Kill the worker that made the first read too many, then let the rest go on."""
    end = time.monotonic() + 120
    while len(readers(folder)) <= stop_after and time.monotonic() < end:
        time.sleep(0.02)
    reads = sorted(Path(folder).glob("*.read"), key=lambda path: path.stat().st_mtime)
    os.kill(int(reads[-1].read_text()), signal.SIGKILL)
    Path(folder, "go").touch()
