"""Rows added later vote as if they had been there from the start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.neighbors import INDEXES

METRIC = nk.baselines.Euclidean()
X, Y = labelled_table(90, seed=1)
FITTED = METRIC.fit(X[:50], Y[:50])
KEPT = ["codes", "counts", "shares", "weights"]


def over(index="exact", rows=slice(None), weights=None):
    if index == "faiss":
        pytest.importorskip("faiss")
    part = None if weights is None else weights[rows]
    return nk.CPMLClassifier(index=index).fit_over(FITTED, X[rows], Y[rows], part)


def assert_same_model(a, b):
    kept, wanted = (model.committee_.voters[0].rows for model in (a, b))
    for name in KEPT:
        np.testing.assert_array_equal(getattr(kept, name), getattr(wanted, name))
    assert a.n_samples_fit_ == b.n_samples_fit_
    np.testing.assert_array_equal(a.classes_, b.classes_)
    np.testing.assert_array_equal(kept.groups.rows, wanted.groups.rows)
    np.testing.assert_array_equal(kept.groups.starts, wanted.groups.starts)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    for found, wanted in zip(a.kneighbors(), b.kneighbors(), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("index", INDEXES)
@given(
    cuts=st.tuples(st.integers(40, 88), st.integers(1, 89)),
    seed=st.integers(0, 9),
    weighted=st.booleans(),
)
def test_adding_is_remembering_all_rows_together(index, cuts, seed, weighted):
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 0.1, 1 / 3, 2.0], 90) if weighted else None
    first, second = cuts[0], max(cuts)
    model = over(index, slice(0, first), weights)
    for rows in (slice(first, second), slice(second, 90)):
        if rows.start < rows.stop and (weights is None or weights[rows].any()):
            part = None if weights is None else weights[rows]
            model.add(X[rows], Y[rows], part)
        else:
            model.n_samples_fit_ += max(rows.stop - rows.start, 0)
    assert_same_model(model, over(index, weights=weights))


def test_added_rows_are_numbered_on_even_after_rows_of_no_weight():
    weights = np.ones(60)
    weights[50:] = 0.0
    model = over(rows=slice(0, 60), weights=weights).add(X[60:], Y[60:])
    assert model.n_samples_fit_ == 90
    (voter,) = model.committee_.voters
    assert set(voter.rows.groups.rows) == {*range(50), *range(60, 90)}


@pytest.mark.parametrize("kind", [list, np.array])
def test_labels_may_come_as_any_list_and_be_of_one_class(kind):
    some = Y[:50] == Y[0]
    model = over(rows=slice(0, 50)).add(X[:50][some], kind(Y[:50][some].tolist()))
    assert model.n_samples_fit_ == 50 + some.sum()
    assert model.predict(X[:1])[0] in model.classes_


def test_adding_goes_on_after_a_file(tmp_path):
    model = over(rows=slice(0, 50))
    nk.save(model, tmp_path / "model.nearkind")
    again = nk.load(tmp_path / "model.nearkind")
    assert_same_model(again.add(X[50:], Y[50:]), model.add(X[50:], Y[50:]))


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        (
            X[:2],
            ["new", Y[0]],
            "y holds 'new', which CPMLClassifier did not see in fit",
        ),
        (X[:2], [Y[0]], "X has 2 rows, y has 1 labels"),
        (X[:2], None, "requires y"),
        (X[:1], [None], "missing"),
        (X.iloc[:2, :1], Y[:2], "column"),
    ],
)
def test_what_cannot_be_added_is_named_and_changes_nothing(rows, labels, words):
    model = over()
    with pytest.raises(ValueError, match=words):
        model.add(rows, labels)
    assert_same_model(model, over())


def test_an_unfitted_model_has_nothing_to_add_to():
    with pytest.raises(NotFittedError):
        nk.CPMLClassifier().add(X, Y)
