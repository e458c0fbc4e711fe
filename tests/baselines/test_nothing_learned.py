"""Learners that learn nothing but rounding have distances of zero."""

import numpy as np
import pytest

import nearkind as nk
from nearkind.baselines.coding import learned_tables

pytestmark = pytest.mark.filterwarnings("ignore")
LEARNERS = [
    "nca",
    "lmca",
    "lmnn",
    "chi2_lmnn",
    "mcml",
    "itml",
    "pola",
    "mmc",
    "dml_eig",
]
ROUNDING = 1e-6


def noise(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(3, 9))
    X = rng.choice(list("abc"), (n_rows, 2)).tolist()
    return X, np.arange(n_rows) % 2


def distance(name, coding):
    kind = nk.baselines.all()[name]
    known = kind().get_params()
    given = {"coding": coding, "max_iter": 100, "random_state": 0}
    return kind(**{n: given[n] for n in given if n in known})


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("coding", ["onehot", "vdm"])
def test_no_distance_is_rounding_alone(name, coding):
    tables = [noise(seed) for seed in range(8)]
    same = [["a", "b"]] * 6, [0, 1] * 3
    for X, y in [*tables, same, ([["a", "x"], ["b", "x"]] * 3, [0, 0, 1, 1, 0, 1])]:
        largest = distance(name, coding).fit(X, y).pairwise_distances(X).max()
        assert largest == 0.0 or largest > ROUNDING, (X, y)


@pytest.mark.parametrize("name", ["nca", "lmca"])
def test_a_table_that_came_out_as_rounding(name):
    rng = np.random.default_rng(35)
    n_rows = int(rng.integers(3, 9))
    X = rng.choice(list("abc"), (n_rows, 2)).tolist()
    y = rng.integers(0, 2, n_rows)
    assert not distance(name, "vdm").fit(X, y).pairwise_distances(X).any()


def test_small_differences_beside_large_ones_stay():
    L = np.diag([1.0, 1e-9, 0.0])
    again = learned_tables([np.eye(3)], L).vectors[0]
    np.testing.assert_array_equal(again, L)
