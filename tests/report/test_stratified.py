"""Some of many rows: none twice, each kind in its share."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearkind.report.sampling import stratified

kinds = st.lists(st.integers(-1, 4), min_size=1, max_size=200).map(np.array)


@given(kinds, st.integers(6, 220), st.integers(0, 3))
def test_every_kind_keeps_its_share(kinds, most, seed):
    kept = stratified(kinds, most, seed)
    assert len(kept) == min(len(kinds), most)
    assert (np.diff(kept) > 0).all()
    for kind in np.unique(kinds):
        n_all, n_kept = (kinds == kind).sum(), (kinds[kept] == kind).sum()
        assert n_kept >= 1
        # One more by rounding, one less for each kind too rare for its share.
        assert abs(n_kept - n_all * len(kept) / len(kinds)) < 6


@given(kinds, st.integers(6, 220))
def test_the_same_seed_draws_the_same(kinds, most):
    assert np.array_equal(stratified(kinds, most), stratified(kinds, most))


def test_more_kinds_than_places_give_one_of_each():
    assert len(stratified(np.arange(30), most=10)) == 30
