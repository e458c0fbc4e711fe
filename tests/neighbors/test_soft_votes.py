"""Soft votes: the definition, its limits, and the temperature that is chosen."""

from dataclasses import replace
from decimal import Decimal, localcontext
from math import exp, inf, log
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import Euclidean, Hamming, Lin
from nearkind.errors import UnseenValueWarning
from nearkind.neighbors import LeaveOneOut, SoftVotes, most_votes, soft_votes
from nearkind.neighbors.soft_votes import COLD, N_HALVINGS, draw_rows
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.neighbors.voting import SHARE_TIE
from nearkind.voting import NearestRule

METRICS = [Euclidean(), nk.CPML(max_iter=5), Hamming()]
TWO_ROWS = [["a"], ["b"]], [0, 1]
EUCLIDEAN = Euclidean().fit(*TWO_ROWS).distance_
HAMMING = Hamming().fit(*TWO_ROWS).distance_
FORMS = ["Euclidean", "Hamming"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.SmallWeightWarning"),
]
ROUNDING = 1e-6
"""By which a share may miss that of a loop in double precision."""


def oracle(d, w, s, T):
    """Return the shares of the votes on one query, by a loop over rows."""
    least = min(x * x for x in d)
    total = [0.0] * len(s[0])
    for x, weight, classes in zip(d, w, s, strict=True):
        e = 0.0 if least == inf else x * x - least
        vote = weight * exp(-min(e / T, 800.0)) if e < inf else 0.0
        for c, share in enumerate(classes):
            total[c] += vote * share
    return np.array(total) / sum(total)


def parts(metric, n=120, seed=3, weighted=True):
    X, y = labelled_table(n, seed=seed)
    query, _ = labelled_table(30, seed=seed + 1)
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n) if weighted else None
    model = nk.CPMLClassifier(metric, weights="soft").fit(X, y, weights)
    return model, query


def voter_of(model):
    """Return the one voter of a classifier."""
    (voter,) = model.committee_.voters
    return voter


def distances_between(model):
    """Return the distances (m, m) between the unique rows that vote."""
    voter = voter_of(model)
    return voter.distance.compare(voter.represented, voter.represented)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("T", [1e-3, 0.1, 1.0, 30.0, 1e5])
def test_shares_are_those_of_a_loop_in_double_precision(metric, T):
    model, query = parts(metric)
    rows = voter_of(model).rows
    queries = model.distance_.represent(model.codebook_.encode(query))
    D = model.distance_.compare(queries, voter_of(model).represented)
    shares = model.set_params(temperature=T).predict_proba(query)
    assert model.temperature_ == T
    for d, found in zip(D, shares, strict=True):
        expected = oracle(d.tolist(), rows.weights, rows.shares, T)
        np.testing.assert_allclose(found, expected, atol=ROUNDING)


@pytest.mark.parametrize("spread", [1.0, 1e3])
@pytest.mark.parametrize("q", [1, 16])
def test_vectors_far_from_zero_and_wide_apart(spread, q):
    rng = np.random.default_rng(0)
    rows, queries = (1e3 + spread * rng.normal(size=(n, q)) for n in (200, 9))
    queries[0] += 100.0 * spread
    w, s = rng.random(200) + 0.1, rng.dirichlet(np.ones(3), 200)
    metric = EUCLIDEAN
    for T in (1e-12, 1e-6, 1e-2, 1.0, 50.0):
        found = SoftVotes(metric, rows, w, T).shares(queries, s)
        D = np.sqrt(((queries[:, None] - rows) ** 2).sum(axis=2))
        for d, shares in zip(D, found, strict=True):
            expected = oracle(d.tolist(), w, s, T)
            # the oracle itself errs by some 1e-16 d^2 / T of a weight
            rounding = ROUNDING + 1e-15 * d.min() ** 2 / T
            np.testing.assert_allclose(shares, expected, atol=min(rounding, 2.0))


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("T", [5e-324, 1e-300, 1e-30])
def test_cold_votes_are_those_of_the_nearest_rows_ties_shared(metric, T):
    model, query = parts(metric)
    model.set_params(temperature=T)
    few = NearestRule(1e-9)  # less than any weight: rows tied share it
    nearest = replace(voter_of(model), rule=few).shares(model.codebook_.encode(query))
    np.testing.assert_allclose(model.predict_proba(query), nearest, atol=ROUNDING)


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("T", [1e12, 1e300, 1.7e308])
def test_hot_votes_are_the_class_shares(metric, T):
    model, query = parts(metric)
    counts = voter_of(model).rows.counts.sum(axis=0)
    shares = model.set_params(temperature=T).predict_proba(query)
    np.testing.assert_allclose(
        shares, np.tile(counts / counts.sum(), (30, 1)), atol=ROUNDING
    )


