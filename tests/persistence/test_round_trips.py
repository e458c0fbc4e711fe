"""What is loaded is what was saved: the same answers, to the last bit."""

import dataclasses
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import nearkind as nk
from helpers.model_files import (
    assert_same,
    assert_same_answers,
    loaded,
    mixed_table,
    saved,
)
from nearkind.encoding.codebook import Codebook
from nearkind.search.candidates import Candidate
from nearkind.voting import ConformalScores

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
    "ignore::nearkind.errors.NearlyUniqueWarning",
)
QUICK = {"max_iter": 5, "tol": 1e-2}
SETTINGS = [
    {"structure": "multi", "p": np.inf},
    {"structure": "diagonal", "smoothing": "auto", "cross_fit": True},
    {"structure": "full", "projection": "onehot", "constraints": "neighbors"},
    {"projection": "vdm+onehot", "structure": "full", "powered": True, "p": 2},
    {"projection": "cooccurrence", "constraints": "pairs"},
    {"projection": "vdm+cooccurrence", "scope": "local", "missing": "prior"},
    {"numeric": "scale", "scope": 50, "random_state": 3, "unseen": "error"},
    {"numeric": "category", "strength": 1e9},
    {"crosses": [("flag", "höhe"), ["色", "noise"]], "projection": "onehot"},
    {"crosses": 2, "missing": "prior"},
    {"crosses": "auto"},
    {"solver": "paper"},
]


def round_trip(model):
    """Return the model loaded; saved again, it is the same file."""
    data = saved(model)
    again = loaded(data)
    assert saved(again) == data
    assert_same(model, again, type(model).__name__)
    return again


@pytest.mark.filterwarnings("ignore:The learned metric is zero")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_learned_distance_of_any_kind(settings):
    X, y = mixed_table()
    model = nk.CPML(**{**QUICK, **settings}).fit(X, y)
    assert_same_answers(model, round_trip(model), *mixed_table())


@pytest.mark.filterwarnings("ignore:.* learned nothing", "ignore:Fewer")
@pytest.mark.parametrize("name", nk.baselines.all())
def test_a_classifier_over_any_distance(name):
    X, y = mixed_table()
    model = nk.CPMLClassifier(nk.baselines.all()[name](), weights="distance").fit(X, y)
    again = round_trip(model)
    query = mixed_table(seed=7)
    assert_same_answers(model, again, *query)
    assert_same_answers(model.distance_, again.distance_, *query)
    assert_same_answers(model.metric_, again.metric_, *query)
    assert_same(again.get_params().keys(), model.get_params().keys())


@pytest.mark.filterwarnings("ignore:.* learned nothing", "ignore:Fewer")
@pytest.mark.parametrize("name", nk.baselines.all())
def test_a_distance_alone(name):
    X, y = mixed_table(30)
    model = nk.baselines.all()[name]().fit(X, y)
    assert_same_answers(model, round_trip(model), *mixed_table(30, seed=7))


@pytest.mark.parametrize(
    "candidates",
    [
        [nk.baselines.Hamming(), nk.CPML(**QUICK)],
        (Candidate("own", nk.CPML(**QUICK), ("5%", 0.01)), nk.baselines.Euclidean()),
    ],
    ids=["list", "candidates"],
)
def test_a_search(candidates):
    X, y = mixed_table()
    search = nk.CPMLClassifierCV(candidates, n_neighbors=range(1, 6, 2), cv=2)
    again = round_trip(search.fit(X, y))
    assert_same_answers(search, again, *mixed_table(seed=7))
    assert again.best_params_ == search.best_params_


@pytest.mark.parametrize("max_members", [1, 3])
def test_a_search_that_is_not_calibrated(max_members):
    X, y = mixed_table(40)
    search = nk.CPMLClassifierCV(
        ["hamming", "euclidean"], cv=2, calibrate=False, max_members=max_members
    ).fit(X, y)
    again = round_trip(search)
    assert_same(search.predict_set(X, 0.5), again.predict_set(X, 0.5))
    assert_same_answers(search, again, *mixed_table(40, seed=7))


def test_scores_in_single_precision_are_saved():
    X, y = mixed_table(40)
    search = nk.CPMLClassifierCV(["hamming"], cv=2, calibrate=False).fit(X, y)
    shares = np.array([[0.25, 0.5, 0.25]] * 3, dtype=np.float32)
    single = ConformalScores.of(shares, np.arange(3), np.ones(3))
    search.committee_ = dataclasses.replace(search.committee_, conformal=single)
    np.testing.assert_array_equal(
        loaded(saved(search)).conformal_scores_.scores, [0.5, 0.75, 0.75]
    )


def test_a_search_of_the_default_family():
    X, y = mixed_table(40)
    search = nk.CPMLClassifierCV(cv=2, time_budget=0.001).fit(X, y)
    again = round_trip(search)
    assert again.refused_ == search.refused_
    assert again.candidates is None


@pytest.mark.parametrize("numeric", ["auto", "scale"])
def test_adult_with_its_numbers(real_set, numeric):
    data, n_rows = real_set("adult"), 1_000
    X = data.X.iloc[:n_rows].copy()
    for name in ("age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week"):
        X[name] = pd.to_numeric(X[name])
    y = data.y.iloc[:n_rows]
    model = nk.CPMLClassifier(nk.CPML(**QUICK, numeric=numeric)).fit(X, y)
    assert_same_answers(model, round_trip(model), X[::10], y[::10])


def test_mushroom_with_its_gaps(real_set):
    data = real_set("mushroom")
    X, y = data.X.iloc[::8], data.y.iloc[::8]
    assert X.isna().any(axis=None)
    model = nk.CPMLClassifier(nk.CPML(**QUICK)).fit(X, y)
    assert_same_answers(model, round_trip(model), X, y)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "bool", "M8[D]", "<U9"])
