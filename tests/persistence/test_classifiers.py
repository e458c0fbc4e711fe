"""Classifiers in a file: votes, row numbers, calibrations, each at its last number."""

from dataclasses import replace

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import assert_same, loaded, put_together, saved, taken_apart
from helpers.mutants import FILES
from nearkind.errors import ModelFileError, RefusedError
from nearkind.estimators.classifier import hold
from nearkind.neighbors import RowGroups
from nearkind.persistence.models import packs, unpacks
from nearkind.persistence.nodes import Reader, Writer
from nearkind.search.candidates import Candidate
from nearkind.voting.calibration import SHARPEST, Calibration
from nearkind.voting.conformal import ConformalScores
from nearkind.voting.voter import SoftRule

X = [["a"], ["b"], ["a"], ["b"], ["c"], ["a"]]
Y = ["no", "yes", "yes", "yes", "no", "no"]
HALF = np.array([0.5, 0.5])


def again(value):
    """Return what a file makes of a value."""
    writer = Writer(packs())
    node = writer.node(value, "it")
    return Reader(unpacks(), bytes(writer.arrays), 1 << 20).value(node)


def voting(**settings):
    """Return a classifier of three unique rows: a (0, 2, 5), b (1, 3) and c (4)."""
    return nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1, **settings).fit(
        X, Y
    )


def with_voter(model, voter):
    """Return a classifier after making it answer as a voter does."""
    return hold(model, voter, model.classes_, model.n_samples_fit_)


def with_rows(**parts):
    """Return it with other training rows."""
    model = voting()
    (voter,) = model.committee_.voters
    parts = {name: np.asarray(part) for name, part in parts.items()}
    return with_voter(model, voter.with_rows(replace(voter.rows, **parts)))


def with_numbers(rows=(0, 2, 5, 1, 3, 4), starts=(0, 3, 5, 6)):
    """Return it with other row numbers."""
    model = voting()
    (voter,) = model.committee_.voters
    groups = RowGroups(np.array(rows), np.array(starts))
    return with_voter(model, voter.with_rows(replace(voter.rows, groups=groups)))


def rows_of(model):
    """Return the rows that vote."""
    (voter,) = model.committee_.voters
    return voter.rows


def with_entry(model, **entries):
    """Return the file of a model with other fitted attributes."""
    tree, arrays = taken_apart(saved(model))
    ((_, parts),) = tree["model"].items()
    parts["fitted"] |= entries
    return put_together(tree, arrays)


# Training rows


def test_the_rows_are_as_described():
    rows = rows_of(voting())
    assert rows.groups.rows.tolist() == [0, 2, 5, 1, 3, 4]
    assert rows.groups.starts.tolist() == [0, 3, 5, 6]
    np.testing.assert_allclose(rows.shares, [[2 / 3, 1 / 3], [0, 1], [1, 0]])


@pytest.mark.parametrize("weight", [1.0, 0.1, 1.0 + 1e-7, 1e12 + 1.0, 3.0])
def test_weights_by_class_come_back_and_whole_ones_whole(weight):
    model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
    n_copies = np.array([3, 2, 7, 5, 3, 12])  # 22 * (15 / 22) is not 15
    model.fit(X, Y, sample_weight=weight * n_copies)
    counts, found = (rows_of(m).counts for m in (model, loaded(saved(model))))
    np.testing.assert_allclose(found, counts, rtol=1e-15)
    if weight.is_integer():
        np.testing.assert_array_equal(found, counts)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"weights": [1.0, 1.0]}, r"weights has shape \(2,\) instead of \(3,\)"),
        ({"weights": [3.0, 2.0, 0.0]}, "weights are not one above zero for each uniq"),
        ({"weights": [3.0, 2.0, -1.0]}, "not one above zero"),
        ({"shares": [[0.5, 0.5]] * 2}, "shares has shape"),
        ({"shares": [[0.2, 0.3, 0.5]] * 3}, "counts has shape"),
        ({"shares": [[1.1, -0.1]] * 3}, "shares or counts of classes are negative"),
        ({"counts": [[3.0, -1e-9]] * 3}, "shares or counts of classes are negative"),
        ({"counts": [[3.0, 0.0]] * 3}, "counts of classes are not their shares of"),
        ({"shares": [[0.5, 0.5 + 2e-6]] * 3}, "classes of a row do not add up to one"),
        ({"shares": [[0.5, 0.5 - 2e-6]] * 3}, "classes of a row do not add up to one"),
        ({"codes": np.array([[0], [1]], np.int32)}, "weights has shape"),
    ],
)
def test_votes_that_are_none_are_refused(parts, why):
    with pytest.raises(ModelFileError, match=why):
        saved(with_rows(**parts))


@pytest.mark.parametrize(
    "shares", [[[1.0, 0.0]] * 3, [[0.5, 0.5 + 9e-7]] * 3, [[0.5, 0.5 - 9e-7]] * 3]
)
def test_votes_may_miss_one_by_rounding(shares):
    counts = np.array(shares) * [[3.0], [2.0], [1.0]]
    found = rows_of(loaded(saved(with_rows(shares=shares, counts=counts))))
    np.testing.assert_array_equal(found.shares, shares)


