"""Nearest-neighbour classification under any distance of nearkind."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.rows import CodedRows
from nearkind.errors import RememberedRowsWarning
from nearkind.estimators import batches
from nearkind.estimators.base import (
    Distance,
    backend_of,
    codebook_of,
    keep_codebook,
    traits_of,
)
from nearkind.estimators.bases import BaseEstimator
from nearkind.estimators.batches import N_REFERENCE, BatchProblems, reference_rows
from nearkind.estimators.cpml import CPML
from nearkind.estimators.distance_names import distance_of
from nearkind.estimators.fit_report import fit_report, fitted_estimator
from nearkind.estimators.labels import (
    added_rows,
    labelled_rows,
    lacks_labels,
    semi_supervised_rows,
)
from nearkind.estimators.neighbor_classifier import (
    NeighborClassifier,
    check_vote_settings,
    chooses_temperature,
)
from nearkind.estimators.weights import check_class_weight, warn_of_small_weights
from nearkind.neighbors import INDEXES, SOFT, TrainingRows, is_soft
from nearkind.protocols import Array, LabelArray, Map, TableLike
from nearkind.validation.parameters import estimator_class
from nearkind.voting import Committee, LeafRule, NearestRule, SoftRule, Voter
from nearkind.voting.condensation import Condensation, condensed_rows
from nearkind.voting.voter import Rule, best_temperature


class _HeldVoter:
    """What a fitted classifier holds beside its parameters."""

    _voter: Voter | None = None
    _learner: Any = None
    _chosen_temperature: float | None = None
    n_samples_fit_: int
    n_samples_seen_: int
    n_remembered_: int


@estimator_class()
class CPMLClassifier(_HeldVoter, NeighborClassifier, BaseEstimator):
    """Classify rows by their nearest neighbours under a learned distance.

    Equal training rows are one weighted row. Rows tied at the k-th distance share the
    remaining votes, so predictions do not depend on the order of rows or columns.

    Parameters
    ----------
    metric : distance or str, default=None
        An unfitted CPML or baseline of ``nearkind.baselines``, or a name, such as
        "hamming" or "lmnn"; "single", "multi", "diagonal" and "full" are CPML of that
        structure. None: ``CPML()``.
    n_neighbors : int, default=5
        Number of neighbours that vote. With weights="soft" all rows vote, and only
        ``kneighbors`` and ``score_samples`` use it.
    weights : {"uniform", "distance", "soft"} or callable, default="uniform"
        Weights of votes. "distance" is 1 / distance; rows at distance zero, if any,
        vote alone; if all are infinitely far, they vote equally. "soft" lets all
        training rows vote with weight exp(-distance^2 / temperature), the probabilities
        that constraints="neighbors" optimises. A function maps distances to weights.
    index : {"exact", "faiss"}, default="exact"
        "exact" searches all unique rows. "faiss" is an approximate search for large
        tables and distances with vectors, such as CPML; it needs
        ``pip install "nearkind[faiss]"``. Soft votes use all rows with either.
    temperature : "auto" or float > 0, default="auto"
        Temperature of soft votes: near zero only the nearest rows count, far above all
        squared distances all rows have the same weight. "auto" is the margin of a
        distance learned with soft neighbours; for others, the power of 2 with the best
        leave-one-out log loss on the training rows. That is somewhat overconfident for
        a distance learned from the same rows;
        :class:`nearkind.CPMLClassifierCV` selects it on held-out rows.
    class_weight : {"balanced"}, dict or None, default=None
        Factors of the sample weights by class, in learning and in votes: "balanced"
        gives every class the same total weight; a dict maps labels to factors, by
        default 1. Weights are scaled to keep their sum. For ``fit`` and ``fit_over``,
        where every row has a label.
    ordered : dict of column to sequence, default=None
        The values of columns in ascending order, as in :class:`nearkind.CPML`; None:
        that of ``metric``.

    Attributes
    ----------
    committee_ : Committee
        One voter: the distance, the rows that vote, the rule of the vote and the
        index.
    distance_ : FittedDistance
        The distance of the voter.
    metric_ : estimator
        The fitted ``metric``.
    feature_relevance_ : ndarray (D,)
        Share of each feature in the mean distance between two training rows.
    temperature_ : float
        Temperature of soft votes; it does not change when rows are added.
    n_samples_fit_ : int
        Number of rows given to ``fit`` and ``add``.
    n_samples_seen_, n_remembered_ : int
        After ``fit_batches`` or ``partial_fit``: number of rows seen, and of rows that
        vote.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1", as_frame=False)
    >>> model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
    >>> model.fit(data.X, data.y).score(data.X, data.y)
    1.0
    """

    metric: Distance | str | None = None
    _: KW_ONLY
    n_neighbors: int = 5
    weights: str | Callable[[Array], Array] = "uniform"
    index: str = "exact"
    temperature: float | str = "auto"
    class_weight: str | Mapping[Any, float] | None = None
    ordered: Mapping[Any, Sequence[object]] | None = None

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Fit the distance and store the training rows.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,), default=None
            One label per row. If the metric is CPML, None or NaN marks unlabelled rows,
            which are used to learn the distance and do not vote; otherwise they are
            refused.
        sample_weight : array-like (n,), default=None
            One weight >= 0 per row, the number of its repetitions; only if every row
            has a label.

        Returns
        -------
        self
        """
        if (backend := backend_of(X)) is not None:
            return backend.fit(self, X, y, sample_weight)
        self._check_parameters()
        metric, owner = self._unfitted(), type(self).__name__
        book = codebook_of(metric)
        if isinstance(metric, CPML) and lacks_labels(y):
            self._refuse_class_weight("rows without a label")
            rows = semi_supervised_rows(X, y, sample_weight, book, owner)
            metric.fit_constraints(rows)
            rows = rows.take(np.flatnonzero(rows.y >= 0))
        else:
            rows = labelled_rows(X, y, sample_weight, book, owner, self.class_weight)
            metric.fit(rows)
        return self._keep(metric, rows)

    def fit_over(
        self, metric: Any, X: TableLike, y: object = None, sample_weight: object = None
    ) -> Self:
        """Store training rows for a fitted distance, which is not changed.

        Parameters
        ----------
        metric : distance
            Fitted.
        X, y, sample_weight : as in ``fit``
            The rows that vote.

        Returns
        -------
        self
        """
        self._check_parameters(metric)
        book = metric.distance_.codebook
        owner, factors = type(self).__name__, self.class_weight
        rows = labelled_rows(X, y, sample_weight, book, owner, factors)
        return self._keep(metric, rows)

    def add(self, X: TableLike, y: object, sample_weight: object = None) -> Self:
        """Add training rows without refitting the distance.

        The result is that of ``fit_over`` with this distance and all rows. New rows are
        numbered after the earlier ones. An index "faiss" is rebuilt at the next query,
        so add many rows at a time.

        Parameters
        ----------
        X : table
            With the columns that fit saw.
        y : array-like (n,)
            One label per row, of the classes that fit saw.
        sample_weight : array-like (n,), default=None
            As in ``fit``.

        Returns
        -------
        self

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
        >>> model = model.fit(data.X[:400], data.y[:400])
        >>> model = model.add(data.X[400:], data.y[400:])
        >>> model.n_samples_fit_, model.score(data.X, data.y)
        (432, 1.0)
        """
        check_is_fitted(self)
        self._refuse_class_weight("rows that are added")
        book, owner = self.codebook_, type(self).__name__
        rows = added_rows(X, y, sample_weight, book, self.classes_, owner)
        rows = rows.numbered_from(self.n_samples_fit_)
        self.n_samples_fit_ += rows.n_given
        voter = self.committee_.voters[0]
        self._voter = voter.with_rows(voter.rows.merged_with(rows))
        return self

    def fit_batches(
        self,
        source: object,
        *,
        n_remembered: int = N_REFERENCE,
        map: Map = map,
        problems: BatchProblems = batches.problems,
    ) -> Self:
        """Fit the distance to a table of any length, and store a sample of rows.

        Parameters
        ----------
        source, n_remembered, map, problems : as in ``CPML.fit_batches``
            The stored rows vote, weighted by the number of rows of their class per
            stored row.

        Returns
        -------
        self
            With ``n_samples_seen_`` and ``n_remembered_``; a warning is given if some
            rows are not stored.
        """
        self._check_parameters()
        self._refuse_class_weight("batches")
        metric = _check_takes_batches(self._unfitted())
        metric.fit_batches(
            source, n_remembered=n_remembered, map=map, problems=problems
        )
        return self._keep_reference(metric)

    def partial_fit(self, X: TableLike, y: object, classes: object = None) -> Self:
        """Update the distance with one more batch, and store a sample of all rows.

        Rows given to ``add`` vote until the next batch.

        Parameters
        ----------
        X, y, classes : as in ``CPML.partial_fit``
            A class gets no votes until it has rows.

        Returns
        -------
        self
            With ``n_samples_seen_`` and ``n_remembered_``, as by ``fit_batches``.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPMLClassifier(nk.CPML(tol=0.01))
        >>> for rows in (slice(0, 200), slice(200, None)):
        ...     _ = model.partial_fit(data.X[rows], data.y[rows], classes=["0", "1"])
        >>> model.n_samples_seen_, model.n_remembered_
        (432, 432)
        """
        self._check_parameters()
        self._refuse_class_weight("batches")
        last = None if self._voter is None else self.metric_
        metric = copy(last) if isinstance(last, CPML) else self._unfitted()
        _check_takes_batches(metric)
        batches.partial_fit(metric, X, y, classes, type(self).__name__)
        return self._keep_reference(metric)

    def condensed(self, n_rows: int | None = None, tolerance: float = 0.01) -> Self:
        """Return a classifier of the same distance that stores few rows.

        The stored rows are prototypes, chosen so that the nearest one has the class
        predicted by all rows for as many rows as possible. Each represents the rows to
        which it is the nearest, with their weights and classes. Every class keeps at
        least one.

        Parameters
        ----------
        n_rows : int, default=None
            Number of unique rows to store, at least one per class. None: the smallest
            number, in steps of a quarter, with which the accuracy decreases by at most
            ``tolerance``.
        tolerance : float, default=0.01
            Maximum decrease of accuracy, estimated by 5-fold cross-validation of the
            prototypes, or on one fold for more than 20,000 unique rows. The distance
            was learned from all rows, so the estimate is slightly optimistic.

        Returns
        -------
        classifier
            A new classifier; this one is not changed.

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks3", as_frame=False)
        >>> model = nk.CPMLClassifier("euclidean").fit(data.X, data.y)
        >>> small = model.condensed()
        >>> [len(each.committee_.voters[0].rows) for each in (model, small)]
        [432, 5]
        """
        voter = self.committee_.voters[0]
        rows = condensed_rows(Condensation(voter), n_rows, tolerance)
        model = clone(self)
        model._chosen_temperature = self._chosen_temperature
        hold(model, voter.with_rows(rows), self.classes_, self.n_samples_fit_)
        return model

    @property
    def committee_(self) -> Committee:  # type: ignore[override]
        """What answers: a voter by the present settings."""
        check_is_fitted(self)
        voter = self._voter
        assert voter is not None
        rule = self._rule()
        if (rule, self.index) != (voter.rule, voter.index_kind):
            voter = self._voter = replace(voter, rule=rule, index_kind=self.index)
        return Committee((voter,), self.classes_)

    @property
    def members_(self) -> "list[CPMLClassifier]":
        """Itself, as the one that votes."""
        return [self]

    @property
    def metric_(self) -> Any:
        """The fitted estimator of the distance."""
        if self._learner is None:
            voter = self.committee_.voters[0]
            self._learner = fitted_estimator(voter.report, voter.distance)
        return self._learner

    def set_params(self, **settings: Any) -> Self:
        """Set parameters; those of the distance as ``metric__strength``, for example.

        Where ``metric`` is None or a name, it becomes the distance that this stands
        for.
        """
        if any(name.startswith("metric__") for name in settings):
            given = settings.get("metric", self.metric)
            settings = {**settings, "metric": distance_of(given, self)}
        return super().set_params(**settings)

    @property
    def temperature_(self) -> float:
        """The temperature of soft votes; one not yet chosen is chosen now."""
        check_is_fitted(self)
        if not chooses_temperature(self):
            return float(self.temperature)
        voter = self._voter
        assert voter is not None
        if voter.report.temperature is not None:
            return voter.report.temperature
        if self._chosen_temperature is None:
            self._chosen_temperature = best_temperature(voter.distance, voter.rows)
        return self._chosen_temperature

    def _check_parameters(self, metric: object = None) -> None:
        """Refuse wrong parameters, and an index that cannot search under a metric."""
        check_settings(self)
        chosen = self._unfitted() if metric is None else metric
        method, owner = type(chosen).__name__, type(self).__name__
        INDEXES[self.index].check(traits_of(chosen), method, owner)

    def _rule(self) -> Rule:
        """Return how rows vote, by the present settings."""
        assert self._voter is not None
        if is_soft(self.weights) and self._voter.distance.votes_by_leaves:
            return LeafRule(self.n_neighbors)
        if is_soft(self.weights):
            return SoftRule(self.temperature_, self.n_neighbors)
        return NearestRule(self.n_neighbors, self.weights)

    def _refuse_class_weight(self, what: str) -> None:
        if self.class_weight is not None:
            raise ValueError(
                f"{type(self).__name__} takes no class_weight for {what}. Set it to "
                "None, or fit all rows, with their labels, at once."
            )

    def _unfitted(self) -> Any:
        metric = clone(distance_of(self.metric, self))
        return (
            metric if self.ordered is None else metric.set_params(ordered=self.ordered)
        )

    def _keep(self, metric: Any, rows: CodedRows) -> Self:
        """Keep a fitted distance and the rows that vote."""
        warn_of_small_weights(rows, self.n_neighbors)
        form, report = metric.distance_, fit_report(metric)
        voting = TrainingRows.of(rows.coded_by(form.codebook))
        self._chosen_temperature = None  # by rows before
        voter = Voter(form, voting, NearestRule(self.n_neighbors), report, self.index)
        hold(self, voter, rows.classes, rows.n_given)  # those without weight as well
        self._learner = metric
        for name in ("n_samples_seen_", "n_remembered_"):  # of batches before
            self.__dict__.pop(name, None)
        self.committee_.voters[0].index.build()
        return self

    def _keep_reference(self, metric: CPML) -> Self:
        """Keep the rows that a metric kept of its batches."""
        self._keep(metric, reference_rows(metric))
        self.n_samples_seen_ = metric.n_samples_seen_
        self.n_remembered_ = self.n_samples_fit_
        if self.n_remembered_ < self.n_samples_seen_:
            warnings.warn(
                f"{type(self).__name__} remembers {self.n_remembered_:,} of "
                f"{self.n_samples_seen_:,} rows, a weighted sample of each class; "
                "only these vote. Set n_remembered of fit_batches to remember "
                "more.",
                RememberedRowsWarning,
                stacklevel=3,
            )
        return self


