"""Forest neighbours: leaves, draws, proximities and the votes that follow from them."""

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.distances import LeafCodes
from nearkind.distances.kernel import coded_rows
from nearkind.errors import RefusedError
from nearkind.voting.voter import LeafRule

X, Y = labelled_table(60, seed=3)
NEW = labelled_table(20, seed=4)[0]
N_TREES = 25


@pytest.fixture(scope="module")
def voter():
    metric = nk.baselines.ForestNeighbors(N_TREES)
    model = nk.CPMLClassifier(metric, weights="soft").fit(X, Y)
    return model.committee_.voters[0]


def leaf_of(form, numbers, tree):
    """Return the leaf of a row of numbers (W,), node by node."""
    node = int(form.roots[tree])
    while form.left[node] != node:
        is_left = numbers[form.columns[node]] <= form.thresholds[node]
        node = int((form.left if is_left else form.right)[node])
    return node


def proximities(form, rows, code, trees):
    """Return those of RF-GAP between a row and all training rows, by definition."""
    drawn = form.draws(rows.codes) * rows.weights[:, None]
    here = coded_rows(form.coding, code[None])[0]
    there = coded_rows(form.coding, rows.codes)
    total, n_counted = np.zeros(len(rows)), 0
    for t in trees:
        leaf = leaf_of(form, here, t)
        votes = np.array([drawn[i, t] * (leaf_of(form, x, t) == leaf)
                          for i, x in enumerate(there)])  # fmt: skip
        if votes.sum() > 0.0:
            total, n_counted = total + votes / votes.sum(), n_counted + 1
    return total / n_counted


def test_a_leaf_is_found_node_by_node(voter):
    form, codes = voter.distance, voter.encode(NEW)
    found = form.represent(codes)
    numbers = coded_rows(form.coding, codes)
    for i, t in np.ndindex(found.shape):
        assert found[i, t] == leaf_of(form, numbers[i], t)


def test_distance_is_the_share_of_trees_that_part_two_rows(voter):
    form = voter.distance
    leaves = form.represent(voter.encode(NEW))
    D = form.compare(leaves, leaves)
    expected = (leaves[:, None] != leaves[None]).mean(axis=2)
    np.testing.assert_allclose(D, expected, atol=1e-15)
    triangle = D[:, :, None] + D[None] - D[:, None, :]  # d(i, j) + d(j, k) - d(i, k)
    assert triangle.min() >= -1e-12
    centring = np.eye(len(D)) - 1.0 / len(D)
    assert np.linalg.eigvalsh(-centring @ D @ centring).min() > -1e-10


def test_votes_on_new_rows_are_the_proximities_of_rf_gap_and_add_up_to_the_forest(
    voter,
):
    codes, rows = voter.encode(NEW), voter.rows
    for code in codes[:6]:
        p = proximities(voter.distance, rows, code, range(N_TREES))
        votes = voter.votes(voter.distance.represent(code[None]))
        np.testing.assert_allclose(votes, p, atol=1e-12)
        shares = voter.shares(code[None])[0]
        np.testing.assert_allclose(shares, p @ rows.shares, atol=1e-12)


def test_votes_on_training_rows_are_those_of_trees_that_did_not_draw_them(voter):
    rows = voter.rows
    drawn = voter.distance.draws(rows.codes)
    found = voter.leaf_votes.out_of_bag(rows.codes)
    for i in range(0, len(rows), 7):
        trees = np.flatnonzero(drawn[i] == 0)
        p = proximities(voter.distance, rows, rows.codes[i], trees)
        assert p[i] == 0.0
        np.testing.assert_allclose(found[i], p @ rows.shares, atol=1e-12)


def test_trees_are_grown_until_the_rows_that_they_drew_are_told_apart(voter):
    drawn = voter.distance.draws(voter.rows.codes)
    leaves = voter.distance.represent(voter.rows.codes)
    for t in range(N_TREES):
        here = drawn[:, t] > 0
        for leaf in np.unique(leaves[here, t]):
            shares = voter.rows.shares[here & (leaves[:, t] == leaf)]
            assert len(shares) == 1 or (shares == shares[0]).all()


