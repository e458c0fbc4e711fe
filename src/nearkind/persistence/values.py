"""Arrays, and plain values that JSON has no word for.

Numbers of an array stand as bytes beside the JSON, its text and objects inside it.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearkind.errors import RefusedError
from nearkind.estimators.base import object_array
from nearkind.persistence.nodes import (
    MAX_DIGITS,
    Pack,
    Reader,
    Unpack,
    Writer,
    refuse_collisions,
    short_repr,
)

MAX_RANGE = 10_000
_NUMBERS = re.compile(r"[<|](b1|[iu][1248]|f[248]|[mM]8(\[[0-9]{0,9}[a-zA-Z]{1,2}\])?)")
_TEXTS = re.compile(r"<U[0-9]{1,9}")


def pack_array(writer: Writer, array: NDArray[np.generic], what: str) -> Any:
    """Return the node of an array; numbers go beside the JSON."""
    if array.dtype.kind in "OU" and array.ndim == 1:
        items = writer.node(array.tolist(), what)
        is_text = array.dtype.kind == "U"
        return {"texts": [_little(array), items]} if is_text else {"objects": items}
    if not _NUMBERS.fullmatch(_little(array)):
        raise RefusedError(
            f"{what} is an array of {array.dtype}, which a model file cannot keep"
        )
    is_turned = array.flags.f_contiguous and not array.flags.c_contiguous
    order: Literal["C", "F"] = "F" if is_turned else "C"  # products may depend on it
    at = len(writer.arrays)
    writer.arrays += array.astype(_little(array), copy=False).tobytes(order)
    return {"array": [_little(array), order, list(array.shape), at]}


def _little(array: NDArray[np.generic]) -> str:
    return array.dtype.newbyteorder("<").str


def unpack_array(reader: Reader, payload: Any) -> NDArray[np.generic]:
    """Return an array of numbers, in a memory of its own."""
    dtype, order, shape, at = payload
    is_known = isinstance(dtype, str) and _NUMBERS.fullmatch(dtype)
    if not is_known or order not in ("C", "F") or not _is_shape(shape):
        raise RefusedError(
            f"{short_repr(payload)} is no type, order, shape and place of an array"
        )
    little = np.dtype(dtype)
    data = reader.next_bytes(prod(shape) * little.itemsize, at)
    if little.kind == "b" and data.strip(b"\0\1"):
        raise RefusedError("an array of true and false holds something else")
    array = np.frombuffer(data, little) if data else np.empty(0, little)
    native = little.newbyteorder("=")
    return array.reshape(shape, order=order).astype(native, order="K", copy=True)


def _is_shape(shape: Any) -> bool:
    is_list = isinstance(shape, list) and 1 <= len(shape) <= 4
    return is_list and all(type(size) is int and size >= 0 for size in shape)


def unpack_texts(reader: Reader, payload: Any) -> NDArray[np.generic]:
    """Return an array of text of fixed width (n,)."""
    dtype, items = payload
    is_list = isinstance(items, list) and all(type(item) is str for item in items)
    if not _TEXTS.fullmatch(dtype) or not is_list:
        raise RefusedError(f"{short_repr(payload)} is no type and list of texts")
    little = np.dtype(dtype)
    reader.count_text(little.itemsize * len(items))
    array = np.array(items, dtype=little.newbyteorder("="))
    if array.tolist() != items:
        raise RefusedError("an array of text is narrower than its text")
    return array


def unpack_objects(reader: Reader, payload: Any) -> NDArray[np.generic]:
    """Return an array of any objects (n,)."""
    return object_array(reader.value(list(payload)))


def _unpack_decimal(reader: Reader, payload: Any) -> Decimal:
    if len(payload) > MAX_DIGITS:
        raise RefusedError(f"a decimal number has {len(payload):,} digits")
    return _canonical(Decimal(payload), payload, str)


def _unpack_fraction(reader: Reader, payload: Any) -> Fraction:
    numerator, denominator = payload
    if type(numerator) is not int or type(denominator) is not int:
        raise RefusedError(f"{short_repr(payload)} are no two whole numbers")
    found = Fraction(numerator, denominator)
    if found.as_integer_ratio() != (numerator, denominator):
        raise RefusedError(f"{short_repr(payload)} is not in lowest terms")
    return found


def _unpack_dict(reader: Reader, payload: Any) -> dict[Any, Any]:
    pairs = reader.value(list(payload))
    refuse_collisions([key for key, _ in pairs])
    return dict(pairs)


def _unpack_range(reader: Reader, payload: Any) -> range:
    found = range(*payload)
    if found[MAX_RANGE:]:
        raise RefusedError(f"a range has more than {MAX_RANGE:,} numbers")
    return found


def _unpack_bytes(reader: Reader, payload: Any) -> bytes:
    return _canonical(bytes.fromhex(payload), payload, bytes.hex)


def _unpack_float(reader: Reader, payload: Any) -> float:
    return _canonical(float(payload), payload, repr)


def _canonical(value: object, payload: str, write: Callable[[Any], str]) -> Any:
    """Refuse a value that ``save`` would have written in another way."""
    if write(value) != payload:
        raise RefusedError(f"{short_repr(payload)} is not how such a value is written")
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
    "dict": _unpack_dict,
    "range": _unpack_range,
    "bytes": _unpack_bytes,
    "decimal": _unpack_decimal,
    "fraction": _unpack_fraction,
    "array": unpack_array,
    "texts": unpack_texts,
    "objects": unpack_objects,
}
