"""Questions to a person about rows of a table, and a distance from the answers."""

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn.base import clone

from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.estimators.base import codebook_of
from nearkind.estimators.cpml import CPML
from nearkind.estimators.labels import constraint_labels
from nearkind.protocols import Array, TableLike
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
    FORMAT,
    KINDS,
    VERSION,
    Answer,
    answers_in,
    consistency,
    contradictions,
    majority,
    read_answer,
    table_facts,
)
from nearkind.validation.parameters import check_choice, seeded

N_CANDIDATES = 600
"""Questions of which the best is asked."""
EASY = 8
"""Columns that may differ in a question, where some question has so few."""
ASKED_AGAIN = 12
"""One question in so many is an earlier one, asked the other way round."""
FREQUENT = 12
"""Values of a column whose distances are told."""
RECENT = 4
"""The rows of so many questions before are left out of the next."""
N_NEAR = 1, 3, 30
"""Rows of which the nearest is compared, in a third of the candidates each."""
N_IMPLIED, FEWEST_IMPLIED, MOST_NUMBERS = 2_000, 300, 500_000
"""Comparisons of other rows that the distance is learned from beside the answers; there
are fewer where they and the values of all columns multiply to more numbers."""
MOST_COMPARED, MOST_VALUES = 500, 2_000
"""Rows that these comparisons are of; where all columns have more values than this
together, the distance is fitted to the rows compared, and to no others."""