def test_rows_are_drawn_a_poisson_number_of_times(voter):
    draws = voter.distance.draws(voter.rows.codes)
    assert abs(draws.mean() - 1.0) < 0.1
    assert abs((draws == 0).mean() - np.exp(-1.0)) < 0.05
    again = voter.distance.draws(np.repeat(voter.rows.codes[:1], 3, axis=0))
    assert (again == again[0]).all()


def test_subsets_of_features_are_compared_as_rows_with_values_replaced(voter):
    form, rows, rng = voter.distance, voter.rows, np.random.default_rng(0)
    row = voter.encode(NEW)[0]
    kept = rng.random((5, len(row))) < 0.5
    for found, subset in zip(
        form.distances_over(row, rows.codes, kept), kept, strict=True
    ):
        others = form.represent(np.where(subset, rows.codes, row))
        expected = form.compare(form.represent(row[None]), others)[0]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_votes_over_all_features_are_the_votes_and_over_none_the_frequencies(voter):
    row = voter.encode(NEW)[0]
    kept = np.array([[True] * len(row), [False] * len(row)])
    whole, none = voter.shares_over(row, kept)
    np.testing.assert_allclose(whole, voter.shares(row[None])[0], atol=1e-12)
    drawn = voter.distance.draws(voter.rows.codes) * voter.rows.weights[:, None]
    shares = (drawn.T @ voter.rows.shares) / drawn.sum(axis=0)[:, None]
    np.testing.assert_allclose(none, shares.mean(axis=0), atol=1e-12)


def test_numbers_of_fit_decide_and_new_numbers_go_where_they_belong():
    x = np.arange(40.0)[:, None]
    model = nk.CPMLClassifier("forest", weights="soft").fit(x, x[:, 0] > 19.5)
    assert model.predict([[-5.0], [19.0], [20.0], [1e9]]).tolist() == [
        False, False, True, True,
    ]  # fmt: skip


def test_a_leaf_rule_needs_leaves(voter):
    (other,) = nk.CPMLClassifier("hamming").fit(X, Y).committee_.voters
    with pytest.raises(RefusedError, match="MismatchWeights has no leaves"):
        type(other)(other.distance, other.rows, LeafRule(), other.report).check()


def test_trees_that_lead_back_are_refused(voter):
    form = voter.distance
    parts = vars(form).copy()
    parts.pop("owners", None)
    left = form.left.copy()
    left[form.roots[0]], left[-1] = form.roots[0], 0
    with pytest.raises(RefusedError, match="lead back"):
        LeafCodes(**{**parts, "left": left}).check()


def test_shared_rules_are_told_in_words(voter):
    form, codes = voter.distance, voter.rows.codes
    leaves = form.represent(codes)
    n_shared, conditions = form.shared_rules(codes[0], codes[5])
    assert n_shared == (leaves[0] == leaves[5]).sum()
    assert all(0 < n <= n_shared for _, n in conditions)
    counts = [n for _, n in conditions]
    assert counts == sorted(counts, reverse=True)
    names = set(map(str, form.codebook.feature_names))
    assert all(words.split(" ")[0] in names for words, _ in conditions)
    assert form.shared_rules(codes[0], codes[0])[0] == form.n_trees


def test_conditions_name_numbers_and_values():
    x = np.arange(40.0)
    table = [[number, "abc"[int(number) % 3]] for number in x]
    form = nk.baselines.ForestNeighbors(5).fit(table, x > 19.5).distance_
    _, conditions = form.shared_rules(*form.encode(table)[:2])
    assert any(words.startswith("x0 <= ") for words, _ in conditions)
    form = nk.baselines.ForestNeighbors(5).fit(table, [r[1] == "a" for r in table])
    form = form.distance_
    told = dict(form.shared_rules(*form.encode([table[0], table[3]]))[1])
    assert told["x1 is a"] > 0


def test_an_explanation_says_how_many_rules_are_shared():
    model = nk.CPMLClassifier(nk.baselines.ForestNeighbors(20), weights="soft")
    found = model.fit(X, Y).explain(NEW.iloc[[0]])
    assert len(found.rules) == len(found.neighbors["row"])
    assert " of 20 rules" in found.rules[0]
    assert found.rules[0] in repr(found)