@pytest.mark.parametrize("rows", [(0, 2, 5, 1, 3, 4), (3, 4, 5, 0, 2, 1)])
def test_row_numbers_come_back(rows):
    again = loaded(saved(with_numbers(rows)))
    assert rows_of(again).groups.rows.tolist() == list(rows)
    assert rows_of(again).groups.rows.dtype == np.intp
    model = with_numbers((0, 2, 8, 1, 3, 6))  # some rows have no weight
    model.n_samples_fit_ = 9
    found = rows_of(loaded(saved(model))).groups.rows
    assert found.tolist() == [0, 2, 8, 1, 3, 6]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"starts": (0, 3, 5, 7)}, "row numbers are not split among the unique rows"),
        ({"starts": (0, 3, 5, 5)}, "not split among the unique rows"),
        ({"starts": (0, 3, 3, 6)}, "not split among the unique rows"),
        ({"starts": (0, 4, 3, 6)}, "not split among the unique rows"),
        ({"starts": (1, 3, 5, 6)}, "not split among the unique rows"),
        ({"starts": (0, 3, 6)}, "starts of row numbers has shape"),
        ({"starts": (0, 1, 2, 3, 6)}, "starts of row numbers has shape"),
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
    committee = tree["model"]["CPMLClassifier"]["fitted"]["committee_"]["Committee"]
    (voter,) = committee["voters"]["tuple"]
    groups = voter["Voter"]["rows"]["TrainingRows"]["groups"]["RowGroups"]
    at = groups[name]["array"][3]
    if isinstance(forged, dict):
        forged = {"array": [*forged["array"][:3], at]}
    groups[name] = forged
    with pytest.raises(
        ModelFileError, match=r"whole numbers|does not begin|more bytes|of type list"
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
        with pytest.raises(ModelFileError, match="n_samples_fit_ is less than the num"):
            loaded(with_entry(voting(), n_samples_fit_=forged))


def test_without_the_number_of_rows_it_is_one_more_than_the_last():
    tree, arrays = taken_apart(saved(voting()))
    del tree["model"]["CPMLClassifier"]["fitted"]["n_samples_fit_"]
    assert loaded(put_together(tree, arrays)).n_samples_fit_ == 6


def test_a_distance_that_is_none_is_refused():
    tree, arrays = taken_apart(saved(voting()))
    committee = tree["model"]["CPMLClassifier"]["fitted"]["committee_"]["Committee"]
    (voter,) = committee["voters"]["tuple"]
    for forged in ({"Hamming": {"settings": {}}}, None, 3, {"Decimal": "1"}):
        voter["Voter"]["distance"] = forged
        with pytest.raises(ModelFileError, match=r"distance of Voter is of|kind unkn"):
            loaded(put_together(tree, arrays))


def test_an_index_of_vectors_needs_a_distance_of_vectors():
    model = nk.CPMLClassifier(nk.baselines.Lin(), n_neighbors=1).fit(X, Y)
    model.index = "faiss"
    words = "index 'faiss' needs vectors, and the distance RatioSimilarity has none"
    with pytest.raises(ModelFileError, match=words):
        saved(model)


def test_a_class_alone_is_refused_and_two_are_not():
    assert loaded(saved(voting())).classes_.tolist() == ["no", "yes"]
    model = voting()
    model.classes_ = np.array(["no"])
    with pytest.raises(ModelFileError, match="classes are not an array of two labels"):
        saved(model)


def test_a_classifier_has_one_voter_and_no_calibration():
    calibrated = searched(calibration_=Calibration(1.0, 0.5, THIRD))
    tree, arrays = taken_apart(saved(calibrated))
    committee = tree["model"]["CPMLClassifierCV"]["fitted"]["committee_"]
    forged = {"CPMLClassifier": {"settings": {}, "fitted": {"committee_": committee}}}
    del tree["model"]["CPMLClassifierCV"]
    tree["model"] = forged
    with pytest.raises(ModelFileError, match="one voter, and no calibration"):
        loaded(put_together(tree, arrays))


@pytest.mark.parametrize("temperature", [1e-300, 1e300])
def test_a_temperature_is_any_number_above_zero(temperature):
    model = voting(weights="soft")
    (voter,) = model.committee_.voters
    again = loaded(saved(with_voter(model, replace(voter, rule=SoftRule(temperature)))))
    assert again.temperature_ == temperature


# What a search knows of held-out rows


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
        (("1", 0.5, HALF), "sharpness of Calibration is of type str"),
        ((1.0, 0.0, HALF), r"prior_share of a calibration is not in \(0, 1\)"),
        ((1.0, 1.0, HALF), "prior_share"),
        ((1.0, 1, HALF), "prior_share"),
        ((1.0, 0.5, np.array([1.0, 0.0])), "not of shares > 0 of one"),
        ((1.0, 0.5, np.array([1.5, -0.5])), "not of shares > 0 of one"),
        ((1.0, 0.5, HALF + 6e-7), "not of shares > 0 of one"),
        ((1.0, 0.5, HALF - 6e-7), "not of shares > 0 of one"),
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
        ({"truth": [0, 1, 0]}, "classes of conformal scores has shape"),
        ({"truth": [0, 1, 0, 1, 0]}, "classes of conformal scores has shape"),
        ({"truth": [0, 1, 0, -1]}, "lacks a class or a weight"),
        ({"weights": [1.0] * 3}, "weights has shape"),
        ({"weights": [1.0] * 5}, "weights has shape"),
        ({"weights": [1.0, 1.0, 1.0, 0.0]}, "lacks a class or a weight"),
        ({"weights": [1.0, 1.0, 1.0, -1.0]}, "lacks a class or a weight"),
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
    with pytest.raises(
        RefusedError, match="classes of conformal scores is not an array of wh"
    ):
        Reader(unpacks(), data, 0).value(node)
    node["ConformalScores"]["truth"] = [0]
    with pytest.raises(
        RefusedError, match=r"does not begin|truth of ConformalScores is"
    ):
        Reader(unpacks(), data, 0).value(node)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"name": 1}, "name of Candidate is of type int"),
        ({"strengths": 0.5}, "strengths of Candidate is of type float"),
        ({"stage": 0.5}, "stage of Candidate is of type float"),
        ({"stage": True}, "stage of Candidate is of type bool"),
        ({"needs_crosses": 1}, "needs_crosses of Candidate is of type int"),
        ({"max_values": 9.5}, "max_values of Candidate is of type float"),
        ({"max_values": False}, "max_values of Candidate is of type bool"),
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
        assert (found.stage, found.max_values, found.needs_crosses) == more


