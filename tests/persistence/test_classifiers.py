"""Classifiers in a file: votes, row numbers, calibrations, each at its last number."""

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import assert_same, loaded, put_together, saved, taken_apart
from helpers.mutants import FILES
from nearkind.errors import ModelFileError
from nearkind.neighbors import RowGroups
from nearkind.persistence.container import RefusedError
from nearkind.persistence.models import PACKS, UNPACKS
from nearkind.persistence.nodes import Reader, Writer
from nearkind.search.candidates import Candidate
from nearkind.voting.calibration import SHARPEST, Calibration
from nearkind.voting.conformal import ConformalScores

X = [["a"], ["b"], ["a"], ["b"], ["c"], ["a"]]
Y = ["no", "yes", "yes", "yes", "no", "no"]
HALF = np.array([0.5, 0.5])


def again(value):
    """Return what a file makes of a value."""
    writer = Writer(PACKS, None)
    node = writer.node(value, "it")
    return Reader(UNPACKS, bytes(writer.arrays), 1 << 20).value(node)


def voting(**settings):
    """Return a classifier of three unique rows: a (0, 2, 5), b (1, 3) and c (4)."""
    return nk.CPMLClassifier(nk.baselines.Hamming(), 1, **settings).fit(X, Y)


def with_rows(**parts):
    """Return it with other training rows."""
    model = voting()
    for name, part in parts.items():
        object.__setattr__(model.training_rows_, name, np.asarray(part))
    return model


def with_numbers(rows=(0, 2, 5, 1, 3, 4), starts=(0, 3, 5, 6)):
    """Return it with other row numbers."""
    model = voting()
    groups = RowGroups(np.array(rows), np.array(starts))
    object.__setattr__(model.training_rows_, "groups", groups)
    return model


def with_entry(model, **entries):
    """Return the file of a model with other fitted attributes."""
    tree, arrays = taken_apart(saved(model))
    ((_, parts),) = tree["model"].items()
    parts["fitted"] |= entries
    return put_together(tree, arrays)


# Training rows


def test_the_rows_are_as_described():
    rows = voting().training_rows_
    assert rows.groups.rows.tolist() == [0, 2, 5, 1, 3, 4]
    assert rows.groups.starts.tolist() == [0, 3, 5, 6]
    np.testing.assert_allclose(rows.shares, [[2 / 3, 1 / 3], [0, 1], [1, 0]])


@pytest.mark.parametrize("weight", [1.0, 0.1, 1.0 + 1e-7, 1e12 + 1.0, 3.0])
def test_weights_by_class_come_back_and_whole_ones_whole(weight):
    model = nk.CPMLClassifier(nk.baselines.Hamming(), 1)
    n_copies = np.array([3, 2, 7, 5, 3, 12])  # 22 * (15 / 22) is not 15
    model.fit(X, Y, sample_weight=weight * n_copies)
    counts, found = (m.training_rows_.counts for m in (model, loaded(saved(model))))
    np.testing.assert_allclose(found, counts, rtol=1e-15)
    if weight.is_integer():
        np.testing.assert_array_equal(found, counts)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"weights": [1.0, 1.0]}, "weights are not one above zero for each unique row"),
        ({"weights": [3.0, 2.0, 0.0]}, "not one above zero"),
        ({"weights": [3.0, 2.0, -1.0]}, "not one above zero"),
        ({"shares": [[0.5, 0.5]] * 2}, "votes are not one >= 0 for each unique row"),
        ({"shares": [[0.2, 0.3, 0.5]] * 3}, "votes are not one >= 0"),
        ({"shares": [[1.1, -0.1]] * 3}, "votes are not one >= 0"),
        ({"shares": [[0.5, 0.5 + 2e-6]] * 3}, "votes of a row do not add up to one"),
        ({"shares": [[0.5, 0.5 - 2e-6]] * 3}, "votes of a row do not add up to one"),
        ({"codes": np.array([[0], [1]], np.int32)}, "weights are not one above zero"),
    ],
)
def test_votes_that_are_none_are_refused(parts, why):
    with pytest.raises(ModelFileError, match=why):
        saved(with_rows(**parts))


@pytest.mark.parametrize(
    "shares", [[[1.0, 0.0]] * 3, [[0.5, 0.5 + 9e-7]] * 3, [[0.5, 0.5 - 9e-7]] * 3]
)
def test_votes_may_miss_one_by_rounding(shares):
    found = loaded(saved(with_rows(shares=shares))).training_rows_
    np.testing.assert_array_equal(found.shares, shares)