def test_weights_that_differ_by_hundreds_of_powers_of_ten():
    rows, w = np.array([[0.0], [1.0], [2.0]]), np.array([1e-300, 1.0, 1e200])
    votes = SoftVotes(EUCLIDEAN, rows, w, 1e-5)
    shares = votes.shares(rows, np.eye(3))
    np.testing.assert_allclose(shares, np.eye(3), atol=1e-12)


def test_unseen_values_count_as_the_distance_has_them():
    X, y = labelled_table(60, seed=1)
    model = nk.CPMLClassifier(Hamming(), weights="soft").fit(X, y)
    odd = X.iloc[:1].astype(object).copy()
    odd.iloc[:, :] = "never seen"
    with pytest.warns(UnseenValueWarning):
        found = model.predict_proba(odd)
    expected = [(y == c).mean() for c in model.classes_]  # all equally far
    np.testing.assert_allclose(found[0], expected, atol=ROUNDING)


def test_rows_infinitely_far_weigh_nothing_unless_all_are():
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    y = ["up", "left", "no", "no"]
    model = nk.CPMLClassifier(Lin(), weights="soft").fit(rows, y)
    D = model.distance_.pairwise_distances(rows, rows)
    assert np.isinf(D).any()
    np.testing.assert_allclose(
        model.predict_proba(rows[:1]), [[0.5, 0.0, 0.5]], atol=ROUNDING
    )
    for T in (1e-300, 1.0, 1e300):
        shares = SoftVotes(Far(), np.zeros((2, 1)), np.array([1.0, 3.0]), T)
        found = shares.shares(np.zeros((1, 1)), np.eye(2))
        np.testing.assert_allclose(found, [[0.25, 0.75]])


class Far:
    """A distance that is infinite."""

    is_euclidean = False

    def compare(self, a, b):
        return np.full((len(a), len(b)), np.inf)


