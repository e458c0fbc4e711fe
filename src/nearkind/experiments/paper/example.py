"""The paper's six persons: the histogram of every value, and all distances."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from nearkind import datasets
from nearkind.baselines import Euclidean
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import Workshop
from nearkind.projections.vdm import VDM


def make(workshop: Workshop) -> list[Path]:
    """Write both tables."""
    data = datasets.load("credit_risk", as_frame=False)
    model = Euclidean().fit(data.X, data.y)
    distances = model.pairwise_distances(data.X, squared=True)
    rows = [
        [f"person {i + 1}", *map(_fraction, line)] for i, line in enumerate(distances)
    ]
    head = ["", *(str(i + 1) for i in range(len(rows)))]
    apart = Table("Squared distances on class histograms", head, rows)
    written = workshop.write(_histograms(data, model), "vdm-histograms")
    return written + workshop.write(apart, "vdm-distances")


def _histograms(data: Any, model: Euclidean) -> Table:
    """Return the class histogram of each value, classes in the order of the paper."""
    book = model.codebook_
    codes, y = book.encode(data.X), np.searchsorted(model.classes_, data.y)
    vdm = VDM().fit(codes, book.n_values, y, np.ones(len(y)))
    order = ["Low", "Middle", "High"]
    columns = [model.classes_.tolist().index(name) for name in order]
    rows = [
        [name, str(value), *(_fraction(table[code, 0, c]) for c in columns)]
        for d, (name, table) in enumerate(
            zip(data.feature_names, vdm.tables, strict=True)
        )
        for code, value in enumerate(book.values(d))
    ]
    return Table("Class histograms of all values", ["feature", "value", *order], rows)


def _fraction(x: float) -> str:
    return str(Fraction(float(x)).limit_denominator(100))
