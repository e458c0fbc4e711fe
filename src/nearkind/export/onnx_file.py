"""ONNX: one file whose graph embeds rows and, of a classifier, counts their votes.

The vote is that of ``neighbors``: rows tied at the k-th distance share what is left.
Rows are taken one by one, so memory does not grow with them, and distances come from
differences, so that equal rows are at distance zero to the last bit.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nearkind.errors import did_you_mean
from nearkind.export.onnx_graph import (
    CODES,
    ROWS,
    GraphBuilder,
    Input,
    given_codes,
    value_codes,
    value_inputs,
)
from nearkind.export.portable import Feature, PortableClassifier, PortableModel
from nearkind.io.atomic_write import atomic_write
from nearkind.neighbors import TIE
from nearkind.neighbors.voting import SHARE_TIE

VECTOR, PROBABILITIES, LABEL = "vector", "probabilities", "label"
OPSETS = {"": 18, "ai.onnx.ml": 3}
IR_VERSION = 8
MAX_BYTES = 2**31 - 2**20
"""What protobuf can hold, less room for names and nodes."""


class GraphInputs(NamedTuple):
    """The start of a graph: its inputs, and the codes of each feature (n,)."""

    builder: GraphBuilder
    inputs: list[Input]
    codes: list[str]


def write(model: PortableModel, path: Path, inputs: str = "values") -> list[Path]:
    """Write a graph with outputs ``vector``, ``probabilities`` and ``label``.

    Parameters
    ----------
    model : PortableModel
    path : Path
    inputs : {"values", "codes"}, default="values"
        "values": one input (n,) a column, of text or of doubles; "codes": one of int64
        (n, D), -1 for values that fit did not see, crosses after the columns.
    """
    if inputs not in INPUTS:
        raise ValueError(
            f"There are no inputs {inputs!r} of ONNX. {did_you_mean(inputs, INPUTS)}"
        )
    _check_size(model)
    graph = _model(model, INPUTS[inputs])
    with atomic_write(path) as file:
        file.write(graph.SerializeToString())
    return [path]


def _check_size(model: PortableModel) -> None:
    tables = sum(feature.vectors.nbytes for feature in model.features)
    voters = model.classifier
    rows = 0 if voters is None else voters.vectors.nbytes + voters.shares.nbytes
    if tables + rows > MAX_BYTES:
        raise ValueError(
            f"The model takes {(tables + rows) / 2**30:.1f} GB, of which "
            f"{rows / 2**30:.1f} are training rows, and an ONNX file holds 2. Fit a "
            "larger strength, which shortens vectors, or fewer rows; or export to SQL."
        )


def _model(
    model: PortableModel, start: Callable[[list[Feature], list[str]], GraphInputs]
) -> Any:
    builder, inputs, codes = start(model.features, output_names(model))
    outputs = [_add_embedding(builder, model, codes), *_add_vote(builder, model)]
    helper = builder.onnx.helper
    graph = helper.make_graph(
        builder.nodes,
        "nearkind",
        [each.described(builder) for each in inputs],
        outputs,
        builder.constants,
    )
    opsets = [helper.make_opsetid(*opset) for opset in OPSETS.items()]
    made = helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="nearkind"
    )
    helper.set_model_props(made, {"nearkind": _about(model, inputs)})
    return made


def _of_values(features: list[Feature], outputs: list[str]) -> GraphInputs:
    inputs = value_inputs(features, set(outputs))
    builder = GraphBuilder({*outputs, *(each.name for each in inputs)})
    return GraphInputs(builder, inputs, value_codes(builder, features, inputs))


def _of_codes(features: list[Feature], outputs: list[str]) -> GraphInputs:
    source = Input(CODES, "code", None, (ROWS, len(features)))
    builder = GraphBuilder({*outputs, CODES})
    return GraphInputs(builder, [source], given_codes(builder, len(features)))


INPUTS: dict[str, Callable[[list[Feature], list[str]], GraphInputs]] = {
    "values": _of_values,
    "codes": _of_codes,
}


def output_names(model: PortableModel) -> list[str]:
    """Return the names of the outputs of a graph."""
    return [VECTOR] if model.classifier is None else [VECTOR, PROBABILITIES, LABEL]


def _add_embedding(
    builder: GraphBuilder, model: PortableModel, codes: list[str]
) -> Any:
    """Add the vectors of values in the order of features; return their description."""
    size = model.size
    total = builder.constant(np.zeros(size))
    for n_left, feature, code in zip(
        reversed(range(len(codes))), model.features, codes, strict=True
    ):
        vector = builder.add("Gather", builder.constant(feature.vectors), code)
        total = builder.add("Add", total, vector, output="" if n_left else VECTOR)
    return builder.doubles(VECTOR, ROWS, size)


def _add_vote(builder: GraphBuilder, model: PortableModel) -> list[Any]:
    """Add shares of classes and labels; return their descriptions."""
    voters = model.classifier
    if voters is None:
        return []
    add_shares(builder, voters, VECTOR, PROBABILITIES)
    kind = add_labels(builder, voters, PROBABILITIES, LABEL)
    labels = builder.onnx.helper.make_tensor_value_info(LABEL, kind, [ROWS])
    return [builder.doubles(PROBABILITIES, ROWS, len(voters.labels)), labels]


def _about(model: PortableModel, inputs: list[Input]) -> str:
    """Return what a caller must know, as JSON."""
    described = [
        {"name": each.name, "kind": each.kind, "missing": each.missing}
        for each in inputs
    ]
    labels = None if model.classifier is None else model.classifier.labels
    return json.dumps({"inputs": described, "classes": labels}, ensure_ascii=False)


def add_shares(
    builder: GraphBuilder, voters: PortableClassifier, vectors: str, output: str
) -> str:
    """Add the share of each class (n, C) in the votes for rows (n, q)."""
    one = builder.inner()
    row = one.name()
    found = _shares_of_one(one, voters, row)
    body = builder.onnx.helper.make_graph(
        one.nodes,
        "vote",
        [one.doubles(row, voters.vectors.shape[1])],
        [one.doubles(found, len(voters.labels))],
    )
    return builder.add("Scan", vectors, output=output, body=body, num_scan_inputs=1)


def _shares_of_one(b: GraphBuilder, voters: PortableClassifier, row: str) -> str:
    distance = _distances(b, voters, row)
    votes = WEIGHTED_VOTES[voters.weights](b, _votes(b, voters, distance), distance)
    total = b.add("MatMul", votes, b.constant(voters.shares))  # (C,)
    return b.add("Div", total, _over_all(b, "ReduceSum", total))


def _distances(b: GraphBuilder, voters: PortableClassifier, row: str) -> str:
    step = b.add("Sub", b.constant(voters.vectors), row)  # (m, q)
    axis = b.constant([1], np.int64)
    return b.add("Sqrt", b.add("ReduceSumSquare", step, axis, keepdims=0))


def _votes(b: GraphBuilder, voters: PortableClassifier, distance: str) -> str:
    """Return what each row votes (m,); those at the k-th distance share the rest."""
    k, counts, zero = (b.constant(x) for x in (voters.n_neighbors, voters.counts, 0.0))
    largest = _over_all(b, "ReduceMax", distance)
    tie = b.add("Mul", b.constant(TIE), largest)
    kth = _kth(b, voters, counts, distance)
    is_near = b.add("Less", distance, b.add("Sub", kth, tie))
    is_reached = b.add("LessOrEqual", distance, b.add("Add", kth, tie))
    near = b.add("Where", is_near, counts, zero)
    tied = b.add("Sub", b.add("Where", is_reached, counts, zero), near)
    left = b.add("Sub", k, _over_all(b, "ReduceSum", near))
    share = b.add("Div", left, _over_all(b, "ReduceSum", tied))
    return b.add("Add", near, b.add("Mul", tied, share))


def _kth(
    b: GraphBuilder, voters: PortableClassifier, counts: str, distance: str
) -> str:
    """Return the distance at which the counts first add up to k."""
    how_many = b.constant([voters.n_nearest], np.int64)
    both = ["", ""]
    nearest, at = b.add_several("TopK", distance, how_many, outputs=both, largest=0)
    upto = b.add("CumSum", b.add("Gather", counts, at), b.constant(0, np.int64))
    is_reached = b.add("GreaterOrEqual", upto, b.constant(voters.enough))
    beyond = b.constant(np.inf)
    return _over_all(b, "ReduceMin", b.add("Where", is_reached, nearest, beyond))


def _over_all(b: GraphBuilder, operator: str, x: str) -> str:
    return b.add(operator, x, b.constant([0], np.int64), keepdims=0)


def _uniform(b: GraphBuilder, votes: str, distance: str) -> str:
    return votes


def _by_distance(b: GraphBuilder, votes: str, distance: str) -> str:
    """Weigh by 1 / distance; rows at distance zero, if there are any, vote alone."""
    zero, one = b.constant(0.0), b.constant(1.0)
    is_here = b.add("Equal", distance, zero)
    here = b.add("Where", is_here, votes, zero)
    some_here = b.add("Greater", _over_all(b, "ReduceSum", here), zero)
    away = b.add("Div", votes, b.add("Where", is_here, one, distance))
    return b.add("Where", some_here, here, away)


WEIGHTED_VOTES: dict[str, Callable[[GraphBuilder, str, str], str]] = {
    "uniform": _uniform,
    "distance": _by_distance,
}
"""Weights of a classifier -> what adds a voters."""


def add_labels(
    builder: GraphBuilder, voters: PortableClassifier, probabilities: str, output: str
) -> Any:
    """Add the labels of the largest shares (n,), and return their type.

    Of classes that tie, the first is taken.
    """
    axis = builder.constant([1], np.int64)
    largest = builder.add("ReduceMax", probabilities, axis, keepdims=1)
    least = builder.add("Sub", largest, builder.constant(SHARE_TIE))
    is_best = builder.add("GreaterOrEqual", probabilities, least)
    flags = builder.cast(is_best, "INT32")
    first = builder.add("ArgMax", flags, axis=1, keepdims=0)
    labels = np.array(voters.labels)
    kind = builder.onnx.helper.np_dtype_to_tensor_dtype(labels.dtype)
    tensor = labels.astype(object) if labels.dtype.kind == "U" else labels
    builder.add("Gather", builder.constant(tensor), first, output=output)
    return kind
