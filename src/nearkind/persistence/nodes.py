"""Plain values and arrays as JSON.

Text, whole and finite numbers, true, false, null and lists are themselves. Anything
else is an object of one entry, its kind: ``{"decimal": "1.50"}``.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from nearkind.persistence.container import RefusedError
from nearkind.persistence.json_text import MOST_DIGITS

Pack = Callable[["Writer", Any, str], Any]
Unpack = Callable[["Reader", Any], Any]

_MOST_BITS = int(MOST_DIGITS * 3.32)


class Writer:
    """Turns values into JSON, and keeps their arrays.

    Parameters
    ----------
    packs : for each type that is not JSON's own, what makes a node of its values
    whole : what makes a node of a model with all that fit found
    """

    def __init__(
        self, packs: Mapping[type, Pack], whole: Callable[["Writer", Any], Any]
    ) -> None:
        self._packs, self._whole = packs, whole
        self.arrays = bytearray()

    def node(self, value: Any, what: str) -> Any:
        """Return the JSON of a value; ``what`` names it where it cannot be kept."""
        if isinstance(value, np.generic):
            value = value.item()
        if _is_json(value):
            return value
        if type(value) is list:
            return [self.node(item, what) for item in value]
        if type(value) not in self._packs:
            raise RefusedError(
                f"{what} is {shown(value)}, of type {type(value).__name__}, which a "
                "model file cannot keep"
            )
        return self._packs[type(value)](self, value, what)

    def fitted(self, model: Any) -> Any:
        """Return the JSON of a fitted model; ``node`` keeps its settings only."""
        return self._whole(self, model)


class Reader:
    """Turns JSON back into values, taking the arrays in their order.

    Parameters
    ----------
    unpacks : for each kind of node, what makes a value of it
    arrays : all arrays, one after the other
    room : bytes that text of fixed width may take
    """

    def __init__(self, unpacks: Mapping[str, Unpack], arrays: bytes, room: int) -> None:
        self._unpacks = unpacks
        self._arrays = arrays
        self._at = 0
        self.room = room

    def value(self, node: Any) -> Any:
        """Return the value of a node."""
        if isinstance(node, list):
            return [x if type(x) is str else self.value(x) for x in node]  # most are
        if not isinstance(node, dict):
            return node
        kind, payload = _only_entry(node)
        if kind not in self._unpacks:
            raise RefusedError(
                f"it holds {shown(kind)}, a kind unknown to this nearkind"
            )
        return self._unpacks[kind](self, payload)

    def take(self, size: int, at: int) -> bytes:
        """Return the next bytes of the arrays, which must be where they are said."""
        if at != self._at or size > len(self._arrays) - at:
            raise RefusedError("an array is not where it is said to be")
        self._at += size
        return self._arrays[at : self._at]

    def finish(self) -> None:
        """Refuse bytes that no array has claimed."""
        if self._at != len(self._arrays):
            raise RefusedError("there are more arrays than are named")


def fields(payload: Any, *names: str) -> list[Any]:
    """Return the entries of a JSON object, which must be these and no others."""
    if not isinstance(payload, dict) or set(payload) != set(names):
        raise RefusedError(f"wanted an object of {', '.join(names)}")
    return [payload[name] for name in names]


def shown(value: Any) -> str:
    """Return a value on one short line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _only_entry(node: dict[str, Any]) -> tuple[str, Any]:
    if len(node) != 1:
        raise RefusedError(
            f"an object has {len(node)} entries instead of its kind alone"
        )
    return next(iter(node.items()))


def _is_json(value: Any) -> bool:
    if type(value) is float:
        return isfinite(value)
    if type(value) is int:
        return value.bit_length() <= _MOST_BITS
    return type(value) in (str, bool, type(None))