DEFAULT: dict[str, Any] = {"projection": "onehot", "numeric": "scale", "p": 2.0}
DEFAULT |= {"strength": "5%", "tol": 0.05, "max_iter": 1_000}


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    rows : tuple of int
        Row numbers. For a triplet (i, j, k): is row i more like j ("first") or like k
        ("second")? For a pair (i, j): are they similar ("first") or not ("second")?
    columns : list
        The columns in which these rows differ.
    cells : dict of list
        The cells of these rows by column.
    table : table
        These rows, as a table of the user's library.
    """

    rows: tuple[int, ...]
    columns: list[Any]
    cells: dict[Any, list[Any]] = field(repr=False)
    table: Any = field(repr=False)


@dataclass(frozen=True)
class AnswerProgress:
    """Summary of the answers so far.

    Attributes
    ----------
    n_answers, n_decided : int
        Number of answers, and of those that are neither "unsure" nor "neither".
    n_repeated : int
        Number of repeated questions that the same person answered.
    consistency : float or None
        Share of these that were answered in the same way.
    contradictions : list of list of int
        Groups of answer numbers that no distance can satisfy together.
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
    """Ask a person which rows are similar, and learn a distance from the answers.

    The most informative question is asked next: one about which the metrics that agree
    with the answers so far disagree. At most eight columns differ if possible, and some
    questions are repeated with the rows swapped.

    Parameters
    ----------
    X : table of any kind
        At least three different rows; two for pairs.
    metric : CPML, default=None
        The distance to fit. None: one weight per value of categories and per numeric
        column,
        ``CPML("diagonal", projection="onehot", numeric="scale", p=2.0, strength="5%",
        tol=0.05, max_iter=1000)``. Class histograms need y in ``fit``.
    kind : {"triplets", "pairs"}, default="triplets"
        Whether to ask which of two rows is more like a third, or whether two rows are
        similar.
    random_state : int, RandomState or None, default=0
        Seed of the sampled questions.

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
        X: TableLike,
        metric: CPML | None = None,
        *,
        kind: str = "triplets",
        random_state: object = 0,
    ) -> None:
        check_choice(kind, KINDS, "The 'kind' parameter of Questions must be one of")
        if metric is None:
            metric = CPML("diagonal", **DEFAULT)
        if not isinstance(metric, CPML):
            raise ValueError(
                "The 'metric' parameter of Questions must be None or a CPML, which "
                f"learns from comparisons; got {metric!r:.60}."
            )
        self.X: Any = X
        self.metric, self.kind = metric, kind
        self.answers: list[Answer] = []
        self._seed = int(seeded(random_state).randint(2**31))
        self._by = uuid4().hex[:8]
        table = read_table(X).factorize()
        self._names = table.names
        self._facts = table_facts(table)
        with warnings.catch_warnings(action="ignore"):  # fit will say so
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
        """The answers with a fingerprint of the table, as a JSON-able dict."""
        told = [{**asdict(each), "rows": [*each.rows]} for each in self.answers]
        head = {"format": FORMAT, "version": VERSION, "kind": self.kind}
        return {**head, "table": dict(self._facts), "answers": told}

    def merge(self, state: object) -> "Questions":
        """Add answers from an earlier session or another person; return self.

        Answers that are already there are not added again.

        Parameters
        ----------
        state : dict
            ``state`` of questions about the same table.
        """
        known = {(each.by, each.number, each.rows) for each in self.answers}
        for each in answers_in(state, self.kind, self._facts):
            if (each.by, each.number, each.rows) not in known:
                known.add((each.by, each.number, each.rows))
                self.answers.append(each)
        return self

    def ask(self) -> Question | None:
        """Return the next question, the same until it is answered; None at the end."""
        if len(self.answers) % ASKED_AGAIN == ASKED_AGAIN - 1:
            times = Counter(each.key for each in self.answers)
            for each in self.answers:
                if each.value in (0.0, 1.0) and times[each.key] == 1:
                    *anchor, last, other = each.rows
                    return self.question((*anchor, other, last))
        found = self.batch(N_CANDIDATES)
        return self.question(self.best(found)) if len(found) else None

    def best(self, found: Rows) -> tuple[int, ...]:
        """Return the most informative of some questions (m, n).

        Questions about rows of the last questions, and then those in which many columns
        differ, are left out if others remain.
        """
        last = [row for each in self.answers[-RECENT:] for row in each.rows]
        fresh = found[~np.isin(found, last).any(axis=1)]
        found = fresh if len(fresh) else found
        codes = self.comparisons.codes[found]  # (m, n, D)
        n_columns = (codes != codes[:, :1]).any(axis=1).sum(axis=1)
        found = found[n_columns <= max(EASY, n_columns.min())]
        told = information(*self.posterior.predict(self.comparisons.features(found)))
        return tuple(found[told.argmax()].tolist())

    def question(self, rows: tuple[int, ...]) -> Question:
        """Return the question about some rows, by number."""
        at = np.array(rows)
        codes = self._coded.table.codes[at]
        differs = (codes != codes[0]).any(axis=0)
        columns = [self._names[d] for d in np.flatnonzero(differs)]
        X = self.X
        table = X.take(at) if isinstance(X, Table) else take_rows(X, at)
        return Question(rows, columns, self.cells_of(at), table)

    def cells_of(self, rows: Rows) -> dict[Any, list[Any]]:
        """Return the cells of some rows by column."""
        table = self._coded.table.take(rows)
        return {name: table.column(d).cells() for d, name in enumerate(self._names)}

    def value_distances(self, column: object) -> list[tuple[float, Any, Any]]:
        """Return distances between values of a column by the answers so far.

        Parameters
        ----------
        column : object
            Its name.

        Returns
        -------
        list of (float, object, object)
            Squared distance and both values, of the most frequent values, the nearest
            first; empty for a column of numbers.
        """
        of, d = self.comparisons, self._names.index(column)
        if of.is_axis[d]:
            return []
        _, row, count = np.unique(of.codes[:, d], return_index=True, return_counts=True)
        rows = row[np.argsort(-count, kind="stable")[:FREQUENT]]
        a, b = np.triu_indices(len(rows), 1)
        apart = of.parts(rows[a], rows[b], self.posterior.weights)[:, d]
        cells = self.cells_of(rows)[column]
        return [
            (float(apart[at]), cells[a[at]], cells[b[at]])
            for at in np.argsort(apart, kind="stable")
        ]

    def answer(self, question: Question | tuple[int, ...], choice: str) -> None:
        """Add an answer.

        Parameters
        ----------
        question : Question or tuple of int
            The question, or its row numbers.
        choice : {"first", "second", "neither", "unsure"}
            "neither" means that both are equally near; "unsure" answers are not used.
        """
        rows = question.rows if isinstance(question, Question) else question
        number = sum(each.by == self._by for each in self.answers)
        given = {"rows": np.asarray(rows).tolist(), "choice": choice}
        told = {**given, "by": self._by, "number": number}
        self.answers.append(read_answer(told, self.kind, len(self._coded)))

    def undo(self) -> Answer | None:
        """Remove the last answer and return it; None if there is none."""
        return self.answers.pop() if self.answers else None

    def progress(self) -> AnswerProgress:
        """Return how consistent the answers are, and how certain the model is."""
        posterior = self.posterior
        said = np.array([a.value for a in self.answers if a.value is not None])
        decided = np.isin(said, (0.0, 1.0))
        right = (posterior.left_out > 0.0) == (said == 1.0)
        others = self.comparisons.features(self.batch(N_CANDIDATES))
        p = first_probability(*posterior.predict(others))
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

    def fit(self, y: object = None) -> CPML:
        """Return the distance learned from the answers, fitted to X.

        It is learned from the answers (the majority of repeated ones), from comparisons
        of other rows that the answers make probable, and from as many comparisons
        implied by labels.

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
                f"The {len(self.answers)} answers teach nothing: 'first' or "
                "'second' was never chosen, or the answers cancel each other. "
                "Answer more questions."
            )
        groups = contradictions(self.answers)
        if groups:
            named = ", ".join(str(n) for n in groups[0][:5])
            warnings.warn(
                f"{sum(map(len, groups))} of {len(self.answers)} answers "
                f"contradict others, such as answers {named} (counted from 0); "
                "all of them are used. progress().contradictions lists them.",
                UserWarning,
                stacklevel=2,
            )
        coded, n = self._coded, KINDS[self.kind]
        classes, y = constraint_labels(y, len(coded), may_lack=True)
        weights = self.posterior.weights
        known = np.flatnonzero(y >= 0)
        implied = [
            self._implied(self._rows, lambda r: self.comparisons.features(r) @ weights),
            self._implied(known, lambda r: (y[r[:, :1]] == y[r[:, 1:]]) @ [1.0, -1.0]),
        ]
        triplets, rows = np.vstack(implied), np.arange(len(coded))
        if sum(coded.codebook.n_values) > MOST_VALUES:
            rows = np.unique([*decided[:, :n].ravel(), *triplets.ravel()])
        decided[:, :n] = np.searchsorted(rows, decided[:, :n])
        triplets = np.searchsorted(rows, triplets)
        if self.kind == "triplets":
            stated = {"triplets": np.vstack([decided, triplets])}
        else:  # of two different rows there are no triplets
            stated = {"pairs": decided} | (
                {"triplets": triplets} if len(triplets) else {}
            )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* contradict others")
            compared = replace(coded, classes=classes, y=y).take(rows)
            return clone(self.metric).fit_constraints(compared, **stated)

    @property
    def posterior(self) -> AnswerPosterior:
        """The distances that agree with the answers so far."""
        said = [each for each in self.answers if each.value is not None]
        rows = np.array([each.rows for each in said], dtype=np.intp)
        features = self.comparisons.features(rows.reshape(len(said), KINDS[self.kind]))
        values = np.array([each.value for each in said], dtype=float)
        return AnswerPosterior.of(features, values, self.comparisons.prior_mean)

    def batch(self, size: int) -> Rows:
        """Return row numbers (m, n) of questions that have not been asked.

        Most of them are about rows that are nearer to the first one than others.

        Parameters
        ----------
        size : int
            How many are drawn; equal ones are left out.
        """
        rng = np.random.default_rng((self._seed, len(self.answers)))
        shape = size, KINDS[self.kind] - 1, max(N_NEAR)
        first, others = rng.choice(self._rows, size), rng.choice(self._rows, shape)
        codes = self._coded.codes
        apart = (codes[others] != codes[first][:, None, None]).sum(axis=-1)  # (m, n, k)
        apart[apart == 0] = codes.shape[1]  # itself
        for at, n_near in enumerate(N_NEAR):
            apart[at :: len(N_NEAR), :, n_near:] = codes.shape[1] + 1
        nearest = apart.argmin(axis=-1)[..., None]
        drawn = np.column_stack(
            [first, np.take_along_axis(others, nearest, axis=-1)[..., 0]]
        )
        drawn[:, -2:].sort(axis=1)
        drawn = _different(np.unique(drawn, axis=0))
        asked = {each.key for each in self.answers}
        is_new = [tuple(rows) not in asked for rows in drawn.tolist()]
        return rng.permutation(drawn[np.array(is_new, dtype=bool)])

    def _implied(self, rows: Rows, nearer: Callable[[Rows], Array]) -> Rows:
        """Return triplets (m, 3) of some rows, the first nearer by what is known.

        They are those with the largest absolute values of ``nearer``, which is positive
        where the first row is nearer.
        """
        if not len(rows):
            return np.empty((0, 3), dtype=np.intp)
        n_values = np.minimum(self._coded.codebook.n_values, MOST_COMPARED).sum()
        size = int(np.clip(MOST_NUMBERS // n_values, FEWEST_IMPLIED, N_IMPLIED))
        rng = np.random.default_rng(self._seed)
        some = rng.permutation(rows)[:MOST_COMPARED]
        drawn = _different(rng.choice(some, (4 * size, 3)))
        by = nearer(drawn)
        sure = np.argsort(-np.abs(by), kind="stable")[:size]
        sure = sure[by[sure] != 0.0]
        drawn, far = drawn[sure], by[sure] < 0.0
        drawn[far, 1:] = drawn[far, :0:-1]
        return drawn


def _different(rows: Rows) -> Rows:
    """Return the comparisons (m, n) of rows that all differ."""
    return rows[(np.diff(np.sort(rows, axis=1), axis=1) > 0).all(axis=1)]
