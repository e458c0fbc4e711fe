"""A model file as bytes: a header of sizes, JSON text, packed arrays, a checksum.

A zip of .npy members would bring a second table of contents, names that are paths and a
parser of headers. Here nothing has a name outside the JSON, every size is known from
the first 38 bytes, and the rest is three reads.
"""

import struct
import zlib
from hashlib import sha256
from typing import BinaryIO, NamedTuple

from nearkind.errors import RefusedError

MAGIC = b"\x89nearkind\r\n\x1a\n"  # a transfer that changes line ends breaks it
FORMAT = 1
GROWTH = 80
"""Bytes of memory that a byte of JSON may take once it is read: lists in lists do."""
COMPRESSION_LEVEL = 1
"""Numbers of full precision hardly shrink at any level, codes and zeros at once."""
_HEADER = struct.Struct("<13sBQQQ")
_DIGEST_SIZE = 32


class Sizes(NamedTuple):
    """Bytes of the JSON text, of the packed arrays and of the arrays unpacked."""

    text: int
    packed: int
    arrays: int

    @property
    def memory(self) -> int:
        """Bytes that reading them may take; each array is copied into its own."""
        return GROWTH * self.text + self.packed + 2 * self.arrays


def pack_container(text: bytes, arrays: bytes) -> bytes:
    """Return the bytes of a whole file.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = BytesIO(pack_container(b"{}", bytes(1000)))
    >>> read_container(file, limit=4000) == (b"{}", bytes(1000))
    True
    """
    packed = zlib.compress(arrays, COMPRESSION_LEVEL)
    header = _HEADER.pack(MAGIC, FORMAT, len(text), len(packed), len(arrays))
    return b"".join([header, text, packed, _digest(header, text, packed)])


def read_container(stream: BinaryIO, limit: int) -> tuple[bytes, bytes]:
    """Return text and arrays of a file; allocate nothing beyond the limit."""
    header = stream.read(_HEADER.size)
    sizes = _sizes(header)
    if sizes.memory > limit:
        raise RefusedError(
            f"it may take {sizes.memory:,} bytes of memory, and the limit is "
            f"{limit:,}; pass a larger limit if you trust where it comes from"
        )
    text, packed = stream.read(sizes.text), stream.read(sizes.packed)
    digest = stream.read(_DIGEST_SIZE + 1)
    if (len(text), len(packed)) != sizes[:2] or len(digest) < _DIGEST_SIZE:
        raise RefusedError("it is truncated; copy or save it again")
    if _digest(header, text, packed) != digest:
        raise RefusedError(
            "its content does not match its checksum; copy or save it again"
        )
    return text, _decompress(packed, sizes.arrays)


def _digest(*parts: bytes) -> bytes:
    found = sha256()
    for part in parts:
        found.update(part)
    return found.digest()


def _sizes(header: bytes) -> Sizes:
    if not isinstance(header, bytes):
        raise RefusedError("it was opened as text; open it with mode 'rb'")
    if not header.startswith(MAGIC[: max(len(header), 1)]):
        raise RefusedError(
            "it is no nearkind model; pass a file that nearkind.save or `nearkind fit` "
            "wrote"
        )
    if len(header) < _HEADER.size:
        raise RefusedError("it is truncated; copy or save it again")
    _, number, *sizes = _HEADER.unpack(header)
    if number > FORMAT:
        raise RefusedError(
            f"it was written by a newer nearkind (format {number}, and this one reads "
            f"up to {FORMAT}); upgrade nearkind"
        )
    if number < 1:
        raise RefusedError(
            "its format number is 0, and formats start at 1; save the model again"
        )
    return Sizes(*sizes)


def _decompress(packed: bytes, size: int) -> bytes:
    """Return the arrays; stop after one byte too many, however many would follow."""
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
