"""Questions to a person about rows of a table, and a distance from the answers."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn.base import clone

from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.estimators.base import codebook_of
from nearkind.estimators.cpml import CPML
from nearkind.estimators.labels import partly_known
from nearkind.tables import Table, read_table
from nearkind.tables.selection import take_rows
from nearkind.tasks.answer_posterior import (
    AnswerPosterior,
    RowComparisons,
    Rows,
    first_probability,
    information,
)
from nearkind.tasks.answers import (
    KINDS,
    Answer,
    answers_in,
    check_choice,
    check_rows,
    consistency,
    contradictions,
    majority,
    state_of,
    table_facts,
)
from nearkind.validation.parameters import seeded

N_CANDIDATES = 600
"""Questions of which the best is asked."""
FEW_COLUMNS, FEW_UNTIL = 0.5, 10
"""Share of the candidates, those with fewest columns that differ, that the first
question is chosen among; it grows to all within so many answers."""
ASKED_AGAIN = 12
"""One question in so many is an earlier one, asked the other way round."""
RECENT = 4
"""The rows of so many questions before are left out of the next."""
N_NEAR = 3
"""Rows of which the nearest is compared."""
N_IMPLIED, FEWEST_IMPLIED, MOST_NUMBERS = 2_000, 300, 500_000
"""Comparisons of other rows that the distance is learned from beside the answers; there
are fewer where they and the values of all columns multiply to more numbers."""
MOST_COMPARED = 500
"""Rows that these comparisons are of."""

DEFAULT: dict[str, Any] = {
    "projection": "onehot",
    "numeric": "scale",
    "p": 2.0,
    "strength": "5%",
    "tol": 0.05,
    "max_iter": 1_000,
}


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    rows : tuple of int
        Row numbers. Of a triplet (i, j, k): is row i more like j, the first, or like k,
        the second? Of a pair (i, j): are they alike, the first, or not, the second?
    columns : list
        The columns in which these rows differ.
    cells : dict of list
        The cells of these rows by column.
    table : table
        These rows, in the user's kind of table.
    """

    rows: tuple[int, ...]
    columns: list[Any]
    cells: dict[Any, list[Any]] = field(repr=False)
    table: Any = field(repr=False)


@dataclass(frozen=True)
class AnswerProgress:
    """How far answers have come.

    Attributes
    ----------
    n_answers, n_decided : int
        Answers, and those that are neither "unsure" nor "neither".
    n_repeated : int
        Answers to a question that the same person had answered before.
    consistency : float or None
        Share of those answered as before.
    contradictions : list of list of int
        Groups of answers, by number, that no distance can satisfy together.
    agreement : float or None
        Share of decided answers that are predicted from the others.
    certainty : float
        Mean probability of the likelier answer to questions not asked, 0.5 to 1.
    relevance : dict of float
        Share of each column in the mean squared distance, the largest first.
    """

    n_answers: int
    n_decided: int
    n_repeated: int
    consistency: float | None
    contradictions: list[list[int]]
    agreement: float | None
    certainty: float
    relevance: dict[Any, float]


