"""Answers by partition: lazy, and those that a table here would get."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import nearkind as nk
import nearkind.dask
from helpers.dask_tables import cut, partitions, rows, split, under_watch
from nearkind.dask.predictions import without_batches

X, Y = split(rows(300))
METHODS = ["transform", "predict", "predict_proba"]


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def models():
    classifier = nk.CPMLClassifier(nk.CPML(tol=0.1)).fit(X, Y)
    return {"transform": classifier.metric_, "predict": classifier} | {
        "predict_proba": classifier,
        "kneighbors": classifier,
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_parts", [1, 4])
def test_partitions_get_the_answers_of_the_table(models, method, n_parts):
    model, table = models[method], dd.from_pandas(X, npartitions=n_parts)
    found = getattr(model, method)(table)
    wanted = getattr(model, method)(X)
    assert (found.dtype, found.ndim) == (wanted.dtype, wanted.ndim)
    assert found.shape[1:] == wanted.shape[1:]
    assert found._meta.dtype == wanted.dtype
    assert found.numblocks[0] == n_parts
    np.testing.assert_array_equal(found.compute(), wanted)
    by_name = getattr(nearkind.dask, method)(model, table)
    np.testing.assert_array_equal(by_name.compute(), wanted)


def test_the_nearest_rows(models):
    model, table = models["kneighbors"], dd.from_pandas(X, npartitions=3)
    found = dask.compute(*model.kneighbors(table, 2))
    for mine, theirs in zip(found, model.kneighbors(X, 2), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    alone = model.kneighbors(table, return_distance=False)
    assert (alone.dtype, alone.shape[1]) == (np.intp, model.n_neighbors)
    np.testing.assert_array_equal(alone, model.kneighbors(X, return_distance=False))


def test_rows_of_arrays_are_known_beforehand(models):
    cells = X.astype(object).to_numpy()
    model = nk.CPML(tol=0.1).fit(cells, Y.to_numpy(str))
    found = model.transform(da.from_array(cells, chunks=(70, 2)))
    assert found.chunks[0] == (70, 70, 70, 70, 20)
    np.testing.assert_array_equal(found, model.transform(cells))


def test_nothing_is_read_until_it_is_asked_for(models, tmp_path):
    table = under_watch(dd.from_pandas(X, npartitions=3), tmp_path)
    lazy = models["predict"].predict(table)
    assert not list(tmp_path.iterdir())
    lazy.compute()
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("method", [*METHODS, "kneighbors"])
def test_empty_partitions_have_no_answers(models, method):
    parts = partitions(X, 2)
    holed = cut([parts[0][:0], parts[0], parts[1][:0], parts[1]])
    found = dask.compute(getattr(models[method], method)(holed))[0]
    np.testing.assert_equal(found, getattr(models[method], method)(X))


def test_counts_stay_at_home(models):
    model = nk.CPMLClassifier(nk.CPML(tol=0.1)).fit_batches([(X, Y)])
    sent = without_batches(model)
    assert not hasattr(sent.metric_, "batch_summary_")
    assert hasattr(model.metric_, "batch_summary_")
    np.testing.assert_array_equal(sent.predict(X), model.predict(X))


def test_who_is_not_fitted_says_so():
    table = dd.from_pandas(X, npartitions=2)
    with pytest.raises(NotFittedError, match="CPMLClassifier instance is not fitted"):
        nk.CPMLClassifier().predict(table)


def test_how_many_neighbours_is_a_whole_number(models):
    table = dd.from_pandas(X, npartitions=2)
    with pytest.raises(ValueError, match="'n_neighbors' parameter of CPMLClassifier"):
        models["kneighbors"].kneighbors(table, n_neighbors=2.5)