@pytest.mark.parametrize("rows", [(0, 2, 5, 1, 3, 4), (3, 4, 5, 0, 2, 1)])
def test_row_numbers_come_back(rows):
    again = loaded(saved(with_numbers(rows)))
    assert again.training_rows_.groups.rows.tolist() == list(rows)
    assert again.training_rows_.groups.rows.dtype == np.intp
    model = with_numbers((0, 2, 8, 1, 3, 6))  # some rows have no weight
    model.n_samples_fit_ = 9
    found = loaded(saved(model)).training_rows_.groups.rows
    assert found.tolist() == [0, 2, 8, 1, 3, 6]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"starts": (0, 3, 5, 7)}, "row numbers are not split among the unique rows"),
        ({"starts": (0, 3, 5, 5)}, "not split among the unique rows"),
        ({"starts": (0, 3, 3, 6)}, "not split among the unique rows"),
        ({"starts": (0, 4, 3, 6)}, "not split among the unique rows"),
        ({"starts": (1, 3, 5, 6)}, "not split among the unique rows"),
        ({"starts": (0, 3, 6)}, "not split among the unique rows"),
        ({"starts": (0, 1, 2, 3, 6)}, "not split among the unique rows"),
        ({"rows": (0, 2, 5, 1, 3)}, "not split among the unique rows"),
        ({"rows": (-1, 2, 5, 1, 3, 4)}, "a row number is negative, or is there twice"),
        ({"rows": (0, 2, 5, 1, 3, 5)}, "a row number is negative, or is there twice"),
        ({"rows": (2, 0, 5, 1, 3, 4)}, "of a unique row are not in rising order"),
        ({"rows": (0, 5, 2, 1, 3, 4)}, "of a unique row are not in rising order"),
        ({"rows": (0, 2, 5, 3, 1, 4)}, "of a unique row are not in rising order"),
        ({"rows": (0, 1, 2, 3, 5, 4), "starts": (0, 2, 4, 6)}, "not in rising order"),
        ({"rows": (1, 0, 2, 3, 4, 5), "starts": (0, 2, 4, 6)}, "not in rising order"),
    ],
)
def test_row_numbers_that_are_none_are_refused(parts, why):
    with pytest.raises(ModelFileError, match=why):
        saved(with_numbers(**parts))


@pytest.mark.parametrize(
    "forged",
    [
        {"array": ["<i4", "C", [6], 0]},
        {"array": ["<f8", "C", [6], 0]},
        {"array": ["<i8", "C", [6, 1], 0]},
        [0, 2, 5, 1, 3, 4],
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["rows", "starts"])
def test_row_numbers_are_a_list_of_whole_numbers(name, forged):
    tree, arrays = taken_apart(saved(voting()))
    fitted = tree["model"]["CPMLClassifier"]["fitted"]
    at = fitted[name]["array"][3]
    if isinstance(forged, dict):
        forged = {"array": [*forged["array"][:3], at]}
    fitted[name] = forged
    with pytest.raises(
        ModelFileError, match=r"whole numbers|does not begin|more bytes"
    ):
        loaded(put_together(tree, arrays))


def test_the_number_of_rows_is_at_least_one_more_than_the_last():
    for n_rows in (6, 7):
        file = with_entry(voting(), n_samples_fit_=n_rows)
        assert loaded(file).n_samples_fit_ == n_rows
    for forged in (5, 0):
        with pytest.raises(ModelFileError, match="n_samples_fit_ is less than the num"):
            loaded(with_entry(voting(), n_samples_fit_=forged))
    for forged in (-1, 6.0, None):
        with pytest.raises(ModelFileError, match=r"n_samples_fit_ is .* whole num"):
            loaded(with_entry(voting(), n_samples_fit_=forged))


def test_without_the_number_of_rows_it_is_one_more_than_the_last():
    tree, arrays = taken_apart(saved(voting()))
    del tree["model"]["CPMLClassifier"]["fitted"]["n_samples_fit_"]
    assert loaded(put_together(tree, arrays)).n_samples_fit_ == 6


def test_a_distance_that_is_none_is_refused():
    unfitted = {"Hamming": {"settings": {}}}
    for forged in (unfitted, None, 3, {"Decimal": "1"}):
        with pytest.raises(ModelFileError, match=r"not a fitted distance|kind unknown"):
            loaded(with_entry(voting(), metric_=forged))


def test_an_index_of_vectors_needs_a_distance_of_vectors():
    model = nk.CPMLClassifier(nk.baselines.Lin(), 1).fit(X, Y)
    model.index = "faiss"
    words = "index='faiss' needs vectors, and metric_ of type Lin has none"
    with pytest.raises(ModelFileError, match=words):
        saved(model)


def test_a_class_alone_is_refused_and_two_are_not():
    assert loaded(saved(voting())).classes_.tolist() == ["no", "yes"]
    model = voting()
    model.classes_ = np.array(["no"])
    with pytest.raises(ModelFileError, match="classes_ of a classifier are fewer than"):
        saved(model)


@pytest.mark.parametrize("temperature", [1e-300, 1e300])
def test_a_temperature_is_any_number_above_zero(temperature):
    model = voting(weights="soft")
    model.temperature_ = temperature
    assert loaded(saved(model)).temperature_ == temperature


# What a search knows of rows held out


@pytest.mark.parametrize(
    "value",
    [
        Calibration(1e-300, 1e-300, HALF),
        Calibration(1.01 * SHARPEST, 1.0 - 1e-15, np.array([1e-9, 1.0 - 1e-9])),
        Calibration(1.0, 0.5, HALF + 4e-7),
        Calibration(1.0, 0.5, HALF - 4e-7),
    ],
    ids=str,
)
def test_a_calibration_comes_back(value):
    assert_same(again(value), value)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((0.0, 0.5, HALF), r"sharpness of a calibration is not in \(0, 8\]"),
        ((-1.0, 0.5, HALF), "sharpness"),
        ((1.02 * SHARPEST, 0.5, HALF), "sharpness"),
        ((float("nan"), 0.5, HALF), "sharpness"),
        ((1, 0.5, HALF), "sharpness"),
        ((1.0, 0.0, HALF), r"prior_share of a calibration is not in \(0, 1\)"),
        ((1.0, 1.0, HALF), "prior_share"),
        ((1.0, 1, HALF), "prior_share"),
        ((1.0, 0.5, np.array([1.0, 0.0])), "not of shares > 0 that sum to 1"),
        ((1.0, 0.5, np.array([1.5, -0.5])), "not of shares > 0 that sum to 1"),
        ((1.0, 0.5, HALF + 6e-7), "not of shares > 0 that sum to 1"),
        ((1.0, 0.5, HALF - 6e-7), "not of shares > 0 that sum to 1"),
        ((1.0, 0.5, HALF[None]), "prior has 2 axes instead of 1"),
    ],
)
def test_a_calibration_that_is_none_is_refused(parts, why):
    with pytest.raises(RefusedError, match=why):
        again(Calibration(*parts))


