"""Experiments: rows first, tables and figures from rows alone.

One row is a set, a method and a repetition (``rows``, ``trial``). A ``Design`` says how
each is made, ``run`` makes those that a results file lacks, each in a process of its
own, ``read_rows`` reads them, ``score_table`` arranges them, ``statistics`` compares.
"""

from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS
from nearkind.experiments.rows import Row
from nearkind.experiments.runner import Limits, run
from nearkind.experiments.scores import Scores, score_table
from nearkind.experiments.store import read_rows

__all__ = [
    "METHODS",
    "Design",
    "Limits",
    "Row",
    "Scores",
    "read_rows",
    "run",
    "score_table",
]
