"""The laws of a distance on rows, over every one there is."""

import warnings

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.distances import MismatchWeights, PairTables

DISTANCES = {"cpml": nk.CPML} | nk.baselines.all()
FEW = 20  # iterations
INFINITE = {"lin", "lin1"}  # where rows have nothing in common
NOT_ZERO = {"goodall1", "goodall2", "goodall3", "goodall4", "smirnov", "gambaryan"}
"""Frequency measures by which equal rows of frequent values are not quite alike."""
SKIPPING = {"gower", "unbiased", "ocl"}
"""Distances that leave missing cells out."""
every_distance = pytest.mark.parametrize("name", DISTANCES)
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0].replace({"noise": {"c": "never seen"}})
ONE_FEATURE = X[["shape"]]
CONSTANT = X.assign(noise="always")
ONCE = X.assign(noise=[f"only row {i}" for i in range(len(X))])
BINARY = X[["tone"]].assign(size=np.where(X["size"] == "s", "small", "other"))


def fresh(name):
    """Return an unfitted distance, with the one seed there may be."""
    fixed = {"random_state": 0, "max_iter": FEW, "n_bits": 8, "n_triplets": 200}
    model = DISTANCES[name]()
    known = model.get_params()
    return model.set_params(**{k: fixed[k] for k in fixed if k in known})


def fitted(name, table=X):
    return fresh(name).fit(table, Y)


def is_zero_on_equal_rows(model):
    return type(model).__name__.lower() not in NOT_ZERO


@pytest.fixture(scope="module", params=DISTANCES)
def distance(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fitted(request.param)


def assert_lawful(model, table):
    D = model.pairwise_distances(table)
    np.testing.assert_array_equal(D, D.T)
    assert not np.isnan(D).any()
    assert (D >= 0.0).all()
    assert not is_zero_on_equal_rows(model) or (np.diag(D) == 0.0).all()
    return D


def test_symmetric_non_negative_and_zero_on_equal_rows(distance):
    assert np.isfinite(assert_lawful(distance, NEW)).all()


def test_zero_on_equal_rows_is_not_denied_in_vain(distance):
    if not is_zero_on_equal_rows(distance):
        assert (np.diag(distance.pairwise_distances(X)) > 0.0).any()


def test_pairwise_is_compare_on_what_represent_makes(distance):
    form = distance.distance_
    rows, new = (form.represent(form.encode(table)) for table in (X, NEW))
    np.testing.assert_allclose(
        form.compare(new, rows), distance.pairwise_distances(NEW, X), atol=1e-12
    )


def test_rows_may_be_compared_a_few_at_a_time(distance):
    form = distance.distance_
    rows = form.represent(form.encode(X))
    few = form.compare(rows[np.array([7, 3])], rows[5:9])
    assert len(rows) == len(X)
    np.testing.assert_allclose(few, form.compare(rows, rows)[[7, 3], 5:9], atol=1e-12)


def test_one_table_is_the_table_against_itself(distance):
    np.testing.assert_allclose(
        distance.pairwise_distances(NEW),
        distance.pairwise_distances(NEW, NEW),
        atol=1e-7,
    )


def test_triplet_accuracy_is_the_share_of_distances_in_order(distance):
    D = distance.pairwise_distances(X)
    scores = []
    for i in range(len(Y)):
        near = np.delete(D[i], i)[np.delete(Y, i) == Y[i]]
        far = D[i, Y[i] != Y]
        apart = far[None, :] - near[:, None]
        scores.append(np.where(np.abs(apart) < 1e-9, 0.5, apart > 0.0).ravel())
    assert distance.triplet_accuracy(X, Y) == pytest.approx(
        np.concatenate(scores).mean(), abs=1e-3
    )


@pytest.mark.covering(1)
@every_distance
@pytest.mark.filterwarnings("ignore:.*learned nothing")
@pytest.mark.parametrize("table", [ONE_FEATURE, CONSTANT, ONCE, BINARY], ids=len)
def test_laws_hold_on_odd_tables(name, table):
    model = fitted(name, table)
    strange = pd.DataFrame({column: ["never", None] for column in table})
    rows = pd.concat([table, strange], ignore_index=True)
    D = assert_lawful(model, rows)
    assert np.isfinite(D).all() or name in INFINITE


@every_distance
def test_missing_cells_may_have_no_level(name):
    missing = "skip" if name in SKIPPING else "prior"
    model = fresh(name).set_params(missing=missing).fit(X, Y)
    D = assert_lawful(model, X)
    assert np.isfinite(D).all() or name in INFINITE


@every_distance
def test_fitting_again_forgets(name):
    model = fitted(name, BINARY).fit(X, Y)
    np.testing.assert_allclose(
        model.pairwise_distances(NEW), fitted(name).pairwise_distances(NEW), atol=1e-12
    )


def test_over_some_features_rows_differ_in_nothing_else(distance):
    form, codes = distance.distance_, distance.distance_.encode(NEW)
    kept = np.random.default_rng(0).random((6, codes.shape[1])) < 0.5
    kept[0], kept[1] = True, False
    found = form.distances_over(codes[0], codes, kept)
    for distances, subset in zip(found, kept, strict=True):
        changed = np.where(subset, codes, codes[0])
        wanted = form.compare(form.represent(codes[:1]), form.represent(changed))[0]
        np.testing.assert_allclose(distances, wanted, atol=1e-7)
        if is_zero_on_equal_rows(distance):
            assert (distances[(changed == codes[0]).all(axis=1)] == 0.0).all()


def test_contributions_are_none_between_equal_rows(distance):
    form, codes = distance.distance_, distance.distance_.encode(NEW)
    assert not form.contributions(codes[0], codes[0]).any()
    parts = form.contributions(codes[0], codes[1])
    assert parts.shape == codes.shape[1:]
    assert not np.isnan(parts).any()
    d = form.pairwise_distances(NEW)[0, 1]
    if form.has_vectors:
        assert form.contributions_to == "squared distance"
        assert parts.sum() == pytest.approx(d**2, abs=1e-9)
    elif isinstance(form, MismatchWeights | PairTables):
        assert parts.sum() == pytest.approx(d, abs=1e-9)


@pytest.mark.covering(1)
@every_distance
@pytest.mark.parametrize("votes", ["uniform", "distance"])
def test_it_serves_a_classifier(name, votes):
    model = nk.CPMLClassifier(fresh(name), n_neighbors=3, weights=votes)
    shares = model.fit(X, Y).predict_proba(NEW)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert set(model.predict(NEW)) <= set(Y)
    distances, rows = model.kneighbors(NEW)
    D = model.distance_.pairwise_distances(NEW, X)
    np.testing.assert_allclose(
        np.take_along_axis(D, rows, axis=1), distances, atol=1e-7
    )
