"""Laws of sampled constraints: unbiased, no class starved, drawn by weight.

Shares of what is drawn are compared with weights by a chi-square test at ``LEVEL``: a
right sampler fails one of them once in 1,000 runs of other seeds, and these seeds are
fixed. Means are allowed four standard errors, once in 16,000.
"""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.samples import (
    SampledPairs,
    SampledQuadruplets,
    SampledTriplets,
)
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.edges import AnchorPairs
from nearkind.losses.hinge import Hinge

RULES = {
    "triplets": (SampledTriplets, AllTriplets),
    "pairs": (SampledPairs, AllPairs),
    "quadruplets": (SampledQuadruplets, AllQuadruplets),
}
LEVEL = 1e-3
every_rule = pytest.mark.parametrize("kind", RULES)
LABELS = {
    "rows": WeightedLabels(np.array([1, 0, 0, 1, 2, 0, 2]), np.ones(7)),
    "cells": WeightedLabels(
        np.array([1, 0, 2, 1, 0]), np.array([3.0, 1.0, 4.0, 2.0, 2.0])
    ),
    "fractions": WeightedLabels(
        np.array([1, 0, 0, 1, 2]), np.array([0.5, 2.5, 0.7, 1.5, 1.2])
    ),
}
every_labels = pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)


def draw(kind, labels, size, seed, margin=1.0):
    sampled, _ = RULES[kind]
    return sampled(size, np.random.default_rng(seed), margin).bind(labels)


def edge_of_each(held, sign):
    """Return (left, right) of the edge that has this sign, one a constraint."""
    at = held.signs.tocoo()
    order = np.argsort(at.row[at.data == sign], kind="stable")
    edge = at.col[at.data == sign][order]
    return held.edges.left[edge], held.edges.right[edge]


def triplets_of(held, y):
    """Return (i, j, k) of each triplet: the anchor is the end of the far edge that has
    the class of the near one."""
    a, b = edge_of_each(held, 1.0)
    c, d = edge_of_each(held, -1.0)
    i, k = np.where(y[c] == y[a], c, d), np.where(y[c] == y[a], d, c)
    return i, np.where(a == i, b, a), k


def some_distances(n):
    d2 = np.random.default_rng(11).uniform(0.0, 3.0, size=(n, n))
    d2 = d2 + d2.T
    np.fill_diagonal(d2, 0.0)
    return d2


def value(constraints, d2):
    total = 0.0
    for part in constraints.chunks():
        edges = part.edges
        fan = isinstance(edges, AnchorPairs)
        at = d2[edges.anchors] if fan else d2[edges.left, edges.right]
        total += part.value(at, Hinge())
    return total


@every_rule
@every_labels
def test_the_mean_over_draws_is_the_loss_of_all_constraints(kind, labels):
    d2 = some_distances(len(labels.y))
    exact = value(RULES[kind][1](1.0).bind(labels), d2)
    drawn = [value(draw(kind, labels, 30, seed), d2) for seed in range(400)]
    error = np.std(drawn) / np.sqrt(len(drawn))
    assert error > 0.0
    assert abs(np.mean(drawn) - exact) < 4.0 * error


@every_rule
@every_labels
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_shares_are_positive_and_sum_to_one(kind, labels, size):
    shares = draw(kind, labels, size, 3).shares
    assert (shares > 0.0).all()
    np.testing.assert_allclose(shares.sum(), 1.0)


@every_rule
@every_labels
def test_about_as_many_as_asked_for(kind, labels):
    n_drawn = len(draw(kind, labels, 1000, 3).shares)
    assert abs(n_drawn - 1000) <= 2 * labels.n_classes


@every_rule
def test_the_same_seed_gives_the_same_draws(kind):
    first, again, other = (draw(kind, LABELS["rows"], 200, s) for s in (5, 5, 6))
    np.testing.assert_array_equal(first.edges.left, again.edges.left)
    np.testing.assert_array_equal(first.signs.toarray(), again.signs.toarray())
    np.testing.assert_array_equal(first.shares, again.shares)
    assert (
        first.signs.shape != other.signs.shape
        or (first.signs.toarray() != other.signs.toarray()).any()
    )


