"""The vote of one row's neighbours, ties sharing what is left, as ``neighbors`` has it.

Rows are taken one by one, so memory does not grow with them, and distances come from
differences, so that equal rows are at distance zero to the last bit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from nearkind.export.graphs.building import Builder
from nearkind.export.portable import Vote
from nearkind.neighbors import TIE

ALMOST = 1e-9
"""Probabilities closer than this are equal; the first class has it."""


def shares(builder: Builder, vote: Vote, vectors: str, output: str) -> str:
    """Return the share of each class (n, C) in the votes for rows (n, q)."""
    one = builder.inner()
    row = one.name()
    found = _shares_of_one(one, vote, row)
    body = builder.onnx.helper.make_graph(
        one.nodes,
        "vote",
        [one.doubles(row, vote.vectors.shape[1])],
        [one.doubles(found, len(vote.labels))],
    )
    return builder.add("Scan", vectors, output=output, body=body, num_scan_inputs=1)


def _shares_of_one(b: Builder, vote: Vote, row: str) -> str:
    distance = _distances(b, vote, row)
    votes = WEIGHED[vote.weights](b, _votes(b, vote, distance), distance)
    total = b.add("MatMul", votes, b.constant(vote.shares))  # (C,)
    return b.add("Div", total, _over_all(b, "ReduceSum", total))


def _distances(b: Builder, vote: Vote, row: str) -> str:
    step = b.add("Sub", b.constant(vote.vectors), row)  # (m, q)
    axis = b.constant([1], np.int64)
    return b.add("Sqrt", b.add("ReduceSumSquare", step, axis, keepdims=0))


def _votes(b: Builder, vote: Vote, distance: str) -> str:
    """Return what each row votes (m,); those at the k-th distance share the rest."""
    k, counts, zero = (b.constant(x) for x in (vote.n_neighbors, vote.counts, 0.0))
    largest = _over_all(b, "ReduceMax", distance)
    tie = b.add("Mul", b.constant(TIE), largest)
    kth = _kth(b, vote, counts, distance)
    is_near = b.add("Less", distance, b.add("Sub", kth, tie))
    is_reached = b.add("LessOrEqual", distance, b.add("Add", kth, tie))
    near = b.add("Where", is_near, counts, zero)
    tied = b.add("Sub", b.add("Where", is_reached, counts, zero), near)
    left = b.add("Sub", k, _over_all(b, "ReduceSum", near))
    share = b.add("Div", left, _over_all(b, "ReduceSum", tied))
    return b.add("Add", near, b.add("Mul", tied, share))


def _kth(b: Builder, vote: Vote, counts: str, distance: str) -> str:
    """Return the distance at which the counts first add up to k."""
    how_many = b.constant([vote.n_nearest], np.int64)
    both = ["", ""]
    nearest, at = b.add_several("TopK", distance, how_many, outputs=both, largest=0)
    upto = b.add("CumSum", b.add("Gather", counts, at), b.constant(0, np.int64))
    is_reached = b.add("GreaterOrEqual", upto, b.constant(vote.enough))
    beyond = b.constant(np.inf)
    return _over_all(b, "ReduceMin", b.add("Where", is_reached, nearest, beyond))


def _over_all(b: Builder, operator: str, x: str) -> str:
    return b.add(operator, x, b.constant([0], np.int64), keepdims=0)


def _uniform(b: Builder, votes: str, distance: str) -> str:
    return votes


def _by_distance(b: Builder, votes: str, distance: str) -> str:
    """Weigh by 1 / distance; rows at distance zero, if there are any, vote alone."""
    zero, one = b.constant(0.0), b.constant(1.0)
    is_here = b.add("Equal", distance, zero)
    here = b.add("Where", is_here, votes, zero)
    some_here = b.add("Greater", _over_all(b, "ReduceSum", here), zero)
    away = b.add("Div", votes, b.add("Where", is_here, one, distance))
    return b.add("Where", some_here, here, away)


WEIGHED: dict[str, Callable[[Builder, str, str], str]] = {
    "uniform": _uniform,
    "distance": _by_distance,
}
"""Votes by the weights of a classifier."""


def label(builder: Builder, vote: Vote, probabilities: str, output: str) -> Any:
    """Find the class with the largest share, the first of those tied; return its type.

    The output has one label a row (n,).
    """
    axis = builder.constant([1], np.int64)
    largest = builder.add("ReduceMax", probabilities, axis, keepdims=1)
    least = builder.add("Sub", largest, builder.constant(ALMOST))
    is_best = builder.add("GreaterOrEqual", probabilities, least)
    flags = builder.cast(is_best, "INT32")
    first = builder.add("ArgMax", flags, axis=1, keepdims=0)
    labels = np.array(vote.labels)
    kind = builder.onnx.helper.np_dtype_to_tensor_dtype(labels.dtype)
    tensor = labels.astype(object) if labels.dtype.kind == "U" else labels
    builder.add("Gather", builder.constant(tensor), first, output=output)
    return kind
