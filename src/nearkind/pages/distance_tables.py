"""A fitted distance as tables from which the page computes it.

A code is a place in the table of its feature, the last one for unseen values. Numbers
have double precision: ties are distances that agree to seven digits.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from nearkind.baselines.chi2_lmnn import Chi2LMNN
from nearkind.baselines.dm3 import DM3
from nearkind.baselines.hamming import Hamming
from nearkind.baselines.hdml import HDML
from nearkind.baselines.pair_tables import PairTables
from nearkind.baselines.pairwise import TableDistance
from nearkind.baselines.similarity import (
    MeanMeasure,
    RatioMeasure,
    complement,
    reciprocal,
    shifted_reciprocal,
)
from nearkind.estimators.vector_distance import EmbeddedDistance, VectorDistance
from nearkind.protocols import Array, Codes

TO_DISTANCE = {
    complement: "complement",
    reciprocal: "reciprocal",
    shifted_reciprocal: "shifted",
}
"""Names by which the page knows how a similarity becomes a distance."""


@singledispatch
def distance_tables(metric: Any, codes: Codes) -> dict[str, Any]:
    """Return the kind of a distance and its tables.

    Parameters
    ----------
    metric : distance
        Fitted.
    codes : ndarray of int of shape (m, D)
        The rows that vote.

    Examples
    --------
    >>> distance_tables(Hamming().fit([["a"], ["b"]]), np.zeros((1, 1), dtype=np.int32))
    {'kind': 'overlap'}
    """
    raise TypeError(
        f"A page cannot show a {type(metric).__name__}. Fit CPML or one of "
        "nearkind.baselines."
    )


@distance_tables.register
def _vectors(metric: VectorDistance, codes: Codes) -> dict[str, Any]:
    """Return the value vectors, centred: a shift of a feature moves all rows alike."""
    columns = zip(metric.value_tables_.vectors, codes.T, strict=True)
    centred = [table - table[code].mean(axis=0) for table, code in columns]
    U = metric.represent(codes)
    U = U - U.mean(axis=0)  # as the centred vectors add up
    return {
        "kind": "vectors",
        "size": U.shape[1],
        "vectors": np.concatenate(centred),  # (S, q)
        "sizes": np.einsum("iq,iq->i", U, U),
    }


@distance_tables.register
def _no_tables(metric: EmbeddedDistance, codes: Codes) -> dict[str, Any]:
    raise TypeError(
        f"A page cannot show {type(metric).__name__}, in which a row is no sum of "
        "vectors of its values. Fit CPML, or a baseline with value_vectors_ or tables, "
        "such as LMNN, LMCA or Hamming."
    )


@distance_tables.register
def _histograms(metric: Chi2LMNN, codes: Codes) -> dict[str, Any]:
    vectors = np.concatenate(metric.value_tables_.vectors)  # (S, q)
    return {"kind": "histograms", "size": vectors.shape[1], "vectors": vectors}


@distance_tables.register
def _overlap(metric: Hamming, codes: Codes) -> dict[str, Any]:
    return {"kind": "overlap"}


@distance_tables.register
def _bits(metric: HDML, codes: Codes) -> dict[str, Any]:
    vectors = np.concatenate(metric.value_tables_.vectors)  # (S, q)
    return {"kind": "bits", "size": vectors.shape[1], "vectors": vectors}


@distance_tables.register
def _sums(metric: TableDistance, codes: Codes) -> dict[str, Any]:
    return {"kind": "sums", "above": _flat(metric.pair_tables_), "finish": "plain"}


@distance_tables.register
def _means(metric: MeanMeasure, codes: Codes) -> dict[str, Any]:
    above = _flat(metric.similarity_tables_)
    finish = TO_DISTANCE[type(metric).to_distance]
    if metric.divisor_:
        return {"kind": "sums", "above": above / metric.divisor_, "finish": finish}
    nothing = np.zeros_like(above)  # below the line: then all rows are alike
    return {"kind": "ratios", "above": above, "below": nothing, "finish": finish}


@distance_tables.register
def _ratios(metric: RatioMeasure, codes: Codes) -> dict[str, Any]:
    return {
        "kind": "ratios",
        "above": _flat(metric.similarity_tables_),
        "below": _flat(metric.weight_tables_),
        "finish": TO_DISTANCE[type(metric).to_distance],
    }


@distance_tables.register
def _dependent(metric: DM3, codes: Codes) -> dict[str, Any]:
    pairs = metric.value_pairs_
    return {
        "kind": "dependent",
        "left": pairs.left,
        "right": pairs.right,
        "offsets": pairs.offsets,
        "widths": pairs.widths,
        "chances": pairs.chances,
        "dependence": metric.dependence_[pairs.left, pairs.right],
        "differing": metric.mismatch_weights_,
        "equal": metric.match_weights_,
    }


def _flat(tables: PairTables) -> Array:
    """Return all tables, row by row, one after the other."""
    return np.concatenate([table.ravel() for table in tables.tables])
