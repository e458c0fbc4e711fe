"""A classifier of few rows: as many as asked, of every class, like any other model."""

import numpy as np
import pytest

import nearkind as nk
from helpers import export_readers
from helpers.estimator_tables import labelled_table
from nearkind import export
from nearkind.voting.condensation import Condensation

WAYS = [{}, {"n_neighbors": 1}, {"weights": "distance"}, {"weights": "soft"}]


def fitted(n_rows=120, metric="euclidean", **settings):
    X, y = labelled_table(n_rows)
    return nk.CPMLClassifier(metric, **settings).fit(X, y), X, y


def rows_of(model):
    """Return the rows that vote."""
    (voter,) = model.committee_.voters
    return voter.rows


@pytest.mark.parametrize("settings", WAYS, ids=str)
@pytest.mark.parametrize("metric", ["euclidean", "hamming", "lin"])
@pytest.mark.parametrize("n_rows", [3, 10, 31])
def test_so_many_rows_are_kept(settings, metric, n_rows):
    model, X, y = fitted(metric=metric, **settings)
    small = model.condensed(n_rows)
    rows = rows_of(small)
    assert len(rows) == n_rows
    np.testing.assert_allclose(
        rows.counts.sum(axis=0), rows_of(model).counts.sum(axis=0)
    )
    assert np.isclose(rows.counts.sum(axis=1), rows.weights).all()
    numbers = small.kneighbors(X, 3, return_distance=False)
    kept = small.distance_.encode(X)[np.unique(numbers)]
    assert {tuple(row) for row in kept} <= {tuple(row) for row in rows.codes}
    assert small.score(X, y) > 0.4


def test_the_model_itself_is_left_alone():
    model, X, _ = fitted()
    before = model.predict_proba(X)
    small = model.condensed(5)
    assert small is not model
    assert small.distance_ is model.distance_
    assert small.get_params() == model.get_params()
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_more_rows_than_there_are_give_all():
    model, X, _ = fitted()
    same = model.condensed(10_000)
    np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))


def test_no_tolerance_loses_nothing_as_estimated():
    model, _, _ = fitted()
    found = Condensation(model.committee_.voters[0])
    n = len(rows_of(model.condensed(tolerance=0.0)))
    assert n == len(rows_of(model)) or found.score(n) >= found.full_score
    more = [len(rows_of(model.condensed(tolerance=t))) for t in (0.3, 0.05, 0.0)]
    assert more == sorted(more)


def test_a_class_of_one_row_keeps_it():
    X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["c", "z"]] * 3
    y = ["n", "n", "m", "m", "n"] * 3
    y[-1] = "rare"
    model = nk.CPMLClassifier("hamming").fit(X, y)
    small = model.condensed(3)
    assert len(rows_of(small)) == 3
    assert set(small.classes_) == {"n", "m", "rare"}
    assert (rows_of(small).counts.sum(axis=0) > 0.0).all()


def test_rows_and_their_order_do_not_matter():
    model, X, y = fitted(metric="hamming")
    turned = nk.CPMLClassifier("hamming").fit(X[::-1], y[::-1])
    for n in (3, 12):
        a, b = model.condensed(n), turned.condensed(n)
        np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def test_rows_may_be_weighted():
    X, y = labelled_table(60)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    repeated = np.repeat(np.arange(60), weights)
    a = nk.CPMLClassifier("hamming").fit(X, y, weights).condensed(7)
    b = nk.CPMLClassifier("hamming").fit(X.iloc[repeated], y[repeated]).condensed(7)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X))


def test_rows_can_be_added_afterwards():
    model, X, y = fitted()
    small = model.condensed(5).add(X[:1], y[:1])
    assert small.n_samples_fit_ == model.n_samples_fit_ + 1


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_it_is_saved_and_loaded_and_reported(settings, tmp_path):
    model, X, y = fitted(**settings)
    small = model.condensed(8)
    nk.save(small, tmp_path / "small")
    again = nk.load(tmp_path / "small")
    np.testing.assert_allclose(again.predict_proba(X), small.predict_proba(X))
    nk.save(model, tmp_path / "all")
    sizes = [(tmp_path / name).stat().st_size for name in ("small", "all")]
    assert sizes[0] < sizes[1]
    assert "<html" in nk.report(small, X, y).html


@pytest.mark.parametrize("to", export.TARGETS)
def test_it_is_exported(to, tmp_path):
    model, X, _ = fitted()
    small = model.condensed(8)
    read = {"json": "by_json", "csv": "by_csv", "sql": "by_duckdb", "onnx": "by_onnx"}
    found = getattr(export_readers, read[to])(small, X, tmp_path)
    export_readers.assert_equal(found, export_readers.expected(small, X))


def test_a_search_condenses_its_best_member():
    X, y = labelled_table(90)
    search = nk.CPMLClassifierCV(["hamming", "euclidean"], cv=2).fit(X, y)
    small = search.condensed(6)
    assert type(small) is nk.CPMLClassifier
    best = search.committee_.voters[0]
    assert small.distance_ is best.distance
    assert small.temperature_ == search.members_[0].temperature_


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rows": 2}, "a row of each class, so n_rows must be at least 3; got 2"),
        ({"n_rows": 2.5}, "whole number >= 1; got 2.5"),
        ({"tolerance": -0.1}, "from 0 to 1, a share of rows such as 0.01; got -0.1"),
        ({"tolerance": "1%"}, "'tolerance' of condensed must be a number"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    model, _, _ = fitted(40)
    with pytest.raises(ValueError, match=message):
        model.condensed(**settings)


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        nk.CPMLClassifier().condensed()
