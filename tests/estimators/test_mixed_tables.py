"""Tables of categories and numbers: numeric="scale" in every combination."""

import statistics

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.errors import UnseenValueWarning
from nearkind.estimators import spec

STRUCTURES = list(spec.STRUCTURES)
PROJECTIONS = list(spec.PROJECTIONS)
SCALING = {"euclidean", "discriminant", "forest", "mcml", "rfm"}  # of the baselines

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def mixed_table(n_rows=60, seed=0):
    """Return three columns of categories, two of numbers, and labels."""
    X, y = labelled_table(n_rows, seed)
    rng = np.random.default_rng(seed)
    weight = (y == "ham") * 2.0 + rng.normal(size=n_rows)
    weight[rng.choice(n_rows, 5, replace=False)] = np.nan
    steps = rng.integers(0, 9, n_rows)
    return X.drop(columns="tone").assign(weight=weight, steps=steps), y


X, Y = mixed_table()
NUMBERS = ["weight", "steps"]


def quick(**settings):
    return nk.CPML(**{"max_iter": 4, "numeric": "scale", **settings})


def standardised(column):
    """Return deviations from the mean, a missing number at zero."""
    known = column.dropna().tolist()
    mean, spread = statistics.fmean(known), statistics.pstdev(known)
    return ((column - mean) / spread).fillna(0.0).to_numpy()


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_combination_learns_a_metric(structure, projection):
    model = quick(structure=structure, projection=projection).fit(X, Y)
    D = model.pairwise_distances(X)
    assert np.isfinite(D).all()
    assert (D >= 0.0).all()
    np.testing.assert_array_equal(D, D.T)
    assert (np.diag(D) == 0.0).all()
    assert np.linalg.eigvalsh(model.metric_).min() >= -1e-12
    assert model.feature_relevance_.sum() == pytest.approx(1.0)
    parts = model.explain(X.iloc[0], X.iloc[1])
    assert parts["contribution"].sum() == pytest.approx(D[0, 1] ** 2, abs=1e-9)


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_numbers_alone_make_a_metric(structure, projection):
    numbers = X[NUMBERS]
    model = quick(structure=structure, projection=projection).fit(numbers, Y)
    assert np.isfinite(model.transform(numbers)).all()
    assert model.rank_ >= 1


def test_without_learning_standardised_differences_are_added():
    categories = X.drop(columns=NUMBERS)
    histograms = nk.baselines.Euclidean().fit(categories, Y)
    expected = histograms.pairwise_distances(categories, squared=True)
    for name in NUMBERS:
        z = standardised(X[name])
        expected = expected + (z[:, None] - z[None]) ** 2
    model = nk.baselines.Euclidean(numeric="scale").fit(X, Y)
    found = model.pairwise_distances(X, squared=True)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_vector_of_a_number_is_linear_in_it(structure):
    model = quick(structure=structure).fit(X, Y)
    values = model.categories_["weight"]
    assert values[-1] is None
    assert values[:-1] == sorted(X["weight"].dropna())
    vectors, x = model.value_vectors_["weight"], np.array(values[:-1])
    share = ((x - x[0]) / (x[-1] - x[0]))[:, None]
    straight = vectors[0] + share * (vectors[-2] - vectors[0])
    np.testing.assert_allclose(vectors[:-1], straight, atol=1e-9)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_the_unit_of_a_number_does_not_matter(projection):
    plain = quick(projection=projection).fit(X, Y)
    turned = X.assign(weight=1000.0 - 40.0 * X["weight"], steps=X["steps"] / 7.0)
    other = quick(projection=projection).fit(turned, Y)
    np.testing.assert_allclose(
        other.pairwise_distances(turned), plain.pairwise_distances(X), atol=1e-6
    )


def test_odd_numbers_stand_where_they_are_said_to():
    model = quick().fit(X, Y)
    row = X.iloc[[0]]
    ends = X["weight"].min(), X["weight"].max()
    odd = pd.concat([row] * 5, ignore_index=True)
    odd["weight"] = [-np.inf, ends[0], ends[1], 1e300, np.inf]
    D = model.pairwise_distances(odd)
    assert D[0, 1] == D[2, 3] == D[3, 4] == 0.0
    assert D[1, 2] > 0.0
    mean = row.assign(weight=X["weight"].mean())
    missing = row.assign(weight=np.nan)
    nearest = np.diff(np.sort(X["weight"].dropna())).max()
    scale = D[1, 2] / (ends[1] - ends[0])
    assert model.pairwise_distances(mean, missing)[0, 0] <= scale * nearest


def test_a_missing_number_that_fit_did_not_see_is_told_of():
    model = quick().fit(X, Y)
    with pytest.warns(UnseenValueWarning, match="'steps' has 1 value not seen"):
        U = model.transform(X.assign(steps=np.where(X.index < 3, np.nan, X["steps"])))
    assert np.isfinite(U).all()


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_columns_of_numbers_that_say_nothing_are_harmless(projection):
    table = X.assign(constant=0.1, empty=np.nan, endless=np.inf)
    model = quick(projection=projection).fit(table, Y)
    assert np.isfinite(model.transform(table)).all()
    relevance = dict(zip(table, model.feature_relevance_, strict=True))
    assert relevance["constant"] == pytest.approx(0.0, abs=1e-12)


def test_words_where_numbers_were_are_refused():
    model = quick().fit(X, Y)
    with pytest.raises(ValueError, match="'steps' held numbers in fit, but now holds"):
        model.transform(X.assign(steps="many"))


def test_numbers_serve_stated_constraints():
    model = quick(projection="onehot").fit_constraints(X, triplets=[[0, 1, 2]])
    assert np.isfinite(model.transform(X)).all()


def test_numbers_serve_a_classifier():
    model = nk.CPMLClassifier(quick(max_iter=30)).fit(X, Y)
    new, labels = mixed_table(seed=1)
    assert model.score(new, labels) > 0.5


def test_too_many_categories_are_blamed_and_not_the_numbers():
    n = 2_000
    table = pd.DataFrame({f"id{k}": np.arange(n) % (800 + k) for k in range(10)})
    table = table.astype(str).assign(x=np.arange(n))
    with pytest.raises(ValueError, match="Column 'id9' has the most values, 809"):
        quick(projection="onehot").fit(table, np.arange(n) % 2)


@pytest.mark.parametrize("name", nk.baselines.all())
def test_baselines_scale_numbers_or_say_that_they_do_not(name):
    model = nk.baselines.all()[name](numeric="scale")
    if name in SCALING:
        assert np.isfinite(model.fit(X, Y).pairwise_distances(X)).all()
        return
    words = f"'numeric' parameter of {type(model).__name__} must be "
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)


@pytest.mark.parametrize("numeric", ["auto", "bin", "scale"])
def test_dates_are_refused_in_fit_and_later(numeric):
    dated = X.assign(noise=pd.Timestamp("2020-02-03"))
    with pytest.raises(TypeError, match="'noise' holds dates, such as '2020-02-03'"):
        quick(numeric=numeric).fit(dated, Y)
    model = quick(numeric=numeric).fit(X, Y)
    with pytest.raises(TypeError, match="'noise' holds dates"):
        model.transform(dated)
