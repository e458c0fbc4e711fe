"""What a page knows of a model and a table."""

import re
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.browsing import committee, report_data
from nearkind.baselines import Hamming
from nearkind.pages import model_data, table_data
from nearkind.pages.page import page
from nearkind.pages.summary import summary

X = pd.DataFrame(
    {"coat": ["fur", "fur", "down", "curls"] * 5, "legs": ["4", "4", "2", "4"] * 5},
    dtype=object,
)
Y = np.array(["cat", "dog", "bird", "dog"] * 5)


def voter(k=3, **settings):
    return nk.CPMLClassifier(Hamming(), n_neighbors=k, **settings)


def lines(facts, part="data"):
    return " ".join(f"{title}: {text}" for title, text in facts["lines"][part])


def test_equal_rows_vote_as_one():
    facts = summary(report_data(voter().fit(X, Y), X, Y))
    (memory,) = facts["memories"]
    assert sorted(memory["counts"]) == [5, 5, 10]
    assert memory["n_rows"] == 20
    fur = int(np.flatnonzero(memory["counts"] == 10)[0])
    shares = memory["shares"][
        memory["share_starts"][fur] : memory["share_starts"][fur + 1]
    ]
    assert shares.tolist() == [0.5, 0.5]


def test_voters_of_the_same_rows_share_them():
    model = committee(X, Y, voter(1), voter(5), voter(3, weights="distance"))
    facts = summary(report_data(model, X, Y))
    assert [member["k"] for member in facts["members"]] == [1, 5, 3]
    assert len(facts["memories"]) == len(facts["features"]) == 1


def test_the_first_voter_is_the_one_that_explains():
    learned = nk.CPMLClassifier(nk.CPML(tol=0.1), n_neighbors=7)
    model = committee(X, Y, voter(1), learned, voter(5))
    facts = summary(report_data(model, X, Y))
    assert [member["k"] for member in facts["members"]] == [7, 1, 5]
    assert model.committee_.explained_by in lines(facts, "model")
    assert "Distance shown: Relevance, values and map are by CPML(" in lines(
        facts, "model"
    )
    assert "CPML(" in facts["lines"]["members"][0][0][1]
    plain = summary(report_data(voter().fit(X, Y), X, Y))
    assert "which is not learned" in lines(plain, "model")


def test_voters_that_code_columns_otherwise_keep_their_own():
    numbers = pd.DataFrame({"n": np.arange(30.0)})
    y = np.where(numbers["n"] < 12, "low", "high")
    binned = nk.CPMLClassifier(Hamming(), n_neighbors=1)
    listed = nk.CPMLClassifier(Hamming(numeric="category"), n_neighbors=1)
    facts = summary(report_data(committee(numbers, y, binned, listed), numbers, y))
    kinds = [features[0]["kind"] for features in facts["features"]]
    assert kinds == ["ranged", "listed"]
    assert [member["memory"] for member in facts["members"]] == [0, 1]


def test_confusions_count_all_rows():
    model = voter(1).fit(X, Y)
    facts = summary(report_data(model, X, Y))["confusions"]
    expected = pd.crosstab(Y, model.predict(X))
    names = [model.classes_[c] for c in facts["classes"]]
    counts = pd.DataFrame(facts["counts"], index=names, columns=names)
    for truth, row in expected.iterrows():
        for said, count in row.items():
            assert counts.loc[truth, said] == count
    assert facts["n_right"] == (model.predict(X) == Y).sum()


def test_classes_that_the_model_does_not_know_are_counted_apart():
    labels = [*Y[:-2], "fish", None]
    facts = summary(report_data(voter().fit(X, Y), X, labels))
    assert facts["confusions"]["n_known"] == 19
    assert facts["confusions"]["true"][-1] == 3
    assert facts["class_counts"].tolist() == [4, 5, 9, 1]


