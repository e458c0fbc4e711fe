"""Codebooks in a file: names, values, edges and crosses that can be, and no others."""

from decimal import Decimal

import numpy as np
import pytest

from helpers.model_files import assert_same
from nearkind.encoding import Bins, Coordinate, Cross, Levels
from nearkind.encoding.codebook import Codebook
from nearkind.errors import RefusedError
from nearkind.persistence.codebooks import are_labels, check_edges
from nearkind.persistence.models import packs, unpacks
from nearkind.persistence.nodes import Reader, Writer

PRIME = 2**61 - 1
PAIRS = np.array([[0, 0], [0, 1], [1, 2]])


def features(names):
    """Return columns of two, three and two values, and a coordinate of three."""
    parts = [
        (Levels, ["a", "b"], False),
        (Levels, [1, Decimal("1.5")], True),
        (Bins, np.array([0.5]), False),
        (Coordinate, np.array([0.0, 1.0, 2.0]), np.array([-1.0, 0.0, 1.0]), False),
    ]
    return [kind(name, *more) for name, (kind, *more) in zip(names, parts, strict=True)]


def book(names=("w", "x", "y", "z"), named=True, crosses=()):
    made = Codebook("level", "prior", "auto", 2 if crosses else 0)
    made.keep(list(names), named, features(names), crosses)
    return made


def cross(parts=(0, 1), levels=PAIRS):
    made = Cross("w x x", parts, PAIRS)
    made.levels = levels
    return made


def node_of(value):
    writer = Writer(packs())
    return writer.node(value, "it"), bytes(writer.arrays)


def again(value):
    node, arrays = node_of(value)
    return Reader(unpacks(), arrays, 1 << 20).value(node)


def forged(value, **entries):
    """Return what is read where some entries of the codebook are others."""
    node, arrays = node_of(value)
    node["Codebook"] |= entries
    return Reader(unpacks(), arrays, 1 << 20).value(node)


def forged_feature(feature, arrays=b""):
    """Return what is read of a codebook of one column."""
    one = Codebook()
    one.keep(["w"], True, [Levels("w", ["a"], False)])
    node, _ = node_of(one)
    node["Codebook"]["features"] = [feature]
    return Reader(unpacks(), arrays, 0).value(node)


@pytest.mark.parametrize(
    "names", ["wxyz", (1, 2.5, None, b"y"), (("a", 1), ("a", 2), "a", 1)]
)
def test_a_codebook_comes_back(names):
    assert_same(again(book(names)), book(names))
    first = Cross(f"{names[0]} x {names[1]}", (0, 1), PAIRS)
    second = Cross(f"{names[2]} x {names[0]}", (2, 0), PAIRS[:1])
    for crosses in ([first], [second, first]):
        value = book(names, crosses=crosses)
        assert_same(again(value), value)
    assert again(book(named=False)).named_ is False


@pytest.mark.parametrize("has_missing", [False, True])
def test_missing_values_have_a_code_or_none(has_missing):
    for feature in (
        Levels("w", ["a"], has_missing),
        Levels("w", [], True),
        Bins("w", np.array([]), has_missing),
        Bins("w", np.array([0.5]), has_missing),
        Coordinate("w", np.array([0.0]), np.array([1.0]), has_missing),
    ):
        value = Codebook()
        value.keep(["w"], True, [feature])
        assert_same(again(value), value)


def test_many_columns_come_back():
    names = [f"c{k}" for k in range(300)]
    value = Codebook()
    value.keep(names, True, [Levels(name, [*range(300)], True) for name in names])
    assert_same(again(value), value)


def test_a_setting_of_crosses_comes_back_where_none_was_found():
    value = Codebook(crosses="auto")
    value.keep(list("wxyz"), True, features("wxyz"))
    assert_same(again(value), value)


def test_without_crosses_nothing_is_said_of_them():
    node, _ = node_of(book())
    assert "crosses" not in node["Codebook"]  # so that versions without them read it