class Questions:
    """Ask a person which rows are alike, and learn a distance from the answers.

    Each question is the one whose answer is expected to say most: the metrics that
    agree with the answers so far disagree about it. Few columns differ at first, and
    now and then a question is asked again, the other way round.

    Parameters
    ----------
    X : table of any kind
        With three different rows or more, of pairs two.
    metric : CPML, default=None
        What to fit; None: a weight per value of categories and per column of numbers,
        ``CPML("diagonal", projection="onehot", numeric="scale", p=2.0, strength="5%",
        tol=0.05, max_iter=1000)``. Class histograms need y in ``fit``.
    kind : {"triplets", "pairs"}, default="triplets"
        Whether to ask which of two rows is more like a third, or whether two rows are
        alike.
    random_state : int, RandomState or None, default=0
        Seed of the rows that questions are drawn from.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1", as_frame=False)
    >>> questions = nk.Questions(data.X)
    >>> for _ in range(20):
    ...     question = questions.ask()
    ...     a, b, c = (data.X[row][4] for row in question.rows)  # looks at one column
    ...     choice = "first" if a == b else "second"
    ...     questions.answer(question, "neither" if (a == b) == (a == c) else choice)
    >>> model = questions.fit()
    >>> int(model.feature_relevance_.argmax())
    4
    """

    def __init__(
        self,
        X: Any,
        metric: CPML | None = None,
        *,
        kind: str = "triplets",
        random_state: Any = 0,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(
                f"The 'kind' parameter of Questions must be one of "
                f"{', '.join(map(repr, KINDS))}; got {kind!r}."
            )
        if metric is None:
            metric = CPML("diagonal", **DEFAULT)
        if not isinstance(metric, CPML):
            raise ValueError(
                "The 'metric' parameter of Questions must be None or a CPML, which "
                f"learns from comparisons; got {metric!r:.60}."
            )
        self.X, self.metric, self.kind = X, metric, kind
        self.answers: list[Answer] = []
        self._seed = int(seeded(random_state).randint(2**31))
        self._by = uuid4().hex[:8]
        table = read_table(X).factorize()
        self._names = table.names
        self._facts = table_facts(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fit will say so
            book = codebook_of(clone(metric).set_params(crosses=0))
            self._coded = CodedRows.of(table, book)
        self.comparisons = RowComparisons.of(self._coded)
        merged = unique_rows(self._coded.codes).of_row
        self._rows = np.unique(merged, return_index=True)[1]
        if len(self._rows) < KINDS[kind]:
            raise ValueError(
                f"Questions about {kind} need at least {KINDS[kind]} different rows; "
                f"X has {len(merged)} rows, {len(self._rows)} of them different."
            )

    @property
    def state(self) -> dict[str, Any]:
        """The answers as JSON can hold them, with a fingerprint of the table."""
        return state_of(self.kind, self._facts, self.answers)

    def merge(self, state: Any) -> "Questions":
        """Add answers that were given before or by others; return self.

        Answers that are here already are not added again.

        Parameters
        ----------
        state : dict
            ``state`` of questions about the same table.
        """
        known = {(each.by, each.number, each.rows) for each in self.answers}
        for each in answers_in(state, self.kind, self._facts):
            if (key := (each.by, each.number, each.rows)) not in known:
                known.add(key)
                self.answers.append(each)
        vars(self).pop("posterior", None)
        return self

    def ask(self) -> Question | None:
        """Return the next question, the same until it is answered; None at the end."""
        rng = np.random.default_rng((self._seed, len(self.answers)))
        if len(self.answers) % ASKED_AGAIN == ASKED_AGAIN - 1:
            counts = {each.key: each for each in self.answers if each.value in (0, 1)}
            if counts:
                rows = list(counts.values())[rng.integers(len(counts))].rows
                return self.question((*rows[:-2], rows[-1], rows[-2]))
        found = self._candidates(rng, N_CANDIDATES)
        if not len(found):
            return None
        found = self._easy(self._fresh(found))
        best = information(*self.posterior.predict(self._features(found))).argmax()
        return self.question(tuple(found[best].tolist()))

    def batch(self, size: int) -> Rows:
        """Return row numbers (m, n) of questions that differ in what they tell.

        They are chosen one after the other, each with the largest variance that is left
        when those before it are answered.

        Parameters
        ----------
        size : int
            How many; there are fewer in a small table.
        """
        rng = np.random.default_rng((self._seed, len(self.answers)))
        pool = self._candidates(rng, 4 * size)
        features = self._features(pool)
        left = self.posterior.predict(features)[1]
        noise, factor, chosen = 4.0, np.zeros((len(pool), 0)), []
        for _ in range(min(size, len(pool))):
            best = int(left.argmax())
            chosen.append(best)
            cross = (features @ features[[best]].T).toarray()[:, 0]
            column = (cross - factor @ factor[best]) / np.sqrt(left[best] + noise)
            factor = np.column_stack([factor, column])
            left = left - column**2
            left[chosen] = -np.inf
        return pool[chosen]

    def question(self, rows: tuple[int, ...]) -> Question:
        """Return the question about some rows, by number."""
        check_rows(rows, self.kind, len(self._coded))
        at = np.array(rows)
        differs = self._coded.table.codes[at]
        columns = [
            name
            for name, codes in zip(self._names, differs.T, strict=True)
            if (codes != codes[0]).any()
        ]
        return Question(rows, columns, self.cells_of(at), self._table_of(at))

    def cells_of(self, rows: Rows) -> dict[Any, list[Any]]:
        """Return the cells of some rows by column."""
        table = self._coded.table.take(rows)
        return {name: table.column(d).cells() for d, name in enumerate(self._names)}

    def answer(self, question: Question | tuple[int, ...], choice: str) -> None:
        """Keep an answer.

        Parameters
        ----------
        question : Question or tuple of int
            What was asked, or its row numbers.
        choice : {"first", "second", "neither", "unsure"}
            "neither" says that both are as near, "unsure" says nothing.
        """
        given = question.rows if isinstance(question, Question) else question
        rows = np.asarray(given).tolist()
        check_rows(rows, self.kind, len(self._coded))
        mine = [each.number for each in self.answers if each.by == self._by]
        number = max(mine, default=-1) + 1
        answer = Answer(tuple(rows), check_choice(choice), self._by, number)
        self.answers.append(answer)
        vars(self).pop("posterior", None)

    def undo(self) -> Answer | None:
        """Take back the last answer and return it; None if there is none."""
        vars(self).pop("posterior", None)
        return self.answers.pop() if self.answers else None

    def progress(self) -> AnswerProgress:
        """Return how well the answers agree, and how much they have taught."""
        posterior = self.posterior
        said = np.array([a.value for a in self.answers if a.value is not None])
        decided = np.isin(said, (0.0, 1.0))
        right = (posterior.left_out > 0.0) == (said == 1.0)
        rng = np.random.default_rng((self._seed, len(self.answers), 1))
        others = self._candidates(rng, N_CANDIDATES)
        mean, variance = posterior.predict(self._features(others))
        p = first_probability(mean, variance)
        shares = self.comparisons.shares(posterior.weights)
        order = np.argsort(-shares, kind="stable").tolist()
        return AnswerProgress(
            len(self.answers),
            int(decided.sum()),
            *consistency(self.answers),
            contradictions(self.answers),
            float(right[decided].mean()) if decided.any() else None,
            float(np.maximum(p, 1.0 - p).mean()) if len(p) else 1.0,
            {self._names[d]: float(shares[d]) for d in order},
        )

    def fit(self, y: Any = None) -> CPML:
        """Return the distance that the answers teach, fitted to X.

        It learns from the answers, of repeated ones the majority, from comparisons of
        other rows that the answers make probable, and from as many that labels imply.

        Parameters
        ----------
        y : array-like (n,), default=None
            Labels, None or NaN where unknown. A row is nearer to rows of its class.

        Returns
        -------
        CPML
        """
        decided = majority(self.answers)
        if not len(decided):
            raise ValueError(
                f"The {len(self.answers)} answers decide nothing: 'first' or 'second' "
                "was never chosen, or each answer cancels another. Answer some more."
            )
        groups = contradictions(self.answers)
        if groups:
            named = ", ".join(str(n) for n in groups[0][:5])
            warnings.warn(
                f"{sum(map(len, groups))} of {len(self.answers)} answers contradict "
                f"others, such as answers {named} (counted from 0); all of them count. "
                "progress().contradictions lists them.",
                UserWarning,
                stacklevel=2,
            )
        implied = [self._implied(), self._implied_by(y)]
        stated: dict[str, Any] = {"triplets": np.vstack(implied)}
        if self.kind == "triplets":
            decided = np.vstack([decided, *implied])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* contradict others")
            return clone(self.metric).fit_constraints(
                self.X, **{**stated, self.kind: decided}, y=y
            )

    @cached_property
    def posterior(self) -> AnswerPosterior:
        """The distances that agree with the answers so far."""
        said = [each for each in self.answers if each.value is not None]
        rows = np.array([each.rows for each in said], dtype=np.intp)
        features = self._features(rows.reshape(len(said), KINDS[self.kind]))
        values = np.array([each.value for each in said], dtype=float)
        return AnswerPosterior.of(features, values, self.comparisons.prior_mean)

    def _table_of(self, rows: Rows) -> Any:
        """Return some rows, in the user's kind of table."""
        X = self.X
        return X.take(rows) if isinstance(X, Table) else take_rows(X, rows)

    def _features(self, rows: Rows) -> Any:
        of = self.comparisons
        return of.triplets(rows) if self.kind == "triplets" else of.near_pairs(rows)

    def _candidates(self, rng: np.random.Generator, size: int) -> Rows:
        """Return questions (m, n) about different rows that were not asked yet.

        Half of them are about rows that are nearer to the first one than most.
        """
        shape = size, KINDS[self.kind] - 1, N_NEAR
        first, others = (
            self._rows[rng.integers(len(self._rows), size=s)] for s in (size, shape)
        )
        codes = self._coded.codes
        apart = (codes[others] != codes[first][:, None, None]).sum(axis=-1)  # (m, n, k)
        apart[apart == 0] = codes.shape[1]  # itself
        nearest = apart.argmin(axis=-1)[..., None]
        nearest[::2] = 0
        drawn = np.column_stack(
            [first, np.take_along_axis(others, nearest, axis=-1)[..., 0]]
        )
        drawn[:, -2:].sort(axis=1)
        drawn = np.unique(drawn, axis=0)
        is_new = (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all(axis=1)
        asked = {each.key for each in self.answers}
        is_new &= np.array([tuple(rows) not in asked for rows in drawn.tolist()])
        return rng.permutation(drawn[is_new])

    def _fresh(self, found: Rows) -> Rows:
        """Return the questions without rows of the last ones, or all if none is so."""
        last = [row for each in self.answers[-RECENT:] for row in each.rows]
        fresh = found[~np.isin(found, last).any(axis=1)]
        return fresh if len(fresh) else found

    def _easy(self, found: Rows) -> Rows:
        """Return the questions in which few columns differ; later on, all."""
        share = FEW_COLUMNS + (1.0 - FEW_COLUMNS) * len(self.answers) / FEW_UNTIL
        codes = self._coded.codes[found]  # (m, n, D)
        n_columns = (codes != codes[:, :1]).any(axis=1).sum(axis=1)
        limit = np.quantile(n_columns, min(share, 1.0))
        return found[n_columns <= limit]

    @property
    def _n_implied(self) -> int:
        n_values = sum(self._coded.codebook.n_values)
        return min(max(MOST_NUMBERS // n_values, FEWEST_IMPLIED), N_IMPLIED)

    def _implied(self) -> Rows:
        """Return triplets (m, 3) of any rows, the first nearer by the answers."""
        rng = np.random.default_rng(self._seed)
        some = rng.permutation(self._rows)[:MOST_COMPARED]
        drawn = some[rng.integers(len(some), size=(4 * self._n_implied, 3))]
        drawn = drawn[(np.diff(np.sort(drawn, axis=1), axis=1) > 0).all(axis=1)]
        mean = self.comparisons.triplets(drawn) @ self.posterior.weights
        sure = np.argsort(-np.abs(mean), kind="stable")[: self._n_implied]
        sure = sure[mean[sure] != 0.0]
        turned = mean[sure] < 0.0
        drawn = drawn[sure]
        drawn[turned, 1:] = drawn[turned, :0:-1]
        return drawn

    def _implied_by(self, y: Any) -> Rows:
        """Return triplets (m, 3): of the class of the first, and of another."""
        _, classes = partly_known(y, len(self._coded), may_lack=True)
        known = np.flatnonzero(classes >= 0)
        if not len(known):
            return np.empty((0, 3), dtype=np.intp)
        rng = np.random.default_rng(self._seed)
        known = rng.permutation(known)[:MOST_COMPARED]
        drawn = known[rng.integers(len(known), size=(8 * self._n_implied, 3))]
        i, j, k = classes[drawn].T
        return drawn[(i == j) & (i != k) & (drawn[:, 0] != drawn[:, 1])][
            : self._n_implied
        ]