def scores(scores=(0.0, 0.5, 0.5, 1.0), truth=(0, 1, 0, 1), weights=(1.0, 0.5, 2, 1)):
    parts = np.asarray(scores, float), np.asarray(truth), np.asarray(weights, float)
    return ConformalScores(*parts)


@pytest.mark.parametrize(
    "value", [scores(), scores([-9e-7, 0, 0, 1.0]), scores([0.3], [0], [1e-300])]
)
def test_conformal_scores_come_back(value):
    found = again(value)
    assert_same(found, value)
    assert found.truth.dtype == np.intp


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"scores": [], "truth": [], "weights": []}, "are none, or not in rising"),
        ({"scores": [0.0, 0.5, 0.4, 1.0]}, "are none, or not in rising order"),
        ({"scores": [-2e-6, 0, 0, 0]}, "a conformal score is no probability"),
        ({"scores": [0, 0, 0, 1.0 + 1e-15]}, "a conformal score is no probability"),
        ({"scores": [[0, 0, 0, 1.0]]}, "scores has 2 axes"),
        ({"truth": [0, 1, 0]}, "do not have a class each"),
        ({"truth": [0, 1, 0, 1, 0]}, "do not have a class each"),
        ({"truth": [0, 1, 0, -1]}, "do not have a class each"),
        ({"weights": [1.0] * 3}, "do not have a weight above zero each"),
        ({"weights": [1.0] * 5}, "do not have a weight above zero each"),
        ({"weights": [1.0, 1.0, 1.0, 0.0]}, "do not have a weight above zero each"),
        ({"weights": [1.0, 1.0, 1.0, -1.0]}, "do not have a weight above zero each"),
    ],
)
def test_conformal_scores_that_are_none_are_refused(parts, why):
    with pytest.raises(RefusedError, match=why):
        again(scores(**parts))


@pytest.mark.parametrize("dtype", ["<i4", "<u8", "<f8"])
def test_classes_of_scores_are_whole_numbers_of_one_type(dtype):
    node = {
        "ConformalScores": {
            "scores": {"array": ["<f8", "C", [1], 0]},
            "truth": {"array": [dtype, "C", [1], 8]},
            "weights": {"array": ["<f8", "C", [1], 8 + int(dtype[2])]},
        }
    }
    data = np.zeros(1).tobytes() + bytes(int(dtype[2])) + np.ones(1).tobytes()
    with pytest.raises(RefusedError, match="do not have a class each"):
        Reader(UNPACKS, data, 0).value(node)
    node["ConformalScores"]["truth"] = [0]
    with pytest.raises(RefusedError, match=r"does not begin|do not have a class each"):
        Reader(UNPACKS, data, 0).value(node)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"name": 1}, "a candidate has no name, or no list of strengths"),
        ({"strengths": 0.5}, "a candidate has no name, or no list of strengths"),
        ({"turn": 0.5}, "a candidate has no turn, or no word on crosses"),
        ({"turn": True}, "a candidate has no turn, or no word on crosses"),
        ({"needs_crosses": 1}, "a candidate has no turn, or no word on crosses"),
        ({"max_values": 9.5}, "max_values of a candidate is no whole number"),
        ({"max_values": False}, "max_values of a candidate is no whole number"),
    ],
)
def test_a_candidate_that_is_none_is_refused(parts, why):
    sound = {"name": "plain", "metric": nk.baselines.Hamming()}
    with pytest.raises(RefusedError, match=why):
        again(Candidate(**sound | parts))


