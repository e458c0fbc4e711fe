"""Committees: voters and a calibration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import FEW_ROWS
from nearkind.encoding.rows import unique_rows
from nearkind.errors import RefusedError
from nearkind.protocols import Array
from nearkind.tables import read_table
from nearkind.voting.calibration import Calibration
from nearkind.voting.conformal import ConformalScores
from nearkind.voting.shapley import coalitions
from nearkind.voting.voter import FitReport, Voter


@dataclass(frozen=True, eq=False)
class Committee:
    """What predicts, and what is saved, exported and shown.

    Attributes
    ----------
    voters : tuple of Voter
        Their votes count alike, the best one first.
    classes : ndarray (C,)
        Sorted labels.
    calibration : Calibration or None, default=None
        How votes become probabilities; None: they are.
    conformal : ConformalScores or None, default=None
        Scores of held-out rows, for sets of classes.
    """

    voters: tuple[Voter, ...]
    classes: NDArray[Any]
    calibration: Calibration | None = None
    conformal: ConformalScores | None = None

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

    @property
    def explaining(self) -> Voter:
        """The voter that neighbours, columns and values are explained by.

        The first whose distance is learned; the first if none is.
        """
        return self.voters[explaining([voter.report for voter in self.voters])]

    @property
    def explained_by(self) -> str:
        """Which distance columns, values and neighbours are explained by, in words."""
        return explained_by([voter.report for voter in self.voters])

    def shares(self, X: Any, owner: str | None = None) -> Array:
        """Return the mean share of each class in the votes on rows (n, C).

        Parameters
        ----------
        X : table with the columns that fit saw
        owner : str, default=None
            Whom to name in messages.
        """
        if len(self.voters) > 1:
            X = read_table(X)
            X = X.factorize() if X.n_rows > FEW_ROWS else X  # once for all voters
        found = [voter.shares(voter.encode(X, owner)) for voter in self.voters]
        mean: Array = np.mean(found, axis=0) if len(found) > 1 else found[0]
        return mean

    def probabilities(self, shares: Array) -> Array:
        """Return the probabilities that mean shares of votes stand for (n, C)."""
        known = self.calibration
        return shares if known is None else known.probabilities(shares)

    def predict_proba(self, X: Any, owner: str | None = None) -> Array:
        """Return the probability of each class (n, C)."""
        return self.probabilities(self.shares(X, owner))

    @property
    def feature_names(self) -> list[Any]:
        """Features of all voters, each once."""
        return feature_names(self.voters)

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
        return shapley_values(self.voters, votes, self.probabilities, X, owner)


def shapley_values(
    voters: Sequence[Voter],
    votes: Sequence[tuple[Callable[..., Array], Callable[..., Array]]],
    answer: Callable[[Array], Array],
    X: Any,
    owner: str | None,
) -> tuple[Array, Array]:
    """Return the contribution of each feature to each answer (n, D, C), and the base.

    Parameters
    ----------
    voters : sequence of Voter
    votes : sequence of (callable, callable)
        For each voter, what gives its votes on rows (n, C), and those on one row over
        subsets of features (E, C).
    answer : callable
        From the mean of the votes to answers (n, C).
    X : table with the columns that fit saw
    owner : str or None
        Whom to name in messages.
    """
    X, names = read_table(X), feature_names(voters)
    coded = [voter.encode(X, owner) for voter in voters]
    rows = unique_rows(np.hstack(coded))
    first = np.unique(rows.of_row, return_index=True)[1]
    coded = [codes[first] for codes in coded]
    kept, weights = coalitions(len(names))
    books = (voter.distance.codebook for voter in voters)
    features = [kept[:, [*map(names.index, b.feature_names)]] for b in books]
    whole = [of_rows(codes) for (of_rows, _), codes in zip(votes, coded, strict=True)]
    p = answer(np.mean(whole, axis=0))
    parts, base = np.empty((len(p), len(names), p.shape[1])), np.empty_like(p)
    for i in range(len(p)):
        each = zip(votes, coded, features, strict=True)
        found = [over(codes[i], some) for (_, over), codes, some in each]
        worth = answer(np.mean(found, axis=0))  # (E, C)
        worth[-1] = p[i]  # the same but for rounding
        parts[i], base[i] = weights @ worth, worth[0]
    return parts[rows.of_row], base[rows.of_row]


def feature_names(voters: Sequence[Voter]) -> list[Any]:
    """Return the features of all voters, each once."""
    listed = (voter.distance.codebook.feature_names for voter in voters)
    return list(dict.fromkeys(chain.from_iterable(listed)))


def explaining(reports: Sequence[FitReport]) -> int:
    """Return the place of the first distance that is learned, 0 if none is."""
    return next((i for i, report in enumerate(reports) if report.is_learned), 0)


def explained_by(reports: Sequence[FitReport]) -> str:
    """Return which of several distances explains, and whether it is learned."""
    chosen, n = reports[explaining(reports)], len(reports)
    if chosen.is_learned:
        among = f", the best learned one of {n} distances that vote together"
        return f"{chosen.title}{among if n > 1 else ''}"
    among = f"the first of {n} distances, none of which is" if n > 1 else "which is not"
    unlearned = "learned: shares of columns do not say what tells classes apart"
    return f"{chosen.title}, {among} {unlearned}"
