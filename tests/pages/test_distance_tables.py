"""Every distance again from the tables that a page has, slowly."""

import numpy as np
import pytest

import nearkind as nk
from nearkind.distances import MismatchWeights
from nearkind.export.portable import places
from nearkind.pages.distance_tables import distance_tables

FINISHES = {
    "plain": lambda x: x,
    "complement": lambda s: max(1 - s, 0),
    "reciprocal": lambda s: max(1 / s - 1, 0) if s > 1e-12 else np.inf,
    "shifted": lambda s: 1 / (1 + s),
}


def by_vectors(facts, sizes, a, b):
    starts = np.cumsum([0, *sizes[:-1]])
    u, v = (facts["vectors"][starts + codes].sum(axis=0) for codes in (a, b))
    return np.linalg.norm(u - v)


def by_bits(facts, sizes, a, b):
    starts = np.cumsum([0, *sizes[:-1]])
    u, v = (facts["vectors"][starts + codes].sum(axis=0) for codes in (a, b))
    return np.mean((u >= 0.0) != (v >= 0.0))


def by_histograms(facts, sizes, a, b):
    starts = np.cumsum([0, *sizes[:-1]])
    u, v = (facts["vectors"][starts + codes].sum(axis=0) for codes in (a, b))
    terms = [(x - y) ** 2 / (x + y) for x, y in zip(u, v, strict=True) if x != y]
    return (0.5 * sum(terms)) ** 0.5


def by_mismatches(facts, sizes, a, b):
    return facts["weights"][a != b].sum()


def added(table, sizes, a, b):
    starts = np.cumsum([0, *(size * size for size in sizes[:-1])])
    return table[starts + a * sizes + b].sum()


def by_sums(facts, sizes, a, b):
    return FINISHES[facts["finish"]](added(facts["above"], sizes, a, b))


def by_ratios(facts, sizes, a, b):
    above, below = (added(facts[name], sizes, a, b) for name in ("above", "below"))
    return FINISHES[facts["finish"]](above / below if below else 1.0)


def by_dependence(facts, sizes, a, b):
    weights = np.where(a == b, facts["equal"], facts["differing"])
    total = 0.0
    for p, (r, s) in enumerate(zip(facts["left"], facts["right"], strict=True)):
        keys = [facts["offsets"][p] + x[r] * facts["widths"][p] + x[s] for x in (a, b)]
        if a[r] != b[r] or a[s] != b[s]:
            both = weights[r] + (weights[s] if r != s else 0.0)
            total += facts["dependence"][p] * facts["chances"][keys].sum() * both
    return total / weights.sum()


def by_mixed(facts, sizes, a, b):
    total = known = 0.0
    for d, (i, j) in enumerate(zip(a, b, strict=True)):
        (x, y), (x_end, y_end) = (facts[name][[i, j]] for name in ("starts", "ends"))
        if np.isnan(x + y):
            continue
        apart = max(x - y_end, y - x_end, 0.0)
        apart = float(x != y) if facts["nominal"][d] else apart
        limit = np.inf if facts["limit"] is None else facts["limit"]
        total += facts["weights"][d] * facts["scales"][d] * min(apart, limit)
        known += facts["weights"][d]
    return total / known if known else float((a != b).any())


def leaf(facts, root, codes):
    node = root
    while facts["left"][node] != node:
        w = facts["columns"][node]
        place = facts["starts"][w] + facts["widths"][w] * codes[facts["owners"][w]]
        is_left = facts["coding"][place] <= facts["thresholds"][node]
        node = facts["left" if is_left else "right"][node]
    return node


def by_leaves(facts, sizes, a, b):
    return np.mean([leaf(facts, r, a) != leaf(facts, r, b) for r in facts["roots"]])


KINDS = {
    "leaves": by_leaves,
    "mixed": by_mixed,
    "vectors": by_vectors,
    "histograms": by_histograms,
    "mismatches": by_mismatches,
    "bits": by_bits,
    "sums": by_sums,
    "ratios": by_ratios,
    "dependent": by_dependence,
}


REFUSED = {"kernel_lmca", "gb_lmnn"}
"""Distances under which a row is no sum of vectors of its values."""


def table(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = (y[:, None] + rng.integers(0, 3, (n_rows, 4))) % 4
    return X.astype(str).astype(object), y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [n for n in nk.baselines.all() if n not in REFUSED])
def test_tables_give_the_distance(name):
    X, y = table()
    distance = nk.baselines.all()[name]().fit(X, y).distance_
    codes, n_values = distance.encode(X), distance.codebook.n_values
    codes[0, 0] = codes[1, 1] = -1  # values that were never seen
    facts = distance_tables(distance, codes, name)
    sizes = np.array(n_values) + 1
    rows = places(codes, n_values)
    rule = KINDS[facts["kind"]]
    found = [[rule(facts, sizes, a, b) for b in rows[:12]] for a in rows[:12]]
    stated = distance.compare(*2 * [distance.represent(codes[:12])])
    np.testing.assert_allclose(found, stated, atol=1e-7)


def test_sizes_are_those_of_centred_vectors():
    X, y = table()
    distance = nk.baselines.Euclidean().fit(X, y).distance_
    codes = distance.encode(X)
    facts = distance_tables(distance, codes, "Euclidean")
    starts = np.cumsum([0, *distance.codebook.n_values])[:-1] + np.arange(4)
    U = facts["vectors"][codes + starts].sum(axis=1)
    np.testing.assert_allclose(facts["sizes"], (U**2).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(U.mean(axis=0), 0.0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_has_no_tables_is_refused_by_name(name):
    X, y = table()
    metric = nk.baselines.all()[name]().fit(X, y)
    words = f"cannot show {type(metric).__name__}, because its distances are not"
    with pytest.raises(TypeError, match=words):
        nk.report(metric, X)


def test_features_of_unequal_weights():
    book = nk.baselines.Hamming().fit([["a", "x"], ["b", "y"]]).codebook_
    distance = MismatchWeights(book, np.array([0.25, 0.5]))
    codes = np.array([[0, 0], [1, 0], [-1, 1]])
    facts = distance_tables(distance, codes, "Weighted")
    found = [by_mismatches(facts, None, codes[0], row) for row in codes]
    assert found == distance.compare(codes[:1], codes)[0].tolist() == [0.0, 0.25, 0.75]
