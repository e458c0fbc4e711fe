"""Fits of CPML to batches of tables that do not fit into memory."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, unique_sampled_rows
from nearkind.errors import error_context
from nearkind.estimators.base import keep_codebook
from nearkind.estimators.labels import batch_labels
from nearkind.estimators.problem import (
    Learned,
    Problem,
    Steps,
    constrain,
    keep,
    last_metric,
    project,
    solve,
    start_at,
)
from nearkind.estimators.progress import fit_progress
from nearkind.estimators.spec import CPMLSpec
from nearkind.projections.base import value_counts
from nearkind.protocols import Array, LabelArray, Map, TableLike
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Solution, Stop
from nearkind.streaming import (
    Batch,
    BatchRows,
    BatchSummary,
    MinibatchSampler,
    check_source,
    merge_summaries,
    read_batches,
)
from nearkind.tables import read_rows, read_table
from nearkind.validation import parameters

BatchProblems = Callable[[Any, MinibatchSampler, Objective], Iterator[Any]]
"""Of a source: what has the ``linearize`` and ``prox`` of an Objective, in turn."""
N_REFERENCE = 20_000
"""Most rows of a table beyond memory that are kept, to learn against and to vote."""


@dataclass(frozen=True)
class BatchSummarizer:
    """Counts and samples one batch, when called with it.

    Attributes
    ----------
    owner : str
        Name of the estimator, for messages.
    numeric : str
        How columns of numbers are treated.
    seed : int
        Seed of the sample.
    sample_size : int
        Most rows of the sample.
    """

    owner: str
    numeric: str
    seed: int
    sample_size: int

    def __call__(self, batch: Batch) -> BatchSummary:
        """Return the summary of a batch, which may be empty."""
        with error_context(f"Batch {batch.number}"):
            classes, y = batch_labels(batch.y, self.owner)
            if not len(y) and not _has_rows(batch.X):
                return BatchSummary(self.sample_size, n_batches=1)
            table = read_table(batch.X)
            if len(y) != table.n_rows:
                raise ValueError(
                    f"X has {table.n_rows} rows, y has {len(y)} labels. Pass one "
                    "label per row."
                )
            settings = self.sample_size, self.numeric, self.seed
            return BatchSummary.of(batch.number, table, y, classes, *settings)


@dataclass(frozen=True)
class BatchReader:
    """Reads some rows of a batch, when called with it.

    Attributes
    ----------
    owner : str
        Name of the estimator, for messages.
    classes : ndarray of shape (C,)
        Sorted labels of all batches.
    """

    owner: str
    classes: LabelArray

    def __call__(self, batch: Batch, choose: Callable[..., Any]) -> BatchRows | None:
        """Return rows of a batch; None if it has none.

        Parameters
        ----------
        batch : Batch
        choose : callable
            From the number of the batch and the class numbers of its rows to the rows.
        """
        with error_context(f"Batch {batch.number}"):
            classes, y = batch_labels(batch.y, self.owner)
            if not len(y):
                return None
            refuse_unknown_classes(classes, self.classes)
            numbers = np.searchsorted(self.classes, classes)[y]
            rows = choose(batch.number, numbers)
            return BatchRows(read_rows(batch.X, rows), numbers[rows])


def refuse_unknown_classes(found: LabelArray, known: LabelArray) -> None:
    """Raise ValueError if a class is not among the known ones."""
    strangers = [label for label in found.tolist() if label not in set(known.tolist())]
    if strangers:
        listed = ", ".join(map(repr, strangers[:5]))
        raise ValueError(
            f"y holds {listed}, which is none of the {len(known)} classes known. "
            "Give all classes in the first call of partial_fit, or the same batches "
            "each time they are read."
        )


def _has_rows(X: TableLike) -> bool:
    try:
        return read_table(X).n_rows > 0
    except ValueError:  # a table without rows, or without columns
        return False


def problems(
    source: Any, sampler: MinibatchSampler, like: Objective
) -> Iterator[Objective]:
    """Yield the objective on a minibatch of each batch; raise if there is no row."""
    found = None
    for found in sampler.objectives(read_batches(source), like):
        yield found
    if found is None:
        raise ValueError(
            "There was no row when the batches were read for the second time. "
            "Pass a function that returns a new iterator each time it is called."
        )


def fit_batches(
    model: Any, source: Any, n_remembered: int, map: Map, problems: BatchProblems
) -> None:
    """Fit CPML to batches; see ``CPML.fit_batches``."""
    owner = type(model).__name__
    size = parameters.check_whole(n_remembered, "n_remembered", owner)
    spec = CPMLSpec.of(model)
    check_source(source)
    summarize = _summarizer(model, spec.rng, size)
    summary = merge_summaries(map(summarize, read_batches(source)), size)
    classes = np.sort(summary.counts.classes)
    if len(classes) < 2:
        held = f"only {classes.tolist()[0]!r}" if len(classes) else "no row"
        raise ValueError(
            f"{owner} learns from the difference between classes, but the batches "
            f"hold {held}. Give rows of at least two classes."
        )
    has_more = summary.counts.n_rows > len(summary.sample)
    takes_steps = has_more and spec.takes_minibatches
    posed = partial(problems, source) if takes_steps else None
    last = last_metric(model)
    _fit_summary(model, spec, summary, classes, summarize.seed, last, posed)


def partial_fit(
    model: Any, X: TableLike, y: object, classes: object, owner: str
) -> None:
    """Go on with one more batch; see ``CPML.partial_fit``.

    Parameters
    ----------
    model : CPML
    X, y, classes
        As in ``CPML.partial_fit``.
    owner : str
        Name of the estimator, for messages.
    """
    spec = CPMLSpec.of(model)
    known = _known_classes(model, y, classes, owner)
    refuse_unknown_classes(batch_labels(y, owner)[0], known)
    before = getattr(model, "batch_summary_", None) or BatchSummary(N_REFERENCE)
    summarize = _summarizer(model, np.random.default_rng(0), N_REFERENCE)
    part = summarize(Batch(before.n_batches, X, y))
    if before.counts.n_rows and part.counts.n_rows:
        model.codebook_.order_of(read_table(X), owner)
    summary = merge_summaries([before, part], N_REFERENCE)
    if not summary.counts.n_rows:
        raise ValueError("The first batch has no row to learn from.")
    last = model.metric_ if before.counts.n_rows else None
    _fit_summary(model, spec, summary, known, summarize.seed, last, None)


def _summarizer(model: Any, rng: np.random.Generator, size: int) -> BatchSummarizer:
    """Return what summarizes a batch; the generator's own stream is left as it is."""
    seed = int(rng.spawn(1)[0].integers(1 << 62))
    return BatchSummarizer(type(model).__name__, model.numeric, seed, size)