@every_rule
def test_a_very_rare_class_is_not_starved(kind):
    y = np.concatenate([np.zeros(3000, int), np.ones(2997, int), [2, 2, 2]])
    labels = WeightedLabels(y, np.ones(len(y)))
    held = draw(kind, labels, 60, 1)
    left, right = edge_of_each(held, 1.0)
    alike = Counter(y[left].tolist())
    assert (y[left] == y[right]).all()
    assert min(alike[label] for label in range(3)) >= 5


@every_labels
def test_each_class_has_its_share_of_the_triplets(labels):
    held = draw("triplets", labels, 50, 2)
    i, _, _ = triplets_of(held, labels.y)
    mass = labels.weights * labels.same * labels.other
    expected = np.bincount(labels.y, mass) / mass.sum()
    np.testing.assert_allclose(np.bincount(labels.y[i], held.shares), expected)


@every_labels
def test_a_triplet_obeys_its_labels(labels):
    y = labels.y
    i, j, k = triplets_of(draw("triplets", labels, 2000, 4), y)
    assert (y[i] == y[j]).all()
    assert (y[i] != y[k]).all()
    assert (labels.weights[i[i == j]] > 1.0).all()  # only a copy is its own partner


@every_labels
def test_a_pair_obeys_its_side(labels):
    held = draw("pairs", labels, 2000, 4)
    for side in (1.0, -1.0):
        left, right = edge_of_each(held, side)
        assert ((labels.y[left] == labels.y[right]) == (side > 0.0)).all()
        assert (labels.weights[left[left == right]] > 1.0).all()


@every_labels
def test_a_quadruplet_compares_an_alike_pair_with_an_unlike_one(labels):
    held = draw("quadruplets", labels, 2000, 4)
    (i, j), (k, m) = edge_of_each(held, 1.0), edge_of_each(held, -1.0)
    assert (labels.y[i] == labels.y[j]).all()
    assert (labels.y[k] != labels.y[m]).all()


@every_labels
def test_triplets_of_a_class_are_drawn_in_proportion_to_their_weight(labels):
    y, w = labels.y, labels.weights
    held = draw("triplets", labels, 30_000, 8)
    drawn = Counter(map(tuple, np.column_stack(triplets_of(held, y)).tolist()))
    for label in range(labels.n_classes):
        weight = {
            (i, j, k): w[i] * (max(w[i] - 1.0, 0.0) if i == j else w[j]) * w[k]
            for i in np.flatnonzero(y == label)
            for j in np.flatnonzero(y == label)
            for k in np.flatnonzero(y != label)
        }
        weight = {t: x for t, x in weight.items() if x > 0.0}
        seen = np.array([drawn.pop(t, 0) for t in weight])
        expected = np.array(list(weight.values())) / sum(weight.values())
        if len(seen) > 1:
            assert chisquare(seen, expected * seen.sum()).pvalue > LEVEL
    assert not drawn  # nothing else was drawn


@every_labels
def test_alike_pairs_of_a_class_are_drawn_in_proportion_to_their_weight(labels):
    y, w = labels.y, labels.weights
    held = draw("pairs", labels, 30_000, 8)
    ends = np.sort(np.column_stack(edge_of_each(held, 1.0)), axis=1)
    drawn = Counter(map(tuple, ends.tolist()))
    for label in range(labels.n_classes):
        members = np.flatnonzero(y == label).tolist()
        weight = {
            (i, j): w[i] * max(w[i] - 1.0, 0.0) / 2.0 if i == j else w[i] * w[j]
            for i in members
            for j in members
            if i <= j
        }
        weight = {pair: x for pair, x in weight.items() if x > 0.0}
        seen = np.array([drawn.pop(pair, 0) for pair in weight])
        expected = np.array(list(weight.values())) / sum(weight.values())
        if len(seen) > 1:
            assert chisquare(seen, expected * seen.sum()).pvalue > LEVEL
    assert not drawn  # nothing else was drawn


@every_labels
def test_rows_to_be_far_from_are_drawn_in_proportion_to_their_weight(labels):
    """Anchors are spread over the classes by rule, so each class is tested alone."""
    y, w = labels.y, labels.weights
    held = draw("triplets", labels, 30_000, 9)
    i, _, k = triplets_of(held, y)
    for label in np.unique(y[i]):
        far = np.flatnonzero(y != label)
        seen = np.bincount(k[y[i] == label], minlength=len(y))[far]
        assert chisquare(seen, w[far] / w[far].sum() * seen.sum()).pvalue > LEVEL


