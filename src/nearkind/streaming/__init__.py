"""Tables beyond memory: maps over batches, and merges of their results.

``source`` reads batches as often as needed. One pass over them gives a summary:
``counts`` of all rows (``column_counts``, made of ``value_counts``) and a ``sample`` of
some. ``minibatch`` gives objective and gradient on rows of a batch. A back end is
anything shaped like the builtin ``map``: each function of a batch can be pickled and
returns something small.
"""

from nearkind.streaming.counts import BatchSummary, TableCounts, merge_summaries
from nearkind.streaming.minibatch import (
    BatchRows,
    MinibatchSampler,
    mean_linearization,
)
from nearkind.streaming.sample import RowSample
from nearkind.streaming.source import Batch, check_source, read_batches

__all__ = [
    "Batch",
    "BatchRows",
    "BatchSummary",
    "MinibatchSampler",
    "RowSample",
    "TableCounts",
    "check_source",
    "mean_linearization",
    "merge_summaries",
    "read_batches",
]
