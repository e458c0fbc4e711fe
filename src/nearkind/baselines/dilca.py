"""DILCA: distances between conditional distributions given a selected context."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Protocol

import numpy as np

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.baselines.coding import side_by_side, weighted_tables
from nearkind.baselines.contingency import Contingency, Information, counted
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import VectorDistance
from nearkind.protocols import Array
from nearkind.validation.parameters import choice, number

_ROUNDING = 1e-12


class Context(Protocol):
    """Which other features tell the values of a feature apart."""

    def choose(self, relevance: Array, target: int) -> list[int]:
        """Return features, given the symmetric uncertainty of any two (D, D)."""


@dataclass(frozen=True)
class AboveMean:
    """Method M: features at least sigma times as relevant as the mean one."""

    sigma: float

    def choose(self, relevance: Array, target: int) -> list[int]:
        """Return the features above the threshold, in their order."""
        others = np.delete(np.arange(len(relevance)), target)
        found = relevance[target, others]
        mean = found.mean() if len(found) else 0.0
        return others[found >= self.sigma * mean - _ROUNDING].tolist()


@dataclass(frozen=True)
class NotRedundant:
    """Method RR: by falling relevance, features more relevant than redundant."""

    def choose(self, relevance: Array, target: int) -> list[int]:
        """Return the features kept, ties by their order."""
        kept: list[int] = []
        for d in np.argsort(-relevance[target], kind="stable").tolist():
            mine = relevance[target, d]
            if d != target and mine > max((relevance[d, e] for e in kept), default=0.0):
                kept.append(d)
        return sorted(kept)


CONTEXTS: dict[str, Callable[[float], Context]] = {
    "mean": AboveMean,
    "rr": lambda sigma: NotRedundant(),
}


class DILCA(VectorDistance, ColumnWeighted):
    """d^2 = sum over features Y of the mean over contexts of a squared difference.

    d_Y(u, v)^2 = sum over features X of the context of Y, and their values x, of (P(Y =
    u | X = x) - P(Y = v | X = x))^2 / number of such x. The context is chosen by
    symmetric uncertainty, 2 I(Y; X) / (H(Y) + H(X)). If none is chosen, all other
    features are the context; a single feature has no context, and its values are only
    equal or different. An unseen value has the mean vector. Ienco, Pensa and Meo, *From
    context to distance: learning dissimilarity for categorical data clustering*, ACM
    TKDD 2012.

    Parameters
    ----------
    context : {"mean", "rr"}, default="mean"
        "mean" (method M) uses features that are at least ``sigma`` times as relevant as
        the mean; "rr" (method RR) features that are more relevant than redundant, with
        ties by order of columns.
    sigma : float in [0, 1], default=0.5
        For context="mean".
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    contexts_ : dict
        The context of each feature, a list of features.

    Examples
    --------
    >>> rows = [["a", "x"], ["a", "y"], ["b", "y"]]
    >>> DILCA().fit(rows).pairwise_distances([["a", "y"]], [["b", "y"]]).round(4)
    array([[0.7071]])
    """

    context: Annotated[str, partial(choice, table=CONTEXTS)] = "mean"
    _: KW_ONLY
    sigma: Annotated[
        float, partial(number, wanted="a number in [0, 1]", low=0.0, high=1.0)
    ] = 0.5

    def _learn(self, rows: CodedRows) -> ValueVectors:
        context: Context = CONTEXTS[self.context](self.sigma)
        book, counts = rows.codebook, counted(rows, self)
        relevance = symmetric_uncertainty(counts.information)
        chosen = [
            context.choose(relevance, d) or counts.others(d)
            for d in range(counts.n_features)
        ]
        self.contexts_ = {
            book.names_[d]: [book.names_[e] for e in features]
            for d, features in enumerate(chosen)
        }
        vectors = [_vectors(counts, d, chosen[d]) for d in range(counts.n_features)]
        tables = side_by_side(vectors).vectors
        return ValueVectors(book, weighted_tables(tables, column_weights(self, book)))


def symmetric_uncertainty(information: Information) -> Array:
    """Return 2 I(Y; X) / (H(Y) + H(X)) of any two features (D, D); 0 for 0 / 0."""
    entropies = information.first + information.first.T
    known = entropies > _ROUNDING
    return np.where(
        known, 2.0 * information.mutual / np.where(known, entropies, 1), 0.0
    )


def _vectors(counts: Contingency, d: int, context: Sequence[int]) -> Array:
    """Return a vector for each value of a feature, and their mean (s + 1, q)."""
    V = np.sqrt(0.5) * np.eye(counts.n_values[d])
    if context:
        P = np.concatenate([_shares(counts.joint(d, e)) for e in context], axis=1)
        V = P / np.sqrt(max(P.shape[1], 1))  # (s, number of values in the context)
        V = V if V.shape[1] <= len(V) else np.linalg.qr(V.T).R.T
    mean = sum(V, np.zeros(V.shape[1])) / max(len(V), 1)
    return np.vstack([V, mean])


def _shares(joint: Array) -> Array:
    """Return P(Y | X) (s_Y, s_X); zeros where X never met a known Y."""
    known = joint.sum(axis=0)
    return joint / np.where(known > 0.0, known, 1.0)