def test_a_column_is_not_crossed_with_itself_however_many_there_are():
    names = [f"c{k}" for k in range(300)]
    value = Codebook(crosses=1)
    columns = [Levels(name, ["a", "b"], False) for name in names]
    value.keep(names, True, columns, [Cross("c298 x c299", (298, 299), PAIRS[:2])])
    assert_same(again(value), value)
    node, arrays = node_of(value)
    (made,) = node["Codebook"]["crosses"]["pairs"]
    made["Cross"]["parts"] = [299, int("299")]
    with pytest.raises(RefusedError, match="a cross is of columns that there are not"):
        Reader(unpacks(), arrays, 0).value(node)


def test_crosses_of_many_values_come_back():
    value = book(crosses=[cross()])
    value.features_[0] = Levels("w", [*range(400)], False)
    value.crosses_ = [Cross("w x x", (0, 1), np.array([[k, 0] for k in range(400)]))]
    assert_same(again(value), value)


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"names": []}, "names of columns are not all text, numbers or tuples"),
        ({"names": "wxyz"}, "names of columns are not all text"),
        ({"names": ["w", "x", "y", {"range": [0, 3, 1]}]}, "names of columns are not"),
        ({"names": ["w", "x", "y", {"tuple": [["z"]]}]}, "names of columns are not"),
        ({"names": ["w", "x", "y", "w"]}, "two columns have the same name"),
        ({"names": ["w", "x", 1, True]}, "two columns have the same name"),
        ({"named": 1}, "two columns have the same name"),
        ({"names": ["w", "x", "y"]}, "does not have one name a column"),
        ({"names": ["v", "w", "x", "y", "z"]}, "does not have one name a column"),
        ({"features": [1, 2, 3, 4]}, "does not have one feature a column"),
        ({"features": 4}, "does not have one name a column"),
        ({"names": [k * PRIME for k in range(65)]}, "made to have the same hash"),
        ({"more": 1}, "wanted an object of missing, unseen, numeric, named, names"),
    ],
)
def test_names_that_are_none_are_refused(entries, why):
    with pytest.raises(RefusedError, match=why):
        forged(book(), **entries)


@pytest.mark.parametrize(
    ("kind", "payload", "why"),
    [
        ("Levels", {"levels": "ab", "missing": False}, "of a column are not all text"),
        ("Levels", {"levels": [["a"]], "missing": False}, "are not all text"),
        ("Levels", {"levels": ["a", "a"], "missing": False}, "missing or repeated"),
        ("Levels", {"levels": [1, {"float": "nan"}], "missing": False},
         "missing or repeated"),
        ("Levels", {"levels": [None], "missing": False}, "missing or repeated"),
        ("Levels", {"levels": [k * PRIME for k in range(65)], "missing": False},
         "made to have the same hash"),
        ("Levels", {"levels": ["a"], "missing": 0}, "missing of a column is not true"),
        ("Levels", {"levels": ["a"]}, "wanted an object of levels, missing"),
        ("Bins", {"edges": [1.0], "missing": False},
         "edges of a column are not a list"),
    ],
)  # fmt: skip
def test_values_of_a_column_that_are_none_are_refused(kind, payload, why):
    with pytest.raises(RefusedError, match=why):
        forged_feature({kind: payload})


