"""Learning from batches: tables that are never in memory as a whole."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_sampled_rows
from nearkind.estimators import params
from nearkind.estimators.batch_labels import (
    ReadRows,
    SurveyBatch,
    refuse_unknown_classes,
)
from nearkind.estimators.labels import batch_labels
from nearkind.estimators.problem import (
    Problem,
    Steps,
    constrain,
    project,
    solve,
    start_at,
)
from nearkind.estimators.progress import fit_progress
from nearkind.protocols import Array, Map
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Solution, Stop
from nearkind.streaming import (
    Block,
    SmallModel,
    Survey,
    check_source,
    merged_surveys,
    numbered,
)
from nearkind.tables import read_table

BatchProblems = Callable[[Any, SmallModel, Objective], Iterator[Any]]
"""Of a source: what has the ``linearize`` and ``prox`` of an Objective, in turn."""
N_REFERENCE = 20_000
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


def fit_batches(
    model: Any, source: Any, n_remembered: int, map: Map, problems: BatchProblems
) -> None:
    """Fit CPML to batches; see ``CPML.fit_batches``."""
    owner = type(model).__name__
    room = params.check_whole(n_remembered, "n_remembered", owner)
    rng = params.check(model)
    check_source(source)
    survey_batch = _survey_batch(model, rng, room)
    survey = merged_surveys(map(survey_batch, numbered(source)), room)
    classes = np.sort(survey.counts.classes)
    if len(classes) < 2:
        held = f"only {classes.tolist()[0]!r}" if len(classes) else "no row"
        raise ValueError(
            f"{owner} learns from the difference between classes, but the batches "
            f"hold {held}. Give rows of at least two classes."
        )
    has_more = survey.counts.n_rows > len(survey.sample)
    takes_steps = has_more and params.sums_over_samples(model)
    posed = partial(problems, source) if takes_steps else None
    last, seed = model.start_metric, survey_batch.seed
    _learn(model, survey, classes, rng, seed, last, posed)


def partial_fit(model: Any, X: Any, y: Any, classes: Any, owner: str) -> None:
    """Go on with one more batch; see ``CPML.partial_fit``.

    Parameters
    ----------
    model : CPML
    X, y, classes : as in ``CPML.partial_fit``
    owner : str
        Who to name in messages.
    """
    rng = params.check(model)
    known = _known_classes(model, y, classes, owner)
    refuse_unknown_classes(batch_labels(y, owner)[0], known)
    before = getattr(model, "survey_", None) or Survey(N_REFERENCE)
    survey_batch = _survey_batch(model, np.random.default_rng(0), N_REFERENCE)
    part = survey_batch(Block(before.n_blocks, X, y))
    if before.counts.n_rows and part.counts.n_rows:
        model.codebook_.order_of(read_table(X), owner)
    survey = merged_surveys([before, part], N_REFERENCE)
    if not survey.counts.n_rows:
        raise ValueError("The first batch has no row to learn from.")
    last = model.metric_ if before.counts.n_rows else None
    _learn(model, survey, known, rng, survey_batch.seed, last, None)


def _survey_batch(model: Any, rng: np.random.Generator, room: int) -> SurveyBatch:
    """Return what surveys a batch; no number is taken from the generator."""
    seed = int(rng.spawn(1)[0].integers(1 << 62))
    return SurveyBatch(type(model).__name__, model.numeric, seed, room)


def _known_classes(model: Any, y: Any, classes: Any, owner: str) -> NDArray[Any]:
    """Return all classes, as they were given or come now."""
    if hasattr(model, "survey_"):
        if classes is not None:
            refuse_unknown_classes(batch_labels(classes, owner)[0], model.classes_)
        return model.classes_
    if hasattr(model, "metric_"):
        warnings.warn(
            f"This {owner} comes from fit or from a file, which keep no "
            "counts to add to: partial_fit starts anew with this batch. Give it "
            "every batch to learn from all.",
            UserWarning,
            stacklevel=4,
        )
    return batch_labels(y if classes is None else classes, owner)[0]


def _learn(
    model: Any,
    survey: Survey,
    classes: NDArray[Any],
    rng: np.random.Generator,
    seed: int,
    last: Array | None,
    posed: Callable[[SmallModel, Objective], Iterator[Any]] | None,
) -> None:
    """Learn from a survey; take steps on the problems posed, if any are."""
    counts, sample = survey.counts, survey.sample
    before = None if last is None else (model.codebook_, model.projection_)
    model.set_codebook(counts.codebook(params.codebook(model)))
    model.classes_, model.class_count_ = classes, counts.class_totals(classes)
    model.n_samples_seen_, model.reference_ = counts.n_rows, sample
    codes = model.codebook_.encode(sample.table)
    y = np.searchsorted(classes, sample.labels)
    rows = unique_sampled_rows(codes, y, model.class_count_)
    histograms = counts.histograms(model.codebook_, classes)
    with fit_progress(model) as callback:
        projected = project(model, rows, counts=(histograms, model.class_count_))
        if before is not None and last is not None:
            last = _grown(last, *before, model.codebook_, projected.projection)
        if not _can_learn(model.class_count_):
            start = start_at(projected.vectors, last)
            model.strength_ = model.strength_max_ = 0.0
            stay = Solution(start, 0.0, np.nan, [], Stop.SETTLED)
            model.tabulate(projected, stay)
        else:
            problem = Problem(projected, constrain(model, rows, rng), rng)
            small = partial(
                SmallModel,
                ReadRows(type(model).__name__, classes),
                model.codebook_,
                projected.projection,
                projected.structure,
                rule=params.constraints(model, rng),
                totals=model.class_count_,
                codes=codes,
                y=y,
                seed=seed,
            )
            steps: Steps | None = None
            if posed is not None:
                steps = lambda bases: partial(posed, small(bases=bases))  # noqa: E731
            model.tabulate(projected, solve(model, problem, last, callback, steps))
    model.survey_ = survey


def _grown(
    last: Array, book: Codebook, projection: Any, new_book: Codebook, new: Any
) -> Array:
    """Return the last metric for the values that there are now."""
    if book.names_ != new_book.names_:
        return last
    both = zip(projection.tables, new.tables, strict=True)
    sizes = [(old.shape[1], table.shape[1]) for old, table in both]
    return grown(last, book, new_book, sizes)


def _can_learn(class_count: Array) -> bool:
    """Say whether there are two classes, one of them with two rows."""
    return (class_count > 0.0).sum() > 1 and class_count.max() > 1.0


def grown(
    M: Array, before: Codebook, now: Codebook, sizes: Sequence[tuple[int, int]]
) -> Array:
    """Return a metric over the rows of phi that there are now.

    Rows of phi that stand for a value move to where it stands now. One that is new gets
    the mean weight of the others and is coupled to none.

    Parameters
    ----------
    M : (B, W, W) over the rows of phi as they were, or a weight for each (W, 1, 1)
    before, now : values of each feature
    sizes : rows of phi of each feature, before and now

    Examples
    --------
    >>> before, now = Codebook(), Codebook()
    >>> _ = before.fit_encode([["b"], ["c"]]), now.fit_encode([["a"], ["b"], ["c"]])
    >>> grown(np.array([[[2.0, 1.0], [1.0, 4.0]]]), before, now, [(2, 3)])[0]
    array([[3., 0., 0.],
           [0., 2., 1.],
           [0., 1., 4.]])
    """
    was, width = sum(old for old, _ in sizes), sum(new for _, new in sizes)
    old, new = _moves(before, now, sizes)
    if M.shape == (was, 1, 1):
        larger = np.full((width, 1, 1), M.mean())
        larger[new] = M[old]
        return larger
    if M.shape[1] != was:  # channels are coupled too, and none has been added
        return M
    larger = np.eye(width) * np.trace(M, axis1=1, axis2=2)[:, None, None] / was
    larger[:, new] = larger[:, :, new] = 0.0
    larger[:, new[:, None], new] = M[:, old[:, None], old]
    return larger


def _moves(
    before: Codebook, now: Codebook, sizes: Sequence[tuple[int, int]]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which rows of phi were kept: where they stood, and where they stand."""
    old: list[int] = []
    new: list[int] = []
    was = width = 0
    for d, (size, larger) in enumerate(sizes):
        leading = max(size - before.n_values[d], 0) if size != larger else size
        values = {} if size == larger else {v: i for i, v in enumerate(now.values(d))}
        pairs = [(i, i) for i in range(leading)] + [
            (leading + i, leading + values[value])
            for i, value in enumerate(before.values(d))
            if value in values
        ]
        old += [was + i for i, _ in pairs]
        new += [width + i for _, i in pairs]
        was, width = was + size, width + larger
    return np.array(old, np.intp), np.array(new, np.intp)