@pytest.mark.parametrize("T", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("far", [[inf, inf], [inf, -inf], [0.0, inf], [1e308, 0.0]])
def test_queries_infinitely_far_are_answered_by_the_class_shares(far, T):
    rows = np.random.default_rng(0).normal(size=(40, 2))
    classes = np.eye(2)[np.arange(40) % 4 // 3]
    votes = SoftVotes(EUCLIDEAN, rows, np.ones(40), T)
    found = votes.shares(np.array([far, rows[3], far]), classes)
    np.testing.assert_allclose(found[[0, 2]], [[0.75, 0.25]] * 2)
    np.testing.assert_array_equal(found[1], votes.shares(rows[3:4], classes)[0])


def test_equal_rows_of_different_labels_share_their_vote():
    X = [["a"], ["a"], ["a"], ["b"]]
    model = nk.CPMLClassifier(Hamming(), weights="soft", temperature=1e-9)
    model.fit(X, ["no", "no", "yes", "yes"])
    np.testing.assert_allclose(model.predict_proba([["a"]]), [[2 / 3, 1 / 3]])
    assert model.predict([["a"], ["b"]]).tolist() == ["no", "yes"]


def test_one_row_one_class_votes_alone():
    votes = SoftVotes(EUCLIDEAN, np.array([[2.0]]), np.ones(1), 0.5)
    np.testing.assert_array_equal(votes.shares(np.zeros((3, 1)), np.ones((1, 1))), 1.0)
    assert votes.shares(np.zeros((0, 1)), np.ones((1, 1))).shape == (0, 1)


def test_a_few_rows_at_a_time_are_all_rows(monkeypatch):
    model, query = parts(Euclidean())
    whole = model.predict_proba(query)
    monkeypatch.setattr(soft_votes, "TILE_NUMBERS", 500)
    np.testing.assert_allclose(model.predict_proba(query), whole, atol=ROUNDING)


def likelihoods(model, temperatures):
    """Return the mean log-likelihood of the rows, each left out, by loops."""
    voters = voter_of(model).rows
    D = distances_between(model)
    found = []
    for T in temperatures:
        total = 0.0
        for u, c in np.argwhere(voters.counts):
            one = min(voters.weights[u] / len(voters.row_numbers(u)), 1.0)
            counts = voters.counts.copy()
            counts[u, c] = max(counts[u, c] - one, 0.0)
            weights = counts.sum(axis=1)
            kept = weights > 1e-6 * voters.weights.min()
            s = counts[kept] / weights[kept, None]
            chance = oracle(D[u, kept].tolist(), weights[kept], s, T)[c]
            total += voters.counts[u, c] * log(0.99 * chance + 0.01 / counts.shape[1])
        found.append(total / voters.counts.sum())
    return np.array(found)


def left_out(model):
    voter = voter_of(model)
    return LeaveOneOut(voter.distance, voter.represented, voter.rows)


@pytest.mark.parametrize("weight", [None, 3.0, 0.25, 1e-12])
@pytest.mark.parametrize("metric", [*METRICS, Lin()], ids=str)
def test_likelihoods_are_those_of_leaving_out_row_by_row(metric, weight):
    X, y = labelled_table(30, seed=2)
    some = np.random.default_rng(0).choice([1.0, 2.0], 30)
    model = nk.CPMLClassifier(metric, weights="soft", temperature=1.0)
    model.fit(X, y, None if weight is None else weight * some)
    temperatures, found = left_out(model).likelihoods()
    np.testing.assert_array_equal(temperatures[1:], temperatures[:-1] / 2.0)
    assert len(temperatures) == N_HALVINGS + 1
    some = [0, 1, 3, 6, 10, N_HALVINGS]
    expected = likelihoods(model, temperatures[some])
    rounding = 1e-6 * 2.0 ** np.array(some)  # each squaring doubles it
    assert (np.abs(found[some] - expected) < rounding).all()


@pytest.mark.parametrize("is_wide", [False, True])
def test_temperatures_go_down_from_four_times_the_mean_square(is_wide):
    places = np.arange(16.0)[:, None] * (1.0, 1000.0)[is_wide]
    X = [[f"v{code:02}"] for code in range(16)]
    model = nk.CPMLClassifier(Hamming(), weights="soft", temperature=1.0)
    model.fit(X, ["no", "yes"] * 8, np.full(16, 1 / 32))
    found = LeaveOneOut(EUCLIDEAN, places, voter_of(model).rows)
    hottest, *_, coldest = found.likelihoods()[0]
    mean = ((places - places.T) ** 2).mean()
    assert hottest / 2.0 < 4.0 * mean <= hottest
    assert coldest == hottest / 65_536.0
    assert np.log2(hottest) == np.rint(np.log2(hottest))


@pytest.mark.parametrize("factor", [2.0**-20, 2.0**20])
def test_temperatures_go_with_the_squares_of_distances(factor):
    model, _ = parts(Euclidean())
    voter = voter_of(model)
    other = LeaveOneOut(voter.distance, factor * voter.represented, voter.rows)
    a, b = left_out(model).likelihoods(), other.likelihoods()
    np.testing.assert_array_equal(b[0], factor**2 * a[0])
    np.testing.assert_allclose(b[1], a[1], atol=ROUNDING)
    assert other.best_temperature() == factor**2 * left_out(model).best_temperature()


def n_drawn(model, monkeypatch):
    """Return how many rows are drawn to be left out."""
    asked = []

    def draw(counts, n):
        asked.append(n)
        return draw_rows(counts, n)

    monkeypatch.setattr(soft_votes, "draw_rows", draw)
    left_out(model).likelihoods()
    return asked[0]


@pytest.mark.parametrize(("n_pairs", "n"), [(1, 10), (50, 50), (1_000, 100)])
def test_of_many_rows_fewer_are_left_out(monkeypatch, n_pairs, n):
    model, _ = parts(Hamming())
    assert n_drawn(model, monkeypatch) == 1_000
    monkeypatch.setattr(soft_votes, "MOST_QUERIES", 100)
    monkeypatch.setattr(soft_votes, "FEWEST_QUERIES", 10)
    monkeypatch.setattr(soft_votes, "PAIRS", n_pairs * len(voter_of(model).rows))
    assert n_drawn(model, monkeypatch) == n


def test_of_temperatures_as_likely_the_highest_is_chosen(monkeypatch):
    model, _ = parts(Hamming())
    mean = np.array([-0.9, -0.5 - 9e-5, -0.5, -0.5 - 9e-5])
    found = 2.0 ** np.arange(3, -1, -1), mean
    monkeypatch.setattr(LeaveOneOut, "likelihoods", lambda *_: found)
    assert left_out(model).best_temperature() == 4.0
    mean[1] = -0.5 - 1.1e-4
    assert left_out(model).best_temperature() == 2.0


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_temperature_is_the_likeliest_power_of_two(metric, seed):
    X, y = labelled_table(60, seed=seed)
    model = nk.CPMLClassifier(metric, weights="soft").fit(X, y)
    D = distances_between(model)
    first = np.ceil(np.log2((D**2).mean())) + 3
    temperatures = 2.0 ** (first - np.arange(N_HALVINGS + 2))
    found = likelihoods(model, temperatures)
    assert model.temperature_ in temperatures
    at = list(temperatures).index(model.temperature_)
    assert found[at] >= found[1:-1].max() - 2e-4
    assert (found[1:at] < found[at]).all()


def test_a_temperature_from_some_of_many_rows(monkeypatch):
    X, y = labelled_table(600, seed=1)
    model = nk.CPMLClassifier(Hamming(), weights="soft").fit(X, y)
    everything = model.temperature_
    monkeypatch.setattr(soft_votes, "MOST_QUERIES", 100)
    monkeypatch.setattr(soft_votes, "FEWEST_QUERIES", 100)
    some = left_out(model).best_temperature()
    assert some == left_out(model).best_temperature()
    assert 0.25 <= some / everything <= 4.0


def test_rows_are_drawn_in_proportion_to_their_weight():
    counts = np.zeros((3_000, 2))
    counts[:1_000, 0], counts[1_000:, 1] = 1.0, 3.0
    drawn = draw_rows(counts, 700)
    assert drawn.times.sum() == 700
    assert drawn.times[drawn.label == 0].sum() == 100
    assert (counts[drawn.unique_row, drawn.label] > 0.0).all()


def test_rows_that_are_all_alike_have_a_temperature_too():
    X, y = [["a"]] * 4, ["no", "yes", "yes", "yes"]
    model = nk.CPMLClassifier(Hamming(), weights="soft").fit(X, y)
    assert model.temperature_ == 1.0
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.25, 0.75]])


