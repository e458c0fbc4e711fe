"""Why a row has its class: votes of rows, and effects of columns by a slow oracle."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nearkind as nk
from helpers.committees import with_members
from helpers.estimator_tables import labelled_table
from helpers.racers import few

X, y = labelled_table(60)
QUERY, _ = labelled_table(8, seed=9)
QUICK = nk.CPML(tol=0.05, max_iter=30)
VOTES = ["uniform", "distance", "soft"]
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


def shares_without(voter, row, d):
    """Return the shares of classes if all training rows have a row's value of d."""
    own = voter.encode(row)
    codes = voter.rows.codes.copy()
    codes[:, d] = own[0, d]
    return voter.with_rows(replace(voter.rows, codes=codes)).shares(own)[0]


@pytest.mark.parametrize("weights", VOTES)
@pytest.mark.parametrize("metric", [QUICK, nk.baselines.Hamming(), nk.baselines.Lin()])
def test_an_effect_is_what_the_probability_loses_without_the_column(metric, weights):
    model = nk.CPMLClassifier(metric, weights=weights).fit(X, y)
    (voter,) = model.committee_.voters
    for i in range(len(QUERY)):
        row = QUERY.iloc[[i]]
        names, effects = model.committee_.feature_effects(row)
        assert names == list(X.columns)
        p = model.predict_proba(row)[0]
        left = [shares_without(voter, row, d) for d in range(4)]
        np.testing.assert_allclose(effects, p - np.array(left), atol=1e-5)


def test_effects_of_members_are_those_of_their_calibrated_mean():
    model = few(max_members=3, n_jobs=1).fit(X, y)
    hamming = nk.CPMLClassifier("hamming").fit(X, y)
    committee = with_members(model, [*model.members_, hamming]).committee_
    row = QUERY.iloc[[2]]
    names, effects = committee.feature_effects(row)
    p = model.predict_proba(row)[0]
    for d, name in enumerate(names):
        shares = [
            shares_without(voter, row, voter.distance.codebook.place_of(name))
            for voter in committee.voters
        ]
        left = committee.probabilities(np.mean(shares, axis=0)[None])[0]
        np.testing.assert_allclose(effects[d], p - left, atol=1e-5)


def test_a_feature_that_one_member_has_changes_its_votes_alone():
    crossed = nk.CPML(crosses=[("shape", "size")], tol=0.05)
    model = few(candidates=[crossed, "hamming"], max_members=1, n_jobs=1).fit(X, y)
    members = [nk.CPMLClassifier(m).fit(X, y) for m in ("hamming", crossed)]
    committee = with_members(model, members, calibration=None).committee_
    row = QUERY.iloc[[1]]
    names, effects = committee.feature_effects(row)
    assert names[-1] == "shape x size"
    left = shares_without(committee.voters[1], row, 4)
    wanted = (members[1].predict_proba(row)[0] - left) / 2
    np.testing.assert_allclose(effects[-1], wanted, atol=1e-6)
    shown = model.explain(row)
    assert "shape x size" in list(shown.effects["feature"])


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
    for words in (f"Class {found.predicted!r}: ", "by CPML(", "raises the probability",
                  "shape", f"for {found.predicted}", "vote", "%"):  # fmt: skip
        assert words in said


def test_the_text_of_many_columns_and_classes_is_short():
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 2, (60, 30)).astype(str)
    labels = rng.integers(0, 7, 60)
    said = repr(nk.CPMLClassifier("hamming").fit(wide, labels).explain(wide[0]))
    assert "and 18 more" in said
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
    with pytest.raises(ValueError, match="Wanted one row, got a table of 8"):
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


def test_columns_that_say_the_same_have_no_effect_alone_and_that_is_said():
    rows = [[a, a] for a in "xxxyyy"]
    model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(rows, list("000111"))
    found = model.explain(["x", "x"])
    assert not found.has_effects
    assert "No column decides alone" in repr(found)
    one = nk.CPMLClassifier("hamming", n_neighbors=1).fit([[a] for a in "xy"], [0, 1])
    assert one.explain(["x"]).has_effects
    assert one.explain(["x"]).effects["for 0"].tolist() == [0.5]
    assert "No column" not in repr(one.explain(["x"]))


def test_numbers_are_shown_as_they_are_and_effects_with_a_sign():
    table = pd.DataFrame({"age": [17.0, 56.0] * 6, "height": [1.25] * 12})
    said = repr(nk.CPMLClassifier("hamming").fit(table, [0, 1] * 6).explain(table[:1]))
    assert re.search(r"^age +17 +\+", said, re.MULTILINE)
    assert re.search(r"^height +1.25 +0 +0$", said, re.MULTILINE)
