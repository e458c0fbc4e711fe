"""Distances in a file: what is learned must fit the columns, and be what it says."""

import copy

import numpy as np
import pytest
from nearkind.baselines.code_trees import CodeTrees
from nearkind.persistence.distances import KEPT

import nearkind as nk
from helpers.model_files import assert_same, loaded, put_together, saved, taken_apart
from nearkind.baselines.contingency import ValuePairs
from nearkind.baselines.matrix_learner import Coding
from nearkind.errors import ModelFileError
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
        FITTED[kind] = kind().fit(X, Y)
    model = copy.deepcopy(FITTED[kind])
    for name, value in attributes.items():
        setattr(model, name, value)
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
        ({"projection_": tables((3, 1, 2), (3, 1, 2))}, "not have one row a value"),
        ({"projection_": tables((3, 2), (4, 2))}, "has 2 axes instead of 3"),
        ({"spectrum_": np.zeros((1, 1))}, "spectrum_ does not fit metric_"),
        ({"spectrum_": np.zeros((2, 2))}, "spectrum_ does not fit metric_"),
        ({"feature_relevance_": np.zeros(3)}, "does not have one share a column"),
        ({"class_count_": np.ones(3), "n_samples_seen_": 3}, "one count a class"),
        ({"class_count_": np.ones(1), "n_samples_seen_": 1}, "one count a class"),
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
    tree["model"]["CPML"]["fitted"]["history_"][0]["Record"] = list(record)
    words = "a record of history_ does not hold one whole number and three floats"
    with pytest.raises(ModelFileError, match=rf"{words}|missing 2 required"):
        loaded(put_together(tree, arrays))
    check_comes_back(fitted(nk.CPML, history_=[Record(3, 1.0, 0.5, 0.1)]), "history_")


# Others


@pytest.mark.parametrize("n_out", [6, 8, 0])
def test_there_is_a_coordinate_for_each_value_and_for_unseen_ones(n_out):
    assert loaded(saved(fitted(b.Hamming))).n_features_out_ == 7
    refuse(fitted(b.Hamming, n_features_out_=n_out), "is not the number of values")


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
        ({"coding_": coding(n_rows=(3, 3))}, "coding_ does not have one row a value"),
        ({"reduced_metric_": np.eye(4)}, "reduced_metric_ does not fit coding_"),
        ({"reduced_metric_": np.eye(6)}, "reduced_metric_ does not fit coding_"),
        ({"reduced_metric_": np.eye(5)[None]}, "has 3 axes instead of 2"),
    ],
)
def test_a_reduced_metric_is_over_the_directions_of_its_coding(attributes, why):
    refuse(fitted(b.ITML, **attributes), why)


def test_a_reduced_metric_comes_back():
    model = fitted(b.ITML, coding_=coding((1, 3), (1, 3)), reduced_metric_=np.eye(4))
    check_comes_back(model, "coding_", "reduced_metric_")


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"components_": np.zeros((3, 3))}, "components_ or length_ does not fit"),
        ({"components_": np.zeros((4, 5))}, "components_ or length_ does not fit"),
        ({"length_": 0.0}, "components_ or length_ does not fit landmarks_"),
        ({"length_": 0}, "components_ or length_ does not fit landmarks_"),
        ({"projection_": tables((3, 2, 1), (4, 3, 2))}, "tables of different channels"),
        ({"projection_": tables((3, 2, 1))}, "projection_ does not have one table"),
    ],
)
def test_kernels_are_with_the_landmarks(attributes, why):
    refuse(fitted(b.KernelLMCA, **attributes), why)


def test_kernels_come_back():
    model = fitted(
        b.KernelLMCA, components_=np.ones((1, 300)), length_=1e-300,
        landmarks_=np.zeros((300, 2), np.int32),
    )  # fmt: skip
    check_comes_back(model, "components_", "length_", "landmarks_")


