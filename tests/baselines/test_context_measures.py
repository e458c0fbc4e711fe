"""Association, DILCA and DM3: worked figures, and every formula as a plain loop."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import nearkind as nk
from helpers.six_persons import PERSONS, rows_of
from helpers.strategies import tables
from nearkind.baselines import dm3
from nearkind.baselines.contingency import contingency
from nearkind.baselines.dilca import symmetric_uncertainty

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
Association, DILCA, DM3 = (
    nk.baselines.Association,
    nk.baselines.DILCA,
    nk.baselines.DM3,
)


def of_occupation(model):
    table = model.fit(PERSONS).value_distances("Occupation")
    return [table.loc["Acc", "Doc"], table.loc["Acc", "Plu"], table.loc["Doc", "Plu"]]


def persons(model, i, j):
    return model.fit(PERSONS).pairwise_distances(PERSONS)[i - 1, j - 1]


def values(rows, d):
    return sorted({row[d] for row in rows})


def shares(rows, d, given=None, value=None):
    """Return P(A_d) among rows, or among those where another feature has a value."""
    chosen = [row for row in rows if given is None or row[given] == value]
    counts = Counter(row[d] for row in chosen)
    return {v: Fraction(counts[v], len(chosen)) for v in values(rows, d)}


def entropy(counts):
    total = sum(counts.values())
    return -sum(c / total * math.log2(c / total) for c in counts.values())


# --- association -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("divergence", "expected", "one_and_two"),
    [
        ("js", [1.245112, 2.622556, 4.0], 2.545157),
        ("kl", [19.931510, 47.828757, 78.726046], 40.196358),
    ],
)
def test_association_of_six_persons(divergence, expected, one_and_two):
    model = Association(divergence)
    np.testing.assert_allclose(of_occupation(model), expected, atol=5.1e-7)
    np.testing.assert_allclose(persons(model, 1, 2), one_and_two, atol=5.1e-7)


def leaning(p, q):
    """Return one half of Lin's divergence."""
    return sum(float(a) * math.log2(2 * a / (a + b)) for a, b in zip(p, q) if a)  # noqa: B905


def one_way(p, q):
    """Return the Kullback-Leibler divergence, a little added to each share."""
    p, q = ([float(a) + 1e-6 for a in x] for x in (p, q))
    p, q = ([a / sum(x) for a in x] for x in (p, q))
    return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize(("divergence", "half"), [("js", leaning), ("kl", one_way)])
@settings(max_examples=30)
@given(table=tables())
def test_association_is_the_formula(divergence, half, table):
    train, rows = rows_of(table.repeated().codes), rows_of(table.codes)
    D = range(len(rows[0]))

    def phi(i, u, v):
        if len(D) == 1:
            return float(u != v)
        total = 0.0
        for j in (j for j in D if j != i):
            p, q = (shares(train, j, i, w).values() for w in (u, v))
            total += half(p, q) + half(q, p)
        return total

    model = Association(divergence).fit(rows, sample_weight=table.weights)
    expected = [[sum(phi(i, x[i], y[i]) for i in D) for y in rows] for x in rows]
    np.testing.assert_allclose(model.pairwise_distances(rows), expected, atol=1e-9)


def test_independent_features_say_nothing_of_each_other():
    rows = list(product("ab", "xyz", "01"))
    for divergence in ("kl", "js"):
        model = Association(divergence).fit(rows)
        assert (model.pairwise_distances(rows) == 0.0).all()


def test_an_unseen_value_is_at_the_mean_distance_of_the_feature():
    model = Association().fit(PERSONS)
    known = model.value_distances("Occupation").loc["Acc"].mean()
    found = model.pairwise_distances([["new", "Mas", "Sin"]], [["Acc", "Mas", "Sin"]])
    np.testing.assert_allclose(found, known)


# --- DILCA -----------------------------------------------------------------------


def test_symmetric_uncertainty_of_six_persons():
    codes = np.array([np.unique(PERSONS[c], return_inverse=True)[1] for c in PERSONS])
    counts = contingency(codes.T.astype(np.int32), [3, 4, 2], np.ones(6))
    found = symmetric_uncertainty(counts.information)
    expected = [[1, 2 / 3, 0.515804], [2 / 3, 1, 0.387363], [0.515804, 0.387363, 1]]
    np.testing.assert_allclose(found, expected, atol=5.1e-7)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"sigma": 1.0}, [math.sqrt((1 + 1 / 9) / 4), 0.881917, 0.781736]),
        ({"sigma": 0.5}, [0.471405, 0.745356, 0.745356]),
        ({"context": "rr"}, [0.471405, 0.745356, 0.745356]),
    ],
)
def test_dilca_of_six_persons(choice, expected):
    np.testing.assert_allclose(of_occupation(DILCA(**choice)), expected, atol=5.1e-7)


