"""Learning from batches: what it equals, what it gives up, what it refuses."""

import itertools

import numpy as np
import pytest

import nearkind as nk
from helpers.batch_tables import cut, rows
from nearkind.errors import RememberedRowsWarning

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.RememberedRowsWarning",
)
SETTINGS = [
    {},
    {"structure": "multi"},
    {"structure": "diagonal", "projection": "onehot"},
    {"structure": "full", "projection": "vdm+onehot"},
    {"structure": "full", "smoothing": "auto", "cross_fit": True},
    {"constraints": "pairs"},
    {"constraints": "neighbors"},
    {"scope": "local"},
    {"scope": 500},
    {"numeric": "scale", "missing": "prior"},
    {"crosses": 3},
    {"crosses": "auto", "projection": "vdm+onehot"},
]


@pytest.mark.parametrize("crosses", [[("word", "few")], "auto"], ids=str)
def test_without_room_for_all_rows_crosses_are_counted_in_the_sample(crosses):
    X, y = rows(400)
    labels = np.unique((X["few"] % 2) ^ (X["x"] > 1.0), return_inverse=True)[1]
    y = labels.astype(str) if crosses == "auto" else y
    model = nk.CPML(max_iter=4, random_state=0, crosses=crosses)
    model.fit_batches(cut(X, y, 50), n_remembered=200)
    kept = nk.CPML(max_iter=4, crosses=crosses)
    kept.fit(model.reference_.table, model.reference_.labels)
    names = list(model.categories_)
    assert names[3:] == (["few x x"] if crosses == "auto" else ["word x few"])
    assert len(model.categories_[names[3]]) == len(kept.categories_[names[3]])
    assert model.n_samples_seen_ == 400
    assert model.transform(X).shape[0] == 400


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_with_room_for_all_rows_it_is_fit(settings):
    X, y = rows()
    model = nk.CPML(max_iter=8, random_state=0, **settings)
    found = model.fit_batches(cut(X, y, 50))
    wanted = nk.CPML(max_iter=8, random_state=0, **settings).fit(X, y)
    np.testing.assert_array_equal(found.metric_, wanted.metric_)
    np.testing.assert_array_equal(found.transform(X), wanted.transform(X))
    assert found.categories_ == wanted.categories_
    assert found.classes_.tolist() == wanted.classes_.tolist()
    assert (found.objective_, found.n_samples_seen_) == (wanted.objective_, 120)


