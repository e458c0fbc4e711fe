"""The two passes of ``fit_batches`` over the partitions of a dask table."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from sklearn.base import clone

from nearkind.dask.cluster import compute, persist
from nearkind.dask.partitions import LabelledPartition, labelled_partitions
from nearkind.estimators.base import keep_codebook
from nearkind.estimators.batches import N_REFERENCE
from nearkind.estimators.cpml import CPML
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array
from nearkind.solvers.objective import Linearization, Objective
from nearkind.streaming import (
    Batch,
    BatchSummary,
    MinibatchSampler,
    mean_linearization,
    merge_summaries,
)
from nearkind.validation.parameters import check_whole, generator

FAN_IN = 8
"""Summaries merged by one task."""
MOST_SEARCHED = 40_000
"""Rows of the sample that a search uses."""
PARTITIONS_A_STEP = 8
"""Fixed, so that the result does not depend on the number of workers."""


def fit(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: None = None,
    *,
    n_remembered: int = N_REFERENCE,
    partitions_a_step: int = PARTITIONS_A_STEP,
) -> Any:
    """Fit a model to a dask table, whose rows stay where they are.

    Parameters
    ----------
    model : CPML or CPMLClassifier
    X : dask DataFrame or Array
        Its partitions are the batches of ``fit_batches``.
    y : dask Series or Array, or str
        Labels in the same partitions as X, or the name of a column of X.
    sample_weight : None
        Not supported.
    n_remembered : int, default=20_000
        Most rows to keep, equally many of each class as far as it has them.
    partitions_a_step : int, default=8
        Partitions that a step of the second pass reads.

    Returns
    -------
    CPML or CPMLClassifier
        The model, fitted.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1")
    >>> table = dd.from_pandas(data.X.assign(label=data.y), npartitions=3)
    >>> fit(nk.CPML(), table, "label").n_samples_seen_
    432
    """
    _refuse_weights(sample_weight)
    per_step = check_whole(partitions_a_step, "partitions_a_step", "nearkind.dask.fit")
    passes = Passes(per_step)
    return model.fit_batches(
        labelled_partitions(X, y),
        n_remembered=n_remembered,
        map=passes.summarize,
        problems=passes.objectives,
    )


def search(model: Any, X: Any, y: Any = None, sample_weight: None = None) -> Any:
    """Fit a search to a sample of a dask table, and what it selects to all partitions.

    Parameters
    ----------
    model : CPMLClassifierCV
    X, y, sample_weight : as in ``fit``

    Returns
    -------
    CPMLClassifierCV
        The model, fitted. Members that are no CPML are fitted to the sample.
    """
    _refuse_weights(sample_weight)
    seed = 0 if model.random_state is None else model.random_state
    model.fit(*_sampled(labelled_partitions(X, y), MOST_SEARCHED, generator(seed)))
    voters = []
    for member in model.members_:
        if isinstance(member.metric, CPML):
            member = fit(clone(member), X, y)
        voters.append(member.committee_.voters[0])
    model.committee_ = replace(model.committee_, voters=tuple(voters))
    keep_codebook(model, model.distance_.codebook)
    return model


def _refuse_weights(sample_weight: object) -> None:
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is not supported for dask tables. Repeat rows instead."
        )


def _sampled(
    parts: list[LabelledPartition], size: int, rng: np.random.Generator
) -> tuple[Any, Array]:
    """Return about ``size`` rows with their labels, of each partition its share."""
    total = sum(compute("counting", [delayed(len)(y) for _, y in parts]))
    share = min(1.0, size / max(total, 1))
    seeds = rng.integers(1 << 62, size=len(parts))
    tasks = [
        delayed(_some_rows)(X, y, share, int(seed))
        for (X, y), seed in zip(parts, seeds, strict=True)
    ]
    some = compute("sampling", tasks)
    tables = [X for X, _ in some]
    labels = np.concatenate([y for _, y in some])
    if not hasattr(tables[0], "iloc"):
        return np.concatenate(tables), labels
    import pandas as pd

    return pd.concat(tables, ignore_index=True), labels


def _some_rows(X: Any, y: Any, share: float, seed: int) -> tuple[Any, Any]:
    """Return a share of the rows, and the last of each class, lest one be lost."""
    labels = np.asarray(y)
    kept = np.random.default_rng(seed).random(len(labels)) < share
    last = {label: row for row, label in enumerate(labels.tolist())}
    kept[list(last.values())] = True
    rows = np.flatnonzero(kept)
    return (X.iloc[rows] if hasattr(X, "iloc") else X[rows]), labels[rows]


class Passes:
    """Both passes over partitions: ``map`` and ``problems`` of ``fit_batches``.

    Parameters
    ----------
    partitions_a_step : int
        Partitions that a step of the second pass reads.
    """

    def __init__(self, partitions_a_step: int) -> None:
        self.partitions_a_step = partitions_a_step
        self._batches: list[Batch] = []

    def summarize(self, summarize: Any, batches: Iterable[Batch]) -> list[BatchSummary]:
        """Summarize each partition and merge by a tree; only its root comes here."""
        batches = list(batches)
        parts = [delayed(_summarize)(summarize, *batch) for batch in batches]
        sizes = delayed([delayed(_n_rows)(part) for part in parts])
        root = _merge_tree(parts, summarize.sample_size)
        summary, n_rows = compute("counting", [root, sizes])
        self._batches = [b for b, n in zip(batches, n_rows, strict=True) if n]
        return [summary]

    def objectives(
        self,
        source: list[LabelledPartition],
        sampler: MinibatchSampler,
        like: Objective,
    ) -> Iterator["PartitionsObjective"]:
        """Yield an objective for each group of partitions that have rows."""
        nothing: Any = None  # of the rows: little is to be sent
        like = replace(like, Z=like.Z[:, :0], constraints=nothing, map=map)
        sent = persist(sampler)
        for at in range(0, len(self._batches), self.partitions_a_step):
            group = self._batches[at : at + self.partitions_a_step]
            yield PartitionsObjective(sent, like, group)


@dataclass(frozen=True)
class PartitionsObjective:
    """Mean objective on minibatches of some partitions.

    Attributes
    ----------
    sampler : Delayed
        Task that gives the MinibatchSampler.
    like : Objective
        Gives loss, regularizer and strength; without rows.
    batches : list of Batch
        Partitions, as tasks.
    """

    sampler: Delayed
    like: Objective
    batches: list[Batch]

    def linearize(self, point: Spectrum) -> Linearization:
        """Return mean value and gradient at a metric; each partition sends a matrix."""
        return mean_linearization(self._parts("linearize", point))

    def factor_gradient(self, F: Array) -> tuple[float, Array]:
        """Return mean loss and its gradient in F; only these and F travel."""
        losses, gradients = zip(*self._parts("factor_gradient", F), strict=True)
        return float(np.mean(losses)), np.mean(gradients, axis=0)

    def factor_penalty(self, F: Array) -> tuple[float, Array]:
        """Return the penalty at F'F and its gradient in F, which need no rows."""
        return self.like.factor_penalty(F)

    def _parts(self, method: str, at: object) -> list[Any]:
        """Return what a method finds at a metric on each partition with rows."""
        given = self.sampler, method, self.like, at
        tasks = [delayed(_evaluate)(*given, *batch) for batch in self.batches]
        parts = [part for part in compute("learning", tasks) if part is not None]
        if not parts:
            raise ValueError(
                f"Partitions {self.batches[0].number} to {self.batches[-1].number} had "
                "rows when they were counted, and none when they were read again. "
                "Persist the table, or make sure that its source does not change."
            )
        return parts

    def prox(self, M: Array, step: float) -> Spectrum:
        """Return the prox of the penalty, which needs no rows."""
        return self.like.prox(M, step)


def _summarize(summarize: Any, *batch: Any) -> BatchSummary:
    return summarize(Batch(*batch))


def _evaluate(
    sampler: MinibatchSampler, method: str, like: Objective, at: object, *batch: Any
) -> Any:
    return getattr(sampler, method)(Batch(*batch), like, at)


def _n_rows(summary: BatchSummary) -> int:
    return summary.counts.n_rows


def _merge_tree(parts: list[Delayed], sample_size: int) -> Delayed:
    """Return the task that merges summaries, a few at a time."""
    while True:
        groups = [parts[at : at + FAN_IN] for at in range(0, len(parts), FAN_IN)]
        parts = [delayed(merge_summaries)(group, sample_size) for group in groups]
        if len(parts) == 1:
            return parts[0]
