"""The bytes of a model file: sizes, limits and checksum, each at its last byte."""

import tracemalloc
import zlib
from hashlib import sha256
from io import BytesIO, StringIO
from struct import Struct

import pytest

from nearkind.persistence.container import (
    MAGIC,
    RefusedError,
    Sizes,
    pack_container,
    read_container,
)

HEADER = Struct("<13sBQQQ")
TEXT, ARRAYS = b'{"a": 1}' * 40, bytes(range(256)) * 4
FILE = pack_container(TEXT, ARRAYS)
ENOUGH = 1 << 20


def read(data, limit=ENOUGH):
    return read_container(BytesIO(data), limit)


def forged(packed=None, number=1, n_arrays=1024):
    """Return a file whose parts may not fit, under a checksum that does."""
    packed = zlib.compress(ARRAYS) if packed is None else packed
    header = HEADER.pack(MAGIC, number, len(TEXT), len(packed), n_arrays)
    return header + TEXT + packed + sha256(header + TEXT + packed).digest()


def test_what_was_packed_is_read():
    for text, arrays in [(TEXT, ARRAYS), (b"", b""), (TEXT, b""), (b"", ARRAYS)]:
        assert read(pack_container(text, arrays)) == (text, arrays)
    assert read(forged()) == (TEXT, ARRAYS)


def test_the_first_bytes_name_the_format_and_all_sizes():
    magic, number, n_text, n_packed, n_arrays = HEADER.unpack(FILE[: HEADER.size])
    assert (magic, number, n_text, n_arrays) == (MAGIC, 1, len(TEXT), len(ARRAYS))
    assert len(FILE) == HEADER.size + n_text + n_packed + 32


def test_memory_may_be_exactly_the_limit():
    *_, n_packed, _ = HEADER.unpack(FILE[: HEADER.size])
    memory = 80 * len(TEXT) + n_packed + 2 * len(ARRAYS)
    assert Sizes(len(TEXT), n_packed, len(ARRAYS)).memory == memory
    assert read(FILE, limit=memory) == (TEXT, ARRAYS)
    words = f"it may take {memory:,} bytes of memory, and the limit is {memory - 1:,};"
    with pytest.raises(RefusedError, match=words):
        read(FILE, limit=memory - 1)


def test_a_file_cut_anywhere_is_told_so():
    for size in range(1, len(FILE)):
        with pytest.raises(RefusedError, match="it is truncated; copy"):
            read(FILE[:size])


@pytest.mark.parametrize("data", [b"", b"\x88", b"nearkind", MAGIC[:-1] + b"\r" * 99])
def test_a_file_of_another_kind_is_told_so(data):
    with pytest.raises(RefusedError, match="it is no nearkind model"):
        read(data)
    with pytest.raises(RefusedError, match="opened as text"):
        read_container(StringIO("nearkind"), ENOUGH)


def test_a_changed_or_longer_file_is_told_so():
    for at in range(HEADER.size, len(FILE)):
        changed = bytearray(FILE)
        changed[at] ^= 1
        with pytest.raises(RefusedError, match="does not match its checksum"):
            read(bytes(changed))
    with pytest.raises(RefusedError, match="does not match its checksum"):
        read(FILE + b"\0")


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (2, r"newer nearkind \(format 2, and this one reads up to 1\); upgrade"),
        (255, r"newer nearkind \(format 255"),
        (0, "its format number is 0, and formats start at 1"),
    ],
)
def test_another_format_is_told_by_its_number(number, why):
    with pytest.raises(RefusedError, match=why):
        read(forged(number=number))


PACKED = zlib.compress(ARRAYS)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"n_arrays": len(ARRAYS) - 1}, "not of the size it states"),
        ({"n_arrays": len(ARRAYS) + 1}, "not of the size it states"),
        ({"n_arrays": 0}, "not of the size it states"),
        ({"packed": PACKED + b"\0"}, "not of the size it states"),
        ({"packed": PACKED[:-1]}, "not of the size it states"),
        ({"packed": ARRAYS}, r"its arrays cannot be unpacked \(.+\)"),
    ],
)
def test_arrays_of_another_size_are_refused(parts, why):
    with pytest.raises(RefusedError, match=why):
        read(forged(**parts))


def test_arrays_are_unpacked_no_further_than_they_should_be():
    bomb = forged(packed=zlib.compress(bytes(1 << 24)))
    tracemalloc.start()
    try:
        with pytest.raises(RefusedError, match="not of the size it states"):
            read(bomb)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
