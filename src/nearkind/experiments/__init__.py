"""Experiments: trials make rows of results; tables and figures are made from rows.

A row is the result of a method on a set in one repetition. A ``Design`` says what is
common to all methods, ``run`` runs the trials that a results file lacks, each in a
process of its own, ``read_rows`` reads the file, ``score_table`` arranges its rows and
``statistics`` compares the methods. ``items`` has the paper's tables and figures.
"""

from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS
from nearkind.experiments.rows import Row
from nearkind.experiments.runner import run
from nearkind.experiments.sandbox import Limits
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