@pytest.mark.parametrize(
    ("places", "positions", "why"),
    [
        ([], [], "does not have as many positions as places"),
        ([0.0, 1.0], [0.0], "does not have as many positions as places"),
        ([0.0], [0.0, 1.0], "does not have as many positions as places"),
        ([0.0, 1.0], [[0.0, 1.0]], "does not have as many positions as places"),
        ([0.0, 1.0], [0.0, np.inf], "a position that is not finite"),
        ([1.0, 0.0], [0.0, 1.0], "places of a column are not in rising order"),
    ],
)
def test_a_coordinate_that_is_none_is_refused(places, positions, why):
    writer = Writer(packs())
    both = (writer.node(np.array(part, float), "it") for part in (places, positions))
    node = dict(zip(("places", "positions"), both, strict=True))
    with pytest.raises(RefusedError, match=why):
        forged_feature({"Coordinate": {**node, "missing": False}}, bytes(writer.arrays))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (cross([0, 1, 2]), "a cross is not of two columns"),
        (cross([0]), "a cross is not of two columns"),
        (cross([0, True]), "a cross is not of two columns"),
        (cross([0, 1.0]), "a cross is not of two columns"),
        (cross([0, 4]), "a cross is of columns that there are not"),
        (cross([-1, 0]), "a cross is of columns that there are not"),
        (cross([1, 1]), "a cross is of columns that there are not"),
        (cross([0, 3]), "a cross is of a column of coordinates"),
        (cross([3, 0]), "a cross is of a column of coordinates"),
        (cross(levels=PAIRS[::-1]), "a cross are not in rising order"),
        (cross(levels=PAIRS[[0, 0]]), "a cross are not in rising order"),
        (cross(levels=PAIRS[:, ::-1]), "a pair of values that its columns lack"),
        (cross(levels=np.array([[0, 3]])), "a pair of values that its columns lack"),
        (cross(levels=np.array([[2, 0]])), "a pair of values that its columns lack"),
        (cross(levels=np.array([[-1, 0]])), "a pair of values that its columns lack"),
        (cross(levels=np.zeros((1, 3), int)), "a cross are no whole numbers"),
        (cross(levels=np.zeros((1, 2, 1), int)), "a cross are no whole numbers"),
        (cross(levels=np.zeros(2, int)), "a cross are no whole numbers"),
    ],
)
def test_a_cross_that_is_none_is_refused(made, why):
    with pytest.raises(RefusedError, match=why):
        again(book(crosses=[made]))


def test_the_last_values_of_two_columns_can_be_crossed():
    value = book(crosses=[Cross("x x y", (1, 2), np.array([[2, 1]]))])
    assert_same(again(value), value)


@pytest.mark.parametrize("parts", [(0, 1), (1, 0)])
def test_a_pair_of_columns_is_crossed_once(parts):
    twice = book(crosses=[cross(), cross(parts, PAIRS[:1])])
    with pytest.raises(RefusedError, match="a pair of columns is crossed twice"):
        again(twice)


def test_a_cross_has_a_name_of_its_own():
    with pytest.raises(RefusedError, match="two columns have the same name"):
        again(book(["w", "x", "w x x", "z"], crosses=[cross()]))


@pytest.mark.parametrize(
    "crosses",
    [
        {"setting": "all", "pairs": []},
        {"setting": -1, "pairs": []},
        {"setting": 2, "pairs": 3},
        {"setting": 2, "pairs": [1]},
        {"setting": 2, "pairs": [{"Cross": {"parts": [0, 1]}, "more": 1}]},
        {"setting": 2, "pairs": [{"Levels": {"levels": ["a"], "missing": False}}]},
    ],
)
def test_crosses_are_a_list_of_pairs(crosses):
    with pytest.raises(RefusedError, match="the crosses of columns are no list of pai"):
        forged(book(), crosses=crosses)


def test_labels_are_plain_values_and_tuples_of_them():
    plain = ["a", 1, 2.5, True, None, b"b", Decimal(1)]
    assert are_labels(plain)
    assert are_labels([(), ("a", (1, (None,)))])
    assert are_labels([])
    for odd in ([1], {1}, 1j, ("a", ["b"]), (("a", (1j,)),)):
        assert not are_labels([odd, (1, 2)])


@pytest.mark.parametrize("numbers", [[], [1.0], [-1e300, 0.0, 1e300]])
def test_numbers_in_rising_order_pass(numbers):
    check_edges(np.array(numbers))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (np.zeros((1, 1)), "edges of a column are not a list of finite numbers"),
        (np.array(1.0), "not a list of finite numbers"),
        (np.array([0.0, np.inf]), "not a list of finite numbers"),
        (np.array([np.nan]), "not a list of finite numbers"),
        (np.array([0, 1]), "not a list of finite numbers"),
        (np.array([0.0, 1.0, 1.0]), "edges of a column are not in rising order"),
        (np.array([1.0, 0.0]), "not in rising order"),
    ],
)
def test_numbers_not_in_rising_order_are_refused(value, why):
    with pytest.raises(RefusedError, match=why):
        check_edges(value)