@every_labels
def test_unlike_pairs_of_quadruplets_are_drawn_in_proportion_to_their_weight(labels):
    y, w = labels.y, labels.weights
    held = draw("quadruplets", labels, 30_000, 8)
    drawn = Counter(map(tuple, np.column_stack(edge_of_each(held, -1.0)).tolist()))
    n = len(y)
    unlike = [(k, m) for k in range(n) for m in range(k + 1, n) if y[k] != y[m]]
    expected = np.array([w[k] * w[m] for k, m in unlike])
    seen = np.array([drawn[pair] for pair in unlike])
    assert seen.sum() == len(held.shares)
    assert chisquare(seen, expected / expected.sum() * seen.sum()).pvalue > LEVEL


def many_rows():
    """Return labels and distances of 200 rows in classes of unequal size."""
    rng = np.random.default_rng(12)
    y = rng.choice(3, size=200, p=[0.6, 0.3, 0.1])
    points = rng.normal(size=(200, 2)) + y[:, None]
    d2 = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    return WeightedLabels(y, np.ones(200)), d2


@every_rule
def test_constraints_among_a_sample_of_rows_estimate_all(kind):
    labels, d2 = many_rows()
    whole = RULES[kind][1](1.0).bind(labels)
    found = []
    for seed in range(20):
        rows, sample = whole.sample(100, np.random.default_rng(seed))
        found.append(value(sample, d2[np.ix_(rows, rows)]))
    np.testing.assert_allclose(np.mean(found), value(whole, d2), rtol=0.02)


@every_rule
@every_labels
def test_a_sample_of_at_least_all_rows_is_all_of_them(kind, labels):
    d2 = some_distances(len(labels.y))
    whole = RULES[kind][1](1.0).bind(labels)
    rows, sample = whole.sample(1000, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(rows), np.arange(len(labels.y)))
    np.testing.assert_allclose(value(sample, d2[np.ix_(rows, rows)]), value(whole, d2))


def test_a_sample_of_rows_keeps_the_weight_of_every_class():
    y = np.concatenate([np.zeros(500, int), np.ones(490, int), np.full(10, 2)])
    labels = WeightedLabels(
        y, np.random.default_rng(1).integers(1, 4, size=1000).astype(float)
    )
    rows, sample = labels.sample(60, np.random.default_rng(3))
    np.testing.assert_array_equal(sample.y, y[rows])
    np.testing.assert_allclose(sample.class_weights, labels.class_weights)
    assert abs(len(rows) - 60) <= 3
    assert (np.bincount(sample.y) >= 10).all()


@every_rule
@every_labels
def test_constraints_drawn_from_a_list_estimate_the_list(kind, labels):
    d2 = some_distances(len(labels.y))
    whole = draw(kind, labels, 500, 0)
    samples = [whole.sample(50, np.random.default_rng(s))[1] for s in range(200)]
    found = [value(sample, d2) for sample in samples]
    error = np.std(found) / np.sqrt(len(found))
    assert 0.0 < abs(np.mean(found) - value(whole, d2)) < 4.0 * error


@every_rule
def test_a_partner_of_very_small_weight_is_found(kind):
    labels = WeightedLabels(np.array([0, 0, 1]), np.array([1.0, 1e-5, 1.0]))
    held = draw(kind, labels, 100, 0)
    left, right = edge_of_each(held, 1.0)
    np.testing.assert_array_equal(left, 0)
    np.testing.assert_array_equal(right, 1)


def test_pairs_of_one_side_alone_are_drawn_where_there_is_no_other():
    for y, side in [([0, 0, 0], 1.0), ([0, 1, 2], -1.0)]:
        held = draw("pairs", WeightedLabels(np.array(y), np.ones(3)), 10, 0)
        np.testing.assert_array_equal(held.signs.data, side)
        np.testing.assert_allclose(held.shares.sum(), 1.0)
        np.testing.assert_array_equal(held.offsets, 1.0 - side)


def test_half_of_the_pairs_are_of_each_side():
    labels = WeightedLabels(np.repeat([0, 1], 50), np.ones(100))
    for size, n_each in [(1, 2), (4, 2), (100, 50)]:  # one of each class at least
        held = draw("pairs", labels, size, 0)
        n_alike = (held.signs.data > 0.0).sum()
        assert (n_alike, len(held.signs.data)) == (n_each, 2 * n_each)
    assert held.shares[held.offsets == 0.0].sum() == pytest.approx(49 / 99)
