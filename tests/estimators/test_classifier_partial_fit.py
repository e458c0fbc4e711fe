"""One batch more: the metric goes on, and rows of all batches vote."""

import pickle
from io import BytesIO

import numpy as np
import pytest
from sklearn.base import clone

import nearkind as nk
from helpers.batch_tables import cut, rows
from nearkind.errors import RememberedRowsWarning
from nearkind.estimators import batches

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
CLASSES = ["0", "1", "2"]


def model(**settings):
    return nk.CPMLClassifier(nk.CPML(max_iter=4), **settings)


def fed(classifier, parts):
    for X, y in parts:
        classifier.partial_fit(X, y, classes=CLASSES)
    return classifier


@pytest.mark.parametrize("index", ["exact", "faiss"])
def test_one_batch_is_fit(index):
    if index == "faiss":
        pytest.importorskip("faiss")
    X, y = rows(90)
    found = fed(model(index=index), cut(X, y, 90))
    wanted = model(index=index).fit(X, y)
    np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
    assert (found.n_samples_seen_, found.n_remembered_) == (90, 90)
    assert found.classes_.tolist() == CLASSES


def test_the_metric_is_that_of_partial_fit_and_all_rows_vote():
    X, y = rows(90)
    found, metric = model(), nk.CPML(max_iter=4)
    for number, (part, labels) in enumerate(cut(X, y, 30), 1):
        metric.partial_fit(part, labels, classes=CLASSES)
        found.partial_fit(part, labels, classes=CLASSES)
        np.testing.assert_array_equal(found.metric_.metric_, metric.metric_)
        assert found.n_remembered_ == 30 * number
    wanted = nk.CPMLClassifier().fit_over(metric, X, y)
    np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))


def test_rows_left_out_are_told_of_and_weighed(monkeypatch):
    monkeypatch.setattr(batches, "N_REFERENCE", 60)
    X, _ = rows(900)
    y = np.where(np.arange(900) % 9 == 0, "rare", "common")
    found = nk.CPMLClassifier(nk.CPML(max_iter=3), n_neighbors=60)
    first, *others = cut(X, y, 450)
    with pytest.warns(RememberedRowsWarning, match="remembers 60 of 450 rows"):
        found.partial_fit(*first)
    with pytest.warns(RememberedRowsWarning, match="60 of 900 .* of fit_batches") as w:
        found.partial_fit(*others[0])
    said = [one for one in w if one.category is RememberedRowsWarning]
    assert [one.filename for one in said] == [__file__]
    assert found.predict_proba(X)[0] == pytest.approx([8 / 9, 1 / 9])


def test_classes_without_rows_have_a_column_and_no_vote():
    X, y = rows(30)
    alone = np.flatnonzero(y == "1")
    found = model().partial_fit(
        {n: c[alone] for n, c in X.items()}, y[alone], classes=[*CLASSES, "z"]
    )
    np.testing.assert_array_equal(
        found.predict_proba({n: c[alone] for n, c in X.items()}),
        np.tile([0.0, 1.0, 0.0, 0.0], (len(alone), 1)),
    )
    found.partial_fit(X, y)
    assert found.classes_.tolist() == [*CLASSES, "z"]
    shares = found.predict_proba(X)
    assert (shares[:, :3].sum(axis=0) > 0.0).all()
    assert (shares[:, 3] == 0.0).all()


def test_it_goes_on_after_batches():
    X, y = rows(90)
    first, second, third = cut(X, y, 30)
    found = model().fit_batches([first, second]).partial_fit(*third)
    assert (found.n_samples_seen_, found.n_remembered_) == (90, 90)


