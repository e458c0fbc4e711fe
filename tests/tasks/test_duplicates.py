"""Pairs of similar rows are the nearest of all pairs."""

from itertools import combinations

import numpy as np
import pytest

from nearkind.baselines import Goodall1, Hamming
from nearkind.tables import read_table
from nearkind.tasks import duplicates
from nearkind.tasks.duplicates import nearest_pairs


@pytest.mark.parametrize("metric", [Hamming(), Goodall1()])
@pytest.mark.parametrize("chunk", [1, 60, 1 << 21])
def test_nearest_pairs_are_those_of_all_pairs(monkeypatch, metric, chunk):
    monkeypatch.setattr(duplicates, "CHUNK", chunk)
    table = np.random.default_rng(0).integers(3, size=(25, 4)).astype(str)
    form = metric.fit(table).distance_
    codes = form.encode(read_table(table))
    d = metric.pairwise_distances(table)
    every = sorted((d[i, j], i, j) for i, j in combinations(range(25), 2))
    for n_pairs, within in ((7, np.inf), (400, 0.5)):
        expected = [pair for pair in every if pair[0] <= within][:n_pairs]
        a, b, apart = nearest_pairs(form, codes, n_pairs, within)
        assert list(zip(a.tolist(), b.tolist(), strict=True)) == [
            p[1:] for p in expected
        ]
        np.testing.assert_allclose(apart, [p[0] for p in expected])
