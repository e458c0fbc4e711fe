"""Named sets: seeds that no method moves, and columns of numbers."""

import numpy as np
import pytest

from nearkind.datasets import make_synthetic
from nearkind.datasets.catalogue import NUMERIC
from nearkind.experiments import sets
from nearkind.experiments.sets import BuiltIn, Synthetic, seed_of
from nearkind.experiments.splits import split


def test_seeds_depend_on_set_and_repetition():
    found = {seed_of(name, r) for name in ("zoo", "car", "zoo1") for r in range(100)}
    assert len(found) == 300
    assert all(0 <= seed < 2**31 for seed in found)
    assert seed_of("zoo", 11) != seed_of("zoo1", 1)


def test_a_seed_is_the_same_on_every_machine():
    assert seed_of("monks1", 0) == 1861105399
    train = split(BuiltIn("monks1").load(), seed_of("monks1", 0)).train
    assert train.X.shape == (259, 6)


@pytest.mark.parametrize("reading", ["raw", "normalised"])
@pytest.mark.parametrize("distinct", [False, True])
def test_a_synthetic_set_is_drawn_with_its_settings(reading, distinct):
    synthetic = Synthetic(40, 3, weight=0.9, reading=reading, distinct=distinct)
    drawn = synthetic.load(seed=5)
    data = make_synthetic(
        40, 3, weight=0.9, random_state=5, reading=reading, distinct=distinct
    )
    assert drawn.X.tolist() == data.X.to_numpy().tolist()
    assert drawn.y.tolist() == data.y.tolist()


def test_settings_that_came_later_are_not_in_the_name_by_default():
    name = "synthetic(n_samples=1000, n_features=10, n_classes=4, weight=0.3, n_noisy=0"
    assert Synthetic().name == f"{name})"
    assert Synthetic(reading="normalised").name == f'{name}, reading="normalised")'


@pytest.mark.parametrize("name", NUMERIC)
def test_columns_of_numbers_are_left_out(name, monkeypatch):
    columns = ["colour", *sorted(NUMERIC[name])]
    cells = np.array([columns, columns], dtype=object)

    class Data:
        X, y, feature_names = cells, np.array(["a", "b"]), columns

    monkeypatch.setattr(sets.datasets, "load", lambda *_, **__: Data)
    assert BuiltIn(name).load().X.tolist() == [["colour"], ["colour"]]


@pytest.mark.parametrize("name", NUMERIC)
def test_columns_of_numbers_may_be_kept_as_numbers(name, monkeypatch):
    numeric = sorted(NUMERIC[name])
    columns = [numeric[0], "colour", *numeric[1:]]
    cells = np.array(
        [["1", "2", *("3" for _ in numeric[1:])], [None] * len(columns)], dtype=object
    )

    class Data:
        X, y, feature_names = cells, np.array(["a", "b"]), columns

    monkeypatch.setattr(sets.datasets, "load", lambda *_, **__: Data)
    kept = BuiltIn(name).load(numbers=True)
    assert kept.X.tolist() == [
        [1.0, "2", *(3.0 for _ in numeric[1:])],
        [None] * len(columns),
    ]
    assert cells[0, 0] == "1"  # the set itself is left as it is


def test_a_set_without_numbers_is_the_same_either_way():
    monks = BuiltIn("monks1")
    plain, kept = monks.load(), monks.load(numbers=True)
    np.testing.assert_array_equal(plain.X, kept.X)
