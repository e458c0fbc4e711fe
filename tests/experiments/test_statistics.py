"""Tests on ranks: worked examples, laws, and SciPy or slow loops as oracles."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from nearkind.experiments.statistics import (
    critical_difference,
    friedman,
    groups,
    holm,
    mean_ranks,
    pairs,
    ranks,
    signed_rank,
)

# Ranks of C4.5 and three variants on 14 sets: Demsar, JMLR 7, 2006, Table 6.
DEMSAR = np.array(
    [
        [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1],
        [1, 2.5, 4, 2.5], [3, 2, 4, 1], [2.5, 2.5, 4, 1], [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)  # fmt: skip

tables = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7).flatmap(
    lambda shape: hnp.arrays(
        float, shape, elements=st.integers(0, 8).map(lambda i: i / 8)
    )
)


def test_the_published_example():
    scores = -DEMSAR
    np.testing.assert_allclose(
        mean_ranks(scores), [3.143, 2.000, 2.893, 1.964], atol=5e-4
    )
    found = friedman(scores)
    ties = 3 * (2**3 - 2) + (4**3 - 4)
    uncorrected = found.chi2 * (1.0 - ties / (14 * (4**3 - 4)))
    assert uncorrected == pytest.approx(9.28, abs=5e-3)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=5e-3)
    assert found.p_value < 0.05
    assert critical_difference(14, 4) == pytest.approx(1.25, abs=5e-3)
    assert critical_difference(14, 4, alpha=0.10) == pytest.approx(1.12, abs=5e-3)


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]
)
def test_critical_values_are_the_published_ones(k, q):
    n_sets = 20
    root = (k * (k + 1) / (6.0 * n_sets)) ** 0.5
    assert critical_difference(n_sets, k) / root == pytest.approx(q, abs=1e-3)


def test_three_methods_by_hand():
    scores = [[0.9, 0.8, 0.7], [0.6, 0.5, 0.4], [0.9, 0.7, 0.8]]
    assert ranks(scores).tolist() == [[1, 2, 3], [1, 2, 3], [1, 3, 2]]
    found = friedman(scores)
    # 12 / (3 * 3 * 4) * (3^2 + 7^2 + 8^2) - 3 * 3 * 4
    assert found.chi2 == pytest.approx(14 / 3)
    assert found.p_value == pytest.approx(np.exp(-7 / 3))
    assert found[2] == pytest.approx(2 * (14 / 3) / (6 - 14 / 3))


@given(tables.filter(lambda table: table.shape[1] >= 3))
def test_friedman_is_that_of_scipy(table):
    if (ranks(table) == ranks(table)[:, :1]).all():
        assert friedman(table).p_value == 1.0
        return
    chi2, p_value = stats.friedmanchisquare(*table.T)
    found = friedman(table)
    assert found.chi2 == pytest.approx(chi2)
    assert found.p_value == pytest.approx(p_value)


@given(tables, st.randoms(use_true_random=False))
def test_order_of_methods_and_sets_does_not_matter(table, random):
    columns = random.sample(range(table.shape[1]), table.shape[1])
    lines = random.sample(range(table.shape[0]), table.shape[0])
    other = table[lines][:, columns]
    np.testing.assert_allclose(mean_ranks(other), mean_ranks(table)[columns])
    np.testing.assert_allclose(friedman(other), friedman(table), atol=1e-9)
    plain = {frozenset((p.a, p.b)): p for p in pairs(table)}
    for pair in pairs(other):
        same = plain[frozenset((columns[pair.a], columns[pair.b]))]
        turned = columns[pair.a] != same.a
        counts = (same.losses, same.ties, same.wins) if turned else same[2:5]
        assert pair[2:5] == counts
        assert pair[5:] == pytest.approx(same[5:])


@given(tables)
def test_ranks_add_up(table):
    k = table.shape[1]
    np.testing.assert_allclose(ranks(table).sum(axis=1), k * (k + 1) / 2)


def test_equal_methods_do_not_differ():
    table = np.tile([[0.7], [0.2], [0.9]], 4)
    assert mean_ranks(table).tolist() == [2.5] * 4
    found = friedman(table)
    assert found == (0.0, 1.0, 0.0, 1.0)
    assert all(pair[2:] == (0, 3, 0, 1.0, 1.0) for pair in pairs(table))
    assert groups(mean_ranks(table), critical_difference(3, 4)) == [(0, 1, 2, 3)]


def test_methods_that_never_swap_places_differ_for_certain():
    table = np.tile([0.9, 0.5, 0.1], (12, 1))
    found = friedman(table)
    assert found.chi2 == pytest.approx(24.0)
    assert found[2:] == (np.inf, 0.0)
    assert groups(mean_ranks(table), 0.9) == []


def test_rounding_makes_no_difference():
    table = np.array([[0.1 + 0.2, 0.3], [0.5, 0.5]])
    assert mean_ranks(table).tolist() == [1.5, 1.5]
    assert pairs(table)[0].ties == 2


@given(
    st.lists(st.integers(0, 20).map(lambda i: i / 4), min_size=2, max_size=7),
    st.integers(1, 12).map(lambda i: i / 4),
)
def test_groups_are_the_largest_that_do_not_differ(means, difference):
    found = groups(means, difference)
    together = {frozenset(g) for g in found}
    order = sorted(range(len(means)), key=means.__getitem__)
    runs = {
        frozenset(order[i:j])
        for i, j in product(range(len(means)), range(2, len(means) + 1))
        if j - i >= 2 and means[order[j - 1]] - means[order[i]] < difference
    }
    assert together == {r for r in runs if not any(r < other for other in runs)}
    assert len(together) == len(found)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_holm_against_its_definition(p_values):
    m = len(p_values)
    order = sorted(range(m), key=p_values.__getitem__)
    slow = dict.fromkeys(order, 0.0)
    for place, i in enumerate(order):
        before = [(m - j) * p_values[order[j]] for j in range(place + 1)]
        slow[i] = min(1.0, max(before))
    np.testing.assert_allclose(holm(p_values), [slow[i] for i in range(m)])


def test_the_signed_rank_test_by_counting_signs():
    d = np.array([0.3, -0.1, 0.5, 0.7, 0.2])
    size = stats.rankdata(abs(d))
    below = min(size[d > 0].sum(), size[d < 0].sum())
    sums = [(size * signs).sum() for signs in product([0, 1], repeat=5)]
    assert signed_rank(d) == pytest.approx(2 * np.mean(np.array(sums) <= below))
    assert signed_rank(-d) == signed_rank(d)


def test_pairs_are_corrected_for_their_number():
    rng = np.random.default_rng(0)
    table = rng.random((15, 3)) + np.array([0.6, 0.1, 0.0])
    found = pairs(table)
    assert [(pair.a, pair.b) for pair in found] == [(0, 1), (0, 2), (1, 2)]
    raw = [stats.wilcoxon(table[:, a] - table[:, b]).pvalue for a, b, *_ in found]
    assert [pair.p_value for pair in found] == pytest.approx(raw)
    assert [pair.adjusted for pair in found] == pytest.approx(holm(raw).tolist())
    assert found[0].wins == (table[:, 0] > table[:, 1]).sum()


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([0.5, 0.6], r"sets x methods .* got shape \(2,\)"),
        ([[0.5], [0.6]], r"at least one set and two methods; got shape \(2, 1\)"),
        ([[0.5, np.nan]], "missing in 1 of 2 places"),
    ],
)
def test_tables_that_cannot_be_compared_are_refused(scores, words):
    with pytest.raises(ValueError, match=words):
        mean_ranks(scores)
