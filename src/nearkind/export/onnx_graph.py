"""ONNX: a builder of graphs, and the part of a graph from values to codes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.export.portable import PortableModel
from nearkind.export.portable_features import (
    CrossFeature,
    IntervalFeature,
    PortableFeature,
    ValueFeature,
    as_double,
    as_text,
    non_texts,
)

INSTALL = 'Export to ONNX needs the onnx package. Run: pip install "nearkind[onnx]"'
DOMAINS = {"LabelEncoder": "ai.onnx.ml"}
ROWS = "rows"
"""Name of the dimension of rows."""
CODES = "codes"
"""Name of the input of codes."""


def import_onnx() -> Any:
    """Return the onnx package, or raise ImportError that says how to install it."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise ImportError(INSTALL) from None
    return onnx


class GraphBuilder:
    """Collects the nodes and constants of a graph, each under a name of its own.

    Parameters
    ----------
    taken : set of str
        Names of inputs and outputs.
    """

    def __init__(self, taken: set[str]) -> None:
        self.onnx = import_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.taken = set(taken)

    def inner(self) -> "GraphBuilder":
        """Return a builder of nodes inside a node; names and constants are shared."""
        inside = GraphBuilder(set())
        inside.taken, inside.constants = self.taken, self.constants
        return inside

    def name(self) -> str:
        """Return a new name."""
        number = len(self.taken)
        while (name := f"_{number}") in self.taken:
            number += 1
        self.taken.add(name)
        return name

    def constant(self, value: object) -> str:
        """Add a constant of doubles, int64 or text, and return its name."""
        array = np.asarray(value)
        array = array.astype(np.int64) if array.dtype.kind == "i" else array
        name = self.name()
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(
        self, operator: str, *inputs: object, output: str = "", **settings: Any
    ) -> str:
        """Add a node of one output and return its name.

        An input that is no name is a constant of double or whole numbers.
        """
        (name,) = self.add_several(operator, *inputs, outputs=[output], **settings)
        return name

    def add_several(
        self, operator: str, *inputs: object, outputs: list[str], **settings: Any
    ) -> list[str]:
        """Add a node and return the names of its outputs, new where they are empty."""
        given = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        names = [output or self.name() for output in outputs]
        domain = DOMAINS.get(operator, "")
        make = self.onnx.helper.make_node
        self.nodes.append(make(operator, given, names, domain=domain, **settings))
        return names

    def cast(self, x: str, kind: str) -> str:
        """Return a tensor of another type: INT32, INT64."""
        return self.add("Cast", x, to=getattr(self.onnx.TensorProto, kind))

    def doubles(self, name: str, *shape: int | str) -> Any:
        """Return the description of an input or output of doubles."""
        kind = self.onnx.TensorProto.DOUBLE
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)


@dataclass(frozen=True)
class Input:
    """An input of a graph: a tensor, in which ``missing`` marks missing values."""

    name: str
    kind: str  # "text", "number" or "code"
    missing: Any
    shape: tuple[Any, ...] = (ROWS,)

    def described(self, builder: GraphBuilder) -> Any:
        """Return its description in ONNX."""
        kind = getattr(builder.onnx.TensorProto, TENSORS[self.kind])
        return builder.onnx.helper.make_tensor_value_info(self.name, kind, self.shape)


TENSORS = {"text": "STRING", "number": "DOUBLE", "code": "INT64"}


def value_inputs(model: PortableModel, taken: set[str]) -> dict[str, Input]:
    """Return an input for each column, named as the column if that name is free."""
    found, used = {}, set(taken)
    for column in model.columns:
        features = [f for m in model.members for f in m.features if f.name == column]
        name = column
        while not name or name in used:
            name += "_"
        used.add(name)
        is_text = any(map(_takes_text, features))
        kind = ("text", _marker(features)) if is_text else ("number", "NaN")
        found[column] = Input(name, *kind)
    return found


def _takes_text(feature: PortableFeature) -> bool:
    if not isinstance(feature, ValueFeature):
        return False
    return len(non_texts(feature.values)) < max(len(feature.values), 1)


def _marker(features: Sequence[PortableFeature]) -> str:
    """Return a text that marks missing values: the empty one, unless it is a value."""
    known = {as_text(value) for f in features for _, value in f.entries()}
    marker = ""
    while marker in known:
        marker = f"<{marker or 'missing'}>"
    return marker


