"""The faulty display obeys its law, and the published draw is preferred."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from nearkind import datasets
from nearkind.datasets import files
from nearkind.datasets.rules import led24

N = 20_000


@pytest.fixture(scope="module")
def bits_and_inverted():
    clean = led24(2000, noise=0.0)
    lit = dict(zip(clean.y, clean.X[:, :7], strict=True))
    table = led24(N, seed=3)
    return table, table.X[:, :7] != np.stack([lit[digit] for digit in table.y])


def test_each_segment_is_inverted_one_time_in_ten(bits_and_inverted):
    _, inverted = bits_and_inverted
    for count in inverted.sum(axis=0):
        assert binomtest(int(count), N, 0.1).pvalue > 1e-4


def test_segments_are_inverted_independently(bits_and_inverted):
    _, inverted = bits_and_inverted
    correlation = np.corrcoef(inverted.T) - np.eye(7)
    assert abs(correlation).max() < 4.5 / np.sqrt(N)


def test_the_rest_is_fair_and_knows_no_digit(bits_and_inverted):
    table, _ = bits_and_inverted
    irrelevant, digits = table.X[:, 7:] == "1", table.y.astype(int)
    for bit in irrelevant.T:
        assert binomtest(int(bit.sum()), N, 0.5).pvalue > 1e-4
        assert abs(np.corrcoef(bit, digits)[0, 1]) < 4.5 / np.sqrt(N)


def test_digits_are_equally_frequent(bits_and_inverted):
    table, _ = bits_and_inverted
    assert chisquare(np.unique(table.y, return_counts=True)[1]).pvalue > 1e-4


def test_a_clean_display_shows_ten_different_digits():
    clean = led24(2000, noise=0.0)
    shown = {
        (digit, "".join(row[:7])) for digit, row in zip(clean.y, clean.X, strict=True)
    }
    assert len(shown) == 10
    assert len({pattern for _, pattern in shown}) == 10
    assert led24(50, noise=1.0).X[:, :7].tolist() == _inverted(led24(50, noise=0.0))


def _inverted(table):
    return np.where(table.X[:, :7] == "1", "0", "1").tolist()


def test_seed_settles_the_draw():
    assert led24(40).X.tolist() == led24(40).X.tolist()
    assert led24(40).X.tolist() != led24(40, seed=1).X.tolist()


def test_without_a_file_a_draw_is_handed_out_and_says_so(no_folder):
    data = datasets.load("led24", as_frame=False)
    assert data.X.shape == (3200, 24)
    assert set(data.y) == set("0123456789")
    assert "drawn by its rule with seed 0" in data.source


def test_the_published_file_is_of_this_form_and_preferred(real_file, monkeypatch):
    path = real_file("led24")
    monkeypatch.setenv("NEARKIND_DATA", str(path.parent))
    data, ours = datasets.load("led24", as_frame=False), led24()
    assert data.X.tolist() == files.read(path).X.tolist() != ours.X.tolist()
    assert data.feature_names == ours.feature_names
    clean = led24(2000, noise=0.0)
    for digit in set(data.y):
        mostly = (data.X[data.y == digit, :7] == "1").mean(axis=0) > 0.5
        assert (mostly == (clean.X[clean.y == digit][0, :7] == "1")).all()
