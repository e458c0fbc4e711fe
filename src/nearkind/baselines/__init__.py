"""Distances to compare with, each ``fit(X, y=None)`` and ``pairwise_distances(X, Y)``.

``KINDS`` is the one list of them, and ``all()`` returns it.
"""

from typing import Any

from nearkind.baselines.association import Association
from nearkind.baselines.cheng import Cheng
from nearkind.baselines.chi2_lmnn import Chi2LMNN
from nearkind.baselines.dilca import DILCA
from nearkind.baselines.discriminant import Discriminant
from nearkind.baselines.dm3 import DM3
from nearkind.baselines.dml_eig import DMLEig
from nearkind.baselines.frequency import (
    Anderberg,
    Burnaby,
    Eskin,
    Gambaryan,
    Goodall1,
    Goodall2,
    Goodall3,
    Goodall4,
    InverseOccurrence,
    Lin,
    Lin1,
    OccurrenceFrequency,
    Smirnov,
)
from nearkind.baselines.gb_lmnn import GBLMNN
from nearkind.baselines.hamming import Hamming
from nearkind.baselines.hdml import HDML
from nearkind.baselines.helic import HELIC
from nearkind.baselines.itml import ITML
from nearkind.baselines.large_margin import KDML, LMNN
from nearkind.baselines.lmca import LMCA, KernelLMCA
from nearkind.baselines.mcml import MCML
from nearkind.baselines.mmc import MMC
from nearkind.baselines.nca import NCA
from nearkind.baselines.pola import POLA
from nearkind.baselines.rfm import RFM
from nearkind.baselines.value_difference import Euclidean, ValueDifference

__all__ = [
    "DILCA",
    "DM3",
    "GBLMNN",
    "HDML",
    "HELIC",
    "ITML",
    "KDML",
    "LMCA",
    "LMNN",
    "MCML",
    "MMC",
    "NCA",
    "POLA",
    "RFM",
    "Anderberg",
    "Association",
    "Burnaby",
    "Cheng",
    "Chi2LMNN",
    "DMLEig",
    "Discriminant",
    "Eskin",
    "Euclidean",
    "Gambaryan",
    "Goodall1",
    "Goodall2",
    "Goodall3",
    "Goodall4",
    "Hamming",
    "InverseOccurrence",
    "KernelLMCA",
    "Lin",
    "Lin1",
    "OccurrenceFrequency",
    "Smirnov",
    "ValueDifference",
    "all",
]

KINDS: dict[str, Any] = {
    "euclidean": Euclidean,
    "hamming": Hamming,
    "eskin": Eskin,
    "iof": InverseOccurrence,
    "of": OccurrenceFrequency,
    "lin": Lin,
    "lin1": Lin1,
    "goodall1": Goodall1,
    "goodall2": Goodall2,
    "goodall3": Goodall3,
    "goodall4": Goodall4,
    "smirnov": Smirnov,
    "burnaby": Burnaby,
    "anderberg": Anderberg,
    "gambaryan": Gambaryan,
    "vdm": ValueDifference,
    "association": Association,
    "dilca": DILCA,
    "cheng": Cheng,
    "dm3": DM3,
    "helic": HELIC,
    "kdml": KDML,
    "lmnn": LMNN,
    "lmca": LMCA,
    "kernel_lmca": KernelLMCA,
    "chi2_lmnn": Chi2LMNN,
    "gb_lmnn": GBLMNN,
    "itml": ITML,
    "pola": POLA,
    "dml_eig": DMLEig,
    "mmc": MMC,
    "nca": NCA,
    "mcml": MCML,
    "hdml": HDML,
    "discriminant": Discriminant,
    "rfm": RFM,
}
"""The baselines by name: the one list of them, to which a new one adds a line."""


def all() -> dict[str, Any]:
    """Return the baselines by name.

    Examples
    --------
    >>> all()["lin"]().fit([["a"], ["b"], ["c"]]).similarities([["a"]]).tolist()
    [[1.0]]
    """
    return dict(KINDS)