@pytest.mark.parametrize("strengths", [(), [0.5, 1.0], ("5%",)])
def test_a_candidate_comes_back(strengths):
    for more in [(0, None, False), (3, 7, True), (1, 0, False)]:
        value = Candidate("own", nk.baselines.Hamming(), strengths, *more)
        found = again(value)
        assert_same(found.strengths, strengths)
        assert (found.turn, found.max_values, found.needs_crosses) == more


def test_a_candidate_of_an_older_file_has_its_turn_first_and_no_limits():
    node = {"name": "a", "metric": {"Hamming": {"settings": {}}}, "strengths": []}
    found = Reader(UNPACKS, b"", 0).value({"Candidate": node})
    assert (found.turn, found.max_values, found.needs_crosses) == (0, None, False)


def searched(**entries):
    """Return a search of three classes in which some attributes are others."""
    model = loaded(FILES["searched"])
    for name, value in entries.items():
        setattr(model, name, value)
    return model


SOUND = np.diag([1.0, 0.0, 2.5])
THIRD = np.full(3, 1.0 / 3.0)


@pytest.mark.parametrize(
    "entries",
    [
        {"calibration_": None, "conformal_scores_": None, "confusion_": None},
        {"calibration_": Calibration(1.0, 0.5, THIRD), "confusion_": SOUND},
        {"conformal_scores_": scores(truth=(0, 2, 0, 1))},
        {"cv_results_": {}},
        {"cv_results_": {"a": np.ones(2), "b": np.array(["x", "y"])}},
    ],
    ids=str,
)
def test_what_a_search_knows_comes_back(entries):
    found = loaded(saved(searched(**entries)))
    for name, value in entries.items():
        assert_same(getattr(found, name), value)


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"calibration_": Calibration(1.0, 0.5, HALF)}, "no calibration of these"),
        ({"calibration_": scores()}, "no calibration of these classes"),
        ({"conformal_scores_": scores(truth=(0, 3, 0, 1))}, "not of these classes"),
        ({"conformal_scores_": 0.5}, "not of these classes"),
        ({"confusion_": np.zeros((3, 3))}, "does not count rows of each class"),
        ({"confusion_": -SOUND}, "does not count rows of each class by class"),
        ({"confusion_": SOUND[:2, :2]}, "does not count rows of each class by class"),
        ({"confusion_": SOUND[:2]}, "does not count rows of each class by class"),
        ({"confusion_": SOUND[0]}, "confusion_ has 1 axes instead of 2"),
        ({"cv_results_": {"a": np.ones((2, 1))}}, "cv_results_ does not hold columns"),
        ({"cv_results_": {"a": [1.0]}}, "cv_results_ does not hold columns"),
        ({"cv_results_": []}, "cv_results_ is of type list instead of dict"),
        ({"best_score_": 1}, "best_score_ is of type int instead of float"),
        ({"refused_": None}, "refused_ is of type NoneType instead of dict"),
        ({"search_seconds_": "1"}, "search_seconds_ is of type str instead of float"),
    ],
)
def test_what_a_search_cannot_know_is_refused(entries, why):
    with pytest.raises(ModelFileError, match=why):
        saved(searched(**entries))


def test_members_are_fitted_classifiers_of_the_same_classes():
    tree, arrays = taken_apart(saved(searched()))
    fitted = tree["model"]["CPMLClassifierCV"]["fitted"]
    for members in ([{"CPMLClassifier": {"settings": {}}}], [], [None], {"tuple": []}):
        forged = {**fitted, "members_": members}
        tree["model"]["CPMLClassifierCV"]["fitted"] = forged
        with pytest.raises(ModelFileError, match=r"members_|not fitted|not begin"):
            loaded(put_together(tree, arrays))
    for members in ([], [searched()], [searched().members_[0], searched()]):
        with pytest.raises(ModelFileError, match="members_ is not a list of one or mo"):
            saved(searched(members_=members))
    model = searched()
    model.classes_ = model.classes_.astype("<U9")  # equal, but of another type
    with pytest.raises(ModelFileError, match="a member is not fitted, or has other"):
        saved(model)
