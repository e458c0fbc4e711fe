import numpy as np
import pandas as pd
import pytest

from nearkind.baselines import OCL
from nearkind.baselines.ocl import _distances, _spread

VALUES = list("gacfbe")


def planted(n=400, seed=0):
    """Return columns whose values follow one hidden order, with neighbours mixed."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 6, n)
    near = [np.clip(z + rng.integers(-1, 2, n), 0, 5) for _ in range(4)]
    return pd.DataFrame({f"c{j}": np.array(VALUES)[at] for j, at in enumerate(near)})


def test_a_planted_order_is_found():
    orders = OCL(n_clusters=6).fit(planted()).orders_.values()
    places = [np.array([VALUES.index(value) for value in order]) for order in orders]
    moved = [
        min(abs(p - range(6)).sum(), abs(p[::-1] - range(6)).sum()) for p in places
    ]
    assert np.mean(moved) <= 2.0  # one exchange of neighbours


def test_groups_and_words_in_plain_loops():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 5, (5, 3)).astype(float) + np.eye(5, 3)
    order = rng.permutation(5)
    place, shares = np.argsort(order), counts / counts.sum(axis=0)
    expected = [
        [
            sum(shares[v, m] * abs(place[u] - place[v]) / 4 for v in range(5))
            for m in range(3)
        ]
        for u in range(5)
    ]
    np.testing.assert_allclose(_distances(counts, order), expected)
    pairs = (counts * _distances(counts, order)).sum() * 4 / 2
    assert np.isclose(_spread(counts, order), pairs)


def test_neither_the_order_of_rows_nor_repetition_changes_it():
    table = planted(100)
    D = OCL().fit(table).pairwise_distances(table)
    turned = OCL().fit(table[::-1]).pairwise_distances(table)
    np.testing.assert_array_equal(turned, D)
    twice = OCL().fit(pd.concat([table, table])).pairwise_distances(table)
    np.testing.assert_array_equal(twice, D)


@pytest.mark.parametrize(
    "rows",
    [[["a"]], [[None, 1.0], [None, 2.0]], [[1.0], [2.0]], [["a", None], ["a", "b"]]],
)
def test_tables_without_anything_to_order(rows):
    D = OCL().fit(rows).pairwise_distances(rows)
    assert np.isfinite(D).all()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
def test_an_unseen_word_stands_half_way():
    model = OCL(n_clusters=2).fit([["a"], ["b"], ["c"]])
    assert model.pairwise_distances([["d"]], [["a"], ["b"], ["c"]]).max() == 0.5


def test_numbers_of_groups_are_checked():
    with pytest.raises(
        ValueError, match="'n_clusters' parameter of OCL must be a whole"
    ):
        OCL(n_clusters=0).fit([["a"]])
