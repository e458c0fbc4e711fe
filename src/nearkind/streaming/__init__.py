"""Tables beyond memory: all that touches n rows is a map over blocks and a merge.

``blocks`` reads a source of batches again and again; ``survey`` is what one pass brings
home, ``counts`` (``columns`` of ``values`` and ``numbers``) and a ``sample`` of rows
drawn by ``priorities``; ``evaluation`` is the loss and gradient of a block at a metric.
A back end is anything shaped like the builtin ``map``: every function of a block can be
pickled and returns something small.
"""

from nearkind.streaming.blocks import Block, check_source, numbered
from nearkind.streaming.counts import Counts
from nearkind.streaming.evaluation import SlopeAt, SmallModel, mean_slope
from nearkind.streaming.sample import RowSample
from nearkind.streaming.survey import Survey, merged_surveys

__all__ = [
    "Block",
    "Counts",
    "RowSample",
    "SlopeAt",
    "SmallModel",
    "Survey",
    "check_source",
    "mean_slope",
    "merged_surveys",
    "numbered",
]
