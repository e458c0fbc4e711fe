"""A fitted distance as tables from which the page computes it.

A code is a place in the table of its feature, the last one for unseen values. Numbers
have double precision: ties are distances that agree to seven digits.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from nearkind.distances import (
    Bits,
    ChiSquareVectors,
    DependentTables,
    FittedDistance,
    LeafCodes,
    MeanSimilarity,
    MismatchWeights,
    MixedTables,
    PairTables,
    RatioSimilarity,
    ValueVectors,
)
from nearkind.encoding import NumberLine
from nearkind.protocols import Array, Codes


@singledispatch
def distance_tables(
    distance: FittedDistance, codes: Codes, method: str
) -> dict[str, Any]:
    """Return the kind of a distance and its tables.

    Parameters
    ----------
    distance : FittedDistance
    codes : ndarray of int of shape (m, D)
        The rows that vote.
    method : str
        What learned it, for the message if it has no tables.

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> distance = Hamming().fit([["a"], ["b"]]).distance_
    >>> distance_tables(distance, np.zeros((1, 1), dtype=np.int32), "Hamming")
    {'kind': 'mismatches', 'weights': array([1.])}
    """
    raise TypeError(
        f"A page cannot show {method}, because its distances are not sums over "
        "values. Fit CPML, or a baseline with value_vectors_ or tables, such as "
        "LMNN, LMCA or Hamming."
    )


@distance_tables.register
def _vectors(distance: ValueVectors, codes: Codes, method: str) -> dict[str, Any]:
    """Return the value vectors, centred: a shift of a feature moves all rows alike."""
    columns = zip(distance.tables.vectors, codes.T, strict=True)
    centred = [table - table[code].mean(axis=0) for table, code in columns]
    U = distance.represent(codes)
    U = U - U.mean(axis=0)  # as the centred vectors add up
    sizes = np.einsum("iq,iq->i", U, U)
    return {**_stacked("vectors", centred), "sizes": sizes}


@distance_tables.register
def _histograms(distance: ChiSquareVectors, *_: Any) -> dict[str, Any]:
    return _stacked("histograms", distance.tables.vectors)


@distance_tables.register
def _bits(distance: Bits, *_: Any) -> dict[str, Any]:
    return _stacked("bits", distance.tables.vectors)


@distance_tables.register
def _mismatches(distance: MismatchWeights, *_: Any) -> dict[str, Any]:
    return {"kind": "mismatches", "weights": distance.weights}


@distance_tables.register
def _sums(distance: PairTables, *_: Any) -> dict[str, Any]:
    return {"kind": "sums", "above": _flat(distance.tables), "finish": "plain"}


@distance_tables.register
def _means(distance: MeanSimilarity, *_: Any) -> dict[str, Any]:
    above, finish = _flat(distance.tables), distance.conversion
    if distance.divisor:
        return {"kind": "sums", "above": above / distance.divisor, "finish": finish}
    nothing = np.zeros_like(above)  # below the line: then all rows are alike
    return {"kind": "ratios", "above": above, "below": nothing, "finish": finish}


@distance_tables.register
def _ratios(distance: RatioSimilarity, *_: Any) -> dict[str, Any]:
    return {
        "kind": "ratios",
        "above": _flat(distance.tables),
        "below": _flat(distance.weights),
        "finish": distance.conversion,
    }


@distance_tables.register
def _dependent(distance: DependentTables, *_: Any) -> dict[str, Any]:
    pairs = distance.pairs
    return {
        "kind": "dependent",
        "left": pairs.left,
        "right": pairs.right,
        "offsets": pairs.offsets,
        "widths": pairs.widths,
        "chances": pairs.chances,
        "dependence": distance.dependence[pairs.left, pairs.right],
        "differing": distance.mismatch_weights,
        "equal": distance.match_weights,
    }


@distance_tables.register
def _leaves(distance: LeafCodes, codes: Codes, method: str) -> dict[str, Any]:
    """Return the trees, where the numbers that they look at are, and the draws."""
    sizes = [table.size for table in distance.coding]
    widths = np.array([table.shape[1] for table in distance.coding])
    before = np.cumsum([0, *sizes[:-1]])
    firsts = np.cumsum([0, *widths[:-1]])
    owners = distance.owners
    trees = {
        name: getattr(distance, name)
        for name in ("roots", "columns", "thresholds", "left", "right")
    }
    return {
        "kind": "leaves",
        **trees,
        "coding": _flat(distance.coding),
        "owners": owners,
        "widths": widths[owners],
        "starts": before[owners] + np.arange(len(owners)) - firsts[owners],
        "drawn": distance.draws(codes).ravel(),
    }


@distance_tables.register
def _mixed(distance: MixedTables, *_: Any) -> dict[str, Any]:
    """Return where the values of each feature begin and end, NaN for missing ones."""
    book, starts, ends = distance.codebook, [], []
    for d, size in enumerate(book.n_values):
        rows = np.zeros((size + 1, len(book.n_values)), dtype=np.int32)
        rows[:, d] = [*range(size), -1]
        start = distance.represent(rows)[:, d]
        end = start.copy()
        if len(distance.ends[d]):
            end[:size] = np.where(
                np.isnan(start[:size]), np.nan, distance.ends[d][:, 1]
            )
        starts.append(start)
        ends.append(end)
    features = zip(book.features_, distance.ends, strict=True)
    return {
        "kind": "mixed",
        "starts": np.concatenate(starts),
        "ends": np.concatenate(ends),
        "nominal": [not (isinstance(f, NumberLine) or len(e)) for f, e in features],
        "weights": distance.weights,
        "scales": distance.scales,
        "asymmetric": distance.asymmetric.tolist(),
        "limit": distance.limit,
    }


def _stacked(kind: str, tables: Sequence[Array]) -> dict[str, Any]:
    """Return tables of vectors, one after the other (S, q)."""
    vectors = np.concatenate(tables)
    return {"kind": kind, "size": vectors.shape[1], "vectors": vectors}


def _flat(tables: Sequence[Array]) -> Array:
    """Return all tables, row by row, one after the other."""
    return np.concatenate([table.ravel() for table in tables])
