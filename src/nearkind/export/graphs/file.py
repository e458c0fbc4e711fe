"""One ONNX file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.errors import did_you_mean
from nearkind.export.graphs import voting
from nearkind.export.graphs.building import Builder
from nearkind.export.graphs.inputs import (
    CODES,
    ROWS,
    Input,
    given_codes,
    value_codes,
    value_inputs,
)
from nearkind.export.portable import Feature, Portable
from nearkind.io.atomic_write import atomic_write

Coded = tuple[Builder, list[Input], list[str]]
"""A graph as far as it has inputs and codes of each feature (n,)."""
Codes = Callable[[list[Feature], list[str]], Coded]
VECTOR, PROBABILITIES, LABEL = "vector", "probabilities", "label"
OPSETS = {"": 18, "ai.onnx.ml": 3}
IR_VERSION = 8
LARGEST = 2**31 - 2**20
"""Bytes: what protobuf can hold, less room for names and nodes."""


def write(model: Portable, path: Path, inputs: str = "values") -> list[Path]:
    """Write a graph with outputs ``vector``, ``probabilities`` and ``label``.

    Parameters
    ----------
    model : Portable
    path : Path
    inputs : "values", one input (n,) a column, of text or of doubles; "codes", one of
        int64 (n, D), -1 for what fit did not see
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


def _check_size(model: Portable) -> None:
    tables = sum(feature.vectors.nbytes for feature in model.features)
    vote = model.vote
    rows = 0 if vote is None else vote.vectors.nbytes + vote.shares.nbytes
    if tables + rows > LARGEST:
        raise ValueError(
            f"The model takes {(tables + rows) / 2**30:.1f} GB, of which "
            f"{rows / 2**30:.1f} are training rows, and an ONNX file holds 2. Fit a "
            "larger strength, which shortens vectors, or fewer rows; or export to SQL."
        )


def _model(model: Portable, codes_of: Codes) -> Any:
    builder, asked, codes = codes_of(model.features, outputs_of(model))
    described = [_embedded(builder, model, codes), *_voted(builder, model)]
    helper = builder.onnx.helper
    graph = helper.make_graph(
        builder.nodes,
        "nearkind",
        [each.described(builder) for each in asked],
        described,
        builder.constants,
    )
    opsets = [helper.make_opsetid(*opset) for opset in OPSETS.items()]
    made = helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="nearkind"
    )
    helper.set_model_props(made, {"nearkind": _about(model, asked)})
    return made


def _of_values(features: list[Feature], outputs: list[str]) -> Coded:
    asked = value_inputs(features, set(outputs))
    builder = Builder({*outputs, *(each.name for each in asked)})
    return builder, asked, value_codes(builder, features, asked)


def _of_codes(features: list[Feature], outputs: list[str]) -> Coded:
    asked = Input(CODES, "code", None, (ROWS, len(features)))
    builder = Builder({*outputs, CODES})
    return builder, [asked], given_codes(builder, len(features))


INPUTS: dict[str, Codes] = {"values": _of_values, "codes": _of_codes}


def outputs_of(model: Portable) -> list[str]:
    """Return the names of what a graph gives."""
    return [VECTOR] if model.vote is None else [VECTOR, PROBABILITIES, LABEL]


def _embedded(builder: Builder, model: Portable, codes: list[str]) -> Any:
    """Add the vectors of values in the order of features, and describe their sum."""
    size = model.size
    total = builder.constant(np.zeros(size))
    for n_left, feature, code in zip(
        reversed(range(len(codes))), model.features, codes, strict=True
    ):
        vector = builder.add("Gather", builder.constant(feature.vectors), code)
        total = builder.add("Add", total, vector, output="" if n_left else VECTOR)
    return builder.doubles(VECTOR, ROWS, size)


def _voted(builder: Builder, model: Portable) -> list[Any]:
    vote = model.vote
    if vote is None:
        return []
    voting.shares(builder, vote, VECTOR, PROBABILITIES)
    kind = voting.label(builder, vote, PROBABILITIES, LABEL)
    labels = builder.onnx.helper.make_tensor_value_info(LABEL, kind, [ROWS])
    return [builder.doubles(PROBABILITIES, ROWS, len(vote.labels)), labels]


def _about(model: Portable, asked: list[Input]) -> str:
    """Return what a caller must know, as JSON."""
    inputs = [
        {"name": each.name, "kind": each.kind, "missing": each.missing}
        for each in asked
    ]
    labels = None if model.vote is None else model.vote.labels
    return json.dumps({"inputs": inputs, "classes": labels}, ensure_ascii=False)
