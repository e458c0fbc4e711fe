"""Shares of noisy features."""

import csv

import numpy as np
import pytest

from nearkind.experiments.paper import noise


def test_share_of_noise_is_that_of_the_spectrum():
    M = np.diag([2.0] * 8 + [1.0, 3.0])
    assert noise.noise_share(M, 1) == pytest.approx(4.0 / 20.0)
    assert noise.noise_share(M, 2) == pytest.approx(10.0 / 42.0)
    assert noise.noise_share(np.zeros((9, 9)), 2) == 0.0


def test_table(reproduction, monkeypatch):
    monkeypatch.setattr(noise, "SETS", {4: noise.SETS[4]})
    monkeypatch.setattr(noise, "EXPONENTS", (1,))
    with noise.noise(reproduction)[1].open(encoding="utf-8") as file:
        [line] = csv.DictReader(file)
    assert line["printed"] == "0.012 ± 0.006"
    for method in noise.NOISE_METHODS:
        for share in ("metric", "distance"):
            assert 0.0 <= float(line[f"{method}, {share}"].split()[0]) <= 1.0
