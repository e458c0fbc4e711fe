"""A dict with arrays as JSON, and one run of bytes for all the arrays."""

import json
from base64 import b64encode
from typing import Any

import numpy as np

from nearkind.protocols import Array

ALIGNED = 8
"""Bytes at whose multiples an array may begin."""
WHOLE = (np.uint8, np.uint16, np.uint32)
"""What whole numbers are kept as: the first that holds them all."""


class Packer:
    """Puts arrays behind each other and says where each is."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._end = 0

    def packed(self, tree: Any) -> Any:
        """Return a tree with every array replaced by ``{"array": [type, at, n]}``."""
        if isinstance(tree, dict):
            return {key: self.packed(value) for key, value in tree.items()}
        if isinstance(tree, list | tuple):
            return [self.packed(value) for value in tree]
        return self._place(tree) if isinstance(tree, np.ndarray) else tree

    def _place(self, array: Array) -> dict[str, Any]:
        small = smallest(array.ravel())
        little = small.astype(small.dtype.newbyteorder("<"), copy=False).tobytes()
        at = self._end
        little += b"\0" * (-len(little) % ALIGNED)
        self._parts.append(little)
        self._end += len(little)
        return {"array": [small.dtype.name, at, len(small)]}

    @property
    def base64(self) -> str:
        """All arrays, as text."""
        return b64encode(b"".join(self._parts)).decode("ascii")


def smallest(array: Array) -> Array:
    """Return whole numbers >= 0 in as few bytes as hold them, others as they are.

    Examples
    --------
    >>> smallest(np.array([3, 300])).dtype, smallest(np.array([0.5])).dtype
    (dtype('uint16'), dtype('float64'))
    """
    if array.dtype.kind not in "iu":
        return array
    largest = int(array.max(initial=0))
    return array.astype(next(kind for kind in WHOLE if largest <= np.iinfo(kind).max))


def json_text(tree: Any) -> str:
    """Return JSON that no HTML parser takes for markup.

    Examples
    --------
    >>> json_text({"a": "</script>"})
    '{"a":"\\\\u003c/script>"}'
    """
    text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
