"""CPMLClassifierCV: distance and votes selected by cross-validation."""

import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import KW_ONLY, replace
from numbers import Real
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.checks import column_warnings_ignored
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import (
    FewHeldRowsWarning,
    Parameter,
    SearchInterruptedWarning,
    TimeBudgetWarning,
)
from nearkind.estimators.base import backend_of, keep_codebook
from nearkind.estimators.bases import BaseEstimator, CallbackSupport
from nearkind.estimators.classifier import CPMLClassifier, classifier_of
from nearkind.estimators.fit_report import fit_report
from nearkind.estimators.labels import labelled_rows
from nearkind.estimators.neighbor_classifier import NeighborClassifier
from nearkind.estimators.progress import Notify, search_progress
from nearkind.estimators.weights import (
    check_class_weight,
    check_weights,
    warn_of_small_weights,
)
from nearkind.neighbors import WEIGHTS, TrainingRows, is_soft, most_votes
from nearkind.protocols import Array
from nearkind.search.candidates import candidates_of
from nearkind.search.cross_prediction import Choice, HeldVotes
from nearkind.search.elimination import Elimination, once_each
from nearkind.search.ensemble import Member
from nearkind.search.evaluation import rules
from nearkind.search.folds import folds_of
from nearkind.search.results_table import results_table
from nearkind.search.scoring import check_scoring, scoring_of
from nearkind.solvers.solution import Deadline, Stop
from nearkind.validation import parameters
from nearkind.validation.parameters import estimator_class
from nearkind.voting import (
    Calibration,
    Committee,
    ConformalScores,
    NearestRule,
    Voter,
)
from nearkind.voting.conformal import rows_needed
from nearkind.voting.representatives import remembering

SEARCH_SHARE = 0.6
"""Share of the time for the search; the rest is for learning from all rows."""