def value_codes(
    builder: GraphBuilder,
    features: Sequence[PortableFeature],
    inputs: Mapping[str, Input],
) -> list[str]:
    """Return the codes of each feature (n,), from values."""
    codes: list[str] = []
    for feature in features:
        if isinstance(feature, CrossFeature):
            first, second = feature.parts
            pair = codes[first], codes[second], features[second].n_codes
            codes.append(_from_pair(builder, feature, *pair))
        else:
            source = inputs[feature.name]
            lookup = LOOKUPS[type(feature), source.kind]
            codes.append(lookup(builder, feature, source))
    return codes


def given_codes(builder: GraphBuilder, source: Input) -> list[str]:
    """Return the codes of each feature (n,), from one input of them all (n, D)."""
    return [
        builder.add("Gather", source.name, d, axis=1) for d in range(source.shape[1])
    ]


def _from_pair(
    builder: GraphBuilder, feature: CrossFeature, a: str, b: str, width: int
) -> str:
    """Look up the number of a pair of codes, the second of which is below a width."""
    row = builder.add("Mul", a, width)
    return builder.add(
        "LabelEncoder",
        builder.add("Add", row, b),
        keys_int64s=[first * width + second for first, second in feature.pairs],
        values_int64s=list(range(len(feature.pairs))),
        default_int64=feature.n_codes - 1,
    )


def _from_text(builder: GraphBuilder, feature: ValueFeature, source: Input) -> str:
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
        source.name,
        keys_strings=[*texts, source.missing],
        values_int64s=[*range(len(texts)), feature.missing],
        default_int64=feature.n_codes - 1,
    )


def _from_number(builder: GraphBuilder, feature: ValueFeature, source: Input) -> str:
    doubles = np.array([as_double(value) for value in feature.values])
    order = np.argsort(doubles)
    upto = _upto(builder, source.name, doubles[order])
    at = builder.add("Sub", upto, 1)  # -1: the last
    found = builder.add("Gather", doubles[order], at)
    code = builder.add("Gather", order, at)
    unseen = builder.constant(feature.n_codes - 1)
    is_known = builder.add("Equal", found, source.name)
    known = builder.add("Where", is_known, code, unseen)
    return _unless_missing(builder, feature, source, known)


def _from_interval(
    builder: GraphBuilder, feature: IntervalFeature, source: Input
) -> str:
    upto = _upto(builder, source.name, np.array(feature.edges))
    return _unless_missing(builder, feature, source, upto)


def _refuse_both(builder: GraphBuilder, feature: PortableFeature, source: Input) -> str:
    raise ValueError(
        f"Column {feature.name!r} is text for one voter and numbers for another, and a "
        "tensor is one of them. Pass inputs='codes'."
    )


def _unless_missing(
    builder: GraphBuilder, feature: Any, source: Input, code: str
) -> str:
    missing = builder.constant(feature.missing)
    return builder.add("Where", builder.add("IsNaN", source.name), missing, code)


def _upto(builder: GraphBuilder, x: str, rising: Any) -> str:
    """Return how many of some rising numbers are at most x, by bisection."""
    n_steps = len(rising).bit_length()
    padded = np.full(1 << n_steps, np.nan)  # no x is above these
    padded[: len(rising)] = rising
    is_nan = builder.add("IsNaN", x)  # as long as x
    at = builder.add("Mul", builder.cast(is_nan, "INT64"), 0)
    bounds = builder.constant(padded)
    for step in reversed(range(n_steps)):
        last = builder.constant((1 << step) - 1)
        bound = builder.add("Gather", bounds, builder.add("Add", at, last))
        further = builder.add("Add", at, 1 << step)
        is_above = builder.add("GreaterOrEqual", x, bound)
        at = builder.add("Where", is_above, further, at)
    return at


LOOKUPS: dict[tuple[type, str], Callable[[GraphBuilder, Any, Input], str]] = {
    (ValueFeature, "text"): _from_text,
    (ValueFeature, "number"): _from_number,
    (IntervalFeature, "number"): _from_interval,
    (IntervalFeature, "text"): _refuse_both,
}
