"""A committee: voters, and how their votes become probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import FEW_ROWS
from nearkind.errors import RefusedError
from nearkind.protocols import Array
from nearkind.tables import read_table
from nearkind.voting.calibration import Calibration
from nearkind.voting.conformal import ConformalScores
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

    def feature_effects(self, row: Any) -> tuple[list[Any], Array]:
        """Return the features, and by how much each raises each probability (D, C).

        It is the probability with all features, less that if every training row had
        the row's own value in the feature: it then tells no row from another. A feature
        that some voters do not have changes the votes of the others alone.

        Parameters
        ----------
        row : table of one row
        """
        books = [voter.distance.codebook for voter in self.voters]
        listed = (name for book in books for name in book.feature_names)
        names = list(dict.fromkeys(listed))
        total = np.zeros((len(names) + 1, len(self.classes)))  # the last: with all
        for voter, book in zip(self.voters, books, strict=True):
            with_all, without = voter.shares_without(book.encode(row)[0])
            place = {name: d for d, name in enumerate(book.feature_names)}
            each = [without[place[n]] if n in place else with_all for n in names]
            total += [*each, with_all]
        p = self.probabilities(total / len(books))
        return names, p[-1] - p[:-1]


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