@estimator_class()
class CPMLClassifierCV(CallbackSupport, NeighborClassifier, BaseEstimator):
    """Nearest neighbours under the distances that do best on held-out training rows.

    Candidate distances are compared by cross-validation and those clearly behind are
    dropped early. The best one, with others that improve the mean vote, is refitted to
    all rows.

    Parameters
    ----------
    candidates : list of distances or names, default=None
        Distances to compare, the simplest first; names as ``metric`` of
        :class:`nearkind.CPMLClassifier`. A CPML with strength="auto" is tried at
        several strengths. None: Hamming distance, class histograms, a discriminant,
        soft neighbours on histograms and on one-hot values and, if a column has more
        than 20 values, soft neighbours on smoothed histograms, where every number is a
        value. Beyond 6,000 rows pairs of columns are tried too.
    n_neighbors : int or sequence of int, default=(1, 3, 5, 9, 15, 25)
        Numbers of neighbours to compare, for weights other than "soft".
    weights : str, callable or sequence of those, default="soft"
        Weights of votes to compare: "soft", "uniform", "distance" or functions. Soft
        votes do not depend on the number of neighbours; their temperature is chosen as
        by ``temperature="auto"``.
    max_members : int, default=3
        Maximum number of distances that vote together.
    cv : int, splitter or list of folds, default=None
        Number of folds, or folds as in scikit-learn. None: 5 up to 1,000 rows, 3
        beyond, and one from 9,000 on, drawn without stratification; copies of rows
        stay together if the table repeats itself.
    time_budget : float, default=None
        Maximum seconds of ``fit``: three fifths for the search, the rest for refitting.
        A fit that reaches the limit is used as it is, and ``refused_`` lists what was
        not tried. None: no limit.
    unseen : {"prior", "error"}, default="prior"
        Values that fit did not see get the class prior, or are refused. This and the
        next two are for candidates=None.
    missing : {"level", "prior", "error"}, default="level"
        A missing value is a level of its own, gets the class prior, or is refused.
    numeric : {"auto", "category", "bin", "scale"}, default="auto"
        How numeric columns are used, as in :class:`nearkind.CPML`.
    ordered : dict of column to sequence, default=None
        The values of columns in ascending order, as in :class:`nearkind.CPML`.
    n_jobs : int, default=None
        Number of threads; None means 1 and -1 one per core. Results do not depend on
        it.
    scoring : str or callable, default="accuracy"
        Score on held-out rows that selects the model: "accuracy",
        "balanced_accuracy", "f1_macro", "log_loss"; the name of another scorer of
        scikit-learn, such as "roc_auc", or a scorer; or a function of labels (n,) and
        probabilities (n, n_classes) that returns a number, the larger the better. With
        scikit-learn's scorers and functions no candidate is dropped early, and sample
        weights do not count in the score.
    class_weight : {"balanced"}, dict or None, default=None
        Factors of the sample weights by class: "balanced" gives every class the same
        total weight; a dict maps labels to factors, by default 1. Weights are scaled
        to keep their sum. Scores and probabilities are those of the weighted rows.
    calibrate : bool, default=True
        Whether ``predict_proba`` returns probabilities calibrated on held-out rows, or
        shares of votes.
    n_remembered : int or {"auto", "all"}, default="auto"
        Number of distinct training rows that vote; fewer rows make predictions faster.
        Rows near each other under the distance are then represented by one of them,
        which has their total weight. "auto" keeps all rows up to 20,000; beyond, it
        tries 5,000, 10,000 and so on until the log loss on held-out rows increases by
        less than 0.002, and keeps all rows if half of them are not enough. Beyond 5,000
        rows it also drops directions of the vectors in which rows hardly differ.
        ``kneighbors`` and explanations use only rows that vote.
    forest : bool, default=True
        Whether the neighbours in a forest are among the default candidates. A model in
        which they vote cannot be exported.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the samples of rows; None means 0, so that every fit
        gives the same model.
    verbose : int, default=0
        1 shows a progress bar on a terminal and prints a line every 10 seconds
        elsewhere; 2 prints a line per fit there.

    Attributes
    ----------
    committee_ : Committee
        The voters, that of the largest weight first, their weights and the calibration.
    members_ : list of CPMLClassifier
        The voters as classifiers.
    distance_ : FittedDistance
        The distance used for neighbours and explanations: the first one learned from
        labels, or the first one.
    metric_ : estimator
        The fitted estimator of that distance.
    feature_relevance_ : ndarray (D,)
        Share of each feature in the mean of ``distance_`` between training rows.
    best_params_ : dict
        Settings of the first member.
    best_score_ : float
        Cross-validated score (``scoring``): the rows of each fold are predicted by the
        members and the calibration selected on the other folds. Slightly optimistic, as
        candidates are dropped by the scores of all folds. For "log_loss" it is
        negative, so that larger is better.
    calibration_ : Calibration or None
        The map from shares of votes to probabilities; None if ``calibrate`` is False.
    conformal_scores_ : ConformalScores
        One minus the probability of the true class of each held-out row, from which
        ``predict_set`` takes its thresholds.
    confusion_ : ndarray (n_classes, n_classes)
        Confusion matrix of the held-out rows, rows by true class; not weighted by
        ``class_weight``.
    held_rows_ : ndarray of int (n_held,)
        Numbers of the held-out rows, in the order of the folds. This and the next one
        are not saved in model files.
    held_proba_ : ndarray (n_held, n_classes)
        Probabilities of the classes of each, from distances, members and a calibration
        fitted to the other folds.
    cv_results_ : dict of arrays
        One row per setting, the best first; ``pandas.DataFrame(cv_results_)`` has
        scikit-learn's columns, such as ``params``, ``mean_test_score`` and
        ``rank_test_score``, beside candidate, strength, n_neighbors, weights, accuracy,
        n_held, member, rank and seconds.
    refused_ : dict
        Candidates that were not fitted, with the reason.
    search_seconds_, refit_seconds_ : float
        Seconds of the search and of the final fits.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> from sklearn.model_selection import train_test_split
    >>> data = nk.datasets.load("monks2", as_frame=False)
    >>> X, X_test, y, y_test = train_test_split(data.X, data.y, random_state=0)
    >>> model = nk.CPMLClassifierCV().fit(X, y)
    >>> model.best_params_["candidate"]
    'neighbors by values'
    >>> model.score(X_test, y_test) > 0.95
    True
    """

    candidates: Any = None
    _: KW_ONLY
    n_neighbors: Any = (1, 3, 5, 9, 15, 25)
    weights: Any = "soft"
    max_members: int = 3
    cv: Any = None
    time_budget: Any = None
    unseen: str = "prior"
    missing: str = "level"
    numeric: str = "auto"
    ordered: Any = None
    n_jobs: Any = None
    random_state: Any = None
    verbose: int = 0
    scoring: Any = "accuracy"
    class_weight: Any = None
    calibrate: bool = True
    n_remembered: Any = "auto"
    forest: bool = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the distances by cross-validation and refit them to all rows.

        Parameters
        ----------
        X : table of any kind
            For a dask table, the search uses a sample of about 40,000 rows; selected
            CPMLs are refitted to all partitions, other distances to the sample.
        y : one label per row
        sample_weight : array-like (n,), default=None
            One weight >= 0 per row, the number of its repetitions; None means ones.

        Returns
        -------
        self
        """
        if (backend := backend_of(X)) is not None:
            return backend.search(self, X, y, sample_weight)
        start = perf_counter()
        most = parameters.whole_number(self, "max_members")
        budget = parameters.time_budget(self)
        parameters.flag(self, "calibrate")
        parameters.flag(self, "forest")
        remember = remembering(self)
        check_scoring(self)
        check_class_weight(self)
        with search_progress(self, X, y, sample_weight) as notify:
            rows, longest = self._read(X, y, sample_weight)
            deadline = Deadline(start + SEARCH_SHARE * budget)
            search = self._search(rows, longest, y, deadline, notify)
            counts = check_weights(sample_weight, rows.n_given)[rows.row_numbers]
            choice, scores = self._choose(search, most, counts)
            self.refused_ = search.refused
            self.search_seconds_ = perf_counter() - start
            with suppress(KeyboardInterrupt):  # of a callback: the search has ended
                notify(
                    search.search_work, search.total, "refitting to all rows", np.nan
                )
            with Deadline(start + budget).limit(), column_warnings_ignored():
                voters = self._learn(search, choice.members)
                voters = tuple(map(remember, voters))
            self.classes_ = rows.classes
            weights = choice.weights if len(voters) > 1 else None
            self.committee_ = Committee(
                voters,
                rows.classes,
                choice.calibration,
                scores,
                weights,
                choice.class_factors,
            )
            keep_codebook(self, self.distance_.codebook)
            self.refit_seconds_ = perf_counter() - start - self.search_seconds_
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[CodedRows, int]:
        """Read the table, and warn of its columns once, whichever candidate wins.

        Return its rows, and how many values the longest column has.
        """
        with column_warnings_ignored():
            book = Codebook(numeric="category", ordered=self.ordered)
            owner = type(self).__name__
            rows = labelled_rows(X, y, sample_weight, book, owner, self.class_weight)
        book = Codebook(numeric=self.numeric, ordered=self.ordered)
        book.fit(rows.table, rows.weights, rows.y)  # warns
        return rows, max(book.n_values, default=0)

    def predict_set(
        self,
        X: Any,
        coverage: float = 0.9,
        by_class: bool = False,
        allow_empty: bool = False,
    ) -> NDArray[np.bool_]:
        """Return prediction sets that contain the true class with the given coverage.

        By split conformal prediction on the held-out rows of the search. The coverage
        holds on average over new rows like those of fit, not for every kind of row.

        Parameters
        ----------
        X : table
        coverage : float, default=0.9
            In (0, 1]: probability that the set contains the true class; 1 returns all
            classes.
        by_class : bool, default=False
            Whether the coverage is to hold for each class rather than overall; sets
            are then larger, and every class needs held-out rows.
        allow_empty : bool, default=False
            Whether a set may be empty. If not, it always contains the most probable
            class, and a model whose accuracy exceeds the coverage covers more often.

        Returns
        -------
        mask : ndarray of bool (n, n_classes)
            In the order of ``classes_``. If too few rows were held out for the
            coverage, sets contain all classes, with a warning that states how many are
            needed.
        """
        check_is_fitted(self)
        coverage = _check_coverage(coverage)
        held = self.committee_.conformal
        if held is None:
            raise ValueError(
                "This model was saved by a version of nearkind that did not keep what "
                "predict_set needs. Fit it again."
            )
        self._warn_of_few_rows(held, coverage, by_class)
        p = self.predict_proba(X)
        return held.sets(p, coverage, by_class, allow_empty)

    def _warn_of_few_rows(
        self, held: ConformalScores, coverage: float, by_class: bool
    ) -> None:
        """Warn if all classes, or some class, are in every set for want of rows."""
        limits = held.thresholds(len(self.classes_), coverage, by_class)
        unlimited = np.flatnonzero(np.isinf(limits))
        if coverage == 1.0 or not len(unlimited):
            return
        labels = ", ".join(map(repr, self.classes_[unlimited[:5]].tolist()))
        more = " and more" if len(unlimited) > 5 else ""
        whose = f" of each class, and {labels}{more} had fewer" if by_class else ""
        what = "those classes are" if by_class else "every class is"
        n_rows = f"; there were {held.weights.sum():g}" if not by_class else ""
        warnings.warn(
            f"A coverage of {coverage:g} needs {rows_needed(coverage):,} held-out "
            f"rows{whose}{n_rows}. So {what} in every set; request a lower "
            "coverage, or fit more rows.",
            FewHeldRowsWarning,
            stacklevel=3,
        )

    def condensed(
        self, n_rows: int | None = None, tolerance: float = 0.01
    ) -> CPMLClassifier:
        """Return a classifier of the best member that keeps few training rows.

        Its probabilities are shares of votes, and it has no prediction sets: the
        calibration of the search is that of all members with all rows.

        Parameters
        ----------
        n_rows, tolerance : as in :meth:`nearkind.CPMLClassifier.condensed`
            The loss of accuracy is relative to that member.

        Returns
        -------
        CPMLClassifier
        """
        check_is_fitted(self)
        first = classifier_of(self.committee_.voters[0], self.classes_)
        return first.condensed(n_rows, tolerance)

    @property
    def members_(self) -> list[CPMLClassifier]:
        """The classifiers that vote together, the best one first."""
        committee = self.committee_
        return [classifier_of(v, committee.classes) for v in committee.voters]

    @property
    def calibration_(self) -> Calibration | None:
        """The map from mean shares of votes to probabilities; None: the identity."""
        return self.committee_.calibration

    @property
    def conformal_scores_(self) -> ConformalScores | None:
        """Scores of held-out rows; None in a model of a file of version 0.1.0."""
        return self.committee_.conformal

    @property
    def held_accuracy_(self) -> float:
        """Accuracy on the held-out rows, whatever the scoring."""
        if self.confusion_ is None:  # of a file of version 0.1.0
            return self.best_score_
        return float(np.trace(self.confusion_) / self.confusion_.sum())

    def _search(
        self,
        rows: CodedRows,
        longest: int,
        y: Any,
        deadline: Deadline,
        notify: Notify,
    ) -> Elimination:
        book = rows.codebook
        sizes = book.n_values, len(rows), len(rows.classes), any(book.n_ordered)
        candidates = candidates_of(self, *sizes, longest)
        ways = _ways_to_vote(self)
        folds = folds_of(self, rows, y)
        scoring = scoring_of(self, rows.classes)
        search = Elimination(rows, ways, deadline, notify, self.n_jobs, scoring)
        search.run(candidates, folds)
        if not search.contenders:
            name, why = next(iter(search.refused.items()))
            raise ValueError(f"No candidate could be fitted. {name}: {why}")
        if search.was_interrupted:
            warnings.warn(
                f"The search was interrupted after {search.n_fits} fits; the best "
                "model so far is refitted to all rows. Interrupt again to stop.",
                SearchInterruptedWarning,
                stacklevel=3,
            )
        return search

    def _choose(
        self, search: Elimination, most: int, counts: Array
    ) -> tuple[Choice, ConformalScores]:
        """Return the settings that vote together, and the scores of held rows.

        Keeps what they say of held rows; ``counts`` are the weights of all rows (n,)
        without those of classes.
        """
        held = np.concatenate(search.held)
        votes = self._held_votes(search, most, counts[held])
        choice = votes.choose()
        probabilities, scaled = votes.cross_probabilities()
        truth, counts = votes.truth, votes.counts
        self.held_rows_ = search.rows.row_numbers[held]
        self.held_proba_ = probabilities
        score = search.scoring.score(scaled, truth, votes.weights)
        self.best_score_ = float(score)
        scores = ConformalScores.of(probabilities, truth, counts)
        n_classes = probabilities.shape[1]
        self.confusion_ = np.zeros((n_classes, n_classes))
        np.add.at(self.confusion_, (truth, most_votes(scaled)), counts)
        self.cv_results_ = results_table(search, choice.members)
        return choice, scores

    def _held_votes(self, search: Elimination, most: int, counts: Array) -> HeldVotes:
        """Return what all contenders say of held rows; ``counts`` are those rows'."""
        rows, sizes = search.rows, [len(held) for held in search.held]
        totals = np.bincount(rows.y, rows.weights, len(rows.classes))
        return HeldVotes(
            tables=[contender.table() for contender in search.contenders],
            alive=[contender.alive for contender in search.contenders],
            families=[id(contender.candidate) for contender in search.contenders],
            truth=search.truth,
            weights=search.held_weights,
            counts=counts,
            fold_of=np.repeat(np.arange(len(sizes)), sizes),
            class_weights=totals.astype(float),
            most_members=most,
            scoring=search.scoring,
            calibrate=self.calibrate,
        )

    def _learn(self, search: Elimination, members: list[Member]) -> tuple[Voter, ...]:
        """Return voters by the chosen distances, learned from all rows."""
        rows = search.rows
        chosen = [(search.contenders[m.contender], m.way) for m in members]
        fitted: dict[tuple[int, int], Any] = {}
        for candidate in once_each(contender.candidate for contender, _ in chosen):
            mine = [c.number for c, _ in chosen if c.candidate is candidate]
            learned = search.learned.get(id(candidate))
            found = {0: learned} if learned else candidate.fitted(rows, mine)
            fitted |= {(id(candidate), number): at for number, at in found.items()}
        _warn_if_cut(fitted.values())
        voters = []
        for contender, way in chosen:
            metric = fitted[id(contender.candidate), contender.number]
            form, report = metric.distance_, fit_report(metric)
            voting = TrainingRows.of(rows.coded_by(form.codebook))
            k, weights = search.ways[way]
            warn_of_small_weights(rows, k)
            voter = Voter(form, voting, NearestRule(k), report)
            (rule,) = rules(voter, [(k, weights)])
            voters.append(replace(voter, rule=rule))
        contender, way = chosen[0]
        self.best_params_ = {
            "candidate": contender.candidate.name,
            "strength": contender.strength,
            "n_neighbors": search.ways[way][0],
            "weights": search.ways[way][1],
        }
        return tuple(voters)


