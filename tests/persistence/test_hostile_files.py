"""Small files that were made to take long, or to answer nonsense, are refused."""

from fractions import Fraction

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import loaded, put_together, saved, taken_apart
from nearkind.errors import ModelFileError
from nearkind.search.candidates import Candidate

X = [["a", 1], ["b", 2], ["a", 3], ["b", 4]]
Y = [0, 1, 0, 1]
PRIME = 2**61 - 1


def with_levels(levels):
    """Return a file whose first column has these values."""
    tree, arrays = taken_apart(saved(nk.baselines.Hamming(numeric="category").fit(X)))
    form = tree["model"]["Hamming"]["fitted"]["distance_"]["MismatchWeights"]
    book = form["codebook"]["Codebook"]
    book["features"][0]["Levels"]["levels"] = levels
    return put_together(tree, arrays)


@pytest.mark.parametrize(
    ("fraction", "words"),
    [
        (["1e30000000"], "not enough values"),
        (["1e30000000", 1], "no two whole numbers"),
        ([2, 4], "not in lowest terms"),
        ([1, -2], "not in lowest terms"),
        ([True, 2], "no two whole numbers"),
    ],
)
def test_a_fraction_is_two_whole_numbers(fraction, words):
    with pytest.raises(ModelFileError, match=words):
        loaded(with_levels([{"fraction": fraction}, "b"]))


def test_numbers_of_one_hash_are_refused():
    assert hash(3 * PRIME) == hash(0)
    with pytest.raises(ModelFileError, match="made to have the same hash"):
        loaded(with_levels([k * PRIME for k in range(2_000)]))


def test_many_models_are_refused():
    model = nk.CPMLClassifierCV([Candidate("plain", nk.baselines.Hamming())], cv=2)
    tree, arrays = taken_apart(saved(model.fit(X * 5, Y * 5)))
    settings = tree["model"]["CPMLClassifierCV"]["settings"]
    settings["candidates"] = [{"Hamming": {"settings": {}}}] * 1_001
    with pytest.raises(ModelFileError, match="more than 1,000 models"):
        loaded(put_together(tree, arrays))


def test_negative_distances_are_refused():
    model = nk.baselines.ValueDifference().fit(X, Y)
    for table in model.distance_.tables:
        table -= 2.0
    with pytest.raises(ModelFileError, match="tables have a negative distance"):
        saved(model)


class TestNothingIsLost:
    def test_a_candidate(self):
        given = Candidate("plain", nk.baselines.Hamming(), (), 1, 9, False)
        model = nk.CPMLClassifierCV([given], cv=2).fit(X * 5, Y * 5)
        [again] = loaded(saved(model)).candidates
        kept = "name", "strengths", "stage", "max_values", "needs_crosses"
        assert [getattr(again, n) for n in kept] == [getattr(given, n) for n in kept]

    def test_rows_of_no_weight_at_the_end(self):
        model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
        model.fit(X, Y, sample_weight=[1.0, 1.0, 1.0, 0.0])
        again = loaded(saved(model))
        assert again.n_samples_fit_ == model.n_samples_fit_ == 4
        rows = again.add([["b", 3]], [1]).kneighbors([["b", 3]], 1)[1]
        assert rows.ravel().tolist() == [4]

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_numbers_of_batches(self):
        batches = [(X[:2] * 4, Y[:2] * 4), (X[2:] * 4, Y[2:] * 4)]
        model = nk.CPMLClassifier(nk.CPML()).fit_batches(batches)
        again = loaded(saved(model))
        assert again.n_samples_seen_ == model.n_samples_seen_ == 16
        assert again.n_remembered_ == model.n_remembered_
        assert again.metric_.n_samples_seen_ == 16
        np.testing.assert_array_equal(again.metric_.class_count_, [8.0, 8.0])


def test_fractions_come_back():
    rows = [[Fraction(1, 3)], [Fraction(-2, 5)]]
    again = loaded(saved(nk.baselines.Hamming().fit(rows)))
    assert again.pairwise_distances(rows)[0, 1] > 0.0
