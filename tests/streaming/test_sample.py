"""A stratified sample by priorities: its law, and that cuts do not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.batch_tables import summarized
from nearkind.streaming import Batch
from nearkind.streaming.sample import lowest_priority, priorities, rows_per_class


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(0, 150))
def test_as_many_of_each_class_as_fit(sizes, size):
    part = rows_per_class(np.array(sizes), size)
    taken = np.minimum(sizes, part).sum()
    assert taken <= max(size, np.minimum(sizes, 2).sum())
    if part < max(sizes) and part > 2:
        assert np.minimum(sizes, part + 1).sum() > size


@given(st.lists(st.sampled_from("abc"), min_size=1), st.integers(2, 20))
def test_lowest_against_sorting_each_class(labels, size):
    labels = np.array(labels)
    drawn = priorities(1, 2, len(labels))
    sizes = np.unique(labels, return_counts=True)[1]
    part = rows_per_class(sizes, size)
    oracle = {
        i
        for c in set(labels.tolist())
        for i in sorted(np.flatnonzero(labels == c), key=lambda i: drawn[i])[:part]
    }
    assert set(lowest_priority(labels, drawn, size).tolist()) == oracle


def test_priorities_look_drawn_and_differ_by_seed_and_batch():
    shares = priorities(0, 0, 20_000) / 2.0**64
    assert np.abs(np.histogram(shares, 10, (0, 1))[0] / 2000 - 1).max() < 0.1
    for other in (priorities(1, 0, 20_000), priorities(0, 1, 20_000)):
        assert abs(np.corrcoef(shares, other / 2.0**64)[0, 1]) < 0.03


def test_every_row_of_a_class_is_as_likely():
    y = np.array([0] * 30 + [1] * 6)
    hits = np.zeros(36)
    for seed in range(600):
        parts = [Batch(i, {"row": np.arange(36)[at]}, y[at]) for i, at in enumerate(
            (slice(0, 7), slice(7, 36)))]  # fmt: skip
        kept = summarized(parts, numeric="category", size=12, seed=seed).sample.table[
            "row"
        ]
        hits[kept] += 1
    assert hits.sum() == 600 * 12
    assert hits[30:].tolist() == [600] * 6
    assert np.abs(hits[:30] / 600 - 0.2).max() < 0.08  # five standard errors


def test_cells_stay_what_they_were():
    X = {"n": [10**17 + 1, None], "w": ["u", None], "x": [0.5, float("nan")]}
    sample = summarized([Batch(0, X, ["a", "b"])]).sample
    assert sample.table == {"n": [10**17 + 1, None], "w": ["u", None], "x": [0.5, None]}
    assert sample.labels.tolist() == ["a", "b"]


def test_rows_and_labels_stay_together():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=500)
    parts = [Batch(i, {"x": y[at] * 10.0, "w": y[at].astype(str)}, y[at]) for i, at in
             enumerate(slice(a, a + 90) for a in range(0, 500, 90))]  # fmt: skip
    sample = summarized(parts, size=60).sample
    assert len(sample) == 60
    assert sample.table["w"] == [str(label) for label in sample.labels]
    assert sample.table["x"] == pytest.approx(sample.labels * 10.0)