def _ways_to_vote(model: Any) -> list[tuple[int, Any]]:
    """Return the numbers of neighbours and weights of votes to choose from.

    Soft votes are there once, with a number in the middle, for their neighbours.
    """
    ks, votes = _several(model.n_neighbors), _several(model.weights)
    if not ks or not all(parameters.is_whole(k) and k >= 1 for k in ks):
        raise parameters.wrong(
            model, "n_neighbors", "whole numbers >= 1, one or several"
        )
    if not votes or not all(map(_is_vote, votes)):
        listed = ", ".join(map(repr, WEIGHTS))
        raise parameters.wrong(
            model, "weights", f"functions or of {listed}, one or several"
        )
    ks = sorted({int(k) for k in ks})
    middle = ks[len(ks) // 2 : len(ks) // 2 + 1]
    return [(k, vote) for vote in votes for k in (middle if is_soft(vote) else ks)]


def _warn_if_cut(metrics: Iterable[Any]) -> None:
    """Warn if time ended a fit."""
    reasons = {getattr(metric, "stop_reason_", None) for metric in metrics}
    if Stop.OUT_OF_TIME.name in reasons:
        told = TimeBudgetWarning(
            Parameter("time_budget"),
            " ran out while the selected distances were refitted to all rows; "
            "they are used as they were then. Allow more time, or pass fewer "
            "rows.",
        )
        warnings.warn(told, stacklevel=4)


def _check_coverage(value: Any) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not 0.0 < value <= 1.0:
        raise ValueError(
            "The coverage of predict_set must be a number above 0, and 1 at most, such "
            f"as 0.9; got {value!r}."
        )
    return float(value)


def _is_vote(value: Any) -> bool:
    return callable(value) or (isinstance(value, str) and value in WEIGHTS)


def _several(value: Any) -> list[Any]:
    """Return what is given, one or several, as a list."""
    is_many = isinstance(value, Iterable) and not isinstance(value, str)
    return list(value) if is_many else [value]
