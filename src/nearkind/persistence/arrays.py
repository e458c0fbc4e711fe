"""Arrays: numbers as bytes beside the JSON, text and objects in it."""

import re
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.base import object_array
from nearkind.persistence.container import RefusedError
from nearkind.persistence.nodes import Reader, Writer, shown

_NUMBERS = re.compile(r"[<|](b1|[iu][1248]|f[248]|[mM]8(\[[0-9]{0,9}[a-zA-Z]{1,2}\])?)")
_TEXTS = re.compile(r"<U[0-9]{1,9}")


def pack_array(writer: Writer, array: NDArray[Any], what: str) -> Any:
    """Return the node of an array; numbers go beside the JSON."""
    if array.dtype.kind in "OU" and array.ndim == 1:
        items = writer.node(array.tolist(), what)
        is_text = array.dtype.kind == "U"
        return {"texts": [_little(array), items]} if is_text else {"objects": items}
    if not _NUMBERS.fullmatch(_little(array)):
        raise RefusedError(f"{what} is an array of {array.dtype}, which is not kept")
    is_turned = array.flags.f_contiguous and not array.flags.c_contiguous
    order: Literal["C", "F"] = "F" if is_turned else "C"  # products may depend on it
    at = len(writer.arrays)
    writer.arrays += array.astype(_little(array), copy=False).tobytes(order)
    return {"array": [_little(array), order, list(array.shape), at]}


def _little(array: NDArray[Any]) -> str:
    return array.dtype.newbyteorder("<").str


def unpack_array(reader: Reader, payload: Any) -> NDArray[Any]:
    """Return an array of numbers, in a memory of its own."""
    dtype, order, shape, at = payload
    known = isinstance(dtype, str) and _NUMBERS.fullmatch(dtype)
    if not known or order not in ("C", "F") or not _is_shape(shape):
        raise RefusedError(f"an array is described by {shown(payload)}")
    little = np.dtype(dtype)
    data = reader.take(prod(shape) * little.itemsize, at)
    if little.kind == "b" and data.strip(b"\0\1"):
        raise RefusedError("an array of true and false holds something else")
    array = np.frombuffer(data, little) if data else np.empty(0, little)
    native = little.newbyteorder("=")
    return array.reshape(shape, order=order).astype(native, order="K", copy=True)


def _is_shape(shape: Any) -> bool:
    is_list = isinstance(shape, list) and 1 <= len(shape) <= 4
    return is_list and all(type(size) is int and size >= 0 for size in shape)


def unpack_texts(reader: Reader, payload: Any) -> NDArray[Any]:
    """Return an array of text of fixed width (n,)."""
    dtype, items = payload
    is_list = isinstance(items, list) and all(type(item) is str for item in items)
    if not _TEXTS.fullmatch(dtype) or not is_list:
        raise RefusedError(f"an array of text is described by {shown(payload)}")
    little = np.dtype(dtype)
    reader.room -= little.itemsize * len(items)
    if reader.room < 0:
        raise RefusedError("an array of text is wider than the limit allows")
    array = np.array(items, dtype=little.newbyteorder("="))
    if array.tolist() != items:
        raise RefusedError("an array of text is narrower than its text")
    return array


def unpack_objects(reader: Reader, payload: Any) -> NDArray[Any]:
    """Return an array of any objects (n,)."""
    return object_array(reader.value(list(payload)))
