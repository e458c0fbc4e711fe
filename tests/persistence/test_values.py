"""Arrays and plain values in a file: what comes back, and what is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from helpers.model_files import assert_same
from nearkind.errors import RefusedError
from nearkind.persistence import values
from nearkind.persistence.nodes import Reader, Writer, dump_json, parse_json


def again(value):
    writer = Writer(values.PACKS)
    node = parse_json(dump_json(writer.node(value, "it")))
    reader = Reader(values.UNPACKS, bytes(writer.arrays), 1 << 20)
    found = reader.value(node)
    reader.finish()
    return found


def read(kind, payload, arrays=b"", text_limit=1 << 20):
    return Reader(values.UNPACKS, arrays, text_limit).value({kind: payload})


NUMBERS = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "array",
    [
        *(NUMBERS.astype(kind) for kind in ("i1", "u2", "i4", "f2", "f4", "f8", "?")),
        NUMBERS.astype("M8[D]"),
        NUMBERS.astype(">i4").view(np.int32),
        NUMBERS[0].astype(float),
        NUMBERS[0].astype(float).T,
        NUMBERS.astype(float).transpose(2, 0, 1),
        np.zeros((0, 3)),
        np.zeros((2, 0), dtype=np.int32),
        NUMBERS.reshape(1, 2, 3, 4),
        np.arange(5.0),
        np.array([np.nan, -0.0, np.inf]),
        np.array(["a", "longer", ""]),
        np.array([], dtype="<U3"),
        np.array(["a", 1, None, (2, "b")], dtype=object),
    ],
    ids=lambda array: f"{array.dtype} {array.shape}",
)
def test_arrays_come_back_in_a_memory_of_their_own(array):
    found = again(array)
    assert_same(found, array)
    if array.dtype.kind not in "OU":
        assert found.flags.writeable
        assert found.flags.owndata


@pytest.mark.parametrize("order", "CF")
def test_numbers_stay_in_their_order_in_memory(order):
    flags = again(np.ones((2, 3), order=order)).flags
    assert (flags.c_contiguous, flags.f_contiguous) == (order == "C", order == "F")
    assert again(np.ones((4, 6), order=order)[::2, ::2]).flags.c_contiguous


def test_bytes_of_the_other_order_are_turned():
    found = again(np.array([1, 258], dtype=">i4"))
    assert found.dtype == np.dtype("=i4")
    assert found.tolist() == [1, 258]


def test_several_arrays_stand_one_after_the_other():
    parts = [np.arange(3), np.array(["a"]), np.ones((2, 2)), np.zeros(0), np.arange(2)]
    assert_same(again(parts), parts)


@pytest.mark.parametrize(
    "value",
    [
        float("inf"), -float("inf"), (), (1, ("a", None)), {}, {1: "a", "b": (2,)},
        range(3), range(5, -5, -2), b"", b"\0\xff", Decimal("1.50"), Decimal("-0"),
        Fraction(-1, 3), range(10_000), Decimal("1" * 4_000),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_plain_values_come_back(value):
    assert_same(again(value), value)
    assert np.isnan(again(float("nan")))


ONE = np.array([1.0]).tobytes()


@pytest.mark.parametrize("shape", [[1], [1, 1], [1, 1, 1, 1]])
def test_one_to_four_axes_are_read(shape):
    assert read("array", ["<f8", "C", shape, 0], ONE).shape == tuple(shape)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (["<f8", "C", [], 0], "is no type, order, shape and place of an array"),
        (["<f8", "C", [1] * 5, 0], "is no type, order, shape"),
        (["<f8", "C", [-1], 0], "is no type, order, shape"),
        (["<f8", "C", [True], 0], "is no type, order, shape"),
        (["<f8", "C", (1,), 0], "is no type, order, shape"),
        (["<f8", "K", [1], 0], "is no type, order, shape"),
        (["<O8", "C", [1], 0], "is no type, order, shape"),
        ([">f8", "C", [1], 0], "is no type, order, shape"),
        (["<c8", "C", [1], 0], "is no type, order, shape"),
        ([None, "C", [1], 0], "is no type, order, shape"),
        (["<f8", "C", [2], 0], "an array does not begin where"),
        (["|b1", "C", [8], 0], "an array of true and false holds something else"),
    ],
)
def test_what_is_no_array_is_refused(payload, why):
    with pytest.raises(RefusedError, match=why):
        read("array", payload, ONE)


def test_arrays_that_no_file_keeps_are_told_with_their_type():
    for array in (np.zeros(1, complex), np.array([["a"]]), np.zeros((1, 1), object)):
        with pytest.raises(RefusedError, match=r"it is an array of .* cannot keep"):
            again(array)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (["<U1", ["a", 1]], "is no type and list of texts"),
        (["<U1", "ab"], "is no type and list of texts"),
        ([">U1", ["a"]], "is no type and list of texts"),
        (["<S1", ["a"]], "is no type and list of texts"),
        (["<U1", ["ab"]], "an array of text is narrower than its text"),
    ],
)
def test_what_is_no_array_of_text_is_refused(payload, why):
    with pytest.raises(RefusedError, match=why):
        read("texts", payload)


def test_an_array_of_text_takes_four_bytes_a_character():
    assert read("texts", ["<U3", ["a", "b"]], text_limit=24).tolist() == ["a", "b"]
    with pytest.raises(RefusedError, match="wider than the limit"):
        read("texts", ["<U3", ["a", "b"]], text_limit=23)


@pytest.mark.parametrize(
    ("kind", "payload", "why"),
    [
        ("range", [10_001], "a range has more than 10,000 numbers"),
        ("range", [0, 10_001, 1], "a range has more than 10,000 numbers"),
        ("decimal", "1" * 4_001, "a decimal number has 4,001 digits"),
        ("decimal", "1.5e3", "'1.5e3' is not how such a value is written"),
        ("decimal", " 1", "is not how such a value is written"),
        ("float", "1.50", "'1.50' is not how such a value is written"),
        ("float", "NaN", "is not how such a value is written"),
        ("bytes", "FF", "'FF' is not how such a value is written"),
        ("fraction", [2, 4], r"\[2, 4\] is not in lowest terms"),
        ("fraction", [1, 2.0], "are no two whole numbers"),
        ("fraction", [True, 2], "are no two whole numbers"),
    ],
)
def test_values_written_in_another_way_are_refused(kind, payload, why):
    with pytest.raises(RefusedError, match=why):
        read(kind, payload)


def test_keys_of_one_hash_are_refused():
    prime = 2**61 - 1
    with pytest.raises(RefusedError, match="made to have the same hash"):
        read("dict", [[k * prime, 0] for k in range(65)])
