"""Voters and committees.

A ``Voter`` is a fitted distance, the training rows that vote under it, and a rule by
which they vote. A ``Committee`` is one voter or several with the classes, a calibration
of their votes, and the scores of held-out rows. Classifiers learn committees; saving,
export, pages, tasks and the command line read them. ``NumberVoter`` and
``NumberCommittee`` are their counterparts for a number to predict.
"""

from nearkind.voting.calibration import Calibration
from nearkind.voting.committee import Committee, weighed, weighted_mean
from nearkind.voting.conformal import ConformalScores
from nearkind.voting.numbers import (
    HeldErrors,
    LinearScale,
    LogScale,
    NumberCommittee,
    NumberVoter,
    QuantileScale,
)
from nearkind.voting.voter import (
    FitReport,
    LeafRule,
    NearestRule,
    SoftRule,
    Voter,
)

__all__ = [
    "Calibration",
    "Committee",
    "ConformalScores",
    "FitReport",
    "HeldErrors",
    "LeafRule",
    "LinearScale",
    "LogScale",
    "NearestRule",
    "NumberCommittee",
    "NumberVoter",
    "QuantileScale",
    "SoftRule",
    "Voter",
    "weighed",
    "weighted_mean",
]
