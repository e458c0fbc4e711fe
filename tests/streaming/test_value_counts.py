"""Numbers in bounded memory: counts exact, numbers to a stated share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.batch_tables import counted, summarized
from nearkind.streaming import Batch
from nearkind.streaming import value_counts as module
from nearkind.streaming.value_counts import NumberCounts, round_down

FLOATS = st.floats(allow_nan=False, width=32).map(float)


def filled(parts, max_size):
    counts = NumberCounts(max_size)
    for part in parts:
        x, n = np.unique(np.array(part, float) + 0.0, return_counts=True)
        counts.add(0, x, n)
    counts.compact()
    return counts


@given(st.lists(FLOATS, min_size=1), st.integers(0, 52), st.integers(0, 52))
def test_the_grid_lies_below_rises_and_nests(cells, bits, fewer):
    x = np.sort(np.array(cells))
    down = round_down(x, bits)
    assert (down <= x).all()
    assert (down[1:] >= down[:-1]).all()
    usual = np.isfinite(down) & (np.abs(x) > 1e-30)
    assert (x[usual] - down[usual] <= np.abs(down[usual]) * 2.0**-bits).all()
    low = min(bits, fewer)
    np.testing.assert_array_equal(round_down(down, low), round_down(x, low))


@given(st.lists(FLOATS, min_size=1, max_size=60), st.integers(1, 20), st.data())
def test_bounded_counts_do_not_depend_on_the_cut(cells, max_size, data):
    at = data.draw(st.integers(0, len(cells)))
    whole = filled([cells], max_size)
    halves = [filled([part], max_size) for part in (cells[at:], cells[:at]) if part]
    merged = NumberCounts(max_size)
    for half in halves:
        merged.update(half, np.array([0]))
    for mine, theirs in zip(merged.class_counts(0), whole.class_counts(0), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert merged.bits == whole.bits
    assert whole.class_counts(0)[1].sum() == len(cells)


def test_memory_is_bounded_and_digits_go_only_then():
    x = np.random.default_rng(0).normal(size=5000)
    counts = filled(np.split(x, 10), max_size=1000)
    assert len(counts) <= 1000
    assert counts.bits < 52
    assert filled([x], max_size=5000).bits == 52


def test_bins_of_bounded_numbers_count_as_rows_do(monkeypatch):
    monkeypatch.setattr(module.NumberCounts.__init__, "__defaults__", (1500,))
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=4000), rng.integers(2, size=4000)
    parts = [Batch(i, {"x": x[at]}, y[at]) for i, at in enumerate(
        slice(a, a + 500) for a in range(0, 4000, 500))]  # fmt: skip
    summary = summarized(parts)
    book, (histogram,) = counted(summary)
    assert summary.counts.columns[0].numbers.bits < 52
    codes = book.encode({"x": x})[:, 0]
    oracle = [
        [((codes == f) & (y == c)).sum() for c in (0, 1)] for f in range(len(histogram))
    ]
    np.testing.assert_array_equal(histogram, oracle)
    assert len(histogram) == 10


def test_words_among_bounded_numbers_are_refused(monkeypatch):
    monkeypatch.setattr(module.NumberCounts.__init__, "__defaults__", (30,))
    parts = [
        Batch(0, {"x": np.arange(200.0)}, [0, 1] * 100),
        Batch(1, {"x": ["w"]}, [0]),
    ]
    with pytest.raises(ValueError, match="Column 'x' holds 'w' beside more than 30"):
        counted(summarized(parts))
