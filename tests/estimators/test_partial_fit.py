"""One batch more: counts add up, the metric goes on."""

import numpy as np
import pytest

import nearkind as nk
from helpers.batch_tables import cut, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
CLASSES = ["0", "1", "2"]


def fed(model, batches):
    for X, y in batches:
        model.partial_fit(X, y, classes=CLASSES)
    return model


@pytest.mark.parametrize("projection", ["vdm", "onehot", "vdm+onehot"])
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
@pytest.mark.parametrize("crosses", [0, [("word", "few"), ("x", "word")]], ids=str)
def test_histograms_are_those_of_one_fit(projection, structure, crosses):
    X, y = rows(90)
    settings = {"projection": projection, "structure": structure, "max_iter": 4}
    settings["crosses"] = crosses
    found = fed(nk.CPML(**settings), cut(X, y, 30))
    wanted = nk.CPML(**settings).fit(X, y)
    assert found.categories_ == wanted.categories_
    assert found.metric_.shape == wanted.metric_.shape
    assert found.n_samples_seen_ == 90
    for mine, theirs in zip(
        found.projection_.tables, wanted.projection_.tables, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("crosses", ["auto", 1])
def test_crosses_are_chosen_from_the_rows_so_far(crosses):
    X, y = rows(90)
    y = np.array(CLASSES)[(X["few"] + (X["x"] > 1.0)) % 2]
    settings = {"crosses": crosses, "max_iter": 4}
    found = fed(nk.CPML(**settings), cut(X, y, 30))
    wanted = nk.CPML(**settings).fit(X, y)
    assert found.categories_ == wanted.categories_
    assert "few x x" in found.categories_


def test_it_goes_on_from_the_present_metric():
    X, y = rows(90)
    model = fed(nk.CPML(tol=1e-3, max_iter=500), cut(X, y, 90))
    first = model.n_iter_
    wanted = nk.CPML(tol=1e-3, max_iter=500).fit(X, y)
    np.testing.assert_array_equal(model.metric_, wanted.metric_)
    model.partial_fit({n: c[:0] for n, c in X.items()}, [])
    assert model.n_iter_ < first
    assert model.objective_ == pytest.approx(wanted.objective_, rel=2e-3)


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
def test_one_class_so_far_leaves_distances_as_they_are():
    X, y = rows(90)
    model = nk.CPML(max_iter=5)
    alone = np.flatnonzero(y == "0")[:5]
    model.partial_fit({n: c[alone] for n, c in X.items()}, y[alone], classes=CLASSES)
    assert model.transform(X).shape[0] == 90
    fed(model, cut(X, y, 90))
    assert model.rank_ > 0
    assert model.n_samples_seen_ == 95


def test_unseen_classes_are_named():
    X, y = rows(30)
    model = fed(nk.CPML(max_iter=2), cut(X, y, 30))
    with pytest.raises(ValueError, match="y holds '7', which is none of the 3 classes"):
        model.partial_fit(X, np.where(np.arange(30) == 4, "7", y))
    with pytest.raises(ValueError, match="y holds '9', which is none of the 3 classes"):
        model.partial_fit(X, y, classes=[*CLASSES, "9"])
    assert model.n_samples_seen_ == 30


def test_classes_that_have_no_row_yet_have_a_place():
    X, y = rows(30)
    model = nk.CPML(max_iter=2).partial_fit(X, y, classes=["z", *CLASSES])
    assert model.classes_.tolist() == [*CLASSES, "z"]
    assert model.class_count_[-1] == 0.0


def test_without_classes_those_of_the_first_batch_are_all():
    X, y = rows(30)
    model = nk.CPML(max_iter=2).partial_fit(X, y)
    assert model.classes_.tolist() == CLASSES


def test_it_goes_on_after_batches_and_ends_with_a_fit():
    X, y = rows(90)
    (first, second, third) = cut(X, y, 30)
    model = nk.CPML(max_iter=2).fit_batches([first, second]).partial_fit(*third)
    wanted = nk.CPML(max_iter=2).fit(X, y)
    assert model.n_samples_seen_ == 90
    assert model.categories_ == wanted.categories_
    assert not hasattr(model.fit(X, y), "n_samples_seen_")


def test_other_columns_are_refused():
    X, y = rows(30)
    model = fed(nk.CPML(max_iter=2), cut(X, y, 30))
    with pytest.raises(ValueError, match="olumn 'few' is missing"):
        model.partial_fit({"word": X["word"], "x": X["x"]}, y)


def test_what_fit_learned_has_no_counts_to_add_to():
    X, y = rows(30)
    model = fed(nk.CPML(max_iter=2), cut(X, y, 30)).fit(X, y)
    with pytest.warns(UserWarning, match="starts again with this batch"):
        model.partial_fit(X, y)
    assert model.n_samples_seen_ == 30
    with pytest.raises(ValueError, match="no row to learn from"):
        nk.CPML().partial_fit({"word": []}, [], classes=CLASSES)
