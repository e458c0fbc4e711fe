"""Why a row has its class: votes of rows, and effects of columns by a slow oracle."""

import re
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nearkind as nk
from helpers.committees import with_members
from helpers.estimator_tables import labelled_table
from helpers.racers import few
from nearkind.voting.explanation import explain_prediction

X, y = labelled_table(60)
QUERY, _ = labelled_table(8, seed=9)
QUICK = nk.CPML(tol=0.05, max_iter=30)
VOTES = ["uniform", "distance", "soft"]
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


def worth_of(committee, row, subset):
    """Return the probabilities if training rows have a row's values elsewhere."""
    shares = []
    for voter in committee.voters:
        own, codes = voter.encode(row), voter.rows.codes.copy()
        for d, name in enumerate(voter.distance.codebook.feature_names):
            if name not in subset:
                codes[:, d] = own[0, d]
        shares.append(voter.with_rows(replace(voter.rows, codes=codes)).shares(own)[0])
    return committee.probabilities(np.mean(shares, axis=0)[None])[0]


def gains(committee, row):
    """Return the mean gain of each feature over all orders, the slow way."""
    names = committee.feature_names
    total = np.zeros((len(names), len(committee.classes)))
    orders = list(permutations(range(len(names))))
    worth = {
        subset: worth_of(committee, row, {names[d] for d in subset})
        for size in range(len(names) + 1)
        for subset in map(frozenset, combinations(range(len(names)), size))
    }
    for order in orders:
        for i, d in enumerate(order):
            before = frozenset(order[:i])
            total[d] += worth[before | {d}] - worth[before]
    return total / len(orders), worth[frozenset()]


def assert_contributions(committee, row):
    parts, base = committee.contributions(row)
    wanted, wanted_base = gains(committee, row)
    np.testing.assert_allclose(parts[0], wanted, atol=1e-5)
    np.testing.assert_allclose(base[0], wanted_base, atol=1e-9)


METRICS = [QUICK, nk.baselines.Hamming(), nk.baselines.Lin()]


@pytest.mark.parametrize("weights", VOTES)
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
def test_contributions_are_the_mean_gain_over_all_orders(metric, weights):
    model = nk.CPMLClassifier(metric, weights=weights).fit(X, y)
    for i in range(2):
        assert_contributions(model.committee_, QUERY.iloc[[i]])


def test_contributions_of_several_voters_are_those_of_their_calibrated_mean():
    model = few(max_members=3, n_jobs=1).fit(X, y)
    hamming = nk.CPMLClassifier("hamming").fit(X, y)
    crossed = nk.CPMLClassifier(nk.CPML(crosses=[("shape", "size")], tol=0.05))
    members = [*model.members_, hamming, crossed.fit(X, y)]
    committee = with_members(model, members).committee_
    assert committee.feature_names == [*X.columns, "shape x size"]
    assert_contributions(committee, QUERY.iloc[[2]])
    assert "shape x size" in list(
        explain_prediction(committee, QUERY.iloc[2]).effects["feature"]
    )


@pytest.mark.parametrize("n_features", [4, 12])
def test_contributions_add_up_to_the_probability(n_features):
    rng = np.random.default_rng(n_features)
    table = pd.DataFrame(rng.choice(list("abc"), (50, n_features))).add_prefix("c")
    labels = np.where(table["c0"] == table["c1"], "same", table["c2"])
    model = nk.CPMLClassifier("hamming").fit(table, labels)
    for to in (None, "b"):
        found = model.explain_rows(table, to=to)
        p = model.predict_proba(table)
        p = p.max(axis=1) if to is None else p[:, list(model.classes_).index(to)]
        np.testing.assert_allclose(found["probability"], p, atol=1e-12)
        parts = found[["base value", *table.columns]].sum(axis=1)
        np.testing.assert_allclose(parts, p, atol=1e-12)
    assert found["predicted"].tolist() == model.predict(table).tolist()
    reversed_rows = model.explain_rows(table[::-1], to="b")
    assert reversed_rows[::-1].reset_index(drop=True).equals(found)


def test_rows_are_explained_in_the_library_that_they_came_in():
    model = nk.CPMLClassifier("hamming").fit(pl.from_pandas(X), y)
    found = model.explain_rows(pl.from_pandas(QUERY))
    assert found.columns[3:] == list(X.columns)
    named = X.rename(columns={"shape": "predicted"})
    found = nk.CPMLClassifier("hamming").fit(named, y).explain_rows(named[:1])
    assert list(found.columns[:4]) == [
        "predicted_", "probability", "base value", "predicted"
    ]  # fmt: skip
    with pytest.raises(ValueError, match="'nothing' is none of the classes"):
        model.explain_rows(QUERY, to="nothing")