def _check_takes_batches(metric: object) -> CPML:
    if not isinstance(metric, CPML):
        raise TypeError(
            f"{type(metric).__name__} requires the whole table. Use CPML as the "
            "metric to learn from batches."
        )
    return metric


def hold(
    model: CPMLClassifier, voter: Voter, classes: LabelArray, n_rows: int
) -> CPMLClassifier:
    """Let a classifier answer as a voter does, and return it.

    Parameters
    ----------
    model : CPMLClassifier
    voter : Voter
    classes : ndarray (C,)
        Sorted labels.
    n_rows : int
        Number of rows given to ``fit``, by which more are numbered.
    """
    model._voter, model._learner = voter, None
    if isinstance(voter.rule, SoftRule) and chooses_temperature(model):
        model._chosen_temperature = voter.rule.temperature
    model.classes_, model.n_samples_fit_ = classes, n_rows
    keep_codebook(model, voter.distance.codebook)
    return model


def check_settings(model: CPMLClassifier) -> None:
    """Refuse wrong parameters, whatever the metric and the packages installed."""
    check_vote_settings(model)
    check_class_weight(model)


def classifier_of(voter: Voter, classes: LabelArray) -> CPMLClassifier:
    """Return the fitted classifier that answers as a voter does.

    Parameters
    ----------
    voter : Voter
    classes : ndarray (C,)
        Sorted labels.
    """
    metric = clone(fitted_estimator(voter.report, voter.distance))
    rule = voter.rule
    weights = rule.weights if isinstance(rule, NearestRule) else SOFT
    settings: Any = {"weights": weights, "index": voter.index_kind}
    model = CPMLClassifier(metric, n_neighbors=rule.n_neighbors, **settings)
    n_rows = int(voter.rows.groups.rows.max()) + 1  # those without weight have numbers
    return hold(model, voter, classes, n_rows)
