"""ONNX: one file whose graph embeds rows and, if rows vote, predicts from their votes.

The vote is that of ``neighbors``: rows tied at the k-th distance share what is left.
Rows are taken one by one, so memory does not grow with them, and distances come from
differences, so that equal rows are at distance zero to the last bit.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nearkind.errors import require_known
from nearkind.export.onnx_graph import (
    CODES,
    ROWS,
    GraphBuilder,
    Input,
    given_codes,
    value_codes,
    value_inputs,
)
from nearkind.export.portable import (
    LEAST_EXPONENT,
    PortableMember,
    PortableModel,
    PortableVotes,
    numbered,
)
from nearkind.io.atomic_write import atomic_write
from nearkind.neighbors import TIE
from nearkind.neighbors.soft_votes import COLD
from nearkind.neighbors.voting import SHARE_TIE
from nearkind.protocols import Array
from nearkind.voting import Calibration, NumberCommittee
from nearkind.voting.numbers import (
    LARGEST_EXPONENT,
    LinearScale,
    LogScale,
    QuantileScale,
)

VECTOR, PROBABILITIES, LABEL, NUMBER = "vector", "probabilities", "label", "number"
OPSETS = {"": 18, "ai.onnx.ml": 3}
IR_VERSION = 8
MAX_BYTES = 2**31 - 2**20
"""What protobuf can hold, less room for names and nodes."""


class GraphInputs(NamedTuple):
    """The start of a graph: inputs, and for each member the codes of features (n,)."""

    builder: GraphBuilder
    inputs: list[Input]
    codes: list[list[str]]


def write(model: PortableModel, path: Path, inputs: str = "values") -> list[Path]:
    """Write a graph with outputs ``vector``, ``probabilities`` and ``label``.

    A model of numbers has the output ``number`` instead of the last two. Of several
    members that have vectors, these are ``vector_1`` and so on.

    Parameters
    ----------
    model : PortableModel
    path : Path
    inputs : {"values", "codes"}, default="values"
        "values": one input (n,) a column, of text or of doubles; "codes": one of int64
        (n, D) for each member, -1 for values that fit did not see.
    """
    require_known(inputs, INPUTS, f"There are no inputs {inputs!r} of ONNX.")
    _check_size(model)
    graph = _model(model, INPUTS[inputs])
    with atomic_write(path) as file:
        file.write(graph.SerializeToString())
    return [path]


def _check_size(model: PortableModel) -> None:
    tables = sum(table.nbytes for member in model.members for table in member.tables)
    rows = sum(map(_bytes_of_rows, model.members))
    if tables + rows > MAX_BYTES:
        raise ValueError(
            f"The model takes {(tables + rows) / 2**30:.1f} GB, of which "
            f"{rows / 2**30:.1f} are training rows, and an ONNX file holds 2. Fit a "
            "larger strength, which shortens vectors, or fewer rows; or export to SQL."
        )


def _bytes_of_rows(member: PortableMember) -> int:
    if member.votes is None:
        return 0
    compared = member.ball.vectors if member.has_vectors else member.codes
    return compared.nbytes + member.votes.rows.shares.nbytes


def _model(
    model: PortableModel, start: Callable[[PortableModel, set[str]], GraphInputs]
) -> Any:
    vectors = vector_names(model)
    outputs = [PROBABILITIES, LABEL] if model.labels else []
    outputs = [NUMBER] if model.numbers is not None else outputs
    if not (vectors or outputs):
        raise ValueError(
            "A distance without vectors has nothing that a graph could return. Export "
            "a classifier over it, or to JSON, CSV or SQL."
        )
    builder, inputs, codes = start(model, {*vectors.values(), *outputs})
    described = [
        builder.doubles(name, ROWS, model.members[at].size)
        for at, name in vectors.items()
    ]
    rows = [
        _add_sums(builder, member, codes[at], vectors.get(at, ""))
        for at, member in enumerate(model.members)
    ]
    if model.labels:
        described += _add_classes(builder, model, rows)
    if model.numbers is not None:
        described.append(_add_numbers(builder, model, model.numbers, rows, codes))
    helper = builder.onnx.helper
    graph = helper.make_graph(
        builder.nodes,
        "nearkind",
        [each.described(builder) for each in inputs],
        described,
        builder.constants,
    )
    opsets = [helper.make_opsetid(*opset) for opset in OPSETS.items()]
    made = helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="nearkind"
    )
    helper.set_model_props(made, {"nearkind": _about(model, inputs)})
    return made


def _of_values(model: PortableModel, outputs: set[str]) -> GraphInputs:
    inputs = value_inputs(model, outputs)
    builder = GraphBuilder({*outputs, *(each.name for each in inputs.values())})
    codes = [value_codes(builder, member.features, inputs) for member in model.members]
    return GraphInputs(builder, list(inputs.values()), codes)


def _of_codes(model: PortableModel, outputs: set[str]) -> GraphInputs:
    names = numbered(CODES, len(model.members))
    inputs = [
        Input(name, "code", None, (ROWS, len(member.features)))
        for name, member in zip(names, model.members, strict=True)
    ]
    builder = GraphBuilder({*outputs, *names})
    return GraphInputs(builder, inputs, [given_codes(builder, x) for x in inputs])


INPUTS: dict[str, Callable[[PortableModel, set[str]], GraphInputs]] = {
    "values": _of_values,
    "codes": _of_codes,
}


def vector_names(model: PortableModel) -> dict[int, str]:
    """Return the output of the vectors of each member that has some, by its place."""
    names = enumerate(numbered(VECTOR, len(model.members)))
    return {at: name for at, name in names if model.members[at].has_vectors}


def _add_sums(
    builder: GraphBuilder, member: PortableMember, codes: list[str], output: str
) -> str:
    """Add the vectors of rows (n, q), or their distances to all values (n, S).

    The values of all features stand one after the other.
    """
    found = [
        builder.add("Gather", table, code)
        for table, code in zip(member.tables, codes, strict=True)
    ]
    if not member.has_vectors:
        return builder.add("Concat", *found, axis=1)
    return builder.add("Sum", *found, output=output)


def _add_classes(
    builder: GraphBuilder, model: PortableModel, rows: list[str]
) -> list[Any]:
    """Add probabilities of classes and labels; return their descriptions."""
    each = zip(model.members, rows, model.voter_weights, strict=True)
    shares = [
        builder.add("Mul", add_shares(builder, member, sums), weight)
        for member, sums, weight in each
    ]
    mean = builder.add("Sum", *shares)
    _add_probabilities(builder, model.calibration, mean)
    kind = add_labels(builder, model.labels, PROBABILITIES, LABEL)
    labels = builder.onnx.helper.make_tensor_value_info(LABEL, kind, [ROWS])
    return [builder.doubles(PROBABILITIES, ROWS, len(model.labels)), labels]


def _add_numbers(
    b: GraphBuilder,
    model: PortableModel,
    committee: NumberCommittee,
    rows: list[str],
    codes: list[list[str]],
) -> Any:
    """Add the predicted numbers (n,), and return their description."""
    means = [
        b.add("MatMul", add_shares(b, member, sums), member.knots)
        for member, sums in zip(model.members, rows, strict=True)
    ]
    trends = [
        b.add("Gather", table, code)
        for member, of_features in zip(model.members, codes, strict=True)
        if member.trend
        for table, code in zip(member.trend, of_features, strict=True)
    ]
    mean = b.add("Div", b.add("Sum", *means, *trends), float(len(means)))
    bounded = b.add("Max", b.add("Min", mean, committee.high), committee.low)
    INVERSES[type(committee.scale)](b, committee.scale, bounded)
    return b.doubles(NUMBER, ROWS)


def _from_linear(b: GraphBuilder, scale: LinearScale, t: str) -> None:
    b.add("Add", b.add("Mul", t, scale.unit), scale.centre, output=NUMBER)


def _from_log(b: GraphBuilder, scale: LogScale, t: str) -> None:
    power = b.add("Exp", b.add("Min", t, LARGEST_EXPONENT))
    b.add("Sub", power, scale.shift, output=NUMBER)


def _from_quantiles(b: GraphBuilder, scale: QuantileScale, t: str) -> None:
    """Add the numbers between those of the two scores around t."""
    scores, numbers = scale.scores, scale.numbers
    bounded = b.add("Max", b.add("Min", t, float(scores[-1])), float(scores[0]))
    column = b.add("Unsqueeze", bounded, [1])
    is_above = b.add("GreaterOrEqual", column, scores[1:])  # (n, Q - 1)
    at = b.add("ReduceSum", b.cast(is_above, "INT64"), [1], keepdims=0)
    slopes = np.append(np.diff(numbers) / np.diff(scores), 0.0)
    beyond = b.add("Sub", bounded, b.add("Gather", scores, at))
    step = b.add("Mul", b.add("Gather", slopes, at), beyond)
    b.add("Add", b.add("Gather", numbers, at), step, output=NUMBER)


INVERSES: dict[type, Callable[[GraphBuilder, Any, str], None]] = {
    LinearScale: _from_linear,
    LogScale: _from_log,
    QuantileScale: _from_quantiles,
}
"""Scale of the target -> what adds the number that a mean of votes stands for."""


def _add_probabilities(
    b: GraphBuilder, calibration: Calibration | None, shares: str
) -> None:
    """Add the probabilities (n, C) that calibration makes of shares."""
    if calibration is None:
        b.add("Identity", shares, output=PROBABILITIES)
        return
    prior_share, prior = calibration.prior_share, calibration.prior
    power = b.add("Pow", shares, calibration.sharpness)
    total = b.add("ReduceSum", power, [1], keepdims=1)
    sharp = b.add("Mul", b.add("Div", power, total), 1.0 - prior_share)
    b.add("Add", sharp, prior_share * prior, output=PROBABILITIES)


def _about(model: PortableModel, inputs: list[Input]) -> str:
    """Return what a caller must know, as JSON."""
    described = [
        {"name": each.name, "kind": each.kind, "missing": each.missing}
        for each in inputs
    ]
    about = {"inputs": described, "classes": model.labels or None}
    return json.dumps(about, ensure_ascii=False)


def add_shares(builder: GraphBuilder, member: PortableMember, rows: str) -> str:
    """Add the share of each class (n, C) in the votes for rows, one after the other."""
    votes = member.votes
    assert votes is not None
    shares = votes.rows.shares
    one = builder.inner()
    row = one.name()
    by = _of_vectors if member.has_vectors else _of_tables
    weighted = WEIGHTED_VOTES[votes.weights](one, votes, by(one, member, row))
    total = one.add("MatMul", weighted, shares)  # (C,)
    found = one.add("Div", total, _over_all(one, "ReduceSum", total))
    width = member.size if member.has_vectors else sum(map(len, member.tables))
    body = builder.onnx.helper.make_graph(
        one.nodes,
        "vote",
        [one.doubles(row, width)],
        [one.doubles(found, shares.shape[1])],
    )
    return builder.add("Scan", rows, body=body, num_scan_inputs=1)


class Distances(NamedTuple):
    """From a row to all that vote (m,), and how close two are that count as equal."""

    distance: str
    tie: str


def _of_vectors(b: GraphBuilder, member: PortableMember, row: str) -> Distances:
    def distance(vectors: Array) -> str:
        step = b.add("Sub", vectors, row)
        axis = b.constant([vectors.ndim - 1])
        return b.add("Sqrt", b.add("ReduceSumSquare", step, axis, keepdims=0))

    from_centre = distance(member.ball.centre)
    largest = b.add("Add", from_centre, member.ball.radius)
    tie = b.add("Mul", TIE, largest)
    return Distances(distance(member.ball.vectors), tie)


def _of_tables(b: GraphBuilder, member: PortableMember, row: str) -> Distances:
    starts = np.cumsum([0, *map(len, member.tables)])[:-1]
    places = b.constant(member.codes + starts)  # (m, D)
    axis = b.constant([1])
    distance = b.add("ReduceSum", b.add("Gather", row, places), axis, keepdims=0)
    largest = _over_all(b, "ReduceMax", distance)
    return Distances(distance, b.add("Mul", TIE, largest))


def _uniform(b: GraphBuilder, rule: PortableVotes, found: Distances) -> str:
    """Return what each row votes (m,); those at the k-th distance share the rest."""
    distance, tie = found
    numbers = rule.n_neighbors, rule.rows.weights, 0.0
    k, counts, zero = map(b.constant, numbers)
    kth = _kth(b, rule, counts, distance)
    is_near = b.add("Less", distance, b.add("Sub", kth, tie))
    is_reached = b.add("LessOrEqual", distance, b.add("Add", kth, tie))
    near = b.add("Where", is_near, counts, zero)
    tied = b.add("Sub", b.add("Where", is_reached, counts, zero), near)
    left = b.add("Sub", k, _over_all(b, "ReduceSum", near))
    share = b.add("Div", left, _over_all(b, "ReduceSum", tied))
    return b.add("Add", near, b.add("Mul", tied, share))


def _kth(b: GraphBuilder, rule: PortableVotes, counts: str, distance: str) -> str:
    """Return the distance at which the counts first add up to k."""
    how_many = [rule.n_nearest]
    nearest, at = b.add_several("TopK", distance, how_many, outputs=["", ""], largest=0)
    upto = b.add("CumSum", b.add("Gather", counts, at), 0)
    is_reached = b.add("GreaterOrEqual", upto, rule.enough)
    beyond = b.constant(np.inf)
    return _over_all(b, "ReduceMin", b.add("Where", is_reached, nearest, beyond))


def _by_distance(b: GraphBuilder, rule: PortableVotes, found: Distances) -> str:
    """Weigh by 1 / distance; rows at distance zero, if there are any, vote alone."""
    votes, distance = _uniform(b, rule, found), found.distance
    zero, one = b.constant(0.0), b.constant(1.0)
    is_here = b.add("Equal", distance, zero)
    here = b.add("Where", is_here, votes, zero)
    some_here = b.add("Greater", _over_all(b, "ReduceSum", here), zero)
    away = b.add("Div", votes, b.add("Where", is_here, one, distance))
    return b.add("Where", some_here, here, away)


def _soft(b: GraphBuilder, rule: PortableVotes, found: Distances) -> str:
    """Weigh by exp(-d2 / temperature), the nearest row having weight one."""
    assert rule.temperature is not None
    temperature, distance = b.constant(rule.temperature), found.distance
    least = _over_all(b, "ReduceMin", distance)
    beyond = b.add("Sub", distance, least)
    largest = b.add("Div", found.tie, TIE)
    coldest = b.add("Mul", b.add("Mul", largest, largest), COLD)
    is_tied = b.add("LessOrEqual", beyond, found.tie)
    is_equal = b.add("And", is_tied, b.add("Less", temperature, coldest))
    beyond = b.add("Where", is_equal, 0.0, beyond)
    squares = b.add("Mul", beyond, b.add("Add", distance, least))
    exponent = b.add("Neg", b.add("Div", squares, temperature))
    is_some = b.add("Greater", exponent, LEAST_EXPONENT)
    power = b.add("Where", is_some, b.add("Exp", exponent), 0.0)
    return b.add("Mul", rule.rows.weights, power)


WEIGHTED_VOTES: dict[str, Callable[[GraphBuilder, PortableVotes, Distances], str]] = {
    "uniform": _uniform,
    "distance": _by_distance,
    "soft": _soft,
}
"""Weights of a classifier -> what adds votes of all rows (m,)."""


def _over_all(b: GraphBuilder, operator: str, x: str) -> str:
    return b.add(operator, x, [0], keepdims=0)


def add_labels(
    builder: GraphBuilder, classes: list[Any], probabilities: str, output: str
) -> Any:
    """Add the labels of the largest shares (n,), and return their type.

    Of classes that tie, the first is taken.
    """
    largest = builder.add("ReduceMax", probabilities, [1], keepdims=1)
    least = builder.add("Sub", largest, SHARE_TIE)
    is_best = builder.add("GreaterOrEqual", probabilities, least)
    flags = builder.cast(is_best, "INT32")
    first = builder.add("ArgMax", flags, axis=1, keepdims=0)
    labels = np.array(classes)
    kind = builder.onnx.helper.np_dtype_to_tensor_dtype(labels.dtype)
    tensor = labels.astype(object) if labels.dtype.kind == "U" else labels
    builder.add("Gather", tensor, first, output=output)
    return kind
