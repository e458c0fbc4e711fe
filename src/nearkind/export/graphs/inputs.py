"""From cells to codes: one input a column, or the codes themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.export.graphs.building import Builder
from nearkind.export.portable import Feature, Listed, Ranged
from nearkind.export.values import as_double, as_text, numbers

ROWS = "rows"
"""Name of the dimension of rows."""
CODES = "codes"


@dataclass(frozen=True)
class Input:
    """What a graph asks for: a tensor of ``kind``, in which ``missing`` marks gaps."""

    name: str
    kind: str  # "text", "number" or "code"
    missing: Any
    shape: tuple[Any, ...] = (ROWS,)

    def described(self, builder: Builder) -> Any:
        """Return it as ONNX describes it."""
        kind = getattr(builder.onnx.TensorProto, TENSORS[self.kind])
        return builder.onnx.helper.make_tensor_value_info(self.name, kind, self.shape)


TENSORS = {"text": "STRING", "number": "DOUBLE", "code": "INT64"}


def value_inputs(features: Sequence[Feature], taken: set[str]) -> list[Input]:
    """Return an input for each column, called as it is, or nearly so."""
    found, used = [], set(taken)
    for feature in features:
        name = feature.name
        while not name or name in used:
            name += "_"
        used.add(name)
        is_text = TAKES_TEXT[type(feature)](feature)
        kind = ("text", _marker(feature)) if is_text else ("number", "NaN")
        found.append(Input(name, *kind))
    return found


def _takes_text(feature: Listed) -> bool:
    return len(numbers(feature.values)) < max(len(feature.values), 1)


def _marker(feature: Any) -> str:
    """Return a text that marks missing cells and is no value: the empty one mostly."""
    known, marker = {as_text(value) for value in feature.values}, ""
    while marker in known:
        marker = f"<{marker or 'missing'}>"
    return marker


def value_codes(
    builder: Builder, features: Sequence[Feature], inputs: Sequence[Input]
) -> list[str]:
    """Return the codes of each feature (n,), from cells."""
    return [
        LOOKUPS[type(feature), asked.kind](builder, feature, asked)
        for feature, asked in zip(features, inputs, strict=True)
    ]


def given_codes(builder: Builder, n_features: int) -> list[str]:
    """Return the codes of each feature (n,), from one input of them all (n, D)."""
    return [
        builder.add("Gather", CODES, builder.constant(d, np.int64), axis=1)
        for d in range(n_features)
    ]


def _from_text(builder: Builder, feature: Listed, asked: Input) -> str:
    texts = [as_text(value) for value in feature.values]
    twice = [text for text in texts if texts.count(text) > 1]
    if twice:
        raise ValueError(
            f"Column {feature.name!r} holds {twice[0]!r} as text and as a number, "
            "which no tensor tells apart. Pass inputs='codes', or turn the column "
            "into text and fit again."
        )
    return builder.add(
        "LabelEncoder",
        asked.name,
        keys_strings=[*texts, asked.missing],
        values_int64s=[*range(len(texts)), feature.missing],
        default_int64=len(feature.vectors) - 1,
    )


def _from_number(builder: Builder, feature: Listed, asked: Input) -> str:
    doubles = np.array([as_double(value) for value in feature.values])
    order = np.argsort(doubles)
    upto = _upto(builder, asked.name, doubles[order])
    at = builder.add("Sub", upto, builder.constant(1, np.int64))  # -1: the last
    found = builder.add("Gather", builder.constant(doubles[order]), at)
    code = builder.add("Gather", builder.constant(order.astype(np.int64)), at)
    unseen = builder.constant(len(feature.vectors) - 1, np.int64)
    is_known = builder.add("Equal", found, asked.name)
    known = builder.add("Where", is_known, code, unseen)
    return _unless_missing(builder, feature, asked, known)


def _from_range(builder: Builder, feature: Ranged, asked: Input) -> str:
    upto = _upto(builder, asked.name, np.array(feature.edges))
    return _unless_missing(builder, feature, asked, upto)


def _unless_missing(builder: Builder, feature: Any, asked: Input, code: str) -> str:
    missing = builder.constant(feature.missing, np.int64)
    return builder.add("Where", builder.add("IsNaN", asked.name), missing, code)


def _upto(builder: Builder, x: str, rising: Any) -> str:
    """Return how many of some rising numbers are not above x, by halving steps."""
    n_steps = len(rising).bit_length()
    padded = np.full(1 << n_steps, np.nan)  # no x is above these
    padded[: len(rising)] = rising
    is_nan = builder.add("IsNaN", x)  # as long as x
    at = builder.add(
        "Mul", builder.cast(is_nan, "INT64"), builder.constant(0, np.int64)
    )
    bounds = builder.constant(padded)
    for step in reversed(range(n_steps)):
        last = builder.constant((1 << step) - 1, np.int64)
        bound = builder.add("Gather", bounds, builder.add("Add", at, last))
        further = builder.add("Add", at, builder.constant(1 << step, np.int64))
        is_above = builder.add("GreaterOrEqual", x, bound)
        at = builder.add("Where", is_above, further, at)
    return at


TAKES_TEXT: dict[type, Callable[[Any], bool]] = {
    Listed: _takes_text,
    Ranged: lambda feature: False,
}
LOOKUPS: dict[tuple[type, str], Callable[[Builder, Any, Input], str]] = {
    (Listed, "text"): _from_text,
    (Listed, "number"): _from_number,
    (Ranged, "number"): _from_range,
}