def test_a_temperature_among_rows_infinitely_far():
    rows = [["a", "x"], ["b", "y"], ["c", "z"]]
    model = nk.CPMLClassifier(Lin(), weights="soft").fit(rows, ["up", "no", "no"])
    assert 0.0 < model.temperature_ < inf
    assert np.isfinite(model.predict_proba([*rows, ["a", "y"]])).all()


def test_one_row_alone_has_a_temperature():
    model = nk.CPMLClassifier(nk.CPML(max_iter=5), weights="soft")
    model.partial_fit([["a"]], ["no"], classes=["no", "yes"])
    assert model.temperature_ == 1.0
    assert model.predict_proba([["a"]]).tolist() == [[1.0, 0.0]]


def test_rows_that_are_all_infinitely_far_have_a_temperature_too():
    model = nk.CPMLClassifier(Hamming(), weights="soft").fit([["a"], ["b"]], [0, 1])
    far = LeaveOneOut(Far(), np.zeros((2, 1)), voter_of(model).rows)
    assert far.best_temperature() == 1.0


@pytest.mark.parametrize("T", [5e-324, 1e-290, 1.0, 1.7e308])
@pytest.mark.parametrize("metric", [EUCLIDEAN, HAMMING], ids=FORMS)
def test_rows_at_one_place_vote_by_their_weights(metric, T):
    votes = SoftVotes(metric, np.zeros((2, 1)), np.array([1.0, 3.0]), T)
    if not metric.is_euclidean:
        votes = replace(votes, metric=Listed(np.zeros((1, 2))))
    found = votes.shares(np.zeros((1, 1)), np.eye(2))
    np.testing.assert_allclose(found, [[0.25, 0.75]])


class Listed:
    """A distance that is written down: from all queries to all rows."""

    is_euclidean = False

    def __init__(self, distances):
        self.distances = distances

    def compare(self, queries, rows):
        return self.distances.copy()


