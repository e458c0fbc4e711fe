"""DM3: worked figures, and the definition as a plain loop."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import nearkind as nk
from helpers.baseline_oracles import distance_of_persons, entropy
from helpers.six_persons import PERSONS, rows_of
from helpers.strategies import tables

pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
]
DM3 = nk.baselines.DM3


def test_dependence_of_six_persons():
    R = DM3().fit(PERSONS).distance_.dependence
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
    np.testing.assert_allclose(
        distance_of_persons(DM3(beta=beta), *pair), expected, atol=4e-8
    )


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
@given(table=tables(unseen=True))
def test_dm3_is_the_definition(stage, beta, table):
    rows = rows_of(table.codes)
    plain = PlainDM3(rows_of(table.repeated().codes), beta, stage)
    model = DM3(stage, beta=beta, missing="prior").fit(
        rows, sample_weight=table.weights
    )
    expected = [[plain.distance(x, y) for y in rows] for x in rows]
    np.testing.assert_allclose(model.pairwise_distances(rows), expected, atol=1e-11)


def test_dm3_of_many_related_features_is_the_definition():
    rng = np.random.default_rng(3)
    cause = rng.integers(0, 3, 40)
    codes = np.where(rng.random((40, 7)) < 0.3, rng.integers(0, 3, (40, 7)), 0)
    rows = rows_of((codes + cause[:, None]) % 4)
    plain, model = PlainDM3(rows, "mean", 3), DM3().fit(rows)
    R = model.distance_.dependence
    assert (R.mean() < R).sum() > 7
    expected = [[plain.distance(x, y) for y in rows[:12]] for x in rows[:12]]
    np.testing.assert_allclose(
        model.pairwise_distances(rows[:12]), expected, atol=1e-12
    )


def test_dm3_is_the_same_however_rows_are_split(monkeypatch):
    whole = DM3().fit(PERSONS).pairwise_distances(PERSONS)
    monkeypatch.setattr("nearkind.distances.dependence.PAIRS_AT_ONCE", 7)
    np.testing.assert_array_equal(DM3().fit(PERSONS).pairwise_distances(PERSONS), whole)


@pytest.mark.parametrize(
    ("model", "words"),
    [
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