def test_classes_keep_their_type(dtype):
    X = pd.DataFrame({"a": list("xyxy")})
    y = np.array([0, 1, 0, 1]).astype(dtype)
    model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1).fit(X, y)
    again = round_trip(model)
    assert again.classes_.dtype == np.dtype(dtype)
    assert_same(model.predict(X), again.predict(X))


def test_names_and_rows_that_do_not_vote_are_kept():
    X, y = mixed_table()
    X.columns = pd.MultiIndex.from_tuples([("a", i) for i in range(X.shape[1])])
    weights = np.arange(len(y)) % 3
    model = nk.CPMLClassifier(nk.CPML(**QUICK)).fit(X, y, sample_weight=weights)
    again = round_trip(model)
    assert again.kneighbors(X, 2)[1].min() > 0
    assert list(again.categories_) == list(X.columns)


LABELS = st.recursive(
    st.one_of(
        st.text(st.characters(codec=None, exclude_categories=())),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False),
        st.booleans(),
        st.binary(),
        st.decimals(allow_nan=False),
        st.fractions(),
    ),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=4,
)


@given(values=st.lists(LABELS, min_size=2, max_size=8, unique=True))
@pytest.mark.filterwarnings("ignore::nearkind.errors.MixedValuesWarning")
def test_values_keep_their_types(values):
    X = [[value] for value in values]
    model = nk.baselines.Hamming(numeric="category").fit(X)
    again = loaded(saved(model))
    assert_same(again.codebook_.values(0), model.codebook_.values(0))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_one_and_its_likes_are_told_apart():
    X = [[1, "1"], [True, True], [1.0, b"1"], [None, (1, None)], [Decimal("1.50"), 2]]
    model = nk.baselines.Hamming(numeric="category").fit(X)
    values = loaded(saved(model)).codebook_.features_
    assert [list(map(repr, f.values)) for f in values] == [
        ["1", "Decimal('1.50')", "None"],
        ["True", "2", "'1'", "b'1'", "(1, None)"],
    ]
    X = [[Fraction(1, 3)], [float("inf")], ["\ud83d"], ["\ude00"], ["\ud83d\ude00"]]
    model = nk.baselines.Hamming(numeric="category").fit(X)
    assert loaded(saved(model)).codebook_.values(0) == model.codebook_.values(0)


@given(
    edges=st.lists(st.floats(-1e300, 1e300), unique=True, max_size=6),
    has_missing=st.booleans(),
)
def test_columns_of_numbers_keep_their_edges(edges, has_missing):
    X = [[x] for x in edges] + [[0.0]] + [[None]] * has_missing
    for numeric in ("bin", "scale"):
        model = nk.baselines.Euclidean(numeric=numeric)
        model.fit([*X, *X], ["a"] * len(X) + ["b"] * len(X))
        again = loaded(saved(model))
        assert_same(again.codebook_, model.codebook_)
        np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_what_was_loaded_can_be_fitted_again():
    X, y = mixed_table()
    other, labels = mixed_table(seed=3)
    for model in (
        nk.CPML(**QUICK, warm_start=True),
        nk.CPMLClassifier(nk.CPML(**QUICK)),
        nk.CPMLClassifierCV([nk.baselines.Hamming()], cv=2),
    ):
        again = loaded(saved(model.fit(X, y)))
        assert repr(clone(again)) == repr(clone(model))
        model.fit(other, labels)
        again.fit(other, labels)
        assert_same_answers(model, again, other, labels)


def test_output_as_a_frame_is_kept():
    X, y = mixed_table()
    model = nk.baselines.Euclidean().set_output(transform="pandas").fit(X, y)
    pd.testing.assert_frame_equal(round_trip(model).transform(X), model.transform(X))


def test_stated_constraints_without_labels_are_kept():
    X, _ = mixed_table(20)
    model = nk.CPML(projection="onehot", **QUICK)
    model.fit_constraints(X, triplets=[(0, 1, 2), (3, 4, 5)])
    again = round_trip(model)
    assert again.classes_.dtype == object
    assert_same(again.transform(X), model.transform(X))


def test_unseen_values_are_warned_of_again():
    model = nk.baselines.Hamming().fit([["a"], ["b"]])
    with pytest.warns(nk.errors.UnseenValueWarning):
        model.transform([["c"]])
    with pytest.warns(nk.errors.UnseenValueWarning):
        loaded(saved(model)).transform([["c"]])


def test_a_codebook_remembers_its_policies():
    X, y = mixed_table()
    model = nk.CPML(**QUICK, missing="prior", unseen="error", numeric="bin").fit(X, y)
    assert repr(loaded(saved(model)).codebook_) == repr(
        Codebook(missing="prior", unseen="error", numeric="bin")
    )


def test_another_process_without_pandas_says_the_same(tmp_path):
    X, y = mixed_table()
    model = nk.CPMLClassifier(nk.CPML(**QUICK)).fit(X, y)
    nk.save(model, tmp_path / "model.nearkind")
    rows = [list(row) for row in X.astype(object).where(X.notna(), None).values]
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import nearkind as nk\n"
        f"model = nk.load({str(tmp_path / 'model.nearkind')!r})\n"
        f"print(model.predict_proba({rows!r}).tobytes().hex())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == model.predict_proba(X).tobytes().hex()


@pytest.mark.parametrize("temperature", ["auto", 0.5, 1e300])
def test_soft_votes_keep_their_temperature(temperature):
    X, y = mixed_table()
    model = nk.CPMLClassifier(
        nk.baselines.Hamming(), weights="soft", temperature=temperature
    )
    model.fit(X, y)
    again = round_trip(model)
    assert again.temperature_ == model.temperature_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
