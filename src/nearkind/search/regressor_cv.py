"""Regression by the committee that does best on held-out rows."""

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from time import perf_counter
from typing import Any, Self

import numpy as np

from nearkind.baselines import MLKR, RFM
from nearkind.encoding.checks import column_warnings_ignored
from nearkind.encoding.codebook import POLICIES, Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import SearchInterruptedWarning
from nearkind.estimators.bases import BaseEstimator, CallbackSupport
from nearkind.estimators.distance_names import distance_of
from nearkind.estimators.neighbor_regressor import NeighborRegressor
from nearkind.estimators.number_fit import (
    Moments,
    NumberLearner,
    NumberProblem,
    folds_of,
)
from nearkind.estimators.progress import Notify, search_progress
from nearkind.estimators.regressor import hold_committee
from nearkind.estimators.targets import numbered_rows
from nearkind.protocols import Array
from nearkind.search.folds import given_folds, n_folds_for
from nearkind.validation import parameters
from nearkind.validation.parameters import estimator_class, generator
from nearkind.voting.numbers import SCALES, Scale

MOST_TAUGHT = 6_000
"""Rows that a distance is learned from, while it is chosen."""
FOR_SCALE = 1_000
"""Rows from which the scale of the target is chosen."""
FAR_BEHIND = 1.5
"""Loss in units of the best one, above which other folds are not tried."""
LEAST_GAIN = 0.002
"""Share of the loss by which one more voter has to lower it."""
SCALE_GAIN = 0.95
"""Loss in units of that on the linear scale, below which another one is taken."""
SKEWED = 1.0
"""Skewness of a target from which other scales are tried."""


