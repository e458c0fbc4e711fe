"""Regression by neighbours under a learned distance."""

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from itertools import islice
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from nearkind.encoding.codebook import Codebook
from nearkind.estimators.base import Distance, keep_codebook
from nearkind.estimators.bases import BaseEstimator
from nearkind.estimators.distance_names import distance_of
from nearkind.estimators.neighbor_classifier import (
    check_vote_settings,
    chooses_temperature,
)
from nearkind.estimators.neighbor_regressor import NeighborRegressor
from nearkind.estimators.number_fit import (
    MOST_VOTING,
    Moments,
    NumberLearner,
    NumberProblem,
    folds_of,
)
from nearkind.estimators.targets import numbered_rows
from nearkind.neighbors import INDEXES, is_soft
from nearkind.protocols import Array, TableLike
from nearkind.validation import parameters
from nearkind.validation.parameters import estimator_class, generator
from nearkind.voting import NumberCommittee
from nearkind.voting.numbers import SCALES

N_FOLDS = 4
"""One row in so many is held out for intervals."""


@estimator_class()
class CPMLRegressor(NeighborRegressor, BaseEstimator):
    """Predict a number from the neighbours of a row under a learned distance.

    Equal training rows are one weighted row, so predictions do not depend on the order
    of rows. From more than 20,000 rows, a sample of 20,000 is used for learning and
    voting.

    Parameters
    ----------
    metric : distance or str, default=None
        An unfitted ``MLKR`` or any distance of nearkind, or its name. A distance that
        learns from classes learns from five quantile ranges of the target: value
        histograms are those of the ranges, and triplets state that rows of one range
        are nearer than rows of another. RFM and MLKR learn from the numbers themselves.
        None: ``MLKR(numeric="scale")``.
    n_neighbors : int, default=5
        Number of rows that vote. With weights="soft" all rows vote, and only
        ``kneighbors`` and ``score_samples`` use it.
    weights : {"uniform", "distance", "soft"} or callable, default="soft"
        As in :class:`nearkind.CPMLClassifier`.
    index : {"exact", "faiss"}, default="exact"
        As in :class:`nearkind.CPMLClassifier`.
    temperature : "auto" or float > 0, default="auto"
        Temperature of soft votes, which have weight exp(-distance^2 / temperature).
        "auto" selects the one with the smallest squared error on held-out rows.
    scale : {"linear", "log", "quantile"}, default="linear"
        Scale on which votes are averaged: the target, its logarithm, or the normal
        score of its rank.
    trend : bool, default=False
        Whether rows vote on the residuals of a ridge regression on all values, which is
        then added.
    random_state : int, RandomState or None, default=0
        Seed of the sample of held-out rows.

    Attributes
    ----------
    committee_ : NumberCommittee
        One voter: the distance and the rows that vote.
    distance_ : FittedDistance
    metric_ : estimator
        The fitted ``metric``.
    feature_relevance_ : ndarray (D,)
        Share of each feature in the mean distance between two training rows.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> rows = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 10
    >>> model = nk.CPMLRegressor().fit(rows, [1.0, 2.0, 11.0, 12.0] * 10)
    >>> model.predict(rows[:2]).round(1).tolist()
    [1.0, 2.0]
    """

    metric: Distance | str | None = None
    _: KW_ONLY
    n_neighbors: int = 5
    weights: str | Callable[[Array], Array] = "soft"
    index: str = "exact"
    temperature: float | str = "auto"
    scale: str = "linear"
    trend: bool = False
    random_state: parameters.Seed = 0

    def fit(self, X: TableLike, y: object, sample_weight: object = None) -> Self:
        """Fit the distance and store the training rows.

        A quarter of the rows is held out from a first fit, to select the temperature
        and to calibrate intervals; the final fit uses all rows.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,)
            One finite number per row.
        sample_weight : array-like (n,), default=None
            One weight >= 0 per row, the number of its repetitions; None means ones.

        Returns
        -------
        self
        """
        learner, owner = self._learner(), type(self).__name__
        book = Codebook(numeric="category")
        rows = numbered_rows(X, y, sample_weight, book, owner)
        scale = parameters.choice(self, "scale", SCALES)
        problem = NumberProblem(rows, scale.of(rows.numbers, rows.weights))
        outcome, held, best = None, np.empty(0, np.intp), None
        folds = folds_of(rows, N_FOLDS, generator(self.random_state), MOST_VOTING)
        for train, held in islice(folds, 1):
            found = problem.outcome(learner, (train, held))
            best = int(np.argmin(problem.losses(found.means, held)))
            outcome = Moments(found.means[[best]], found.variances[[best]])
        voter, rules = problem.voter(learner)
        name = type(learner.metric).__name__
        INDEXES[self.index].check(voter.distance, name, owner)
        rule = rules[len(rules) // 2 if best is None else best]
        voter = replace(voter, rule=rule)
        return hold_committee(self, problem.committee([voter], outcome, held))

    def _learner(self) -> NumberLearner:
        check_vote_settings(self)
        parameters.flag(self, "trend")
        is_auto = chooses_temperature(self)
        if not is_auto and not is_soft(self.weights):
            raise parameters.wrong(self, "temperature", "'auto' unless weights='soft'")
        metric = default_metric() if self.metric is None else self.metric
        return NumberLearner(
            "metric",
            clone(distance_of(metric, self)),
            self.trend,
            self.n_neighbors,
            self.weights,
            None if is_auto else float(self.temperature),
            self.index,
        )


def default_metric() -> Any:
    """Return the distance that metric=None stands for."""
    return distance_of("mlkr", None).set_params(numeric="scale")


def hold_committee(model: Any, committee: NumberCommittee) -> Any:
    """Let a regressor answer by a committee."""
    model.committee_ = committee
    keep_codebook(model, committee.explaining.distance.codebook)
    return model
