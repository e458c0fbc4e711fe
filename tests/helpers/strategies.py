"""Small cases on which every law must hold: ties, duplicates, weights, rare classes.

Numbers are multiples of a power of two, so that equal distances are exactly equal
however they are computed.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def examples(n, **others):
    """Settings of a law of which `make test` tries n examples, and `make test-slow` ten
    times as many, like all others.
    """
    per_twenty = settings.default.max_examples / 20
    return settings(max_examples=max(1, round(n * per_twenty)), **others)


class Table(NamedTuple):
    """Coded rows with labels and integer weights."""

    codes: np.ndarray  # (n, D) int32
    n_values: list
    y: np.ndarray  # (n,)
    weights: np.ndarray  # (n,), 1.0, 2.0 or 3.0

    def repeated(self):
        """Return the same table with each row written as often as its weight says."""
        rows = np.repeat(np.arange(len(self.y)), self.weights.astype(int))
        return Table(self.codes[rows], self.n_values, self.y[rows], np.ones(len(rows)))


def integers(shape, low, high):
    """Arrays of whole numbers, as floats."""
    return hnp.arrays(np.int64, shape, elements=st.integers(low, high)).map(
        lambda a: a.astype(float)
    )


def weights(n):
    """Integer weights 1, 2 or 3."""
    return integers(n, 1, 3)


@st.composite
def labels(draw, n):
    """Class numbers with at least two classes and a class of two rows."""
    rest = draw(st.lists(st.integers(0, 2), min_size=n - 3, max_size=n - 3))
    y = draw(st.permutations([0, 0, 1, *rest]))
    return np.array(y)


@st.composite
def tables(draw, min_rows=4, max_rows=9, unseen=False):
    """Labelled code tables, few values per feature, so rows repeat and tie."""
    n = draw(st.integers(min_rows, max_rows))
    n_values = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    columns = [
        draw(hnp.arrays(np.int32, n, elements=st.integers(-1 if unseen else 0, s - 1)))
        for s in n_values
    ]
    codes = np.column_stack(columns).astype(np.int32)
    return Table(codes, n_values, draw(labels(n)), draw(weights(n)))


@st.composite
def phis(draw, n):
    """Projections (n, D, C) of small fractions."""
    shape = n, draw(st.integers(1, 3)), draw(st.integers(1, 3))
    return draw(integers(shape, -4, 4)) / 4.0


@st.composite
def stacks(draw, n_blocks, width, psd=True):
    """Symmetric stacks (B, W, W); positive semi-definite ones are often singular."""
    F = draw(integers((n_blocks, width, width), -2, 2)) / 2.0
    return F @ F.swapaxes(1, 2) if psd else F + F.swapaxes(1, 2)


@st.composite
def distances(draw, n):
    """Symmetric squared distances (n, n) with many ties and a zero diagonal."""
    d2 = np.triu(draw(integers((n, n), 0, 12)) / 4.0, 1)
    return d2 + d2.T


def spectra(size, low=-4.0, high=4.0):
    """Eigenvalues of any sign, zeros and repeats among them."""
    number = st.one_of(
        st.integers(int(low), int(high)).map(float),
        st.floats(low, high).filter(lambda x: x == 0.0 or abs(x) > 1e-6),
    )
    return hnp.arrays(float, size, elements=number)


@st.composite
def labelled_distances(draw, min_rows=4, max_rows=6):
    """Return (d2, y, weights)."""
    n = draw(st.integers(min_rows, max_rows))
    return draw(distances(n)), draw(labels(n)), draw(weights(n))


@st.composite
def metrics(draw, structure, min_rows=4, max_rows=6, psd=True):
    """Return (phi, M) that fit a structure."""
    phi = draw(phis(draw(st.integers(min_rows, max_rows))))
    return phi, draw(stacks(*structure.shape(*phi.shape[1:]), psd=psd))
