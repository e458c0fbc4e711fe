"""Learning from batches: tables that are never in memory as a whole."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.unique_rows import collapse_drawn
from nearkind.estimators import shorthand
from nearkind.estimators.block_labels import (
    ReadRows,
    SurveyBlock,
    block_labels,
    refuse_strangers,
)
from nearkind.estimators.growing import grown
from nearkind.estimators.problem import Problem
from nearkind.estimators.settings import generator
from nearkind.estimators.watching import watching
from nearkind.protocols import Array, Codes, Map
from nearkind.solvers.objective import Objective
from nearkind.streaming import (
    Block,
    RowSample,
    SmallModel,
    Survey,
    check_source,
    merged_surveys,
    numbered,
)
from nearkind.tables import read_table

Steps = Callable[[Array], Callable[[Objective], Iterator[Any]]]
Problems = Callable[[Any, SmallModel, Objective], Iterator[Any]]
"""Of a source: anything with the ``slope`` and ``prox`` of an Objective, in turn."""
FOUND = ("class_count_", "n_samples_seen_", "reference_")
REMEMBERED = 20_000
"""Rows of a table beyond memory that are kept, to learn against and to vote."""


def problems(source: Any, small: SmallModel, like: Objective) -> Iterator[Objective]:
    """Yield the problem of each block that has rows; there must be one."""
    found = None
    for found in small.objectives(numbered(source), like):
        yield found
    if found is None:
        raise ValueError(
            "There was no row when the batches were read for the second time. Pass a "
            "function that starts anew each time it is called."
        )


class LearnsFromBatches:
    """Mixin that gives CPML ``fit_batches`` and ``partial_fit``."""

    random_state: Any
    numeric: str
    max_iter: int
    codebook_: Codebook
    metric_: Array
    _projection: Any
    _structure: Any
    _last: Any
    _note: Any
    _project: Any
    _implied: Any
    _learn: Any
    _stay: Any
    classes_: NDArray[Any]
    class_count_: Array
    n_samples_seen_: int
    reference_: RowSample

    def fit_batches(
        self,
        source: Any,
        *,
        n_remembered: int = REMEMBERED,
        map: Map = map,
        problems: Problems = problems,
    ) -> Self:
        """Learn the distance from a table of any length, batch by batch.

        The first pass over the batches counts every value of every row and draws a
        sample of rows, of each class as many; the second takes steps on rows of each
        batch beside rows of the sample. Histograms are exactly those of ``fit`` to the
        whole table, and if the sample has room for all rows so is everything else;
        there is no second pass then, nor where the solver takes no steps on samples.

        Parameters
        ----------
        source : list of batches (X, y), a function that returns an iterator of them, or
            ``nearkind.batches(path, target=...)``; the same batches in the same order
            each time it is read
        n_remembered : rows to keep at most, with all classes alike
        map : as the builtin, for the first pass; lazy, or it will hold every batch
        problems : gives the problems to take steps on, for the second pass

        Returns
        -------
        self, with ``n_samples_seen_``, ``class_count_`` and ``reference_``, the rows
        that were kept; ``partial_fit`` can go on from there

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> halves = [(data.X[0::2], data.y[0::2]), (data.X[1::2], data.y[1::2])]
        >>> model = nk.CPML().fit_batches(halves)
        >>> model.n_samples_seen_, len(model.reference_)
        (432, 432)
        """
        owner = type(self).__name__
        rng = generator(self.random_state)
        room = shorthand.whole_number("n_remembered", n_remembered, owner)
        shorthand.check(self, rng)
        check_source(source)
        read = self._surveying(rng, room)
        survey = merged_surveys(map(read, numbered(source)), room)
        classes = np.sort(survey.counts.classes)
        if len(classes) < 2:
            held = f"only {classes.tolist()[0]!r}" if len(classes) else "no row"
            raise ValueError(
                f"{owner} learns from the difference between classes, but the batches "
                f"hold {held}. Give rows of at least two classes."
            )
        has_more = survey.counts.n_rows > len(survey.sample)
        takes_steps = has_more and shorthand.sums_over_samples(self)
        posed = partial(problems, source) if takes_steps else None
        self._learn_from(survey, classes, rng, read.seed, self._last(), posed)
        self._survey = survey
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one more batch, going on from the present metric.

        Counts add up: after all batches the histograms are exactly those of ``fit`` to
        the whole table. The metric goes on from where it is, on a sample of all rows so
        far. Values not met before extend the tables.

        Parameters
        ----------
        X : table of any kind, with the same columns in each call
        y : one label a row
        classes : all labels there will be, in the first call; if left out there, those
            of the first batch are all

        Returns
        -------
        self

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPML(tol=0.01)
        >>> for rows in (slice(0, 200), slice(200, None)):
        ...     _ = model.partial_fit(data.X[rows], data.y[rows], classes=["0", "1"])
        >>> model.n_samples_seen_
        432
        """
        return self._go_on(X, y, classes, type(self).__name__)

    def _go_on(self, X: Any, y: Any, classes: Any, owner: str) -> Self:
        """Learn from one more batch; the owner is who to name in messages."""
        rng = generator(self.random_state)
        shorthand.check(self, rng)
        known = self._known_classes(y, classes, owner)
        refuse_strangers(block_labels(y, owner)[0], known)
        before = getattr(self, "_survey", None) or Survey(REMEMBERED)
        read = self._surveying(np.random.default_rng(0), REMEMBERED)
        part = read(Block(before.n_blocks, X, y))
        if before.counts.n_rows and part.counts.n_rows:
            self.codebook_.order_of(read_table(X), owner)
        survey = merged_surveys([before, part], REMEMBERED)
        if not survey.counts.n_rows:
            raise ValueError("The first batch has no row to learn from.")
        last = self.metric_ if before.counts.n_rows else None
        self._learn_from(survey, known, rng, read.seed, last, None)
        self._survey = survey
        return self

    def forget_batches(self) -> None:
        """Keep no counts to add to."""
        for name in ("_survey", *FOUND):
            vars(self).pop(name, None)

    def _surveying(self, rng: np.random.Generator, room: int) -> SurveyBlock:
        """Return what surveys a block; no number is taken from the generator."""
        seed = int(rng.spawn(1)[0].integers(1 << 62))
        return SurveyBlock(type(self).__name__, self.numeric, seed, room)

    def _known_classes(self, y: Any, classes: Any, owner: str) -> NDArray[Any]:
        """Return all classes, as they were given or come now."""
        if hasattr(self, "_survey"):
            if classes is not None:
                refuse_strangers(block_labels(classes, owner)[0], self.classes_)
            return self.classes_
        if hasattr(self, "metric_"):
            warnings.warn(
                f"This {owner} comes from fit or from a file, which keep no "
                "counts to add to: partial_fit starts anew with this batch. Give it "
                "every batch to learn from all.",
                UserWarning,
                stacklevel=4,
            )
        return block_labels(y if classes is None else classes, owner)[0]

    def _learn_from(
        self,
        survey: Survey,
        classes: NDArray[Any],
        rng: np.random.Generator,
        seed: int,
        last: Array | None,
        posed: Callable[[SmallModel, Objective], Iterator[Any]] | None,
    ) -> None:
        """Learn from a survey; take steps on the problems posed, if any are."""
        counts, sample = survey.counts, survey.sample
        before = None if last is None else (self.codebook_, self._projection)
        self._note(counts.codebook(shorthand.codebook(self)))
        self.classes_, self.class_count_ = classes, counts.class_totals(classes)
        self.n_samples_seen_, self.reference_ = counts.n_rows, sample
        codes = self.codebook_.encode(sample.table)
        y = np.searchsorted(classes, sample.labels)
        cells = collapse_drawn(codes, y, self.class_count_)
        histograms = counts.histograms(self.codebook_, classes)
        with watching(self, self.max_iter) as callback:
            rows = self._project(cells, cells, (histograms, self.class_count_))
            last = None if before is None else self._grown(last, *before)
            steps = None if posed is None else self._steps(posed, codes, y, seed, rng)
            if _can_learn(self.class_count_):
                problem = Problem(rows, self._implied(cells, rng), cells, rng)
                self._learn(problem, callback, last, steps)
            else:
                self._stay(rows, cells, last)

    def _grown(self, last: Any, book: Codebook, projection: Any) -> Array:
        """Return the last metric for the values that there are now."""
        if book.names_ != self.codebook_.names_:
            return last
        both = zip(projection.tables, self._projection.tables, strict=True)
        sizes = [(old.shape[1], new.shape[1]) for old, new in both]
        return grown(last, book, self.codebook_, sizes)

    def _steps(
        self,
        posed: Callable[[SmallModel, Objective], Iterator[Any]],
        codes: Codes,
        y: NDArray[np.intp],
        seed: int,
        rng: np.random.Generator,
    ) -> Steps:
        """Return what gives the problems of blocks, on directions of the metric."""
        small = partial(
            SmallModel,
            ReadRows(type(self).__name__, self.classes_),
            self.codebook_,
            self._projection,
            self._structure,
            rule=shorthand.constraints(self, rng),
            totals=self.class_count_,
            codes=codes,
            y=y,
            seed=seed,
        )
        return lambda bases: partial(posed, small(bases=bases))


def _can_learn(class_count: Array) -> bool:
    """Say whether there are two classes, one of them with two rows."""
    return (class_count > 0.0).sum() > 1 and class_count.max() > 1.0
