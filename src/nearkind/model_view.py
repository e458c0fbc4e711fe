"""A fitted model of any kind, as its committee or its distance."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nearkind.distances.form import FittedDistance
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import row_keys
from nearkind.estimators.base import Distance, TableEstimator
from nearkind.estimators.fit_report import fit_report
from nearkind.estimators.neighbor_classifier import NeighborEstimator
from nearkind.protocols import Array, Codes
from nearkind.voting import Committee, FitReport, NumberCommittee, Voter
from nearkind.voting.committee import explained_by


@dataclass(frozen=True)
class ModelView:
    """A fitted model of nearkind, whatever its kind.

    Parameters
    ----------
    model : a classifier, a regressor or a distance
        Fitted. Of what works under a distance, such as KMedoids, its distance is taken.

    Examples
    --------
    >>> import nearkind as nk
    >>> view = ModelView(nk.baselines.Hamming().fit([["a"], ["b"]]))
    >>> view.committee, view.distance is view.model.distance_, view.report.method
    (None, True, 'Hamming')
    """

    model: Any

    def __post_init__(self) -> None:
        if not isinstance(self.model, TableEstimator):
            raise TypeError(
                "Wanted a fitted CPML, classifier, regressor or baseline; "
                f"got {type(self.model).__name__}. Take the model out of what holds "
                "it, a Pipeline for example."
            )
        check_is_fitted(self.model)
        if not isinstance(self.model, Distance | NeighborEstimator):
            metric = getattr(self.model, "metric_", None)
            if metric is None:
                raise TypeError(
                    f"This {type(self.model).__name__} has a distance without its "
                    "estimator. Give the estimator that the distance comes from."
                )
            object.__setattr__(self, "model", metric)

    @cached_property
    def committee(self) -> Any:
        """What predicts classes, or numbers; None for a distance alone."""
        predicts = isinstance(self.model, NeighborEstimator)
        return self.model.committee_ if predicts else None

    @property
    def class_committee(self) -> Committee | None:
        """``committee``, of a model that predicts classes if it predicts at all."""
        if isinstance(self.committee, NumberCommittee):
            raise ValueError(
                f"This {type(self.model).__name__} predicts a number, and classes are "
                "needed here. Its predict, explain, kneighbors and save take numbers."
            )
        return self.committee

    @property
    def voters(self) -> tuple[Voter, ...]:
        """The voters, the one that explains first; none for a distance alone."""
        if self.committee is None:
            return ()
        first = self.committee.explaining
        return (first, *(each for each in self.committee.voters if each is not first))

    @property
    def weights(self) -> list[float]:
        """The weight of the votes of each of these; 1 for a distance alone."""
        if self.committee is None:
            return [1.0]
        pairs = zip(self.committee.voters, self.committee.voter_weights, strict=True)
        by_voter = {id(voter): weight for voter, weight in pairs}
        return [by_voter[id(voter)] for voter in self.voters]

    @property
    def factors_text(self) -> str | None:
        """How classes are predicted if not the most probable one always is."""
        committee = self.committee
        if not isinstance(committee, Committee) or committee.class_factors is None:
            return None
        labels = committee.classes.tolist()
        if committee.threshold is not None:
            return f"{labels[1]!r} from a probability of {committee.threshold:.3g}"
        factors = committee.class_factors / committee.class_factors.min()
        each = zip(labels, factors.tolist(), strict=True)
        listed = ", ".join(f"{label!r} {factor:.3g}" for label, factor in each)
        return f"by the largest product of probability and factor: {listed}"

    @property
    def voter(self) -> Voter:
        """The voter that explains."""
        assert self.committee is not None
        return self.committee.explaining

    @cached_property
    def reports(self) -> list[FitReport]:
        """How each distance was learned, the one that explains first."""
        return [each.report for each in self.voters] or [fit_report(self.model)]

    @property
    def report(self) -> FitReport:
        """How the distance that explains was learned."""
        return self.reports[0]

    @property
    def distances(self) -> list[FittedDistance]:
        """The distance of each voter, the one that explains first, or the one."""
        return [each.distance for each in self.voters] or [self.model.distance_]

    @property
    def distance(self) -> FittedDistance:
        """The distance that neighbours, columns and values are explained by."""
        return self.distances[0]

    @property
    def explained_by(self) -> str:
        """That distance in words, and whether it is learned."""
        return explained_by(self.reports)

    @property
    def codebook(self) -> Codebook:
        """How that distance codes rows."""
        return self.distance.codebook

    @property
    def was_searched(self) -> bool:
        """Whether it was chosen by a search, and so has ``best_score_``."""
        return hasattr(self.model, "best_score_")

    def n_training_rows(self, codes: Codes) -> int:
        """Return how many rows have the codes of a row that votes."""
        keys = row_keys(np.concatenate([codes, self.voter.rows.codes]))
        return int(np.isin(keys[: len(codes)], keys[len(codes) :]).sum())

    def relevance(self, X: Any) -> Array:
        """Return each feature's share of the mean distance between two rows (D,).

        Parameters
        ----------
        X : table
            The rows, for a distance alone; a classifier has rows of its own.
        """
        if self.committee is not None:
            return self.model.feature_relevance_
        codes = self.codebook.encode(X)
        return self.distance.relevance(codes, np.ones(len(codes)))


def is_fitted(model: TableEstimator) -> bool:
    """Return whether a model of nearkind has been fitted."""
    return hasattr(model, "codebook_")
