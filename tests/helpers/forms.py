"""Forms, voters and committees: through a file, and with one thing damaged."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from nearkind.persistence.models import packs, unpacks
from nearkind.persistence.nodes import Reader, Writer

SHORTER = {"roots"}
"""Fields of which fewer entries are sound."""


def read_again(value):
    """Return what a file makes of a value."""
    writer = Writer(packs())
    node = writer.node(value, "it")
    return Reader(unpacks(), bytes(writer.arrays), 1 << 20).value(node)


def damaged(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a value with one thing wrong in it, and what: its length, a number, a name.

    Of a dataclass and of a sequence of arrays one part after the other is damaged.
    """
    if value is None:
        return
    if is_dataclass(value):
        for field in fields(value):
            for what, odd in damaged(getattr(value, field.name), field.name):
                yield f"{field.name}: {what}", replace(value, **{field.name: odd})
    elif isinstance(value, list | tuple):
        yield "one table fewer", value[:-1]
        yield "one table more", [*value, value[-1]]
        for what, odd in damaged(value[0], "tables"):
            yield f"{what} in a table", [odd, *value[1:]]
    elif isinstance(value, np.ndarray):
        if not value.size:
            return
        if name == "tables":
            yield "one row fewer", value[:-1]
        elif name not in SHORTER:
            yield "shorter", value[..., :-1]
        yield "one axis more", value[None]
        if value.dtype == np.float64:
            yield "single precision", value.astype(np.float32)
            for number in (np.nan, np.inf):
                odd = value.copy()
                odd.flat[-1] = number
                yield f"{number}", odd
        else:
            yield "fractions", value.astype(float)
    elif isinstance(value, str):
        yield "another word", "x"
    else:
        yield "nan", float("nan")
        yield "infinity", float("inf")
