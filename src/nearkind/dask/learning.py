"""Learning from partitions: counts and samples by a tree, steps by rounds of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from dask.delayed import Delayed, delayed

from nearkind.dask.cluster import computed, held
from nearkind.dask.tables import Part, labelled_parts
from nearkind.estimators.batches import N_REFERENCE
from nearkind.estimators.params import check_whole
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array
from nearkind.solvers.objective import Linearization, Objective
from nearkind.streaming import (
    Block,
    SlopeAt,
    SmallModel,
    Survey,
    mean_slope,
    merged_surveys,
)

FAN_IN = 8
"""Surveys to be merged at once."""
PARTITIONS_A_STEP = 8
"""Of which a step takes rows; set, so that no bit depends on who is there to read."""


def fit(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: None = None,
    *,
    n_remembered: int = N_REFERENCE,
    partitions_a_step: int = PARTITIONS_A_STEP,
) -> Any:
    """Learn from a table of dask without ever having it here.

    Parameters
    ----------
    model : CPML or CPMLClassifier
    X : DataFrame or Array of dask; its partitions are the batches of ``fit_batches``
    y : Series or Array cut into the same partitions, or the name of a column of X
    sample_weight : must be None
    n_remembered : rows to keep at most, with all classes alike
    partitions_a_step : read at once for a step of the second pass

    Returns
    -------
    the model, fitted

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1")
    >>> table = dd.from_pandas(data.X.assign(label=data.y), npartitions=3)
    >>> fit(nk.CPML(), table, "label").n_samples_seen_
    432
    """
    if sample_weight is not None:
        raise ValueError(
            "Tables of dask are taken without sample_weight. Repeat rows instead."
        )
    at_once = check_whole(partitions_a_step, "partitions_a_step", "nearkind.dask.fit")
    passes = Passes(at_once)
    return model.fit_batches(
        labelled_parts(X, y),
        n_remembered=n_remembered,
        map=passes.surveys,
        problems=passes.problems,
    )


class Passes:
    """Both passes of ``fit_batches`` over partitions that stay where they are.

    Parameters
    ----------
    partitions_a_step : of which a step takes rows
    """

    def __init__(self, partitions_a_step: int) -> None:
        self.partitions_a_step = partitions_a_step
        self._blocks: list[Block] = []

    def surveys(self, read: Any, blocks: Iterable[Block]) -> list[Survey]:
        """Survey each partition and merge by a tree; only the root comes here."""
        blocks = list(blocks)
        parts = [delayed(_surveyed)(read, *block) for block in blocks]
        sizes = delayed([delayed(_n_rows)(part) for part in parts])
        survey, n_rows = computed("counting", [_merged(parts, read.room), sizes])
        self._blocks = [b for b, n in zip(blocks, n_rows, strict=True) if n]
        return [survey]

    def problems(
        self, source: list[Part], small: SmallModel, like: Objective
    ) -> Iterator["Round"]:
        """Yield a problem for each group of partitions that have rows."""
        model, like = held(small), _without_rows(like)
        for at in range(0, len(self._blocks), self.partitions_a_step):
            yield Round(model, like, self._blocks[at : at + self.partitions_a_step])


@dataclass(frozen=True)
class Round:
    """The problem on rows of some partitions, beside rows of the sample.

    Attributes
    ----------
    model : task that gives the SmallModel
    like : says loss, regularizer and strength; without rows
    blocks : partitions, as tasks
    """

    model: Delayed
    like: Objective
    blocks: list[Block]

    def linearize(self, point: Spectrum) -> Linearization:
        """Return the mean slope at a metric: a matrix comes from each partition."""
        tasks = [delayed(_slope)(self.model, self.like, point, *b) for b in self.blocks]
        slopes = computed("learning", tasks)
        if not any(slopes):
            raise ValueError(
                f"Partitions {self.blocks[0].number} to {self.blocks[-1].number} had "
                "rows when they were counted, and none when they were read again. "
                "Persist the table, or let its source stay as it is."
            )
        return mean_slope(slopes)

    def prox(self, M: Array, step: float) -> Spectrum:
        """Return the prox of the penalty, which needs no rows."""
        return self.like.prox(M, step)


def _without_rows(like: Objective) -> Objective:
    """Return what a block needs of an objective, which is little to send."""
    nothing: Any = None
    return replace(like, Z=like.Z[:, :0], constraints=nothing, map=map)


def _surveyed(read: Any, number: int, X: Any, y: Any) -> Survey:
    return read(Block(number, X, y))


def _slope(
    model: SmallModel, like: Objective, point: Spectrum, number: int, X: Any, y: Any
) -> Linearization | None:
    return SlopeAt(model, like, point)(Block(number, X, y))


def _n_rows(survey: Survey) -> int:
    return survey.counts.n_rows


def _merged(parts: list[Delayed], room: int) -> Delayed:
    """Return the task that merges surveys, some at a time."""
    while True:
        groups = [parts[at : at + FAN_IN] for at in range(0, len(parts), FAN_IN)]
        parts = [delayed(merged_surveys)(group, room) for group in groups]
        if len(parts) == 1:
            return parts[0]
