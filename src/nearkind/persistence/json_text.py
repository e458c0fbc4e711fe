"""JSON without surprises: no infinities, no doubled names, no endless numbers."""

import json
from math import isfinite
from typing import Any

from nearkind.persistence.container import RefusedError

MOST_DIGITS = 4_000
"""Of a whole number; Python reads no more than 4,300 by default."""


def dumped(tree: Any) -> bytes:
    """Return JSON as bytes; halves of surrogate pairs stay halves."""
    text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def parsed(text: bytes) -> Any:
    """Return JSON of bytes, without infinities, doubled names or endless numbers."""
    return json.loads(
        text.decode("utf-8", "surrogatepass"),
        object_pairs_hook=_without_doubles,
        parse_constant=_refuse_constant,
        parse_float=_finite,
        parse_int=_whole,
    )


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RefusedError("a name comes twice in one object")
    return found


def _refuse_constant(text: str) -> Any:
    raise RefusedError(f"{text} is not JSON")


def _finite(text: str) -> float:
    if not isfinite(number := float(text)):
        raise RefusedError(f"the number {text[:20]} is too large")
    return number


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS + 1:
        raise RefusedError(f"a number has {len(text):,} digits")
    return int(text)
