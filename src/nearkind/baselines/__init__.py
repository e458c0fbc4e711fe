"""Baselines: other distances, with ``fit(X, y=None)`` and ``pairwise_distances(X, Y)``.

``KINDS`` is the one list of them, and ``all()`` returns it.
"""

# ruff: noqa: I001 (names that are exported again stay together)

from typing import Any

from nearkind.baselines.association import Association as Association
from nearkind.baselines.cheng import Cheng as Cheng
from nearkind.baselines.chi2_lmnn import Chi2LMNN as Chi2LMNN
from nearkind.baselines.dilca import DILCA as DILCA
from nearkind.baselines.discriminant import Discriminant as Discriminant
from nearkind.baselines.dm3 import DM3 as DM3
from nearkind.baselines.dml_eig import DMLEig as DMLEig
from nearkind.baselines.forest import ForestNeighbors as ForestNeighbors
from nearkind.baselines.frequency import (
    Anderberg as Anderberg,
    Burnaby as Burnaby,
    Eskin as Eskin,
    Gambaryan as Gambaryan,
    Goodall1 as Goodall1,
    Goodall2 as Goodall2,
    Goodall3 as Goodall3,
    Goodall4 as Goodall4,
    InverseOccurrence as InverseOccurrence,
    Lin as Lin,
    Lin1 as Lin1,
    OccurrenceFrequency as OccurrenceFrequency,
    Smirnov as Smirnov,
)
from nearkind.baselines.gb_lmnn import GBLMNN as GBLMNN
from nearkind.baselines.hdml import HDML as HDML
from nearkind.baselines.helic import HELIC as HELIC
from nearkind.baselines.itml import ITML as ITML
from nearkind.baselines.large_margin import KDML as KDML, LMNN as LMNN
from nearkind.baselines.lmca import LMCA as LMCA, KernelLMCA as KernelLMCA
from nearkind.baselines.mcml import MCML as MCML
from nearkind.baselines.mlkr import MLKR as MLKR
from nearkind.baselines.gower import Gower as Gower, Unbiased as Unbiased
from nearkind.baselines.mmc import MMC as MMC
from nearkind.baselines.nca import NCA as NCA
from nearkind.baselines.ocl import OCL as OCL
from nearkind.baselines.pola import POLA as POLA
from nearkind.baselines.rfm import RFM as RFM
from nearkind.baselines.value_difference import (
    Euclidean as Euclidean,
    Hamming as Hamming,
    ValueDifference as ValueDifference,
)

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
    "gower": Gower,
    "unbiased": Unbiased,
    "ocl": OCL,
    "forest": ForestNeighbors,
}
"""The baselines by name: the one list of them, to which a new one adds a line."""

OF_NUMBERS: dict[str, Any] = {"mlkr": MLKR}
"""Distances that learn from numbers instead of classes."""

__all__ = ["MLKR", "all", *(kind.__name__ for kind in KINDS.values())]


def all() -> dict[str, Any]:
    """Return the baselines by name.

    Examples
    --------
    >>> all()["lin"]().fit([["a"], ["b"], ["c"]]).similarities([["a"]]).tolist()
    [[1.0]]
    """
    return dict(KINDS)