def test_it_says_whether_rows_are_familiar():
    model = voter().fit(X, Y)
    new = X.assign(legs="2")
    assert "every row equals a training row" in lines(summary(report_data(model, X, Y)))
    assert "5 of 20 rows equal a training" in lines(summary(report_data(model, new, Y)))
    strange = X.assign(coat="down", legs="4")
    assert "no row equals a training row" in lines(
        summary(report_data(model, strange, Y))
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_states_objective_proof_and_bound():
    model = nk.CPMLClassifier(
        nk.CPML(constraints="pairs", max_iter=5), n_neighbors=3
    ).fit(X, Y)
    facts = summary(report_data(model, X, Y))
    assert "With probability 0.95 the expected pair loss" in lines(facts, "model")
    said = " ".join(text for _, text in facts["lines"]["members"][0])
    assert "proven optimality gap" in said
    other = nk.CPMLClassifier(nk.CPML(max_iter=2), n_neighbors=3).fit(X, Y)
    assert "None. The theorem is about pair" in lines(
        summary(report_data(other, X, Y)), "model"
    )


def test_of_many_rows_some_are_held(monkeypatch):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.integers(0, 4, (60, 5)).astype(str), dtype=object)
    wide.columns = list("abcde")
    y = np.where(wide["a"] > "1", "x", "y")
    monkeypatch.setattr(model_data, "MOST_ROWS", 12)
    monkeypatch.setattr(table_data, "MOST_ROWS", 12)
    facts = summary(report_data(voter().fit(wide, y), wide, y))
    (memory,) = facts["memories"]
    assert len(memory["counts"]) == len(facts["rows"]["numbers"]) == 12
    assert facts["rows"]["n_all"] == 60
    assert memory["n_distinct"] > 12
    assert facts["confusions"]["n_known"] == 60


def test_a_vote_by_a_function_is_refused():
    model = nk.CPMLClassifier(
        Hamming(), n_neighbors=3, weights=lambda d: 1 / (1 + d)
    ).fit(X, Y)
    with pytest.raises(ValueError, match="are a function"):
        summary(report_data(model, X, Y))


def test_a_page_is_one_text_with_its_facts_inside():
    text = page(summary(report_data(voter().fit(X, Y), X, Y, name="a$b")))
    assert "<title>a$b on table</title>" in text
    assert text.count("<script") == 3


def test_the_policy_of_a_page_allows_its_own_script_and_style_only():
    text = page(summary(report_data(voter().fit(X, Y), X, Y)))
    policy = re.search('Policy" content="(.*?)">', text)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    parts = re.findall(r"<(script|style)>(.*?)</\1>", text, re.DOTALL)
    assert [tag for tag, _ in parts] == ["style", "script"]
    for tag, part in parts:
        digest = b64encode(sha256(part.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_weights_count_votes_and_not_rows():
    model = voter().fit(X, Y, sample_weight=np.full(20, 2.0))
    (memory,) = summary(report_data(model, X, Y))["memories"]
    assert (memory["counts"] == 2.0 * memory["row_counts"]).all()


def test_rows_of_one_axis_are_a_beeswarm_a_class():
    model = nk.CPMLClassifier(nk.CPML(tol=0.1, structure="diagonal"), n_neighbors=1)
    one = X[["coat"]]
    y = np.where(one["coat"] == "fur", "cat", "dog")
    facts = summary(report_data(model.fit(one, y), one, y))["rows"]
    assert facts["lanes"]
    heights = facts["places"][:, 1]
    cats, dogs = heights[y == "cat"], heights[y == "dog"]
    assert dogs.max() < cats.min()
    along = facts["places"][:, 0]
    assert len(np.unique(along[y == "cat"].round(6))) == 1
    assert np.ptp(along) > 0.0


def test_rows_of_two_axes_stand_where_they_are():
    facts = summary(report_data(voter().fit(X, Y), X, Y))["rows"]
    assert not facts["lanes"]


def test_counts_of_values_are_of_all_training_rows(monkeypatch):
    monkeypatch.setattr(model_data, "MOST_ROWS", 2)
    monkeypatch.setattr(table_data, "MOST_ROWS", 2)
    facts = summary(report_data(voter().fit(X, Y), X, Y))
    assert len(facts["rows"]["numbers"]) < 20
    coats, legs = facts["value_rows"]
    assert coats.tolist() == [5, 5, 10, 0]  # curls, down, fur, unseen
    assert legs.tolist() == [5, 15, 0]
    assert facts["value_class"][0].tolist() == [3, 1, 2, 0]  # dog, bird, cat, none
    assert facts["class_counts"].sum() == 20


def test_a_search_shows_what_it_held_out():
    model = nk.CPMLClassifierCV([Hamming()], cv=2, max_members=1).fit(X, Y)
    facts = summary(report_data(model, X, Y))
    held = facts["held_confusions"]
    assert held["n_known"] == 20
    assert held["n_right"] == pytest.approx(20 * model.held_accuracy_)
    told = lines(facts)
    assert "Cross-validated accuracy: " in told
    assert " on the training rows (" in told
    assert "Majority-class baseline: 50.0%, the share of " in told
    assert summary(report_data(voter().fit(X, Y), X, Y))["held_confusions"] is None