@estimator_class()
class CPMLRegressorCV(CallbackSupport, NeighborRegressor, BaseEstimator):
    """Predict numbers from neighbours, with distances selected on held-out rows.

    Selects the scale of the target, the distances, whether rows vote on the residuals
    of a linear trend, and the temperature of the votes on held-out rows. The prediction
    is the mean over up to ``max_members`` voters. The distances are MLKR and RFM, on
    one-hot values and on value histograms of the target's quantiles; numbers are
    standardised coordinates.

    Parameters
    ----------
    candidates : list of distances, default=None
        Unfitted distances; each is tried with and without a trend. None: those above.
    n_neighbors : int, default=5
        Number of neighbours of ``kneighbors``, ``explain`` and ``score_samples``.
    max_members : int, default=3
        Maximum number of distances that vote together.
    scale : {"auto", "linear", "log", "quantile"}, default="auto"
        As in :class:`nearkind.CPMLRegressor`; "auto" also tries "quantile" if the
        target is skewed, and "log" if its large values are far apart.
    cv : int >= 2, splitter or list of folds, default=None
        Number of folds, or folds as in scikit-learn. None: 5 up to 1,000 rows, 3
        beyond, and one beyond 12,000.
    time_budget : float, default=None
        Maximum seconds of the search; None: no limit. At least one candidate is tried,
        and the selected ones are refitted to all rows.
    unseen, missing, ordered : default="prior", "level", None
        As in :class:`nearkind.CPML`.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    verbose : int, default=0
        As in :class:`nearkind.CPMLClassifierCV`.

    Attributes
    ----------
    committee_ : NumberCommittee
        The voters, the best one first.
    best_score_ : float
        R2 on held-out rows, which are also used for selection, so it is slightly
        optimistic.
    cv_results_ : dict of ndarray
        One entry per candidate that was tried: ``candidate``, R2 on held-out rows, and
        ``member``, its place among the voters, or -1.
    held_rows_, held_predictions_ : ndarray
        Numbers of the held-out rows, and their predictions.
    held_spread_ : ndarray
        Spread of the votes on each of them, on the scale of the target.
    refused_ : dict of str to str
        Candidates that could not be fitted, with the reason.
    distance_, metric_ : of the best voter
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> rows = [[make, str(size)] for make in "abc" for size in range(9)]
    >>> y = [3.0 * "abc".index(make) + float(size) for make, size in rows]
    >>> model = nk.CPMLRegressorCV().fit(rows, y)
    >>> model.score(rows, y) > 0.9
    True
    """

    candidates: Any = None
    _: KW_ONLY
    n_neighbors: int = 5
    max_members: int = 3
    scale: str = "auto"
    cv: Any = None
    time_budget: Any = None
    unseen: str = "prior"
    missing: str = "level"
    ordered: Any = None
    random_state: Any = 0
    verbose: int = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the voters on held-out rows and refit them to all rows.

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
        start, most = perf_counter(), parameters.whole_number(self, "max_members")
        learners, budget = self._learners(), parameters.time_budget(self)
        with search_progress(self, X, y, sample_weight) as notify:
            owner = type(self).__name__
            book = Codebook(numeric="category", ordered=self.ordered)
            with column_warnings_ignored():
                rows = numbered_rows(X, y, sample_weight, book, owner)
            book = Codebook(numeric="scale", ordered=self.ordered)
            book.fit(rows.table, rows.weights)  # warns
            folds = self._folds(rows)
            scales = self._scales(rows.numbers, rows.weights)
            race = _Race(NumberProblem(rows, scales[0]), folds, start + budget, notify)
            try:
                with column_warnings_ignored():
                    race.run(scales, learners)
            except KeyboardInterrupt:
                warnings.warn(
                    "The search was interrupted; the best model so far is "
                    "refitted to all rows. Interrupt again to stop.",
                    SearchInterruptedWarning,
                    stacklevel=2,
                )
            with suppress(KeyboardInterrupt):  # of a callback: the search has ended
                notify(1, 1, "refitting to all rows", np.nan)
            with column_warnings_ignored():
                self._keep(race, learners, most)
        return self

    def _learners(self) -> list[NumberLearner]:
        """Return what is tried, the most promising first."""
        k = parameters.whole_number(self, "n_neighbors")
        for name in ("missing", "unseen"):
            parameters.choice(self, name, dict.fromkeys(POLICIES[name]))
        metrics = self.candidates
        if metrics is None:
            names = "missing", "unseen", "ordered"
            coded = {"numeric": "scale"} | {name: getattr(self, name) for name in names}
            metrics = [
                each.set_params(**coded)
                for each in (
                    RFM(n_rounds=4, ridge=0.3),
                    MLKR(),
                    RFM(n_rounds=4, ridge=0.3, coding="vdm"),
                )
            ]
        metrics = [distance_of(metric, self, "candidates") for metric in metrics]
        return [
            NumberLearner(f"{metric}{' on a trend' * has_trend}", metric, has_trend, k)
            for metric in metrics
            for has_trend in (False, True)
        ]

    def _folds(self, rows: CodedRows) -> list[Any]:
        """Return rows to learn from and rows held out, of each fold."""
        cv, rng = self.cv, generator(self.random_state)
        if cv is not None and not parameters.is_whole(cv):
            return list(given_folds(self, rows, np.zeros(rows.n_given)))
        n_folds = 2 if cv is None else parameters.whole_number(self, "cv", 2)
        if cv is None:
            n_folds = max(n_folds, n_folds_for(round(rows.weights.sum())))
        folds = list(folds_of(rows, n_folds, rng, MOST_TAUGHT))
        return folds[:1] if len(rows) > 2 * MOST_TAUGHT else folds

    def _scales(self, y: Array, weights: Array) -> list[Scale]:
        """Return the scales to choose from."""
        kind = parameters.choice(self, "scale", {"auto": None, **SCALES})
        if kind is not None:
            return [kind.of(y, weights)]
        linear = SCALES["linear"].of(y, weights)
        t = linear.apply(y)
        centred = t - np.average(t, weights=weights)
        third, second = (np.average(centred**k, weights=weights) for k in (3, 2))
        if abs(third) <= SKEWED * max(second, 1e-300) ** 1.5:
            return [linear]
        others = ["log", "quantile"] if third > 0.0 else ["quantile"]
        return [linear, *(SCALES[name].of(y, weights) for name in others)]

    def _keep(self, race: "_Race", learners: list[NumberLearner], most: int) -> None:
        """Learn what was chosen from all rows, and set what the search found."""
        problem, held = race.problem, race.held
        members = race.members(most)
        voters, parts = [], []
        for contender, place in members:
            voter, rules = problem.voter(contender.learner)
            voters.append(replace(voter, rule=rules[place]))
            means, variances = contender.outcome
            parts.append(Moments(means[[place]], variances[[place]]))
        if not members:  # too few rows to hold some out
            voter, rules = problem.voter(learners[0])
            voters = [replace(voter, rule=rules[len(rules) // 2])]
        outcome = Moments(*map(np.vstack, zip(*parts, strict=True))) if parts else None
        hold_committee(self, problem.committee(voters, outcome, held))
        self.held_rows_ = problem.rows.row_numbers[held]
        self.held_predictions_ = self.held_spread_ = np.empty(0)
        self.best_score_ = float("nan")
        if outcome is not None:
            mean, self.held_spread_ = self.committee_.combine(*outcome)
            self.held_predictions_ = problem.scale.invert(mean)
            loss = float(problem.losses(mean[None], held)[0])
            self.best_score_ = 1.0 - loss / race.variance
        places = [contender for contender, _ in members]
        tried = race.contenders
        self.cv_results_ = {
            "candidate": np.array([each.learner.name for each in tried], dtype=str),
            "r2": np.array([1.0 - c.losses.min() / race.variance for c in tried]),
            "member": np.array([places.index(c) if c in places else -1 for c in tried]),
        }
        self.refused_ = race.refused


@dataclass(frozen=True, eq=False)
class _Contender:
    """A learner and what it says of held rows under each rule."""

    learner: NumberLearner
    outcome: Moments
    losses: Array  # (R,)


class _Race:
    """Learners judged on held-out rows until time is up.

    Attributes
    ----------
    problem : NumberProblem
        On the scale that was chosen.
    contenders : list of _Contender
        Those that were judged on all folds.
    refused : dict of str to str
    """

    def __init__(
        self, problem: NumberProblem, folds: Sequence[Any], end: float, notify: Notify
    ) -> None:
        self.problem, self.folds, self.end, self.notify = problem, folds, end, notify
        self.contenders: list[_Contender] = []
        self.refused: dict[str, str] = {}
        helds = [held for _, held in folds]
        self.held = np.concatenate([np.empty(0, np.intp), *helds])

    @property
    def variance(self) -> float:
        """Mean squared error of the mean of the held targets."""
        rows = self.problem.rows
        y, weights = rows.numbers[self.held], rows.weights[self.held]
        mean = float(np.average(y, weights=weights))
        t = np.full((1, len(y)), self.problem.scale.apply(np.array([mean]))[0])
        return max(float(self.problem.losses(t, self.held)[0]), 1e-300)

    def run(self, scales: Sequence[Scale], learners: Sequence[NumberLearner]) -> None:
        """Choose the scale, and judge each learner on all folds."""
        if not self.folds:
            return
        if len(scales) > 1:
            some = tuple(part[:: -(-len(part) // FOR_SCALE)] for part in self.folds[0])
            problems = [replace(self.problem, scale=scale) for scale in scales]
            least = [self._least_loss(each, learners[:2], some) for each in problems]
            least[0] *= SCALE_GAIN  # of the linear one
            self.problem = problems[int(np.argmin(least))]
        for number, learner in enumerate(learners):
            if self.contenders and perf_counter() > self.end:
                return
            self.notify(number, len(learners), learner.name, np.nan)
            try:
                outcome = self._outcome(learner)
            except ValueError as error:
                self.refused[learner.name] = str(error)
                continue
            if outcome is not None:
                losses = self.problem.losses(outcome.means, self.held)
                self.contenders.append(_Contender(learner, outcome, losses))
        if not self.contenders:
            name, why = next(iter(self.refused.items()))
            raise ValueError(f"No candidate could be fitted. {name}: {why}")

    def _least_loss(
        self, problem: NumberProblem, learners: Sequence[NumberLearner], fold: Any
    ) -> float:
        """Return the least loss of some learners on a fold."""
        least = np.inf
        for learner in learners:
            with suppress(ValueError):  # the race says why
                means = problem.outcome(learner, fold).means
                least = min(least, float(problem.losses(means, fold[1]).min()))
        return least

    def _outcome(self, learner: NumberLearner) -> Moments | None:
        """Return what it says of all held rows; None if time ran out, or far behind."""
        parts: list[Moments] = []
        for fold in self.folds:
            if self.contenders and perf_counter() > self.end:
                return None
            parts.append(self.problem.outcome(learner, fold))
            if self.contenders and len(parts) == 1:
                here = np.arange(len(fold[1]))
                least = min(
                    self.problem.losses(each.outcome.means[:, here], fold[1]).min()
                    for each in self.contenders
                )
                loss = self.problem.losses(parts[0].means, fold[1]).min()
                if loss > FAR_BEHIND * least:
                    return None
        return Moments.joined(parts)

    def members(self, most: int) -> list[tuple[_Contender, int]]:
        """Return which vote, with the place of the rule of each, the best first.

        One after the other, that which lowers the loss of the mean most.
        """
        chosen: list[tuple[_Contender, int]] = []
        total, least = np.zeros(len(self.held)), np.inf
        while len(chosen) < min(most, len(self.contenders)):
            found = []
            for each in self.contenders:
                if all(each is not member for member, _ in chosen):
                    means = (total + each.outcome.means) / (len(chosen) + 1)
                    losses = self.problem.losses(means, self.held)
                    place = int(losses.argmin())
                    found.append((float(losses[place]), place, each))
            loss, place, best = min(found, key=lambda one: one[0])
            if loss > (1.0 - LEAST_GAIN) * least:
                break
            chosen.append((best, place))
            total, least = total + best.outcome.means[place], loss
        return chosen
