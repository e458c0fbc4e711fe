"""The paper's small tables: its worked example and its data sets."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from nearkind import datasets
from nearkind.baselines import Euclidean
from nearkind.datasets.catalogue import CATALOGUE, NUMERIC
from nearkind.experiments.paper import reference
from nearkind.experiments.paper.reproduction import Reproduction
from nearkind.experiments.result_table import ResultTable
from nearkind.projections.vdm import VDM


def histograms(reproduction: Reproduction) -> list[Path]:
    """Make the tables of the paper's example: histograms of values, and distances."""
    data = datasets.load("credit_risk", as_frame=False)
    model = Euclidean().fit(data.X, data.y)
    distances = model.pairwise_distances(data.X, squared=True)
    rows = [
        [f"person {i + 1}", *map(_fraction, line)] for i, line in enumerate(distances)
    ]
    head = ["", *(str(i + 1) for i in range(len(rows)))]
    table = ResultTable("Squared distances on class histograms", head, rows)
    written = reproduction.write("vdm-histograms", _histogram_table(data, model))
    return written + reproduction.write("vdm-distances", table)


def _histogram_table(data: Any, model: Euclidean) -> ResultTable:
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
    head = ["feature", "value", *order]
    return ResultTable("Class histograms of all values", head, rows)


def _fraction(x: float) -> str:
    return str(Fraction(float(x)).limit_denominator(100))


def set_sizes(reproduction: Reproduction) -> list[Path]:
    """Make the table of data sets, as counted and as printed."""
    head = ["set", "rows", "printed", "features", "printed", "classes", "printed", ""]
    rows = [_set_row(name, size) for name, size in reference.set_sizes().items()]
    table = ResultTable("Data sets, counted and printed", head, rows)
    return reproduction.write("sets", table)


def _set_row(name: str, size: reference.SetSize) -> list[str]:
    entry = CATALOGUE[name]
    features = entry.n_features - len(NUMERIC.get(name, ()))
    counted = (entry.n_samples, features, entry.n_classes)
    texts = [f"{n:,}" for pair in zip(counted, size, strict=True) for n in pair]
    differs = counted != tuple(size)
    return [name, *texts, reference.set_notes()[name] or ("differs" if differs else "")]
