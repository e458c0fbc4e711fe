"""Committees: voters and a calibration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_reals
from nearkind.encoding.codebook import FEW_ROWS
from nearkind.encoding.rows import unique_rows
from nearkind.errors import RefusedError
from nearkind.protocols import Array, Codes
from nearkind.tables import read_table
from nearkind.voting.calibration import Calibration
from nearkind.voting.conformal import ConformalScores
from nearkind.voting.shapley import coalitions
from nearkind.voting.voter import FitReport, Voter


def weighted_mean(parts: Sequence[Array], weights: Array | None) -> Array:
    """Return the mean of arrays of one shape, by weights that add up to 1.

    Examples
    --------
    >>> parts = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    >>> weighted_mean(parts, None), weighted_mean(parts, np.array([0.75, 0.25]))
    (array([0.5, 0.5]), array([0.75, 0.25]))
    """
    if weights is None:
        mean: Array = np.mean(parts, axis=0, dtype=float)
        return mean
    pairs = zip(weights, parts, strict=True)
    return sum((w * part for w, part in pairs), np.zeros(parts[0].shape))


def weighed(p: Array, factors: Array | None) -> Array:
    """Return probabilities (n, C) times factors of the classes, with the sum 1.

    Examples
    --------
    >>> weighed(np.array([[0.8, 0.2]]), np.array([1.0, 4.0]))
    array([[0.5, 0.5]])
    """
    if factors is None:
        return p
    scaled = p * factors
    return scaled / scaled.sum(axis=-1, keepdims=True)


class VoterGroup:
    """Voters and the weights of their votes, whatever they vote on.

    Attributes
    ----------
    voters : tuple of Voter
        The best one first.
    weights : ndarray or None
        Of their votes; None: all count alike.
    """

    voters: tuple[Any, ...]
    weights: Array | None = None

    def mean(self, parts: Sequence[Array]) -> Array:
        """Return the weighted mean of one array for each voter."""
        return weighted_mean(parts, self.weights)

    @property
    def voter_weights(self) -> list[float]:
        """The weight of the votes of each voter; they add up to 1."""
        n = len(self.voters)
        return [1.0 / n] * n if self.weights is None else self.weights.tolist()

    @property
    def explaining(self) -> Any:
        """The voter that neighbours, columns and values are explained by.

        The first whose distance is learned, one that is no forest before one that is:
        it says more of single values. The first if none is learned.
        """
        learned = [voter for voter in self.voters if voter.report.is_learned]
        return min(learned or self.voters, key=lambda v: v.distance.votes_by_leaves)

    @property
    def explained_by(self) -> str:
        """Which distance columns, values and neighbours are explained by, in words."""
        first = self.explaining
        others = (voter for voter in self.voters if voter is not first)
        return explained_by([voter.report for voter in (first, *others)])

    @property
    def feature_names(self) -> list[Any]:
        """Features of all voters, each once."""
        listed = (voter.distance.codebook.feature_names for voter in self.voters)
        return list(dict.fromkeys(chain.from_iterable(listed)))

    def cells_of(self, row: Any) -> dict[Any, Any]:
        """Return the cells of one row by the name of their feature."""
        books = [voter.distance.codebook for voter in self.voters]
        both = (zip(b.feature_names, b.cells_of(row), strict=True) for b in books)
        return dict(chain.from_iterable(both))

    def coded(self, X: Any, owner: str | None = None) -> list[Codes]:
        """Return the codes of rows for each voter (n, D).

        Parameters
        ----------
        X : table with the columns that fit saw
        owner : str, default=None
            Whom to name in messages.
        """
        if len(self.voters) > 1:
            X = read_table(X)
            X = X.factorize() if X.n_rows > FEW_ROWS else X  # once for all voters
        return [voter.encode(X, owner) for voter in self.voters]

    def shapley_values(
        self,
        votes: Sequence[tuple[Callable[..., Array], Callable[..., Array]]],
        answer: Callable[[Array], Array],
        X: Any,
        owner: str | None,
    ) -> tuple[Array, Array]:
        """Return what each feature adds to each answer (n, D, C), and the base (n, C).

        Parameters
        ----------
        votes : sequence of (callable, callable)
            For each voter, what gives its votes on rows (n, C), and those on one row
            over subsets of features (E, C).
        answer : callable
            From the mean of the votes to answers (n, C).
        X, owner : as in ``coded``
        """
        coded, names = self.coded(X, owner), self.feature_names
        rows = unique_rows(np.hstack(coded))
        first = np.unique(rows.of_row, return_index=True)[1]
        coded = [codes[first] for codes in coded]
        kept, weights = coalitions(len(names))
        books = (voter.distance.codebook for voter in self.voters)
        features = [kept[:, [*map(names.index, b.feature_names)]] for b in books]
        pairs = zip(votes, coded, strict=True)
        p = answer(self.mean([of_rows(codes) for (of_rows, _), codes in pairs]))
        parts, base = np.empty((len(p), len(names), p.shape[1])), np.empty_like(p)
        for i in range(len(p)):
            each = zip(votes, coded, features, strict=True)
            found = [over(codes[i], some) for (_, over), codes, some in each]
            worth = answer(self.mean(found))  # (E, C)
            worth[-1] = p[i]  # the same but for rounding
            parts[i], base[i] = weights @ worth, worth[0]
        return parts[rows.of_row], base[rows.of_row]


@dataclass(frozen=True, eq=False)
class Committee(VoterGroup):
    """What predicts, and what is saved, exported and shown.

    Attributes
    ----------
    voters : tuple of Voter
        That of the largest weight first.
    classes : ndarray (C,)
        Sorted labels.
    calibration : Calibration or None, default=None
        How votes become probabilities; None: they are.
    conformal : ConformalScores or None, default=None
        Scores of held-out rows, for sets of classes.
    weights : ndarray (V,) or None, default=None
        Of the votes of each voter; None: all count alike.
    class_factors : ndarray (C,) or None, default=None
        Factors of the probabilities: that class is predicted for which the product is
        largest; None: the most probable one.
    """

    voters: tuple[Voter, ...]
    classes: NDArray[Any]
    calibration: Calibration | None = None
    conformal: ConformalScores | None = None
    weights: Array | None = None
    class_factors: Array | None = None

    def check(self) -> None:
        """Raise ``RefusedError`` unless the parts fit together."""
        labels, n_classes = self.classes, len(self.classes)
        if labels.ndim != 1 or n_classes < 2 or labels.dtype.kind == "O":
            raise RefusedError("classes are not an array of two labels or more")
        if not (labels[:-1] < labels[1:]).all():
            raise RefusedError("classes are not sorted, or not distinct")
        if not self.voters or not all(type(each) is Voter for each in self.voters):
            raise RefusedError("voters are not one or more voters")
        if any(each.rows.shares.shape[1] != n_classes for each in self.voters):
            raise RefusedError("a voter has another number of classes")
        if self.calibration and len(self.calibration.prior) != n_classes:
            raise RefusedError("calibration is not of these classes")
        if self.conformal and (self.conformal.truth >= n_classes).any():
            raise RefusedError("conformal scores are not of these classes")
        if self.weights is not None:
            w = check_reals(self.weights, "weights of voters", (len(self.voters),))
            if not (w > 0.0).all() or abs(w.sum() - 1.0) > 1e-6:
                raise RefusedError("weights of voters are not shares of one")
        if self.class_factors is not None:
            f = check_reals(self.class_factors, "factors of classes", (n_classes,))
            if not (f > 0.0).all():
                raise RefusedError("factors of classes are not above zero")

    def shares(self, X: Any, owner: str | None = None) -> Array:
        """Return the weighted mean share of each class in the votes on rows (n, C).

        Parameters
        ----------
        X : table with the columns that fit saw
        owner : str, default=None
            Whom to name in messages.
        """
        both = zip(self.voters, self.coded(X, owner), strict=True)
        found = [voter.shares(codes) for voter, codes in both]
        return self.mean(found) if len(found) > 1 else found[0]

    def probabilities(self, shares: Array) -> Array:
        """Return the probabilities that mean shares of votes stand for (n, C)."""
        known = self.calibration
        return shares if known is None else known.probabilities(shares)

    def predict_proba(self, X: Any, owner: str | None = None) -> Array:
        """Return the probability of each class (n, C)."""
        return self.probabilities(self.shares(X, owner))

    @property
    def threshold(self) -> float | None:
        """The least probability at which the second of two classes is predicted."""
        if len(self.classes) != 2:
            return None
        first, second = (1.0, 1.0) if self.class_factors is None else self.class_factors
        return float(first / (first + second))

    def weighed(self, p: Array) -> Array:
        """Return probabilities (n, C) of which the largest says the class predicted."""
        return weighed(p, self.class_factors)

    def contributions(self, X: Any, owner: str | None = None) -> tuple[Array, Array]:
        """Return the contribution of each feature to each probability (n, D, C).

        They are the Shapley values of the features, in the order of ``feature_names``.
        The worth of a subset of features is the probability if all training rows have
        the row's own values elsewhere, so that only these features tell them apart.

        Parameters
        ----------
        X : table with the columns that fit saw
        owner : str, default=None
            Whom to name in messages.

        Returns
        -------
        contributions : ndarray (n, D, C)
        base : ndarray (n, C)
            The probabilities without any feature. Contributions and base add up to
            ``predict_proba``.
        """
        votes = [(voter.shares, voter.shares_over) for voter in self.voters]
        return self.shapley_values(votes, self.probabilities, X, owner)


def explained_by(reports: Sequence[FitReport]) -> str:
    """Return which of several distances explains, and whether it is learned."""
    n = len(reports)
    chosen = next((report for report in reports if report.is_learned), reports[0])
    if chosen.is_learned:
        among = f", the best learned one of {n} distances that vote together"
        return f"{chosen.title}{among if n > 1 else ''}"
    among = f"the first of {n} distances, none of which is" if n > 1 else "which is not"
    unlearned = "learned: its shares do not show which columns separate the classes"
    return f"{chosen.title}, {among} {unlearned}"