@pytest.mark.parametrize("is_euclidean", [False, True])
def test_distances_that_tie_are_equal_below_a_billionth_of_the_largest(is_euclidean):
    rows = np.array([[1.0], [1.0 + 5e-8], [-2.0]])  # the largest finite one is 2
    queries, w = np.zeros((1, 1)), np.ones(3)
    metric = EUCLIDEAN if is_euclidean else Listed(np.abs(rows.T))
    largest = VectorRows(rows).largest(queries)[0] if is_euclidean else 2.0
    for share, expected in [(0.9e-9, [0.5, 0.5, 0.0]), (1.1e-9, [1.0, 0.0, 0.0])]:
        votes = SoftVotes(metric, rows, w, share * largest**2)
        shares = votes.shares(queries, np.eye(3))
        assert (shares[0, 1] > 0.4) == (expected[1] > 0.4)
        if expected[1]:
            np.testing.assert_array_equal(shares, [expected])


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_votes_of_rows_are_their_shares_as_classes(metric):
    model, query = parts(metric)
    queries = model.distance_.represent(model.codebook_.encode(query))
    weights = voter_of(model).rows.weights
    votes = SoftVotes(model.distance_, voter_of(model).represented, weights, 0.3)
    expected = votes.shares(queries, np.eye(len(weights)))
    np.testing.assert_allclose(votes.votes(queries), expected, atol=ROUNDING)


def test_rows_are_drawn_only_if_there_are_more():
    counts = np.array([[2.0, 0.0], [1.0, 3.0], [0.0, 0.5]])
    whole = draw_rows(counts, 4)
    assert whole.unique_row.tolist() == [0, 1, 1, 2]
    assert whole.label.tolist() == [0, 0, 1, 1]
    assert whole.times.tolist() == [2.0, 1.0, 3.0, 0.5]
    assert draw_rows(counts, 3).times.sum() == 3.0


