"""Values as JSON: what is told of those that cannot be, and the limits of reading."""

import numpy as np
import pytest

from nearkind.errors import RefusedError
from nearkind.persistence.nodes import (
    Reader,
    Writer,
    dump_json,
    fields,
    parse_json,
    refuse_collisions,
    short_repr,
)

PRIME = 2**61 - 1  # numbers that differ by a multiple of it have one hash


def reader(arrays=b"", text_limit=0, **unpacks):
    return Reader(unpacks, arrays, text_limit)


def test_a_value_is_shown_on_one_line_of_sixty_characters():
    assert short_repr("a" * 58) == repr("a" * 58)  # sixty with its marks
    assert short_repr("a" * 59) == f"'{'a' * 56}..."
    assert len(short_repr("a" * 59)) == 60
    assert short_repr(np.arange(4).reshape(2, 2)) == "array([[0, 1], [2, 3]])"
    assert short_repr(10**5000) == "a number of too many digits"


def test_plain_values_are_themselves_and_lists_hold_what_is_packed():
    pairs = {tuple: lambda writer, value, what: {"tuple": len(value)}}
    node = Writer(pairs).node
    for value in ("a", 1, -1.5, True, False, None, ["a", [1]]):
        assert node(value, "it") == value
    assert node([(1, 2), np.float64(0.5), np.int8(3)], "it") == [{"tuple": 2}, 0.5, 3]
    assert type(node(np.int8(3), "it")) is int


def test_what_cannot_be_kept_is_told_with_its_type():
    words = "it is .1., of type set, which a model file cannot keep"
    with pytest.raises(RefusedError, match=words):
        Writer({}).node([{1}], "it")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_whole_number_of_nearly_four_thousand_digits_is_kept(sign):
    number = sign * 10**3990
    assert Writer({}).node(number, "it") == number
    assert parse_json(dump_json(number)) == number
    for number in (10**4000, -(10**4000)):
        with pytest.raises(RefusedError, match="of type int"):
            Writer({}).node(number, "it")


def test_every_whole_number_that_is_written_is_read():
    n_written = 0
    for size in range(13_000, 13_400):  # 4,000 digits are about 13,288 bits
        number = -((1 << size) - 1)
        try:
            node = Writer({}).node(number, "it")
        except RefusedError:
            continue
        assert parse_json(dump_json(node)) == number
        n_written += 1
    assert 0 < n_written < 400


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("9" * 4002, "a number has 4,002 digits"),
        ("1e999", "the number 1e999 is too large"),
        ("-1e400", "the number -1e400 is too large"),
        ("1" * 20 + "2" + "e400", f"the number {'1' * 20} is too large"),
        ("NaN", "NaN is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        ('{"a": 1, "a": 1}', "an object has two entries of one name"),
    ],
)
def test_json_that_means_nothing_is_refused(text, why):
    with pytest.raises(RefusedError, match=f"^{why}$"):
        parse_json(text.encode())


def test_json_is_read_as_it_was_written():
    tree = {"a": [1, -2.5, "é", "\ud83d", None, True], "b": {}}
    tree["c"] = {str(k): k for k in range(300)}
    assert parse_json(dump_json(tree)) == tree
    assert b" " not in dump_json(tree)
    assert parse_json(b"-" + b"9" * 4000) == 1 - 10**4000
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump_json(float("nan"))


def test_a_kind_is_one_entry_that_is_known():
    some = reader(twice=lambda reader, payload: 2 * payload)
    assert some.value({"twice": 4}) == 8
    assert some.value([{"twice": 4}, "a", [{"twice": 1}], 5]) == [8, "a", [2], 5]
    for node, why in [
        ({}, "an object has 0 entries; expected one, its kind"),
        ({"twice": 1, "more": 2}, "an object has 2 entries; expected one, its kind"),
        ({"thrice": 1}, "it holds 'thrice', a kind unknown to this nearkind"),
    ]:
        with pytest.raises(RefusedError, match=why):
            some.value(node)


def test_arrays_are_taken_one_after_the_other_and_whole():
    some = reader(b"abcdef")
    with pytest.raises(RefusedError, match="more bytes of arrays are there"):
        some.finish()
    assert some.next_bytes(2, 0) == b"ab"
    assert some.next_bytes(0, 2) == b""
    for size, at in [(2, 0), (2, 1), (2, 3), (5, 2)]:
        with pytest.raises(RefusedError, match="does not begin where the one before"):
            some.next_bytes(size, at)
    assert some.next_bytes(4, 2) == b"cdef"
    some.finish()
    long = reader(bytes(900))
    assert long.next_bytes(600, 0) + long.next_bytes(300, 600) == bytes(900)
    long.finish()


def test_texts_may_take_what_the_limit_says_in_all():
    some = reader(text_limit=10)
    some.count_text(4)
    some.count_text(6)
    some.count_text(0)
    with pytest.raises(RefusedError, match="wider than the limit allows"):
        some.count_text(1)


def test_so_many_models_may_be_in_a_file():
    some = reader()
    for _ in range(1_000):
        some.count_model()
    with pytest.raises(RefusedError, match="it holds more than 1,000 models"):
        some.count_model()


def test_an_object_has_the_entries_that_are_wanted_in_that_order():
    assert fields({"b": 1, "a": 2}, "a", "b") == [2, 1]
    for payload in ({"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 2}, ["a", "b"]):
        with pytest.raises(RefusedError, match=r"^wanted an object of a, b$"):
            fields(payload, "a", "b")


def test_some_keys_may_have_one_hash():
    alike = [k * PRIME for k in range(64)]
    refuse_collisions([*alike, 1, "a", (2,)])
    refuse_collisions(["a"] * 99)
    refuse_collisions([])
    with pytest.raises(RefusedError, match="made to have the same hash"):
        refuse_collisions(["a", *alike, 1, -PRIME])
