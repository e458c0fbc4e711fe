"""CPML with crosses: a pair of columns is one more column, everywhere."""

import warnings

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from nearkind.errors import UnseenValueWarning

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
PROJECTIONS = ["vdm", "onehot", "vdm+onehot", "cooccurrence", "vdm+cooccurrence"]
STRUCTURES = ["single", "multi", "diagonal", "full"]


def table(seed=0, n=160):
    """Return a table whose classes are the exclusive or of a and c, and the classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, (n, 4)), columns=list("abcd")).astype(str)
    X["e"] = rng.choice(["x", "y", None], n)
    return X, (X["a"] != X["c"]).to_numpy().astype(int)


def with_pairs(X, *pairs):
    """Return the table with columns of pairs written out, missing values last."""
    text = X.fillna("~")
    return X.assign(**{f"{a} x {b}": text[a] + " " + text[b] for a, b in pairs})


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_it_is_the_model_of_the_pairs_written_out(projection, structure):
    X, y = table()
    pairs = [("a", "c"), ("e", "b")]
    settings = {"projection": projection, "structure": structure, "max_iter": 5}
    found = nk.CPML(crosses=pairs, **settings).fit(X, y)
    written = with_pairs(X, *pairs)
    wanted = nk.CPML(**settings).fit(written, y)
    np.testing.assert_array_equal(found.metric_, wanted.metric_)
    np.testing.assert_array_equal(found.transform(X), wanted.transform(written))
    np.testing.assert_array_equal(found.feature_relevance_, wanted.feature_relevance_)
    assert list(found.categories_) == list(wanted.categories_)


@pytest.mark.parametrize("missing", ["level", "prior"])
def test_missing_parts(missing):
    X, y = table()
    model = nk.CPML(crosses=[("a", "e")], missing=missing, max_iter=5).fit(X, y)
    pairs = model.categories_["a x e"]
    assert (("0", None) in pairs) == (missing == "level")
    assert len(pairs) == (6 if missing == "level" else 4)
    model.transform(X)


@pytest.mark.parametrize("seed", range(3))
def test_the_pair_that_makes_the_class_is_found(seed):
    X, y = table(seed)
    model = nk.CPML(crosses="auto", max_iter=20).fit(X, y)
    assert list(model.categories_)[5:] == ["a x c"]
    assert model.feature_relevance_.argmax() == 5
    plain = nk.CPML(max_iter=20).fit(X, y)
    assert model.triplet_accuracy(X, y) > plain.triplet_accuracy(X, y)


def test_a_table_still_has_its_own_columns():
    X, y = table()
    model = nk.CPML(crosses=[("a", "c")], max_iter=5).fit(X, y)
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == list("abcde")
    assert len(model.feature_relevance_) == 6
    assert len(model.value_vectors_["a x c"]) == 4
    shuffled = X[list("edcba")]
    np.testing.assert_array_equal(model.transform(shuffled), model.transform(X))
    with pytest.raises(ValueError, match="expecting 5 features"):
        model.transform(X.to_numpy()[:, :4])
    with pytest.raises(ValueError, match="column 'a' is missing"):
        model.transform(with_pairs(X, ("a", "c")).drop(columns="a"))


def test_a_pair_is_explained_as_a_pair():
    X, y = table()
    model = nk.CPML(crosses="auto", max_iter=20).fit(X, y)
    shown = model.explain(X.iloc[0], X.iloc[1])
    pair = shown[shown["feature"] == "a x c"].iloc[0]
    assert pair["a"] == (X["a"][0], X["c"][0])
    total = model.pairwise_distances(X.iloc[:1], X.iloc[1:2], squared=True)[0, 0]
    assert shown["contribution"].sum() == pytest.approx(total)


def test_distances_between_pairs_have_pairs_on_both_sides():
    X, y = table()
    model = nk.CPML(crosses="auto", max_iter=20).fit(X, y)
    distances = model.value_distances("a x c")
    assert distances.index.tolist() == distances.columns.tolist()
    assert distances.loc[("0", "0"), ("1", "1")] < distances.loc[("0", "0"), ("0", "1")]


def test_an_unseen_pair_of_seen_values_is_quiet():
    X, y = table()
    known = X[(X["a"] != "1") | (X["c"] != "1")]
    labels = y[known.index]
    model = nk.CPML(crosses=[("a", "c")], max_iter=5).fit(known, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(X)
    with pytest.warns(UnseenValueWarning, match="'a' has 1 value not seen"):
        model.transform(X.assign(a="9"))


def test_a_path_and_constraints_have_crosses_too():
    X, y = table()
    model = nk.CPML(crosses=2, max_iter=5)
    whole = [m.metric_ for m in model.fit_path(X, y, ["10%", "1%"])]
    assert whole[0].shape == whole[1].shape
    assert "a x c" in model.categories_
    partly = np.where(np.arange(len(y)) % 4, y, -1)
    model.fit_constraints(X, y=partly)
    assert "a x c" in model.categories_
    stated = nk.CPML(crosses=[("a", "c")], projection="onehot", max_iter=5)
    stated.fit_constraints(X, triplets=[(0, 1, 2)])
    assert "a x c" in stated.categories_
    with pytest.raises(ValueError, match="no row has one"):
        stated.set_params(crosses="auto").fit_constraints(X, triplets=[(0, 1, 2)])


def test_neighbours_vote_by_pairs():
    X, y = table(n=300)
    fit, new = slice(0, 200), slice(200, None)
    model = nk.CPMLClassifier(nk.CPML(crosses="auto", max_iter=30))
    assert model.fit(X[fit], y[fit]).score(X[new], y[new]) > 0.95
    assert model.n_features_in_ == 5
    before = model.n_samples_fit_
    assert model.add(X[new], y[new]).n_samples_fit_ == before + 100


def test_a_search_codes_pairs_in_each_fold():
    X, y = table(n=240)
    settings = ("auto", [("a", "c")], [["a", "c"], ["b", "d"]])
    candidates = [nk.CPML(crosses=crosses, max_iter=10) for crosses in settings]
    model = nk.CPMLClassifierCV(candidates, max_members=1, random_state=0)
    model.fit(X, y)
    assert not model.refused_
    assert "a x c" in model.distance_.categories
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("wrong", [True, -1, 1.5, "all", ("a", "b"), [("a",)]])
def test_other_settings_are_refused_in_a_sentence(wrong):
    X, y = table(n=20)
    with pytest.raises(
        ValueError, match="'crosses' parameter of CPML must be a number"
    ):
        nk.CPML(crosses=wrong).fit(X, y)


def test_the_size_of_crosses_counts():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 100, (25_000, 2)).astype(str), columns=["u", "v"])
    model = nk.CPML(projection="onehot", crosses=[("u", "v")])
    with pytest.raises(ValueError, match="Column 'u x v' has the most values"):
        model.fit(X, rng.integers(0, 2, 25_000))