def test_one_row_is_drawn_from_each_stretch():
    drawn = draw_rows(np.ones((1_000, 1)), 10)
    np.testing.assert_array_equal(drawn.unique_row // 100, np.arange(10))
    assert draw_rows(np.array([[1.0], [1.0], [97.0]]), 2).unique_row[-1] == 2
    heavy = np.ones((1_000, 1))
    heavy[500:] = 3.0
    assert (draw_rows(heavy, 8).unique_row < 500).sum() == 2


@pytest.mark.parametrize("metric", [EUCLIDEAN, HAMMING], ids=FORMS)
def test_chunks_hold_as_many_weights_as_they_may(metric, monkeypatch):
    monkeypatch.setattr(soft_votes, "N_QUERIES", 2)
    votes = SoftVotes(metric, np.zeros((5, 2)), np.ones(5), 1.0)
    assert votes.chunks(7, 16) == [slice(0, 3), slice(3, 6), slice(6, 9)]
    least = 2 if metric.is_euclidean else 1
    assert votes.chunks(2, 1) == [slice(i, i + least) for i in range(0, 2, least)]
    monkeypatch.setattr(soft_votes, "TILE_NUMBERS", 20)  # products of 4 queries
    sizes = {at.stop - at.start for at in votes.chunks(99, 35)}
    assert sizes == {4 if metric.is_euclidean else 7}


@st.composite
def places(draw):
    """Return (rows (m, q), queries (b, q), weights (m,), T), many rows at one place."""
    m, b, q = draw(st.integers(1, 30)), draw(st.integers(1, 5)), draw(st.integers(1, 9))
    size = draw(st.sampled_from([1e-3, 1.0, 1e4]))
    rng = np.random.default_rng(draw(st.integers(0, 1_000)))
    rows, queries = size * rng.normal(size=(m, q)), size * rng.normal(size=(b, q))
    rows[rng.random(m) < draw(st.sampled_from([0.0, 0.5]))] = rows[0]  # at one place
    rows[-1] *= draw(st.sampled_from([1.0, 100.0]))  # one far row
    queries[0] = rows[draw(st.integers(0, m - 1))]
    queries[-1] *= draw(st.sampled_from([1.0, 100.0]))
    shift = draw(st.sampled_from([0.0, 1e3])) * size
    temperature = size**2 * 10.0 ** draw(st.integers(-6, 6))
    return rows + shift, queries + shift, rng.choice([0.5, 1.0, 7.0], m), temperature


def literal(rows, query, weights, shares, T):
    """Return the shares of the votes on one query, by fractions and 60 digits."""
    with localcontext() as context:
        context.prec = 60
        squares = [
            sum((Decimal(a) - Decimal(b)) ** 2 for a, b in zip(query, u, strict=True))
            for u in rows.tolist()
        ]
        votes = [
            Decimal(w) * ((min(squares) - d2) / Decimal(T)).exp()
            for w, d2 in zip(weights.tolist(), squares, strict=True)
        ]
        total = sum(votes)
        return [
            float(sum(v * Decimal(s) for v, s in zip(votes, of, strict=True)) / total)
            for of in shares.T.tolist()
        ]


@given(places(), st.sampled_from([1, 7, 1 << 17]))
def test_shares_are_wrong_by_no_more_than_is_stated(drawn, tile):
    rows, queries, weights, T = drawn
    classes = np.eye(3)[np.arange(len(rows)) % 3]
    votes = SoftVotes(EUCLIDEAN, rows, weights, T)
    with mock.patch.multiple(soft_votes, TILE_NUMBERS=tile, N_QUERIES=2):
        found = votes.shares(queries, classes)
    bound = votes.rounding(queries) + 1e-14
    is_cold = COLD * votes.vectors.largest(queries) ** 2 > T
    bound[is_cold] = 1.0  # tied distances are made equal
    assert (bound[votes.has_products(queries)] < SHARE_TIE / 2.0).all()
    for query, shares, most in zip(queries.tolist(), found, bound, strict=True):
        expected = literal(rows, query, weights, classes, T)
        np.testing.assert_allclose(shares, expected, rtol=0.0, atol=most)


@pytest.mark.parametrize("T", [1e-7, 1e-5, 1.0])
def test_queries_are_answered_alike_beside_any_others(T):
    rng = np.random.default_rng(0)
    rows, queries = rng.normal(size=(500, 6)), rng.normal(size=(300, 6))
    queries[::7] *= 1e3  # these need distances
    votes = SoftVotes(EUCLIDEAN, rows, np.ones(500), T)
    whole = votes.shares(queries, np.eye(500))
    for at in (0, 1, 7, 299):
        alone = votes.shares(queries[at : at + 1], np.eye(500))
        np.testing.assert_allclose(alone[0], whole[at], rtol=0.0, atol=1e-9)


def test_memory_does_not_grow_with_rows():
    rows, n = np.zeros((200_000, 1)), soft_votes.N_QUERIES
    votes = SoftVotes(EUCLIDEAN, rows, np.ones(len(rows)), 1.0)
    _, blocks = next(iter(votes.tiles(np.zeros((n, 1)))))
    assert max(scores.size for _, scores in blocks) <= soft_votes.TILE_NUMBERS


def mirrored(n, q, seed):
    """Return rows of weight 2, two mirror images of each in another class, and queries.

    All three are equally far from queries, which lie in both mirrors.
    """
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 5, size=(n, q)).astype(float)
    images = [rows * np.where(np.arange(q) == axis, -1.0, 1.0) for axis in (0, 1)]
    queries = rng.integers(-4, 5, size=(40, q)).astype(float)
    queries[:, :2] = 0.0
    order = rng.permutation(3 * n)
    classes = np.eye(2)[np.repeat([0, 1, 1], n)]
    weights = np.repeat([2.0, 1.0, 1.0], n)
    return np.vstack([rows, *images])[order], classes[order], weights[order], queries


@pytest.mark.parametrize("T", [1e-3, 0.37, 5.0, 300.0])
@pytest.mark.parametrize(("n", "q"), [(50, 3), (3_000, 10)])
def test_classes_of_equal_votes_tie(n, q, T):
    rows, classes, weights, queries = mirrored(n, q, seed=n)
    for factor in (1.0, 1.0 / 3.0):  # in thirds sums are rounded
        votes = SoftVotes(EUCLIDEAN, factor * rows, weights, factor**2 * T)
        for shares in (classes, classes[:, ::-1]):
            found = votes.shares(factor * queries, shares)
            np.testing.assert_allclose(found, 0.5, rtol=0.0, atol=SHARE_TIE / 2.0)
            assert (most_votes(found) == 0).all()
