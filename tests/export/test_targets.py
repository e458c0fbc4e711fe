"""An export says what Python says."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.export_frames import committee, mixed_adult, odd_frame, real, strangers
from helpers.export_readers import READERS, assert_equal, expected
from helpers.strategies import examples, tables
from nearkind.voting.calibration import Calibration

pytestmark = pytest.mark.filterwarnings(
    "ignore::nearkind.errors.UnseenValueWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.MixedValuesWarning",
    "ignore::nearkind.errors.NearlyUniqueWarning",
    "ignore::nearkind.errors.TimeBudgetWarning",
)
reader = pytest.mark.parametrize("read", READERS.values(), ids=READERS)


def euclidean(**settings):
    return nk.baselines.Euclidean(**settings)


@reader
@pytest.mark.parametrize("numeric", ["auto", "bin", "scale", "category"])
def test_odd_values_and_names(read, numeric, tmp_path):
    X, y = odd_frame()
    model = nk.CPMLClassifier(euclidean(numeric=numeric), n_neighbors=4).fit(X, y)
    rows = pd.concat([X, strangers(X)], ignore_index=True)
    assert_equal(read(model, rows, tmp_path), expected(model, rows))


@cache
def odd_rows():
    X, y = odd_frame()
    return X, y, pd.concat([X, strangers(X)], ignore_index=True)


def member(metric, n_neighbors=3, **settings):
    X, y, _ = odd_rows()
    return nk.CPMLClassifier(metric, n_neighbors=n_neighbors, **settings).fit(X, y)


def learned(structure="single", **settings):
    return nk.CPML(structure, strength="10%", tol=1e-2, **settings)


def three():
    """Distances that code the same table in three ways, and vote in three."""
    return [
        member(learned(numeric="bin"), 5, weights="distance"),
        member(nk.baselines.Hamming(numeric="category")),
        member(euclidean(numeric="scale"), weights="soft"),
    ]


def crossed():
    X, _, _ = odd_rows()
    names = list(X)
    pairs = [(names[0], names[1]), (names[4], names[2])]
    return member(learned(crosses=pairs, numeric="bin"), weights="soft")


CALIBRATION = Calibration(0.4, 0.07, np.array([0.5, 0.2, 0.3]))
MODELS = {
    "single": lambda: member(learned()),
    "full": lambda: member(learned("full"), weights="distance"),
    "Hamming": lambda: member(nk.baselines.Hamming(), 4),
    "Hamming by distance": lambda: member(nk.baselines.Hamming(), weights="distance"),
    "value difference": lambda: member(nk.baselines.ValueDifference()),
    "query": lambda: member(nk.baselines.ValueDifference(weighting="query")),
    "association": lambda: member(nk.baselines.Association(missing="prior")),
    "soft vectors": lambda: member(learned(), weights="soft"),
    "soft tables": lambda: member(nk.baselines.Hamming(), weights="soft"),
    "cold": lambda: member(euclidean(), weights="soft", temperature=1e-12),
    "hot": lambda: member(euclidean(), weights="soft", temperature=1e250),
    "crosses": crossed,
    "committee": lambda: committee(three()),
    "weighted": lambda: committee(three(), CALIBRATION, np.array([0.6, 0.3, 0.1])),
    "calibrated": lambda: committee(three(), CALIBRATION),
    "calibrated sharply": lambda: committee(
        three()[2:], Calibration(8.0, 1e-6, CALIBRATION.prior)
    ),
}


@cache
def of_odd_rows(name):
    model = MODELS[name]()
    return model, expected(model, odd_rows()[2])


@reader
@pytest.mark.parametrize("name", MODELS)
def test_models_of_odd_values(read, name, tmp_path):
    model, wanted = of_odd_rows(name)
    assert_equal(read(model, odd_rows()[2], tmp_path), wanted)


@reader
def test_a_model_as_it_is_searched_for(read, tmp_path):
    model = searched()
    X = odd_rows()[2]
    assert_equal(read(model, X, tmp_path), expected(model, X))


@cache
def searched():
    X, y, _ = odd_rows()
    return nk.CPMLClassifierCV(time_budget=3, random_state=0, forest=False).fit(X, y)


@reader
@pytest.mark.parametrize("missing", ["level", "prior"])
def test_missing_values_of_a_distance(read, missing, tmp_path):
    X, y = labelled_table()
    model = nk.CPML(missing=missing, tol=1e-2).fit(X, y)
    assert_equal(read(model, X, tmp_path), expected(model, X))


@pytest.mark.covering(2)
@reader
@pytest.mark.parametrize("missing", ["level", "prior"])
@pytest.mark.parametrize("crosses", [0, 3, None])
def test_crosses(read, missing, crosses, tmp_path):
    X, y = odd_frame()
    names = list(X)
    pairs = [(names[a], names[b]) for a, b in ((0, 1), (4, 0), (2, 3), (1, 4))]
    metric = nk.CPML(
        missing=missing,
        tol=1e-2,
        max_iter=10,
        crosses=pairs if crosses is None else crosses,
    )
    model = nk.CPMLClassifier(metric, n_neighbors=4).fit(X, y)
    rows = pd.concat([X, strangers(X)], ignore_index=True)
    rng = np.random.default_rng(0)
    for name in names:  # pairs that were not seen
        rows[name] = rows[name].to_numpy()[rng.permutation(len(rows))]
    assert_equal(read(model, rows, tmp_path), expected(model, rows))


@pytest.mark.covering(2)
@reader
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 7, 1_000])
def test_votes_of_rows_that_count_several_times(read, weights, k, tmp_path):
    X, y = labelled_table()
    counts = np.random.default_rng(1).integers(0, 40, len(y)) / 4.0
    model = nk.CPMLClassifier(euclidean(), n_neighbors=k, weights=weights)
    model.fit(X, y, sample_weight=counts)
    assert_equal(read(model, X, tmp_path), expected(model, X))


@reader
@pytest.mark.parametrize("labels", [[False, True], [-3, 10**12], [1.0, 4.0]])
def test_labels_keep_their_type(read, labels, tmp_path):
    X, y = labelled_table(n_classes=2)
    y = np.array(labels)[np.unique(y, return_inverse=True)[1]]
    model = nk.CPMLClassifier(euclidean(), n_neighbors=3).fit(X, y)
    assert_equal(read(model, X, tmp_path), expected(model, X))


@reader
@pytest.mark.parametrize("k", [1, 2])
def test_distances_that_are_nearly_equal_are_tied(read, k, tmp_path):
    X = pd.DataFrame({"a": ["here", "near", "nearly", "further", "far"]})
    metric = euclidean().fit(X, [0, 1, 0, 1, 0])
    order = [metric.categories_["a"].index(value) for value in X["a"]]
    vectors = metric.distance_.tables.vectors[0]
    vectors[:] = 0.0
    vectors[order, 0] = [0.0, 1.0, 1.0 + 1e-9, 1.0 + 1e-5, 5.0]
    model = nk.CPMLClassifier(n_neighbors=k)
    model.fit_over(metric, X[1:], ["p", "q", "r", "p"], sample_weight=[1, 3, 1, 1])
    assert model.predict_proba(X[:1]).tolist() == [[0.25, 0.75, 0.0]]
    assert_equal(read(model, X, tmp_path), expected(model, X))


@reader
@pytest.mark.parametrize("metric", ["hamming", "euclidean"])
@pytest.mark.parametrize("twice", ["a", "b"])
def test_classes_of_equal_soft_votes_are_tied(read, metric, twice, tmp_path):
    others = {"a": "b", "b": "a"}
    rests = [(r, s) for r in "uvw" for s in "klm" if r + s != "vl"]
    rows = [("one", *rest, twice) for rest in rests for _ in range(2)]
    rows += [(x, *rest, others[twice]) for rest in rests for x in ("two", "three")]
    rows += [("new", "u", "k", label) for label in "ab"]  # as far from one as from two
    table = pd.DataFrame(rows, columns=["x", "r", "s", "label"]).sample(
        frac=1.0, random_state=0
    )
    X, y = table.drop(columns="label"), table["label"]
    model = nk.CPMLClassifier(metric, weights="soft", temperature=0.37).fit(X, y)
    queries = pd.DataFrame([("new", r, s) for r in "uvw" for s in "klm"], columns=[*X])
    assert model.predict(queries).tolist() == ["a"] * 9
    np.testing.assert_allclose(model.predict_proba(queries), 0.5, rtol=0.0, atol=1e-12)
    assert_equal(read(model, queries, tmp_path), expected(model, queries))


@reader
def test_a_distance_of_zero_everywhere(read, tmp_path):
    X = pd.DataFrame({"a": ["x", "y"] * 4, "b": ["p", "p", "q", "q"] * 2})
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    model = nk.CPMLClassifier(euclidean(), n_neighbors=3, weights="distance").fit(X, y)
    assert_equal(read(model, X, tmp_path), expected(model, X))


@pytest.mark.parametrize(
    ("name", "n"), [("json", 20), ("duckdb", 4), ("sqlite", 20), ("onnx", 20)]
)
def test_drawn_tables(name, n, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")

    @given(tables())
    @examples(n)
    def law(table):
        texts = table.codes.astype(str).astype(object)
        X = pd.DataFrame(texts, columns=[f"c{d}" for d in range(texts.shape[1])])
        model = nk.CPMLClassifier(euclidean(), n_neighbors=3)
        model.fit(X, table.y, sample_weight=table.weights)
        assert_equal(READERS[name](model, X, folder), expected(model, X))

    law()


REAL = {
    "mushroom": (lambda: real("mushroom", 800), "auto"),
    "car": (lambda: real("car"), "auto"),
    "adult": (lambda: mixed_adult(1_000), "auto"),
    "adult on axes": (lambda: mixed_adult(1_000), "scale"),
}


@cache
def of_real_rows(name):
    """Return a model, rows of which it has learned from half, and what it says."""
    make, numeric = REAL[name]
    X, y = make()
    model = nk.CPMLClassifier(euclidean(numeric=numeric)).fit(X[:-50], y[:-50])
    rows = X[-100:].reset_index(drop=True)
    return model, rows, expected(model, rows)


@pytest.mark.covering(1)
@reader
@pytest.mark.parametrize("name", REAL)
def test_real_sets(read, name, tmp_path):
    model, rows, wanted = of_real_rows(name)
    assert_equal(read(model, rows, tmp_path), wanted)