def test_histograms_see_all_rows_however_few_are_remembered():
    X, y = rows(900)
    found = nk.CPML(max_iter=3).fit_batches(
        lambda: iter(cut(X, y, 100)), n_remembered=60
    )
    wanted = nk.CPML(max_iter=3).fit(X, y)
    assert len(found.reference_) == 60
    assert found.class_count_.tolist() == np.unique(y, return_counts=True)[1].tolist()
    for mine, theirs in zip(
        found.projection_.tables, wanted.projection_.tables, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_the_second_pass_takes_steps_on_batches():
    X, y = rows(3000)
    reads = itertools.count()

    def source():
        next(reads)
        return iter(cut(X, y, 300))

    settings = {"solver": "stochastic", "max_iter": 20, "random_state": 0}
    found = nk.CPML(**settings).fit_batches(source, n_remembered=900)
    wanted = nk.CPML(**settings, strength=found.strength_).fit(X, y)
    assert next(reads) == 2
    assert found.objective_ == pytest.approx(wanted.objective_, rel=0.1)
    again = nk.CPML(**settings).fit_batches(source, n_remembered=900)
    np.testing.assert_array_equal(found.metric_, again.metric_)


def test_soft_neighbours_take_steps_on_batches_too():
    X, y = rows(3000)
    reads = itertools.count()

    def source():
        next(reads)
        return iter(cut(X, y, 300))

    settings = {"constraints": "neighbors", "max_iter": 5, "random_state": 0}
    found = nk.CPML(**settings).fit_batches(source, n_remembered=300)
    assert next(reads) == 2
    again = nk.CPML(**settings).fit_batches(source, n_remembered=300)
    np.testing.assert_array_equal(found.metric_, again.metric_)
    wanted = nk.CPML(**settings, strength=found.strength_).fit(X, y)
    assert found.objective_ == pytest.approx(wanted.objective_, rel=0.1)


@pytest.mark.parametrize("scope", ["local", 300])
def test_other_rules_learn_from_the_sample_alone(scope):
    X, y = rows(600)
    once = iter(cut(X, y, 100))
    model = nk.CPML(scope=scope, max_iter=5, random_state=0, solver="stochastic")
    model.fit_batches(lambda: once, n_remembered=150)
    assert (model.n_samples_seen_, len(model.reference_)) == (600, 150)
    assert np.isfinite(model.transform(X)).all()


def test_batches_that_come_once_only_are_found_out():
    X, y = rows(3000)
    once = iter(cut(X, y, 300))
    model = nk.CPML(solver="stochastic", max_iter=20)
    with pytest.raises(ValueError, match="no row when the batches were read for the s"):
        model.fit_batches(lambda: once, n_remembered=900)
    with pytest.raises(TypeError, match="can be read only once"):
        model.fit_batches(iter(cut(X, y, 300)))


@pytest.mark.parametrize("projection", ["cooccurrence", "vdm+cooccurrence"])
def test_pairs_of_columns_are_not_counted(projection):
    with pytest.raises(ValueError, match="batches are counted column by column"):
        nk.CPML(projection=projection).fit_batches(cut(*rows(), 50))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ([], "the batches hold no row"),
        ([([[1], [2]], ["a", "a"])], "the batches hold only 'a'"),
        ([([[1], [2]], ["a", "b"]), ([[1]], [2.5])], "Batch 1: Unknown label type"),
    ],
)
def test_nothing_to_learn_from(source, words):
    with pytest.raises(ValueError, match=words):
        nk.CPML().fit_batches(source)


def test_remembering_needs_a_number():
    with pytest.raises(ValueError, match="'n_remembered' parameter of CPML"):
        nk.CPML().fit_batches([], n_remembered=0)


def test_another_map_gives_the_same():
    from concurrent.futures import ThreadPoolExecutor

    X, y = rows()
    with ThreadPoolExecutor(2) as pool:
        found = nk.CPML(max_iter=5).fit_batches(cut(X, y, 25), map=pool.map)
    wanted = nk.CPML(max_iter=5).fit(X, y)
    np.testing.assert_array_equal(found.metric_, wanted.metric_)


class TestClassifier:
    def test_with_room_for_all_rows_it_is_fit(self):
        X, y = rows()
        found = nk.CPMLClassifier(nk.CPML(max_iter=5)).fit_batches(cut(X, y, 50))
        wanted = nk.CPMLClassifier(nk.CPML(max_iter=5)).fit(X, y)
        np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
        assert (found.n_remembered_, found.n_samples_seen_) == (120, 120)

    @pytest.mark.filterwarnings("default::nearkind.errors.RememberedRowsWarning")
    def test_it_says_how_many_rows_vote_and_weighs_them(self):
        X, y = rows(900)
        y = np.where(np.arange(900) % 9 == 0, "rare", "common")
        model = nk.CPMLClassifier(nk.CPML(max_iter=3), n_neighbors=60)
        with pytest.warns(RememberedRowsWarning, match="remembers 60 of 900 rows"):
            model.fit_batches(cut(X, y, 100), n_remembered=60)
        assert model.predict_proba(X)[0] == pytest.approx([8 / 9, 1 / 9])

    def test_baselines_learn_from_whole_tables(self):
        with pytest.raises(TypeError, match="Hamming requires the whole table"):
            nk.CPMLClassifier(nk.baselines.Hamming()).fit_batches(cut(*rows(), 50))
