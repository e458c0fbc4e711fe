"""Frequency measures: the worked table, and every formula as a plain loop."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers.six_persons import PERSONS, rows_of
from helpers.strategies import tables
from nearkind.baselines.similarity import FrequencyMeasure

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
PAIRS = [(1, 2), (1, 6), (2, 5), (3, 4), (1, 3)]
WORKED = {
    "eskin": [0.902357, 0.851852, 1, 0.962963, 0.791246],
    "iof": [0.891823, 0.817705, 1, 1, 0.709528],
    "of": [0.633051, 0.707170, 1, 0.745836, 0.455363],
    "lin": [0.495706, 0.495706, 1, 0.806574, 0.419721],
    "lin1": [0.128951, 0.306574, 1, 0.603379, 0.137838],
    "goodall1": [0.2, 0.266667, 0.733333, 0.466667, 0],
    "goodall2": [0.2, 0.266667, 0.733333, 0.466667, 0],
    "goodall3": [0.266667, 0.311111, 0.844444, 0.577778, 0],
    "goodall4": [0.066667, 0.022222, 0.155556, 0.088889, 0],
    "smirnov": [0.544444, 0.6, 1.4, 1.133333, 0.188889],
    "gambaryan": [0.111111, 0.102033, 0.324255, 0.213144, 0],
    "burnaby": [0.747824, 0.868821, 1, 0.811732, 0.690735],
    "anderberg": [0.496894, 0.542169, 1, 0.611511, 0],
}
MEASURES = {
    name: kind
    for name, kind in nk.baselines.all().items()
    if issubclass(kind, FrequencyMeasure)
}
every_measure = pytest.mark.parametrize("name", WORKED)


def test_every_measure_is_worked_here():
    assert set(MEASURES) == set(WORKED)


@every_measure
def test_similarities_of_six_persons(name):
    S = MEASURES[name]().fit(PERSONS).similarities(PERSONS)
    found = [S[i - 1, j - 1] for i, j in PAIRS]
    np.testing.assert_allclose(found, WORKED[name], atol=5.1e-7)


class Feature:
    """Counts of one column; an unseen value counts once."""

    def __init__(self, column):
        self.counts = Counter(v for v in column if v is not None)
        self.N = sum(self.counts.values()) or 1
        self.n = len(self.counts)

    def f(self, value):
        return max(self.counts[value], 1)

    def p(self, value):
        return self.f(value) / self.N

    def p2(self, value):
        return self.f(value) * (self.f(value) - 1) / max(self.N * (self.N - 1), 1)

    def between(self, x, y):
        low, high = sorted([self.f(x), self.f(y)])
        inside = {q for q in self.counts if low <= self.f(q) <= high}
        return inside | {x, y}


def goodall(total):
    return lambda F, x, y: total(F, x) if x == y else 0.0


def unlike(on_mismatch):
    return lambda F, x, y: 1.0 if x == y else on_mismatch(F, x, y)


def smirnov(F, x, y):
    rest = sum(c / (F.N - c) for q, c in F.counts.items() if q not in (x, y))
    return 2 + (F.N - F.f(x)) / F.f(x) + rest if x == y else rest


def burnaby(F, x, y):
    B = sum(2 * math.log(1 - c / F.N) for c in F.counts.values())
    p, q = F.p(x), F.p(y)
    return B / (math.log(p * q / ((1 - p) * (1 - q))) + B)


def lin(F, x, y):
    return 2 * math.log(F.p(x) if x == y else min(F.p(x) + F.p(y), 1.0))


def lin1(F, x, y):
    Q = F.between(x, y)
    if x == y:
        return sum(math.log(F.p(q)) for q in Q)
    return 2 * math.log(min(sum(F.p(q) for q in Q), 1.0))


def anderberg(F, x, y):
    return 2 / (F.n * (F.n + 1)) / F.p(x) ** 2 if x == y else 0.0


def anderberg_weight(F, x, y):
    half = 1.0 if x == y else 0.5
    return half * 2 / (F.n * (F.n + 1)) / (F.p(x) * F.p(y))


def entropy(F, x, y):
    p = F.p(x)
    return -(p * math.log2(p) + (1 - p) * math.log2(1 - p)) if x == y else 0.0


def one(F, x, y):
    return 1.0


def n_values(F, x, y):
    return F.n


FORMULAS = {  # above the line, below the line, whether constant features are left out
    "eskin": (unlike(lambda F, x, y: F.n**2 / (F.n**2 + 2)), one, False),
    "iof": (
        unlike(lambda F, x, y: 1 / (1 + math.log(F.f(x)) * math.log(F.f(y)))),
        one,
        False,
    ),
    "of": (
        unlike(lambda F, x, y: 1 / (1 + math.log(F.p(x)) * math.log(F.p(y)))),
        one,
        False,
    ),
    "lin": (lin, lambda F, x, y: math.log(F.p(x)) + math.log(F.p(y)), True),
    "lin1": (
        lin1,
        lambda F, x, y: sum(math.log(F.p(q)) for q in F.between(x, y)),
        True,
    ),
    "goodall1": (
        goodall(lambda F, x: 1 - sum(F.p2(q) for q in F.counts if F.f(q) <= F.f(x))),
        one,
        False,
    ),
    "goodall2": (
        goodall(lambda F, x: 1 - sum(F.p2(q) for q in F.counts if F.f(q) >= F.f(x))),
        one,
        False,
    ),
    "goodall3": (goodall(lambda F, x: 1 - F.p2(x)), one, False),
    "goodall4": (goodall(lambda F, x: F.p2(x)), one, False),
    "smirnov": (smirnov, n_values, True),
    "gambaryan": (entropy, n_values, True),
    "burnaby": (unlike(burnaby), one, True),
    "anderberg": (anderberg, anderberg_weight, True),
}


def similarity(name, train, x, y):
    above, below, drops = FORMULAS[name]
    features = [Feature(column) for column in zip(*train, strict=True)]
    kept = [
        (F, u, v)
        for F, u, v in zip(features, x, y, strict=True)
        if F.n > 1 or not drops
    ]
    if not kept:
        return 1.0
    return sum(above(*k) for k in kept) / sum(below(*k) for k in kept)


DISTANCES = {
    **dict.fromkeys(["eskin", "iof", "of", "lin", "lin1"], lambda S: 1 / S - 1),
    "smirnov": lambda S: 1 / (S + 1),
}


@every_measure
@given(table=tables(unseen=True))
def test_similarities_and_distances_are_the_formula(name, table):
    train = rows_of(table.repeated().codes)
    rows = rows_of(table.codes)
    measure = MEASURES[name](missing="prior")
    measure.fit(rows, sample_weight=table.weights)
    expected = [[similarity(name, train, x, y) for y in rows] for x in rows]
    found = measure.similarities(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    to_distance = DISTANCES.get(name, lambda S: 1 - S)
    some = np.array(expected) > 1e-9
    np.testing.assert_allclose(
        measure.pairwise_distances(rows)[some],
        [to_distance(S) for S in np.array(expected)[some]],
        rtol=1e-6,
        atol=1e-9,
    )


@every_measure
@given(table=tables(), scale=st.sampled_from([1e-3, 0.1, 0.7]))
def test_weights_below_one_leave_similarities_in_range(name, table, scale):
    rows = rows_of(table.codes)
    measure = MEASURES[name]().fit(rows, sample_weight=scale * table.weights)
    queries = [*rows, ["never seen"] * len(rows[0])]
    S, D = measure.similarities(queries), measure.pairwise_distances(queries)
    assert np.isfinite(S).all()
    assert (S >= -1e-12).all()
    assert (S <= 1 + 1e-9).all() or name == "smirnov"
    assert (D >= 0.0).all()


@pytest.mark.parametrize("name", [name for name in FORMULAS if FORMULAS[name][2]])
def test_rows_of_constant_features_only_are_alike(name):
    S = MEASURES[name]().fit([["a"], ["a"]]).similarities([["a"]], [["a"], ["new"]])
    np.testing.assert_array_equal(S, [[1.0, 1.0]])


def test_too_many_values_are_refused_by_name_and_number():
    ids = [[f"id {i}", "x"] for i in range(7100)]
    with pytest.raises(ValueError, match=r"Lin .* 50,424,205 .*'x0'.* 7,100: fit"):
        nk.baselines.Lin().fit(ids)
    assert nk.baselines.Hamming().fit(ids).pairwise_distances(ids[:2])[0, 1] == 0.5


def test_rows_that_agree_in_no_binary_feature_are_infinitely_far():
    lin = nk.baselines.Lin().fit([["a", "x"], ["b", "x"], ["b", "y"]])
    D = lin.pairwise_distances([["a", "x"], ["b", "y"], ["b", "x"]])
    assert D[0, 1] == np.inf
    assert np.isfinite(D[0, 2])


def test_a_burnaby_of_two_values_says_nothing():
    burnaby = nk.baselines.Burnaby().fit([["a"], ["b"], ["b"]])
    np.testing.assert_allclose(burnaby.similarities([["a"]], [["b"]]), 1.0)


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"missing": "drop"}, "'missing' parameter of Lin .* got 'drop'"),
        ({"unseen": "skip"}, "'unseen' parameter of Lin .* got 'skip'"),
        ({"numeric": 3}, "'numeric' parameter of Lin .* got 3"),
    ],
)
def test_wrong_policies_are_named(policy, words):
    with pytest.raises(ValueError, match=words):
        nk.baselines.Lin(**policy).fit(PERSONS)


def test_weights_are_checked():
    with pytest.raises(ValueError, match="sample_weight"):
        nk.baselines.Eskin().fit(PERSONS, sample_weight=[1.0])