def _known_classes(model: Any, y: object, classes: object, owner: str) -> LabelArray:
    """Return all classes: those known before, those given, or those of y."""
    if hasattr(model, "batch_summary_"):
        if classes is not None:
            refuse_unknown_classes(batch_labels(classes, owner)[0], model.classes_)
        return model.classes_
    if hasattr(model, "metric_"):
        warnings.warn(
            f"This {owner} comes from fit or from a file, which do not keep "
            "counts, so partial_fit starts again with this batch. Pass all "
            "batches to partial_fit to learn from all of them.",
            UserWarning,
            stacklevel=4,
        )
    return batch_labels(y if classes is None else classes, owner)[0]


def _fit_summary(
    model: Any,
    spec: CPMLSpec,
    summary: BatchSummary,
    classes: LabelArray,
    seed: int,
    last: Array | None,
    posed: Callable[[MinibatchSampler, Objective], Iterator[Any]] | None,
) -> None:
    """Fit to counts and sample; then take steps on the problems posed, if any."""
    counts, sample = summary.counts, summary.sample
    before = None if last is None else (model.codebook_, model.projection_)
    keep_codebook(model, counts.fit_codebook(spec.codebook))
    model.classes_, model.class_count_ = classes, counts.class_totals(classes)
    model.n_samples_seen_, model.reference_ = counts.n_rows, sample
    book, y = model.codebook_, np.searchsorted(classes, sample.labels)
    book.fit_crosses(book.encode(sample.table), y, np.ones(len(y)))
    codes = book.encode(sample.table)
    rows = unique_sampled_rows(codes, y, model.class_count_)
    n_columns, labels = len(book.names_), (rows.y, rows.weights, len(classes))
    histograms = counts.histograms(book, classes) + value_counts(
        rows.codes[:, n_columns:], book.n_values[n_columns:], *labels
    )
    with fit_progress(model) as callback:
        known = histograms, model.class_count_
        projected = project(spec, book, len(classes), rows, counts=known)
        if before is not None and last is not None:
            last = _extended(last, *before, model.codebook_, projected.projection)
        start = start_at(projected.vectors, last)
        if not _can_learn(model.class_count_):
            stay = Solution(start, 0.0, np.nan, [], Stop.SETTLED)
            keep(model, Learned(projected, stay, 0.0, 0.0))
        else:
            problem = Problem(projected, constrain(spec, rows, classes))
            sampler = partial(
                MinibatchSampler,
                BatchReader(type(model).__name__, classes),
                model.codebook_,
                projected.projection,
                projected.structure,
                rule=spec.rule,
                totals=model.class_count_,
                codes=codes,
                y=y,
                seed=seed,
            )
            steps: Steps | None = None
            if posed is not None:
                steps = lambda bases: partial(posed, sampler(bases=bases))  # noqa: E731
            keep(model, solve(spec, problem, start, callback, steps))
    model.batch_summary_ = summary


