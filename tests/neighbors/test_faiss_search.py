"""Equal vectors are merged, and lie in the unit ball."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import integers
from nearkind.neighbors.faiss_search import DistinctVectors


@st.composite
def vectors(draw):
    m, q = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    return draw(integers((m, q), -2, 2)) * draw(st.sampled_from([1e-20, 0.5, 1e90]))


@given(U=vectors())
def test_rows_share_a_vector_where_theirs_are_equal(U):
    distinct = DistinctVectors.of(U)
    equal = (U[:, None] == U).all(axis=2)
    np.testing.assert_array_equal(distinct.of_row[:, None] == distinct.of_row, equal)


@given(U=vectors())
def test_distinct_vectors_list_their_rows_and_equal_theirs(U):
    distinct = DistinctVectors.of(U)
    rows, owner = distinct.rows.members_of(np.arange(len(distinct)))
    np.testing.assert_array_equal(distinct.of_row[rows], owner)
    assert sorted(rows) == list(range(len(U)))
    np.testing.assert_allclose(
        distinct.transform(U), distinct.vectors[distinct.of_row], atol=1e-9
    )


@given(U=vectors())
def test_no_vector_is_longer_than_one_and_the_longest_is_one(U):
    radius = np.sqrt((DistinctVectors.of(U).vectors ** 2).sum(axis=1)).max()
    assert radius <= 1.0 + 1e-12
    assert radius >= 1.0 - 1e-12 or len(np.unique(U, axis=0)) == 1


def test_vectors_equal_up_to_rounding_are_merged():
    noise = np.random.default_rng(0).uniform(-1e-14, 1e-14, (50, 3))
    U = np.repeat([[0.1, 0.2, 0.3], [-1.0, 2.0, 0.5]], 25, axis=0) + noise
    assert len(DistinctVectors.of(U).vectors) == 2
