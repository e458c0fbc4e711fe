"""Distances in a file: what is learned must fit the columns, and be what it says."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import assert_same, loaded, put_together, saved, taken_apart
from nearkind.baselines.matrix_learner import Coding
from nearkind.distances.dependence import ValuePairs
from nearkind.distances.trees import CodeTrees
from nearkind.errors import ModelFileError
from nearkind.estimators.distance_names import distance_classes
from nearkind.estimators.fit_report import fit_report
from nearkind.metrics.structures import Multi, Single
from nearkind.metrics.value_tables import ValueTables
from nearkind.projections.base import TableProjection
from nearkind.solvers.solution import Record

X = 2 * [["a", "x"], ["b", "y"], ["a", "z"], ["b", "x"]]  # of two and three values
Y = 2 * ["no", "yes", "no", "yes"]
FITTED = {}
b = nk.baselines


def fitted(kind, **attributes):
    """Return a fitted distance of which some attributes are others."""
    if kind not in FITTED:
        FITTED[kind] = kind().fit(X, range(len(Y)) if kind is b.MLKR else Y)
    model = copy.deepcopy(FITTED[kind])
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


def formed(kind, **fields):
    """Return a fitted distance of which some fields of the form are others."""
    model = fitted(kind)
    model.distance_ = replace(model.distance_, **fields)
    return model


def tables(*shapes):
    """Return a projection whose tables have these shapes."""
    made = TableProjection()
    made.tables = [np.zeros(shape) for shape in shapes]
    return made


def refuse(model, why):
    with pytest.raises(ModelFileError, match=why):
        saved(model)


def check_comes_back(model, *names):
    again = loaded(saved(model))
    for name in names:
        assert_same(getattr(again, name), getattr(model, name), f".{name}")


def check_form_comes_back(model):
    check_comes_back(model, "distance_")


# CPML


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"metric_": np.zeros((1, 3, 3))}, "metric_ does not fit projection and struc"),
        ({"metric_": np.zeros((2, 2, 2))}, "metric_ does not fit projection and struc"),
        ({"structure_": Multi()}, "metric_ does not fit projection and structure"),
        ({"projection_": tables((3, 1, 2), (4, 1, 1))}, "metric_ does not fit"),
        ({"projection_": tables((3, 1, 2), (4, 2, 2))}, "metric_ does not fit"),
        ({"projection_": tables((3, 1, 2))}, "projection_ does not have one table"),
        ({"projection_": tables((3, 1, 2), (3, 1, 2))}, "not have one row per value"),
        ({"projection_": tables((3, 2), (4, 2))}, "has 2 axes instead of 3"),
        ({"spectrum_": np.zeros((1, 1))}, "spectrum_ does not fit metric_"),
        ({"spectrum_": np.zeros((2, 2))}, "spectrum_ does not fit metric_"),
        ({"class_count_": np.ones(3), "n_samples_seen_": 3}, "one count per class"),
        ({"class_count_": np.ones(1), "n_samples_seen_": 1}, "one count per class"),
        ({"n_samples_seen_": -1, "class_count_": np.ones(2)}, "n_samples_seen_ is -1"),
    ],
)
def test_a_metric_fits_its_columns(attributes, why):
    refuse(fitted(nk.CPML, **attributes), why)


def test_a_metric_of_several_blocks_comes_back():
    model = fitted(
        nk.CPML, structure_=Multi(), metric_=np.zeros((2, 2, 2)),
        spectrum_=np.zeros((2, 2)), class_count_=np.ones(2), n_samples_seen_=2,
    )  # fmt: skip
    check_comes_back(model, "metric_", "class_count_", "n_samples_seen_", "structure_")
    assert not hasattr(loaded(saved(fitted(nk.CPML))), "class_count_")
    assert loaded(saved(fitted(nk.CPML))).structure_ == Single()


@pytest.mark.parametrize(
    "record", [(1.0, 1.0, 1.0, 1.0), (1, 1, 1.0, 1.0), (1, 1.0, 1.0, "1"), (1, 1.0)]
)
def test_a_record_is_a_whole_number_and_three_floats(record):
    tree, arrays = taken_apart(saved(fitted(nk.CPML)))
    diagnostics = tree["model"]["CPML"]["fitted"]["diagnostics"]["dict"]
    (history,) = (node for name, node in diagnostics if name == "history_")
    history[0]["Record"] = list(record)
    words = "a record of history_ does not hold one whole number and three floats"
    with pytest.raises(ModelFileError, match=rf"{words}|missing 2 required"):
        loaded(put_together(tree, arrays))
    check_comes_back(fitted(nk.CPML, history_=[Record(3, 1.0, 0.5, 0.1)]), "history_")


# Others


def test_shares_of_columns_are_one_each():
    shares = loaded(saved(formed(b.Euclidean, shares=np.array([0.3, 0.7]))))
    np.testing.assert_array_equal(shares.distance_.shares, [0.3, 0.7])
    refuse(formed(nk.CPML, shares=np.zeros(3)), r"shares has shape \(3,\) instead")


def test_mismatches_have_one_weight_above_zero_each():
    assert loaded(saved(fitted(b.Hamming))).distance_.size == 7
    check_form_comes_back(formed(b.Hamming, weights=np.array([0.0, 2.0])))
    for weights, why in [(np.ones(3), r"shape \(3,\) instead of \(2,\)"),
                         (np.array([1.0, -1e-300]), "weights hold a negative num"),
                         (np.array([1.0, np.nan]), "not finite")]:  # fmt: skip
        refuse(formed(b.Hamming, weights=weights), why)


def coding(widths=(2, 3), bases=(2, 3), n_rows=(3, 4)):
    """Return a coding of two columns with vectors and bases of such lengths."""
    of_values = [np.zeros(shape) for shape in zip(n_rows, widths, strict=True)]
    return Coding(of_values, [np.zeros((9, width)) for width in bases])


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"coding_": coding((2, 2), (2, 2))}, "reduced_metric_ does not fit coding_"),
        ({"coding_": coding((2, 3), (3, 2))}, "reduced_metric_ does not fit coding_"),
        ({"coding_": coding((2, 3), (2, 3, 1))}, "reduced_metric_ does not fit"),
        ({"coding_": coding(n_rows=(3, 3))}, "coding_ does not have one row per value"),
        ({"reduced_metric_": np.eye(4)}, "reduced_metric_ does not fit coding_"),
        ({"reduced_metric_": np.eye(6)}, "reduced_metric_ does not fit coding_"),
        ({"reduced_metric_": np.eye(5)[None]}, "reduced_metric_ does not fit coding_"),
    ],
)
def test_a_reduced_metric_is_over_the_directions_of_its_coding(attributes, why):
    refuse(fitted(b.ITML, **attributes), why)


def test_a_reduced_metric_comes_back():
    model = fitted(b.ITML, coding_=coding((1, 3), (1, 3)), reduced_metric_=np.eye(4))
    check_comes_back(model, "coding_", "reduced_metric_")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"components": np.zeros((3, 3))}, r"components has shape \(3, 3\) instead"),
        ({"components": np.zeros((4, 5))}, r"components has shape \(4, 5\) instead"),
        ({"length": 0.0}, "kernel is unknown, or its length is zero"),
        ({"length": 0}, "kernel is unknown, or its length is zero"),
        ({"kernel": "x"}, "kernel is unknown, or its length is zero"),
        ({"kernel": None}, "kernel of KernelLandmarks is of type NoneType"),
        ({"coding": [np.zeros((3, 2))]}, "coding does not have one table per column"),
        ({"coding": [np.zeros((3, 2))] * 2}, "coding does not have one row per value"),
        ({"coding": [np.zeros((3, 2, 1))] * 2}, "coding has 3 axes instead of 2"),
    ],
)
def test_kernels_are_with_the_landmarks(fields, why):
    refuse(formed(b.KernelLMCA, **fields), why)


def test_kernels_come_back():
    landmarks = np.zeros((300, 2), np.int32)
    some = {"components": np.ones((1, 300)), "length": 1e-300, "landmarks": landmarks}
    check_form_comes_back(formed(b.KernelLMCA, **some))


def test_shares_are_not_negative():
    for share in (0.0, 1.0):
        some = ValueTables([np.full((3, 2), share), np.full((4, 2), share)])
        check_form_comes_back(formed(b.Chi2LMNN, tables=some))
    some.vectors[1][3, 1] = -1e-300
    refuse(formed(b.Chi2LMNN, tables=some), "tables hold negative shares")


def test_distances_of_pairs_are_not_negative():
    some = [np.zeros((3, 3)), np.ones((4, 4))]
    check_form_comes_back(formed(b.ValueDifference, tables=some))
    some[0][2, 1] = -1e-300
    refuse(formed(b.ValueDifference, tables=some), "tables have a negative distance")


def test_a_mean_is_over_the_values_at_most():
    check_form_comes_back(formed(b.Eskin, divisor=5))
    check_form_comes_back(formed(b.Eskin, divisor=0.0))
    refuse(formed(b.Eskin, divisor=6), "divisor is larger than the number of values")
    refuse(formed(b.Eskin, divisor=-1.0), "divisor is negative or not finite")
    words = "conversion is 'x' instead of one of complement, reciprocal, shifted"
    refuse(formed(b.Eskin, conversion="x"), words)


def test_a_ratio_has_two_tables_per_column():
    refuse(formed(b.Lin, weights=[np.zeros((3, 3))]), "weights does not have one table")
    refuse(formed(b.Lin, weights=[np.zeros((3, 3))] * 2), "have one row per value")


# Trees


def trees(**parts):
    """Return nodes 0 -> 1, 2 and 2 -> 3, 4; trees start at 0, 2 and the last leaf."""
    sound = {
        "roots": [0, 2, 4], "features": [0, 1, 1, 0, 0], "left": [1, 1, 3, 3, 4],
        "right": [2, 1, 4, 3, 4], "goes_left": np.zeros((5, 4), bool),
        "vectors": np.zeros((5, 1)),
    }  # fmt: skip
    return CodeTrees(**{name: np.asarray(x) for name, x in (sound | parts).items()})


def test_trees_come_back():
    check_form_comes_back(formed(b.GBLMNN, trees=trees()))
    none = CodeTrees.none([np.zeros((4, 1))], 1)
    check_form_comes_back(formed(b.GBLMNN, trees=none))
    leaves, zero = np.arange(300), np.zeros(300, int)
    many = {"goes_left": np.zeros((300, 4), bool), "vectors": np.zeros((300, 1))}
    forest = trees(roots=leaves, features=zero, left=leaves, right=leaves, **many)
    check_form_comes_back(formed(b.GBLMNN, trees=forest))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"roots": [0, 5]}, "trees name a node or a column that is not there"),
        ({"roots": [-1]}, "a node or a column that is not there"),
        ({"features": [0, 1, 2, 0, 0]}, "a node or a column that is not there"),
        ({"features": [0, -1, 1, 0, 0]}, "a node or a column that is not there"),
        ({"left": [0, 1, 3, 3, 4]}, "trees lead back, or to no node"),
        ({"right": [0, 1, 4, 3, 4]}, "trees lead back, or to no node"),
        ({"left": [1, 1, 1, 3, 4]}, "trees lead back, or to no node"),
        ({"left": [1, 2, 3, 3, 4]}, "trees lead back, or to no node"),
        ({"right": [2, 1, 5, 3, 4]}, "trees lead back, or to no node"),
        ({"left": [5, 1, 3, 3, 4]}, "trees lead back, or to no node"),
        ({"left": [1, 1, 3, 3, -1]}, "trees lead back, or to no node"),
        (
            {"features": [0, 1, 1, 0]},
            "do not have one entry per node, or a side per value",
        ),
        ({"left": [1, 1, 3, 3, 4, 5]}, "do not have one entry per node"),
        ({"right": [2, 1, 4, 3]}, "do not have one entry per node"),
        ({"goes_left": np.zeros((4, 4), bool)}, "do not have one entry per node"),
        ({"goes_left": np.zeros((5, 3), bool)}, "do not have one entry per node"),
        ({"goes_left": np.zeros((5, 5), bool)}, "do not have one entry per node"),
        ({"vectors": np.zeros((4, 1))}, "do not have one entry per node"),
        ({"vectors": np.zeros((6, 1))}, "do not have one entry per node"),
        ({"vectors": np.zeros((5, 2))}, r"vectors of trees has shape \(5, 2\) instead"),
        ({"goes_left": np.zeros((5, 4))}, "goes_left of trees is not a table of true"),
        ({"goes_left": np.zeros(5, bool)}, "is not a table of true and false"),
        ({"goes_left": np.zeros((5, 4, 1), bool)}, "is not a table of true and false"),
        ({"roots": [0.0]}, "roots of trees is not an array of whole numbers"),
        ({"features": [[0, 1, 1, 0, 0]]}, "features of trees is not an array of whole"),
        ({"left": np.zeros(5, np.int32)}, "left of trees is not an array of whole"),
        ({"right": np.zeros((5, 1), int)}, "right of trees is not an array of whole"),
    ],
)
def test_trees_lead_on_to_leaves(parts, why):
    refuse(formed(b.GBLMNN, trees=trees(**parts)), why)


# Pairs of values


def pairs(**parts):
    """Return all pairs of two columns of two and three values, each with unseen."""
    sound = {
        "left": [0, 0, 1], "right": [0, 1, 1], "offsets": [0, 9, 21],
        "widths": [3, 4, 4], "chances": np.zeros(37),
    }  # fmt: skip
    return ValuePairs(**{name: np.asarray(x) for name, x in (sound | parts).items()})


ALONE = {"left": [1, 0], "right": [1, 0], "offsets": [0, 16], "widths": [4, 3]}


@pytest.mark.parametrize("parts", [{}, {**ALONE, "chances": np.zeros(25)}], ids=str)
def test_pairs_of_values_come_back(parts):
    model = formed(b.DM3, pairs=pairs(**parts))
    check_form_comes_back(model)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"left": [0, 1, 1]}, "pairs are not pairs of the columns"),
        ({"right": [0, 1, 2]}, "pairs are not pairs of the columns"),
        ({"right": [1, 1, 1]}, "pairs are not pairs of the columns"),
        ({"left": [0, 1, 1], "right": [0, 0, 1]}, "are not pairs of the columns"),
        ({"offsets": [0, 9, 20]}, "pairs do not fit the values of the columns"),
        ({"offsets": [1, 9, 21]}, "pairs do not fit the values of the columns"),
        ({"offsets": [0, 9]}, "offsets of pairs has shape"),
        ({"widths": [3, 3, 4]}, "pairs do not fit the values of the columns"),
        ({"widths": [3, 4]}, "widths of pairs has shape"),
        ({"chances": np.zeros(36)}, "chances of pairs has shape"),
        ({"chances": np.zeros(38)}, "chances of pairs has shape"),
        ({"left": [[0, 0, 1]]}, "left of pairs is not an array of whole numbers"),
        ({"right": [0.0, 1.0, 1.0]}, "right of pairs is not an array of whole"),
        ({"offsets": np.zeros(3, np.int32)}, "offsets of pairs is not an array"),
        ({"widths": [[3], [4], [4]]}, "widths of pairs is not an array of whole"),
    ],
)
def test_pairs_of_values_are_laid_out_in_their_order(parts, why):
    refuse(formed(b.DM3, pairs=pairs(**parts)), why)


@pytest.mark.parametrize(
    "attributes",
    [
        {"dependence": np.zeros((2, 3))},
        {"dependence": np.zeros((3, 3))},
        {"mismatch_weights": np.zeros(3)},
        {"match_weights": np.zeros(1)},
    ],
    ids=str,
)
def test_weights_of_columns_are_as_many_as_columns(attributes):
    refuse(formed(b.DM3, **attributes), "has shape .* instead of")


# Any distance


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", distance_classes().values(), ids=distance_classes())
def test_every_distance_comes_back(kind):
    model = fitted(kind)
    report, again = fit_report(model), fit_report(loaded(saved(model)))
    assert again.diagnostics.keys() == report.diagnostics.keys()
    check_comes_back(model, "codebook_", "distance_", *report.diagnostics)


def test_every_attribute_is_there_and_no_other():
    model = fitted(b.Euclidean)
    del model.distance_
    refuse(model, "this Euclidean lacks distance_; call fit again")
    for kind, name in [(nk.CPML, "structure_"), (b.ITML, "coding_")]:
        model = fitted(kind)
        delattr(model, name)
        refuse(model, f"{kind.__name__} lacks its attribute {name}")
    tree, arrays = taken_apart(saved(fitted(b.Hamming)))
    sound = tree["model"]["Hamming"]["fitted"]
    without = {name: x for name, x in sound.items() if name != "output"}
    for forged in (without, {**sound, "more": 1}, [], None):
        tree["model"]["Hamming"]["fitted"] = forged
        with pytest.raises(ModelFileError, match=r"wanted an object of|not have its"):
            loaded(put_together(tree, arrays))
    form = sound["distance_"]["MismatchWeights"]
    for name, why in [("codebook", "codebook of MismatchWeights is of type int"),
                      ("weights", "weights of MismatchWeights is of")]:  # fmt: skip
        forged = {"MismatchWeights": {**form, name: 3}}
        tree["model"]["Hamming"]["fitted"] = {**sound, "distance_": forged}
        with pytest.raises(ModelFileError, match=why):
            loaded(put_together(tree, arrays))
    for forged, why in [
        (
            {"MismatchWeights": {"codebook": form["codebook"]}},
            "lacks its field weights",
        ),
        ({"MismatchWeights": {**form, "more": 1}}, "fields that it does not have here"),
        (3, "distance_ is no fitted distance"),
    ]:
        tree["model"]["Hamming"]["fitted"] = {**sound, "distance_": forged}
        with pytest.raises(ModelFileError, match=why):
            loaded(put_together(tree, arrays))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("distance_", "'distance_' is no name of a diagnostic"),
        ("codebook_", "is no name of a diagnostic"),
        ("fit", "'fit' is no name of a diagnostic"),
        ("_online_", "is no name of a diagnostic"),
        ("feature_relevance_", "is no name of a diagnostic"),
        ("a b_", "is no name of a diagnostic"),
    ],
)
def test_a_diagnostic_takes_the_place_of_nothing_else(name, why):
    tree, arrays = taken_apart(saved(fitted(nk.CPML)))
    tree["model"]["CPML"]["fitted"]["diagnostics"]["dict"].append([name, 1])
    with pytest.raises(ModelFileError, match=why):
        loaded(put_together(tree, arrays))


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_the_output_of_transform_comes_back(output):
    model = fitted(b.Euclidean).set_output(transform=output)
    again = loaded(saved(model))
    assert type(again.transform(X)) is type(model.transform(X))
    tree, arrays = taken_apart(saved(model))
    tree["model"]["Euclidean"]["fitted"]["output"] = "numpy"
    words = "transform is 'numpy' instead of 'default', 'pandas' or 'polars'"
    with pytest.raises(ModelFileError, match=words):
        loaded(put_together(tree, arrays))