@pytest.mark.parametrize("weights", VOTES)
def test_neighbors_have_their_votes(weights):
    model = nk.CPMLClassifier(QUICK, n_neighbors=3, weights=weights).fit(X, y)
    row = QUERY.iloc[0]
    found = model.explain(row, n_neighbors=60)
    distances, rows = model.kneighbors(QUERY.iloc[[0]], 60)
    near = found.neighbors
    assert near["row"].tolist() == rows[0].tolist()
    np.testing.assert_allclose(near["distance"], distances[0])
    assert near["vote"].sum() == pytest.approx(1.0)
    assert (near["vote"] >= 0.0).all()
    assert (
        list(model.explain(row, n_neighbors=100).neighbors["row"]) == rows[0].tolist()
    )


def test_what_an_explanation_holds():
    model = nk.CPMLClassifier(QUICK).fit(X, y)
    row = QUERY.iloc[3]
    found = model.explain(row)
    p = dict(zip(model.classes_, model.predict_proba(QUERY.iloc[[3]])[0], strict=True))
    assert found.predicted == model.predict(QUERY.iloc[[3]])[0]
    assert found.probabilities == pytest.approx(p)
    assert list(found.probabilities.values()) == sorted(p.values(), reverse=True)
    sizes = found.effects[f"for {found.predicted}"].abs()
    assert (np.diff(sizes) <= 0.0).all()
    first = int(found.neighbors["row"][0])
    beside = found.values.set_index("feature")
    assert beside["row"].to_dict() == row.to_dict()
    assert beside[f"row {first}"].to_dict() == X.iloc[first].to_dict()
    said = repr(found)
    told = f"Class {found.predicted!r}: ", f"for {found.predicted}", "base value", "%"
    for words in (*told, "by CPML(", "Contribution of each column", "shape", "vote"):
        assert words in said


def test_a_notebook_shows_the_same_as_tables():
    hostile = X.assign(noise="<b>x</b>")
    found = nk.CPMLClassifier("hamming").fit(hostile, y).explain(hostile.iloc[0])
    html = found._repr_html_()
    assert html.count("<table>") == 2
    assert "base value" in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "<b>" not in html


def test_the_text_of_many_columns_and_classes_is_short():
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 2, (60, 30)).astype(str)
    labels = rng.integers(0, 7, 60)
    said = repr(nk.CPMLClassifier("hamming").fit(wide, labels).explain(wide[0]))
    assert "18 more" in said
    assert said.count("for ") == 4
    assert "not learned" in said


def test_rows_of_every_kind_and_frames_as_they_came():
    model = nk.CPMLClassifier(QUICK).fit(X, y)
    wanted = model.explain(QUERY.iloc[0])
    for row in (QUERY.iloc[[0]], QUERY.iloc[0].to_dict(), QUERY.iloc[0].tolist()):
        assert repr(model.explain(row)) == repr(wanted)
    frame = pl.from_pandas(QUERY)
    found = model.explain(frame[0])
    assert isinstance(found.neighbors, pl.DataFrame)
    assert isinstance(found.effects, pl.DataFrame)
    assert repr(found) == repr(wanted)
    with pytest.raises(
        ValueError, match=r"Expected one row, got a table of 8.*explain_rows"
    ):
        model.explain(QUERY)


def test_two_rows_are_explained_as_by_the_distance():
    for metric in (QUICK, "hamming"):
        model = nk.CPMLClassifier(metric).fit(X, y)
        found = model.explain(X.iloc[0], X.iloc[1])
        wanted = model.distance_.explain(X.iloc[0], X.iloc[1])
        assert found.equals(wanted)
    parts = found["contribution"]
    assert parts.sum() == pytest.approx(
        model.distance_.pairwise_distances(X.iloc[[0]], X.iloc[[1]])[0, 0]
    )


def test_values_that_fit_did_not_see():
    model = nk.CPMLClassifier(QUICK).fit(X, y)
    row = {"shape": "torus", "size": "s", "tone": "low", "noise": "a"}
    found = model.explain(row)
    assert "torus" in list(found.effects["value"])
    assert np.isfinite(found.effects[f"for {found.predicted}"]).all()


def test_columns_that_say_the_same_share_their_contribution():
    rows = [[a, a] for a in "xxxyyy"]
    model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(rows, list("000111"))
    found = model.explain(["x", "x"])
    assert found.base == {"0": 0.5, "1": 0.5}
    assert found.effects["for 0"].tolist() == [0.25, 0.25]
    assert found.neighbors["differs"].tolist()[:4] == ["nothing"] * 3 + ["x0, x1"]


def test_numbers_are_shown_as_they_are_and_effects_with_a_sign():
    table = pd.DataFrame({"age": [17.0, 56.0] * 6, "height": [1.25] * 12})
    said = repr(nk.CPMLClassifier("hamming").fit(table, [0, 1] * 6).explain(table[:1]))
    assert re.search(r"^age +17 +\+", said, re.MULTILINE)
    assert re.search(r"^height +1.25 +0 +0$", said, re.MULTILINE)
