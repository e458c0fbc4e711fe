"""Values as JSON, and back.

Text, whole and finite numbers, true, false, null and lists are themselves. Anything
else is an object of one entry, its kind: ``{"decimal": "1.50"}``.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from nearkind.errors import RefusedError

Pack = Callable[["Writer", Any, str], Any]
Unpack = Callable[["Reader", Any], Any]

MAX_DIGITS = 4_000
"""Of a whole number; Python reads no more than 4,300 by default."""
MAX_MODELS = 1_000
"""Models, fitted or not, in one file: members of a search and what it may try."""
MAX_COLLISIONS = 64
"""Keys with the same hash: each is compared with all others."""
_MAX_BITS = int(MAX_DIGITS * 3.32)


class Writer:
    """Turns values into JSON, and keeps their arrays.

    Parameters
    ----------
    packs : dict of type to callable
        For each type that is not JSON's own, what returns the node of a value.
    """

    def __init__(self, packs: Mapping[type, Pack]) -> None:
        self._packs = packs
        self.arrays = bytearray()

    def node(self, value: object, what: str) -> Any:
        """Return the JSON of a value; ``what`` names it where it cannot be kept."""
        if isinstance(value, np.generic):
            value = value.item()
        if _is_json(value):
            return value
        if type(value) is list:
            return [self.node(item, what) for item in value]
        if type(value) not in self._packs:
            raise RefusedError(
                f"{what} is {short_repr(value)}, of type {type(value).__name__}, which "
                "a model file cannot keep"
            )
        return self._packs[type(value)](self, value, what)


class Reader:
    """Turns JSON back into values, taking the arrays in their order.

    Parameters
    ----------
    unpacks : dict of str to callable
        For each kind of node, what returns its value.
    arrays : bytes
        All arrays, one after the other.
    text_limit : int
        Bytes that arrays of text of fixed width may take.
    """

    def __init__(
        self, unpacks: Mapping[str, Unpack], arrays: bytes, text_limit: int
    ) -> None:
        self._unpacks = unpacks
        self._arrays = arrays
        self._at = 0
        self._text_left = text_limit
        self._models_left = MAX_MODELS

    def value(self, node: object) -> Any:
        """Return the value of a node."""
        if isinstance(node, list):
            return [x if type(x) is str else self.value(x) for x in node]  # most are
        if not isinstance(node, dict):
            return node
        kind, payload = _only_entry(node)
        if kind not in self._unpacks:
            raise RefusedError(
                f"it holds {short_repr(kind)}, a kind unknown to this nearkind"
            )
        return self._unpacks[kind](self, payload)

    def next_bytes(self, size: int, at: int) -> bytes:
        """Return the next bytes of the arrays, which must start at ``at``."""
        if at != self._at or size > len(self._arrays) - at:
            raise RefusedError(
                "an array does not begin where the one before it ends, or is longer "
                "than what is left"
            )
        self._at += size
        return self._arrays[at : self._at]

    def count_text(self, size: int) -> None:
        """Count the bytes of an array of text, and refuse it beyond the limit."""
        self._text_left -= size
        if self._text_left < 0:
            raise RefusedError("an array of text is wider than the limit allows")

    def count_model(self) -> None:
        """Count a model, and refuse it beyond the limit."""
        self._models_left -= 1
        if self._models_left < 0:
            raise RefusedError(f"it holds more than {MAX_MODELS:,} models")

    def finish(self) -> None:
        """Refuse bytes that no array has taken."""
        if self._at != len(self._arrays):
            raise RefusedError("more bytes of arrays are there than the JSON names")


def fields(payload: object, *names: str) -> list[Any]:
    """Return the entries of a JSON object, which must be these and no others."""
    if not isinstance(payload, dict) or set(payload) != set(names):
        raise RefusedError(f"wanted an object of {', '.join(names)}")
    return [payload[name] for name in names]


def refuse_collisions(keys: Iterable[object]) -> None:
    """Refuse keys that were made to have the same hash, so that a dict takes for ever.

    The hash of text cannot be foreseen, that of a number can.
    """
    hashes = [hash(key) for key in keys if type(key) is not str]
    if hashes and Counter(hashes).most_common(1)[0][1] > MAX_COLLISIONS:
        raise RefusedError("values were made to have the same hash")


def short_repr(value: object) -> str:
    """Return a value on one short line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def dump_json(tree: object) -> bytes:
    """Return JSON as bytes; halves of surrogate pairs stay halves."""
    text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def parse_json(text: bytes) -> Any:
    """Return JSON of bytes; refuse infinities, repeated names and endless numbers."""
    return json.loads(
        text.decode("utf-8", "surrogatepass"),
        object_pairs_hook=_object,
        parse_constant=_refuse_constant,
        parse_float=_finite,
        parse_int=_whole,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RefusedError("an object has two entries of one name")
    return found


def _refuse_constant(text: str) -> Any:
    raise RefusedError(f"{text} is not JSON")


def _finite(text: str) -> float:
    if not isfinite(number := float(text)):
        raise RefusedError(f"the number {text[:20]} is too large")
    return number


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS + 1:
        raise RefusedError(f"a number has {len(text):,} digits")
    return int(text)


def _only_entry(node: dict[str, Any]) -> tuple[str, Any]:
    if len(node) != 1:
        raise RefusedError(f"an object has {len(node)} entries; expected one, its kind")
    return next(iter(node.items()))


def _is_json(value: object) -> bool:
    if type(value) is float:
        return isfinite(value)
    if type(value) is int:
        return value.bit_length() <= _MAX_BITS
    return type(value) in (str, bool, type(None))