def _extended(
    last: Array, book: Codebook, projection: Any, new_book: Codebook, new: Any
) -> Array:
    """Return the last metric, extended to the values of the new codebook."""
    if book.feature_names != new_book.feature_names:
        return last
    both = zip(projection.tables, new.tables, strict=True)
    sizes = [(old.shape[1], table.shape[1]) for old, table in both]
    return extend_metric(last, book, new_book, sizes)


def _can_learn(class_count: Array) -> bool:
    """Return whether there are two classes, one of them with two rows."""
    return (class_count > 0.0).sum() > 1 and class_count.max() > 1.0


def extend_metric(
    M: Array, before: Codebook, now: Codebook, sizes: Sequence[tuple[int, int]]
) -> Array:
    """Return a metric extended to the values of a new codebook.

    A row of phi that stands for a value moves to the place of that value in the new
    codebook. The row of a new value gets the mean weight of the others and is coupled
    to none.

    Parameters
    ----------
    M : ndarray of shape (B, W, W) or (W, 1, 1)
        Metric over the rows of phi before, or a weight for each row.
    before, now : Codebook
        Values of each feature, before and now.
    sizes : sequence of (int, int)
        Number of rows of phi of each feature, before and now.

    Returns
    -------
    ndarray of shape (B, W', W') or (W', 1, 1)

    Examples
    --------
    >>> before, now = Codebook(), Codebook()
    >>> _ = before.fit_encode([["b"], ["c"]]), now.fit_encode([["a"], ["b"], ["c"]])
    >>> extend_metric(np.array([[[2.0, 1.0], [1.0, 4.0]]]), before, now, [(2, 3)])[0]
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
    """Return the places before and now of the rows of phi that are kept."""
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


OF_BATCHES = "class_count_", "n_samples_seen_", "reference_", "batch_summary_"
"""Fitted attributes that only batches give."""


def forget_batches(model: object) -> None:
    """Keep no counts to add to."""
    for name in OF_BATCHES:
        vars(model).pop(name, None)


def reference_rows(metric: Any) -> CodedRows:
    """Return the rows that a metric kept of its batches, with weights of mean one."""
    sample = metric.reference_
    y = np.searchsorted(metric.classes_, sample.labels)
    drawn = np.maximum(np.bincount(y, minlength=len(metric.classes_)), 1)
    each = metric.class_count_ / drawn * (len(sample) / metric.n_samples_seen_)
    table, book = read_table(sample.table), metric.codebook_
    return CodedRows.of(table, book, metric.classes_, y, each[y])