def test_contexts_of_six_persons():
    assert DILCA(sigma=1).fit(PERSONS).contexts_["Occupation"] == ["Education"]
    assert DILCA(context="rr").fit(PERSONS).contexts_ == {
        "Occupation": ["Education", "Marital"],
        "Education": ["Occupation"],
        "Marital": ["Occupation"],
    }


@pytest.mark.parametrize("context", ["mean", "rr"])
@settings(max_examples=30)
@given(table=tables())
def test_dilca_is_the_formula_on_its_contexts(context, table):
    train, rows = rows_of(table.repeated().codes), rows_of(table.codes)
    model = DILCA(context).fit(rows, sample_weight=table.weights)
    names = list(model.contexts_)

    def squared(i, u, v):
        others = [names.index(name) for name in model.contexts_[names[i]]]
        if not others:
            return float(u != v)
        cells = [(j, x) for j in others for x in values(train, j)]
        steps = [shares(train, i, j, x) for j, x in cells]
        return float(sum((p[u] - p[v]) ** 2 for p in steps) / len(cells))

    D = range(len(rows[0]))
    expected = [[sum(squared(i, x[i], y[i]) for i in D) for y in rows] for x in rows]
    found = model.pairwise_distances(rows, squared=True)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@settings(max_examples=40)
@given(table=tables())
def test_method_m_takes_what_is_relevant_enough(table):
    rows = rows_of(table.repeated().codes)
    D = len(rows[0])

    def relevance(i, j):
        H = [entropy(Counter(row[d] for row in rows)) for d in (i, j)]
        both = entropy(Counter((row[i], row[j]) for row in rows))
        return 2 * (sum(H) - both) / sum(H) if sum(H) > 0 else 0.0

    contexts = DILCA(sigma=0.8).fit(rows).contexts_
    for i, chosen in enumerate(contexts.values()):
        others = [j for j in range(D) if j != i]
        own = {j: relevance(i, j) for j in others}
        least = 0.8 * sum(own.values()) / max(len(own), 1)
        assert chosen == [f"x{j}" for j in others if own[j] >= least - 1e-9]


def test_without_any_relevance_all_other_features_are_the_context():
    contexts = DILCA(context="rr").fit(list(product("ab", "xyz", "01"))).contexts_
    assert contexts["x0"] == ["x1", "x2"]


def test_dilca_is_no_wider_than_its_values():
    assert DILCA().fit(PERSONS).transform(PERSONS).shape[1] <= 3 + 4 + 2


# --- DM3 -------------------------------------------------------------------------


def test_dependence_of_six_persons():
    R = DM3().fit(PERSONS).dependence_
    expected = [[1, 0.5, 0.347531], [0.5, 1, 0.240205], [0.347531, 0.240205, 1]]
    np.testing.assert_allclose(R, expected, atol=5.1e-7)


@pytest.mark.parametrize(
    ("beta", "pair", "expected"),
    [
        ("mean", (1, 2), 1 / 15),
        ("mean", (1, 6), 1 / 7),
        ("mean", (2, 5), 0.0),
        ("mean", (3, 4), 0.0),
        ("mean", (1, 3), 0.2333333),
        (0.4, (1, 2), 0.08),
        (0.4, (1, 6), 1 / 7),
        (0.4, (1, 3), 0.2333333),
        (0.0, (1, 2), 0.11134589),
        (0.0, (1, 3), 0.25070987),
    ],
)
def test_dm3_of_six_persons(beta, pair, expected):
    np.testing.assert_allclose(persons(DM3(beta=beta), *pair), expected, atol=4e-8)