def test_shares_are_not_negative():
    for share in (0.0, 1.0):
        some = ValueTables([np.full((3, 2), share), np.full((4, 2), share)])
        check_comes_back(fitted(b.Chi2LMNN, value_tables_=some), "value_tables_")
    some.vectors[1][3, 1] = -1e-300
    refuse(fitted(b.Chi2LMNN, value_tables_=some), "value_tables_ hold negative shares")


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
    check_comes_back(fitted(b.GBLMNN, trees_=trees()), "trees_")
    none = CodeTrees.none([np.zeros((4, 1))], 1)
    check_comes_back(fitted(b.GBLMNN, trees_=none), "trees_")
    leaves, zero = np.arange(300), np.zeros(300, int)
    many = {"goes_left": np.zeros((300, 4), bool), "vectors": np.zeros((300, 1))}
    forest = trees(roots=leaves, features=zero, left=leaves, right=leaves, **many)
    check_comes_back(fitted(b.GBLMNN, trees_=forest), "trees_")


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"roots": [0, 5]}, "trees_ name a node or a column that is not there"),
        ({"roots": [-1]}, "a node or a column that is not there"),
        ({"features": [0, 1, 2, 0, 0]}, "a node or a column that is not there"),
        ({"features": [0, -1, 1, 0, 0]}, "a node or a column that is not there"),
        ({"left": [0, 1, 3, 3, 4]}, "trees_ lead back, or to no node"),
        ({"right": [0, 1, 4, 3, 4]}, "trees_ lead back, or to no node"),
        ({"left": [1, 1, 1, 3, 4]}, "trees_ lead back, or to no node"),
        ({"left": [1, 2, 3, 3, 4]}, "trees_ lead back, or to no node"),
        ({"right": [2, 1, 5, 3, 4]}, "trees_ lead back, or to no node"),
        ({"left": [5, 1, 3, 3, 4]}, "trees_ lead back, or to no node"),
        ({"left": [1, 1, 3, 3, -1]}, "trees_ lead back, or to no node"),
        ({"features": [0, 1, 1, 0]}, "do not have one entry a node, or a side a value"),
        ({"left": [1, 1, 3, 3, 4, 5]}, "do not have one entry a node"),
        ({"right": [2, 1, 4, 3]}, "do not have one entry a node"),
        ({"goes_left": np.zeros((4, 4), bool)}, "do not have one entry a node"),
        ({"goes_left": np.zeros((5, 3), bool)}, "do not have one entry a node"),
        ({"goes_left": np.zeros((5, 5), bool)}, "do not have one entry a node"),
        ({"vectors": np.zeros((4, 1))}, "do not have one entry a node"),
        ({"vectors": np.zeros((6, 1))}, "do not have one entry a node"),
        ({"vectors": np.zeros((5, 2))}, "have vectors of different lengths"),
        ({"goes_left": np.zeros((5, 4))}, "goes_left of trees_ is not a table of true"),
        ({"goes_left": np.zeros(5, bool)}, "is not a table of true and false"),
        ({"goes_left": np.zeros((5, 4, 1), bool)}, "is not a table of true and false"),
        ({"roots": [0.0]}, "roots of trees_ is not a list of whole numbers"),
        ({"features": [[0, 1, 1, 0, 0]]}, "features of trees_ is not a list of whole"),
        ({"left": np.zeros(5, np.int32)}, "left of trees_ is not a list of whole"),
        ({"right": np.zeros((5, 1), int)}, "right of trees_ is not a list of whole"),
    ],
)
def test_trees_lead_on_to_leaves(parts, why):
    refuse(fitted(b.GBLMNN, trees_=trees(**parts)), why)


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
    model = fitted(b.DM3, value_pairs_=pairs(**parts))
    check_comes_back(model, "value_pairs_")


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"left": [0, 1, 1]}, "value_pairs_ are not pairs of the columns"),
        ({"right": [0, 1, 2]}, "value_pairs_ are not pairs of the columns"),
        ({"right": [1, 1, 1]}, "value_pairs_ are not pairs of the columns"),
        ({"left": [0, 1, 1], "right": [0, 0, 1]}, "are not pairs of the columns"),
        ({"offsets": [0, 9, 20]}, "value_pairs_ do not fit the values of the columns"),
        ({"offsets": [1, 9, 21]}, "value_pairs_ do not fit the values of the columns"),
        ({"offsets": [0, 9]}, "value_pairs_ do not fit the values of the columns"),
        ({"widths": [3, 3, 4]}, "value_pairs_ do not fit the values of the columns"),
        ({"widths": [3, 4]}, "value_pairs_ do not fit the values of the columns"),
        ({"chances": np.zeros(36)}, "do not have one chance a pair of values"),
        ({"chances": np.zeros(38)}, "do not have one chance a pair of values"),
        ({"left": [[0, 0, 1]]}, "left of value_pairs_ is not a list of whole numbers"),
        ({"right": [0.0, 1.0, 1.0]}, "right of value_pairs_ is not a list of whole"),
        ({"offsets": np.zeros(3, np.int32)}, "offsets of value_pairs_ is not a list"),
        ({"widths": [[3], [4], [4]]}, "widths of value_pairs_ is not a list of whole"),
    ],
)
def test_pairs_of_values_are_laid_out_in_their_order(parts, why):
    refuse(fitted(b.DM3, value_pairs_=pairs(**parts)), why)


@pytest.mark.parametrize(
    "attributes",
    [
        {"dependence_": np.zeros((2, 3))},
        {"dependence_": np.zeros((3, 3))},
        {"mismatch_weights_": np.zeros(3)},
        {"match_weights_": np.zeros(1)},
    ],
    ids=str,
)
def test_weights_of_columns_are_as_many_as_columns(attributes):
    refuse(fitted(b.DM3, **attributes), "do not have one entry a column")


# Any distance


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KEPT, ids=lambda kind: kind.__name__)
def test_every_distance_comes_back(kind):
    check_comes_back(fitted(kind), "codebook_", *KEPT[kind])


def test_every_attribute_is_there_and_no_other():
    model = fitted(b.Euclidean)
    del model.classes_, model.value_tables_
    refuse(model, "this Euclidean lacks classes_; call fit again")
    tree, arrays = taken_apart(saved(fitted(b.Hamming)))
    sound = tree["model"]["Hamming"]["fitted"]
    without = {name: x for name, x in sound.items() if name != "_n_features_out"}
    for forged in (without, {**sound, "more": 1}, [], None):
        tree["model"]["Hamming"]["fitted"] = forged
        with pytest.raises(ModelFileError, match="Hamming does not have its attribu"):
            loaded(put_together(tree, arrays))
    tree["model"]["Hamming"]["fitted"] = {**sound, "codebook_": 3}
    with pytest.raises(ModelFileError, match="codebook_ is of type int instead of Cod"):
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
