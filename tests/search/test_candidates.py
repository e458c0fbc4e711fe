"""Candidates: what is not worth a fit, or would not fit into memory, is refused."""

import numpy as np
import pytest

from nearkind import CPML, optimizations
from nearkind.baselines import Hamming
from nearkind.encoding.codebook import Codebook
from nearkind.search.candidates import MAX_NUMBERS, ROUGH_ROWS, Candidate

ROWS = [["a", "x"], ["b", "y"], ["c", "x"]]


def book(**policies):
    found = Codebook(**policies)
    found.fit_encode(ROWS)
    return found


def test_many_values_or_many_rows_are_refused_before_any_fit():
    known, candidate = book(), Candidate("values", Hamming(), max_values=5)
    candidate.check_size(known, 1_000)
    candidate.check_size(known, MAX_NUMBERS // 5)
    with pytest.raises(ValueError, match=r"5 of them for 12,000,001 rows are more"):
        candidate.check_size(known, MAX_NUMBERS // 5 + 1)
    with pytest.raises(
        ValueError, match=r"the columns have 5 values in total, more than 4"
    ):
        Candidate("values", Hamming(), max_values=4).check_size(known, 3)


def test_without_a_limit_any_size_will_do():
    Candidate("values", Hamming()).check_size(book(), 10**12)


def test_pairs_are_needed_only_where_it_says_so():
    pairs = Candidate("pairs", Hamming(), needs_crosses=True)
    pairs.check_size(book(crosses=[(0, 1)]), 3)
    with pytest.raises(ValueError, match="No pair of columns is clearly more"):
        pairs.check_size(book(), 3)


def test_many_rows_without_pairs_say_so_and_go_on():
    import nearkind as nk

    rng = np.random.default_rng(0)
    X = rng.integers(3, size=(6_200, 2)).astype(str)
    y = np.where(rng.random(6_200) < 0.9, X[:, 0] == "1", rng.random(6_200) < 0.5)
    model = nk.CPMLClassifierCV(random_state=0).fit(X, y)
    assert model.refused_["neighbors by values and pairs"].startswith("No pair of col")
    assert model.best_score_ > 0.9


class Recorder(CPML):
    """Learns nothing; remembers which strengths were roughly fitted."""

    def fit_path(self, X, y, strengths, sample_weight=None, *, max_rows=None):
        for strength in strengths:
            LOG.append((strength, max_rows))
            yield self


LOG = []


@pytest.mark.usefixtures("optimized")
def test_only_fits_that_rank_or_lead_on_are_rough():
    strengths = ("10%", "1%", "0.1%")
    candidate = Candidate("soft", Recorder(constraints="neighbors"), strengths)
    LOG.clear()
    list(candidate.path([0] * 9, 1))
    assert LOG == [("10%", ROUGH_ROWS), ("1%", ROUGH_ROWS)]
    LOG.clear()
    candidate.fitted([0] * (ROUGH_ROWS + 1), {1, 2})
    assert LOG == [("10%", ROUGH_ROWS), ("1%", None), ("0.1%", None)]
    LOG.clear()
    candidate.fitted([0] * ROUGH_ROWS, {1})
    assert LOG == [("10%", None), ("1%", None)]
    LOG.clear()
    with optimizations.disabled():
        list(candidate.path([0] * 9, 0))
    list(Candidate("triplets", Recorder(), strengths).path([0] * 9, 0))
    assert LOG == [("10%", None)] * 2