def test_a_candidate_of_an_older_file_is_of_the_first_stage_without_limits():
    node = {"name": "a", "metric": {"Hamming": {"settings": {}}}, "strengths": []}
    found = Reader(unpacks(), b"", 0).value({"Candidate": node})
    assert (found.stage, found.max_values, found.needs_crosses) == (0, None, False)


def searched(**entries):
    """Return a search of three classes in which some attributes are others."""
    model = loaded(FILES["searched"])
    for name, value in entries.items():
        if name in COMMITTEE:
            parts = {COMMITTEE[name]: value}
            model.committee_ = replace(model.committee_, **parts)
        else:
            setattr(model, name, value)
    return model


COMMITTEE = {"calibration_": "calibration", "conformal_scores_": "conformal"}
"""Attributes of a search that are parts of its committee."""
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
        ({"calibration_": Calibration(1.0, 0.5, HALF)}, "calibration is not of these"),
        ({"calibration_": scores()}, "calibration of Committee is of type Conformal"),
        ({"conformal_scores_": scores(truth=(0, 3, 0, 1))}, "not of these classes"),
        ({"conformal_scores_": 0.5}, "conformal of Committee is of type float"),
        ({"confusion_": np.zeros((3, 3))}, "confusion_ counts no row"),
        ({"confusion_": -SOUND}, "does not count rows of each class by class"),
        ({"confusion_": SOUND[:2, :2]}, "does not count rows of each class by class"),
        ({"confusion_": SOUND[:2]}, "does not count rows of each class by class"),
        ({"confusion_": SOUND[0]}, "does not count rows of each class by class"),
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


def test_voters_are_of_the_same_classes():
    tree, arrays = taken_apart(saved(searched()))
    committee = tree["model"]["CPMLClassifierCV"]["fitted"]["committee_"]["Committee"]
    for voters in ([], [None], {"tuple": []}, {"tuple": [None]}, {"dict": []}, 3):
        committee["voters"] = voters
        with pytest.raises(ModelFileError, match=r"voters|not begin"):
            loaded(put_together(tree, arrays))
    model = searched()
    model.committee_ = replace(model.committee_, voters=voting().committee_.voters)
    with pytest.raises(ModelFileError, match="a voter has another number of classes"):
        saved(model)


def older(name, **forged):
    """Return the file of a search in the layout of version 0.2, some of it forged."""
    tree, arrays = taken_apart(FILES[name])
    tree["model"]["CPMLClassifierCV"]["fitted"] |= forged
    return put_together(tree, arrays)


@pytest.mark.parametrize(
    "members",
    [[], [{"CPMLClassifier": {"settings": {}}}], [None], {"tuple": []}, [3]],
    ids=str,
)
def test_members_of_older_files_are_fitted_classifiers(members):
    with pytest.raises(
        ModelFileError, match=r"members_|not fitted|not begin|committee"
    ):
        loaded(older("searched", members_=members))


def test_members_of_older_files_have_the_classes_of_their_search():
    classes = {"texts": ["<U9", ["egg", "ham", "jam"]]}  # equal, but of another type
    with pytest.raises(ModelFileError, match=r"not fitted, or has other|not begin"):
        loaded(older("searched", classes_=classes))