class PlainDM3:
    """The definition, a pair of rows and a pair of features at a time."""

    def __init__(self, rows, beta, stage):
        self.rows, self.stage, self.D = rows, stage, range(len(rows[0]))
        self.R = [[self.dependence(r, k) for k in self.D] for r in self.D]
        mean = sum(map(sum, self.R)) / len(self.D) ** 2
        self.beta = mean if beta == "mean" else beta

    def counts(self, *features):
        cells = (tuple(row[d] for d in features) for row in self.rows)
        return Counter(cell for cell in cells if None not in cell)

    def dependence(self, r, k):
        both = self.counts(r, k)
        H = entropy(both)
        apart = [Counter(), Counter()]
        for cell, count in both.items():
            for side, value in zip(apart, cell, strict=True):
                side[value] += count
        return (sum(map(entropy, apart)) - H) / H if H > 1e-12 else 0.0

    def q(self, row, r, k):
        counts = self.counts(r, k)
        c, n = counts[row[r], row[k]], sum(counts.values())
        return c * (c - 1) / (n * (n - 1)) if n > 1 and c else 0.0

    def weight(self, r, differ):
        if self.stage == 1:
            return 1.0
        counts = self.counts(r)
        n = sum(counts.values())
        agree = sum(c * (c - 1) for c in counts.values()) / max(n * (n - 1), 1)
        return agree if differ else 1 - agree

    def distance(self, x, y):
        above = below = 0.0
        for r in self.D:
            others = [r] + [
                k
                for k in self.D
                if k != r and self.stage == 3 and self.R[r][k] > self.beta + 1e-12
            ]
            part = sum(
                self.R[r][k] * (self.q(x, r, k) + self.q(y, r, k))
                for k in others
                if x[r] != y[r] or x[k] != y[k]
            )
            w = self.weight(r, x[r] != y[r])
            above, below = above + w * part, below + w
        return above / below if below > 0 else 0.0


@pytest.mark.parametrize(
    ("stage", "beta"), [(1, "mean"), (2, "mean"), (3, 0.05), (3, 0.0)]
)
@settings(max_examples=30)
@given(table=tables(unseen=True))
def test_dm3_is_the_definition(stage, beta, table):
    rows = rows_of(table.codes)
    plain = PlainDM3(rows_of(table.repeated().codes), beta, stage)
    model = DM3(stage, beta, missing="prior").fit(rows, sample_weight=table.weights)
    expected = [[plain.distance(x, y) for y in rows] for x in rows]
    np.testing.assert_allclose(model.pairwise_distances(rows), expected, atol=1e-11)


def test_dm3_of_many_related_features_is_the_definition():
    rng = np.random.default_rng(3)
    cause = rng.integers(0, 3, 40)
    codes = np.where(rng.random((40, 7)) < 0.3, rng.integers(0, 3, (40, 7)), 0)
    rows = rows_of((codes + cause[:, None]) % 4)
    plain, model = PlainDM3(rows, "mean", 3), DM3().fit(rows)
    assert (model.dependence_ > model.dependence_.mean()).sum() > 7
    expected = [[plain.distance(x, y) for y in rows[:12]] for x in rows[:12]]
    np.testing.assert_allclose(
        model.pairwise_distances(rows[:12]), expected, atol=1e-12
    )


def test_dm3_is_the_same_however_rows_are_split(monkeypatch):
    whole = DM3().fit(PERSONS).pairwise_distances(PERSONS)
    monkeypatch.setattr(dm3, "_PAIRS_AT_ONCE", 7)
    np.testing.assert_array_equal(DM3().fit(PERSONS).pairwise_distances(PERSONS), whole)


# --- bad input -------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Association, DILCA, DM3])
def test_too_many_pairs_of_values_are_refused(kind):
    ids = [[f"id {i}", "x"] for i in range(7100)]
    with pytest.raises(
        ValueError, match=rf"{kind.__name__} .*all columns.* 'x0' .*7,1"
    ):
        kind().fit(ids)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Association("l2"), "'divergence' .* Association .* 'kl', 'js'; got 'l2'"),
        (DILCA(context="all"), "'context' parameter of DILCA .* got 'all'"),
        (DILCA(sigma=1.5), r"'sigma' .* a number in \[0, 1\]; got 1.5"),
        (DILCA(sigma="0.5"), r"'sigma' .* got '0.5'"),
        (DM3(stage=4), "'stage' parameter of DM3 must be one of 1, 2, 3; got 4"),
        (DM3(stage=True), "'stage' .* got True"),
        (DM3(beta="median"), "'beta' .* a number or 'mean'; got 'median'"),
        (DM3(beta=np.nan), "'beta' .* got nan"),
    ],
    ids=repr,
)
def test_wrong_settings_are_named_before_any_data_are_read(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(None)
