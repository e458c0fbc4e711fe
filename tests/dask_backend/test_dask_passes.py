"""Learning from partitions: what it equals, whatever they are like."""

import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import nearkind as nk
import nearkind.dask
from helpers.dask_tables import (
    SETTINGS,
    assert_same_tables,
    cut,
    partitions,
    rows,
    split,
)
from helpers.minibatch_problem import minibatch_problem
from nearkind.dask import passes
from nearkind.streaming import mean_linearization

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.RememberedRowsWarning"),
]


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def from_batches(parts, n_remembered=150, **settings):
    source = [split(part) for part in parts]
    model = nk.CPML(**{**SETTINGS, **settings})
    return model.fit_batches(source, n_remembered=n_remembered)


def from_partitions(parts, n_remembered=150, **settings):
    model = nk.CPML(**{**SETTINGS, **settings})
    table = cut(parts)
    return nearkind.dask.fit(
        model, table, "label", n_remembered=n_remembered, partitions_a_step=1
    )


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_with_room_for_all_rows_it_is_fit(scheduler):
    X, y = split(rows(200))
    with dask.config.set(scheduler=scheduler):
        on_dask = split(dd.from_pandas(rows(200), npartitions=4))
        found = nk.CPML(max_iter=5).fit(*on_dask)
    wanted = nk.CPML(max_iter=5).fit(X, y)
    np.testing.assert_array_equal(found.metric_, wanted.metric_)
    assert found.categories_ == wanted.categories_


def test_arrays_may_be_cut_both_ways():
    X, y = split(rows(200))
    cells = X.astype(object).to_numpy()
    found = nk.CPML(max_iter=5).fit(
        da.from_array(cells, chunks=(60, 2)), da.from_array(y.to_numpy(str), chunks=60)
    )
    wanted = nk.CPML(max_iter=5).fit(cells, y.to_numpy(str))
    np.testing.assert_array_equal(found.metric_, wanted.metric_)


@pytest.mark.parametrize("n_parts", [1, 2, 3, 9])
def test_a_step_a_partition_is_fit_batches(n_parts, monkeypatch):
    monkeypatch.setattr(passes, "FAN_IN", 2)
    parts = partitions(rows(900), n_parts)
    found, wanted = from_partitions(parts), from_batches(parts)
    assert_same_tables(found, wanted)
    assert found.reference_.table == wanted.reference_.table
    np.testing.assert_array_equal(found.metric_, wanted.metric_)


@pytest.mark.parametrize("crosses", [[("word", "few"), ("x", "word")], 2], ids=str)
def test_crosses_of_partitions_are_those_of_batches(crosses):
    parts = partitions(rows(600), 3)
    found = from_partitions(parts, crosses=crosses)
    wanted = from_batches(parts, crosses=crosses)
    assert_same_tables(found, wanted)
    assert found.categories_ == wanted.categories_
    np.testing.assert_array_equal(found.metric_, wanted.metric_)
    X, y = split(rows(200))
    whole = nk.CPML(max_iter=5, crosses=crosses)
    on_dask = split(dd.from_pandas(rows(200), npartitions=4))
    metric = whole.fit(*on_dask).metric_
    np.testing.assert_array_equal(metric, whole.fit(X, y).metric_)


def test_soft_neighbours_of_partitions_are_those_of_batches():
    parts = partitions(rows(900), 3)
    settings = {"constraints": "neighbors", "solver": "auto", "max_iter": 3}
    found = from_partitions(parts, **settings)
    wanted = from_batches(parts, **settings)
    np.testing.assert_array_equal(found.metric_, wanted.metric_)


def test_a_step_is_the_mean_of_what_partitions_say():
    sampler, like, _, batches, point = minibatch_problem(300, 3)
    found = passes.PartitionsObjective(sampler, like, batches).linearize(point)
    wanted = mean_linearization(
        sampler.linearize(batch, like, point) for batch in batches
    )
    np.testing.assert_array_equal(found.gradient, wanted.gradient)
    assert found.value == wanted.value


def test_several_partitions_make_a_step(monkeypatch):
    asked = []
    linearize = passes.PartitionsObjective.linearize
    monkeypatch.setattr(
        passes.PartitionsObjective,
        "linearize",
        lambda self, point: asked.append(len(self.batches)) or linearize(self, point),
    )
    table = cut(partitions(rows(900), 5))
    model = nk.CPML(**SETTINGS)
    nearkind.dask.fit(model, table, "label", n_remembered=90, partitions_a_step=2)
    assert asked == [2, 2, 1]


def test_empty_partitions_say_nothing():
    parts = partitions(rows(900), 4)
    none = parts[0][:0]
    holed = [none, parts[0], none, none, parts[1], *parts[2:], none]
    found, wanted = from_partitions(holed), from_batches(holed)
    np.testing.assert_array_equal(found.metric_, wanted.metric_)
    assert found.n_samples_seen_ == 900


def test_a_category_that_one_partition_knows():
    parts = partitions(rows(900), 3)
    parts = [part.assign(word=part["word"].astype("category")) for part in parts]
    rare = parts[1]["word"].cat.add_categories("rare")
    parts[1] = parts[1].assign(word=rare.where(parts[1]["few"] > 0, "rare"))
    found = from_partitions(parts)
    whole = pd.concat([part.astype({"word": object}) for part in parts])
    wanted = nk.CPML(**SETTINGS).fit(*split(whole))
    assert "rare" in found.categories_["word"]
    for mine, theirs in zip(
        found.projection_.tables, wanted.projection_.tables, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_a_classifier_remembers_rows_of_all_partitions():
    table = dd.from_pandas(rows(200), npartitions=4)
    found = nk.CPMLClassifier(nk.CPML(max_iter=5)).fit(*split(table))
    X, y = split(rows(200))
    wanted = nk.CPMLClassifier(nk.CPML(max_iter=5)).fit(X, y)
    np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
    assert found.n_remembered_ == 200


def test_tables_that_are_here_do_not_load_dask():
    code = (
        "import sys, nearkind as nk; nk.CPML().fit([['a'], ['b'], ['a']], [0, 1, 0]); "
        "print('dask' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "False", out.stderr
