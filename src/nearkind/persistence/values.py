"""Plain values that JSON has no word for."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from nearkind.persistence.arrays import (
    pack_array,
    unpack_array,
    unpack_objects,
    unpack_texts,
)
from nearkind.persistence.container import RefusedError
from nearkind.persistence.json_text import MOST_DIGITS
from nearkind.persistence.nodes import Pack, Reader, Unpack, shown

LONGEST_RANGE = 10_000


def _unpack_decimal(reader: Reader, payload: Any) -> Decimal:
    if len(payload) > MOST_DIGITS:
        raise RefusedError(f"a decimal number has {len(payload):,} digits")
    return _canonical(Decimal(payload), payload, str)


def _unpack_range(reader: Reader, payload: Any) -> range:
    found = range(*payload)
    if found[LONGEST_RANGE:]:
        raise RefusedError("a range has no end in sight")
    return found


def _unpack_bytes(reader: Reader, payload: Any) -> bytes:
    return _canonical(bytes.fromhex(payload), payload, bytes.hex)


def _unpack_float(reader: Reader, payload: Any) -> float:
    return _canonical(float(payload), payload, repr)


def _canonical(value: Any, payload: str, write: Callable[[Any], str]) -> Any:
    """Refuse a value that would be written in another way."""
    if write(value) != payload:
        raise RefusedError(f"{shown(payload)} is not how such a value is written")
    return value


PACKS: dict[type, Pack] = {
    float: lambda writer, value, what: {"float": repr(value)},
    tuple: lambda writer, value, what: {"tuple": writer.node(list(value), what)},
    dict: lambda writer, value, what: {
        "dict": writer.node([list(pair) for pair in value.items()], what)
    },
    range: lambda writer, value, what: {"range": [value.start, value.stop, value.step]},
    bytes: lambda writer, value, what: {"bytes": value.hex()},
    Decimal: lambda writer, value, what: {"decimal": str(value)},
    Fraction: lambda writer, value, what: {
        "fraction": writer.node([value.numerator, value.denominator], what)
    },
    np.ndarray: pack_array,
}
UNPACKS: dict[str, Unpack] = {
    "float": _unpack_float,
    "tuple": lambda reader, payload: tuple(reader.value(list(payload))),
    "dict": lambda reader, payload: dict(reader.value(list(payload))),
    "range": _unpack_range,
    "bytes": _unpack_bytes,
    "decimal": _unpack_decimal,
    "fraction": lambda reader, payload: Fraction(*payload),
    "array": unpack_array,
    "texts": unpack_texts,
    "objects": unpack_objects,
}
