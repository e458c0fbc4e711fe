"""Tables to cut into batches: words, numbers, gaps of every kind, mixed types."""

from decimal import Decimal

import numpy as np
from hypothesis import strategies as st

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.features import NumberFeature
from nearkind.estimators.batches import BatchSummarizer
from nearkind.projections.base import value_counts
from nearkind.streaming import Batch, merge_summaries

GAPS = [None, float("nan"), np.nan]
CELLS = {
    "words": st.sampled_from(["red", "blue", "", "NA", None]),
    "whole": st.sampled_from([1, 2, 3, 10**17 + 1, 10**17 + 2, None]),
    "many": st.one_of(st.integers(-40, 40), st.sampled_from(GAPS)),
    "fractions": st.one_of(st.floats(-5, 5), st.sampled_from([np.inf, -np.inf, *GAPS])),
    "mixed": st.sampled_from([1, 2.5, "1", "x", True, None, (1, 2), Decimal("7")]),
    "numbers": st.sampled_from([1, 2.5, Decimal("3"), 2**70, None]),
    "gone": st.sampled_from(GAPS),
}


@st.composite
def tables(draw, max_rows=40):
    """Return (columns, labels): a dict of lists, and a word a row."""
    n = draw(st.integers(2, max_rows))
    names = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, unique=True))
    columns = {
        name: draw(st.lists(CELLS[name], min_size=n, max_size=n)) for name in names
    }
    y = draw(st.lists(st.sampled_from("abc"), min_size=n - 2, max_size=n - 2))
    return columns, ["a", "b", *y]


@st.composite
def cuts(draw, n_rows):
    """Return slices that cover all rows; some may be empty."""
    ends = sorted(draw(st.lists(st.integers(0, n_rows), max_size=4)))
    return [slice(a, b) for a, b in zip([0, *ends], [*ends, n_rows], strict=True)]


def in_batches(columns, y, slices):
    """Return the table in numbered batches."""
    return [
        Batch(i, {name: cells[at] for name, cells in columns.items()}, y[at])
        for i, at in enumerate(slices)
    ]


def summarized(parts, numeric="auto", size=1000, seed=0):
    """Return the merged summary of batches, in the order in which they come."""
    read = BatchSummarizer("Nobody", numeric, seed, size)
    return merge_summaries(map(read, parts), size)


def learned(columns, y, numeric="auto"):
    """Return features and histograms of a table as a whole."""
    book = Codebook(numeric=numeric)
    codes = book.fit_encode(columns)
    _, numbers = np.unique(y, return_inverse=True)
    return book, value_counts(codes, book.n_values, numbers, np.ones(len(y)))


def counted(summary, numeric="auto"):
    """Return features and histograms of a summary."""
    classes = np.sort(summary.counts.classes)
    book = summary.counts.fit_codebook(Codebook(numeric=numeric))
    return book, summary.counts.histograms(book, classes)


def assert_same(found, wanted):
    """Hold that features and histograms are the same, bit for bit."""
    assert_same_features(found[0], wanted[0])
    for mine, theirs in zip(found[1], wanted[1], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def assert_same_features(found, wanted):
    """Hold that the features of two codebooks are the same, bit for bit."""
    for mine, theirs in zip(found.features_, wanted.features_, strict=True):
        assert type(mine) is type(theirs)
        assert mine.name == theirs.name
        assert mine.values == theirs.values
        assert mine.missing_code == theirs.missing_code
        assert (mine.positions is None) == (theirs.positions is None)
        if mine.positions is not None:
            np.testing.assert_array_equal(mine.positions, theirs.positions)
        if isinstance(theirs, NumberFeature):
            np.testing.assert_array_equal(mine.edges, theirs.edges)


def rows(n=120, seed=0):
    """Return words, numbers and gaps, and labels that follow some."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    word = np.where(rng.random(n) < 0.7, y, rng.integers(4, size=n)).astype(str)
    word = np.where(rng.random(n) < 0.1, None, word)
    few = rng.integers(5, size=n)
    return {"word": word, "few": few, "x": rng.normal(size=n) + y}, y.astype(str)


def cut(X, y, size):
    ends = range(0, len(y), size)
    return [({n: c[a : a + size] for n, c in X.items()}, y[a : a + size]) for a in ends]
