"""A model file as bytes: a prelude of sizes, JSON text, packed arrays, a checksum.

A zip of .npy members would bring a second table of contents, names that are paths and a
parser of headers. Here nothing has a name outside the JSON, every size is known from
the first 38 bytes, and the rest is three reads.
"""

import struct
import zlib
from hashlib import sha256
from typing import BinaryIO, NamedTuple

MAGIC = b"\x89nearkind\r\n\x1a\n"  # a transfer that changes line ends breaks it
FORMAT = 1
GROWTH = 64
"""Bytes of memory that a byte of JSON may take once it is read: lists in lists do."""
LEVEL = 1
"""Of compression: numbers of full precision hardly shrink, codes and zeros do at once.
"""
_PRELUDE = struct.Struct("<13sBQQQ")
_DIGEST_SIZE = 32


class RefusedError(ValueError):
    """Why a model cannot be kept or read, as a clause."""


class Sizes(NamedTuple):
    """Bytes of each part: JSON text, arrays as packed and arrays as they are."""

    text: int
    packed: int
    arrays: int

    @property
    def memory(self) -> int:
        """Bytes that reading them may take; each array is copied into its own."""
        return GROWTH * self.text + self.packed + 2 * self.arrays


def sealed(text: bytes, arrays: bytes) -> bytes:
    """Return a whole file.

    Examples
    --------
    >>> from io import BytesIO
    >>> opened(BytesIO(sealed(b"{}", bytes(1000))), limit=4000) == (b"{}", bytes(1000))
    True
    """
    packed = zlib.compress(arrays, LEVEL)
    prelude = _PRELUDE.pack(MAGIC, FORMAT, len(text), len(packed), len(arrays))
    return b"".join([prelude, text, packed, _digest(prelude, text, packed)])


def opened(stream: BinaryIO, limit: int) -> tuple[bytes, bytes]:
    """Return text and arrays of a file; nothing is allocated beyond the limit."""
    prelude = stream.read(_PRELUDE.size)
    sizes = _sizes(prelude)
    if sizes.memory > limit:
        raise RefusedError(
            f"it may take {sizes.memory:,} bytes of memory, and the limit is "
            f"{limit:,}; pass a larger limit if you trust where it comes from"
        )
    text, packed = stream.read(sizes.text), stream.read(sizes.packed)
    digest = stream.read(_DIGEST_SIZE + 1)
    if (len(text), len(packed)) != sizes[:2] or len(digest) < _DIGEST_SIZE:
        raise RefusedError("it is cut short; fetch or save it again")
    if _digest(prelude, text, packed) != digest:
        raise RefusedError(
            "it was changed after it was written; fetch or save it again"
        )
    return text, _unpacked(packed, sizes.arrays)


def _digest(*parts: bytes) -> bytes:
    found = sha256()
    for part in parts:
        found.update(part)
    return found.digest()


def _sizes(prelude: bytes) -> Sizes:
    if not isinstance(prelude, bytes):
        raise RefusedError("it was opened as text; open it with mode 'rb'")
    if not prelude.startswith(MAGIC[: max(len(prelude), 1)]):
        raise RefusedError(
            "it is no nearkind model; give a file that nearkind.save wrote"
        )
    if len(prelude) < _PRELUDE.size:
        raise RefusedError("it is cut short; fetch or save it again")
    _, number, *sizes = _PRELUDE.unpack(prelude)
    if number > FORMAT:
        raise RefusedError(
            f"it was written by a newer nearkind (format {number}, and this one reads "
            f"up to {FORMAT}); upgrade nearkind"
        )
    if number < 1:
        raise RefusedError(
            "its format number is 0, which never was; save the model again"
        )
    return Sizes(*sizes)


def _unpacked(packed: bytes, size: int) -> bytes:
    """Return the arrays; one byte too many ends it, however many would follow."""
    stream = zlib.decompressobj()
    try:
        arrays = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise RefusedError(f"its arrays cannot be unpacked ({error})") from None
    if len(arrays) != size or not stream.eof or stream.unused_data:
        raise RefusedError(
            "its arrays are not of the size it states; save the model again"
        )
    return arrays