def test_what_fit_or_a_file_left_starts_anew_with_a_warning():
    X, y = rows(60)
    file = BytesIO()
    nk.save(fed(model(), cut(X, y, 30)), file)
    file.seek(0)
    for found in (model().fit(X, y), nk.load(file)):
        with pytest.warns(UserWarning, match="This CPMLClassifier comes from fit") as w:
            found.partial_fit(X, y)
        assert w[0].filename == __file__
        assert found.n_samples_seen_ == 60
        assert found.partial_fit(X, y).n_samples_seen_ == 120


def test_copies_go_on_alike():
    X, y = rows(60)
    first, second = cut(X, y, 30)
    found = fed(model(), [first])
    again = fed(pickle.loads(pickle.dumps(found)), [second])
    fed(found, [second])
    np.testing.assert_array_equal(found.predict_proba(X), again.predict_proba(X))
    assert not hasattr(clone(found), "distance_")


def test_a_metric_given_to_fit_over_stays_as_it_is():
    X, y = rows(60)
    first, second = cut(X, y, 30)
    metric = nk.CPML(max_iter=4).partial_fit(*first, classes=CLASSES)
    before = metric.metric_.copy()
    found = nk.CPMLClassifier().fit_over(metric, *first).partial_fit(*second)
    assert (metric.n_samples_seen_, found.n_samples_seen_) == (30, 60)
    np.testing.assert_array_equal(metric.metric_, before)


@pytest.mark.parametrize("metric", [nk.baselines.Hamming(), nk.baselines.POLA()])
def test_other_metrics_learn_from_whole_tables(metric):
    name = type(metric).__name__
    with pytest.raises(TypeError, match=f"{name} requires the whole table. Use"):
        nk.CPMLClassifier(metric).partial_fit(*rows(30))


def test_a_refused_batch_leaves_all_as_it_was():
    X, y = rows(60)
    found = fed(model(), cut(X, y, 60))
    before = found.predict_proba(X)
    unknown = np.where(np.arange(60) == 4, "7", y)
    with pytest.raises(ValueError, match="y holds '7', which is none of the 3 classes"):
        found.partial_fit(X, unknown)
    with pytest.raises(ValueError, match="y holds '9', which is none of the 3 classes"):
        found.partial_fit(X, y, classes=[*CLASSES, "9"])
    with pytest.raises(ValueError, match="olumn 'few' is missing"):
        found.partial_fit({"word": X["word"], "x": X["x"]}, y)
    with pytest.raises(ValueError, match="CPMLClassifier requires y to be passed"):
        found.partial_fit(X, None)
    np.testing.assert_array_equal(found.predict_proba(X), before)
    assert found.n_samples_seen_ == 60


def test_columns_without_names_are_counted_for_the_classifier():
    codes = np.random.default_rng(0).integers(0, 3, (30, 4)).astype(str)
    found = model().partial_fit(codes, codes[:, 0])
    with pytest.raises(ValueError, match="X has 3 features, but CPMLClassifier is"):
        found.partial_fit(codes[:, :3], codes[:, 0])


def test_the_first_batch_must_have_a_row_and_later_ones_need_not():
    X, y = rows(30)
    nothing = {n: c[:0] for n, c in X.items()}
    with pytest.raises(ValueError, match="no row to learn from"):
        model().partial_fit(nothing, [], classes=CLASSES)
    found = fed(model(), cut(X, y, 30)).partial_fit(nothing, [])
    assert (found.n_samples_seen_, found.n_remembered_) == (30, 30)


def test_fit_forgets_what_was_counted_in_batches():
    X, y = rows(90)
    again = fed(model(), cut(X, y, 30)).fit(X, y)
    assert not hasattr(again, "n_samples_seen_")
    assert not hasattr(again, "n_remembered_")


def test_another_metric_may_be_taken_after_one_that_knows_no_batches():
    X, y = rows(90)
    found = nk.CPMLClassifier(nk.baselines.Hamming()).fit(X, y)
    found.set_params(metric=nk.CPML(max_iter=4)).partial_fit(X, y, classes=CLASSES)
    wanted = model().partial_fit(X, y, classes=CLASSES)
    np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
