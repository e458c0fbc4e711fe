"""The paper's figures on synthetic data: accuracy by features, weight and classes."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.experiments.paper.figures import COLOURS, MARKERS, panels
from nearkind.experiments.paper.protocol import Protocol
from nearkind.experiments.paper.provenance import provenance
from nearkind.experiments.paper.reproduction import Reproduction, TrialGroup
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.rows import Row
from nearkind.experiments.scores import values_by_cell, values_text
from nearkind.experiments.sets import Synthetic

METHODS = ("cpml-s", "cpml-m")
SCORES = {
    "triplet_accuracy": "triplet accuracy",
    "accuracy": "accuracy of 1-NN",
    "pair_accuracy": "pair accuracy",
}
READINGS: dict[str, dict[str, Any]] = {
    "raw": {},
    "normalised": {"reading": "normalised", "distinct": True},
}
"""Readings of the paper's generator; see ``make_synthetic``."""

Cell = tuple[str, int, float]
"""Reading, number of features, weight."""


def chances(n_classes: int) -> dict[str, float]:
    """Return what each score is without learning, with classes of equal size.

    Of pairs it is the share that are of two classes.
    """
    chance = 1.0 / n_classes
    by_score = 0.5, chance, 1.0 - chance
    return dict(zip(SCORES, by_score, strict=True))


def sets(protocol: Protocol, n_classes: int) -> list[Synthetic]:
    """Return the sets by reading, number of features and weight."""
    return [
        Synthetic(n_features=n, n_classes=n_classes, weight=w, **READINGS[reading])
        for reading, n, w in product(READINGS, protocol.features, protocol.weights)
    ]


def trials(reproduction: Reproduction, n_classes: int) -> list[TrialGroup]:
    """Return the trials of CPML-s and CPML-m on all sets."""
    protocol = reproduction.protocol
    repeats, drawn = protocol.synthetic_repeats, sets(protocol, n_classes)
    return [TrialGroup(drawn, METHODS, repeats, protocol.design)]


def synthetic(reproduction: Reproduction, n_classes: int) -> list[Path]:
    """Make figures and table of CPML-s and CPML-m by number of features and weight."""
    rows = reproduction.rows(trials(reproduction, n_classes))
    by_score = {score: values_by_cell(rows, score) for score in SCORES}
    found = {
        ((s.reading, s.n_features, s.weight), method, score): values[s.name, method]
        for s in sets(reproduction.protocol, n_classes)
        for method in METHODS
        for score, values in by_score.items()
    }
    name = f"synthetic-{n_classes}"
    written = []
    for reading in READINGS:
        figure = _figure(reading, n_classes, found, reproduction)
        suffix = "" if reading == "raw" else f"-{reading}"
        written += reproduction.write(name + suffix, figure)
    table = _table(n_classes, found, rows)
    return written + reproduction.write(name, table)


def _figure(
    reading: str,
    n_classes: int,
    found: Mapping[tuple[Cell, str, str], Sequence[float]],
    reproduction: Reproduction,
) -> Any:
    """Return the figure: methods down, scores across, a line for each weight."""
    protocol = reproduction.protocol
    figure, axes = panels(2, len(SCORES), (4.2, 3.0))
    for (i, method), (j, score) in product(enumerate(METHODS), enumerate(SCORES)):
        each = axes[i, j]
        for k, weight in enumerate(protocol.weights):
            at = [found[(reading, n, weight), method, score] for n in protocol.features]
            each.errorbar(
                protocol.features,
                [np.mean(values) if values else np.nan for values in at],
                yerr=[np.std(values) if values else np.nan for values in at],
                label=f"weight {weight}",
                color=COLOURS[k],
                marker=MARKERS[k],
                markersize=4,
                linewidth=1.5,
                elinewidth=0.8,
            )
        each.axhline(
            chances(n_classes)[score], color="#777777", linestyle=":", label="chance"
        )
        each.set(title=method, xlabel="features", ylabel=SCORES[score])
    axes[0, 0].legend(fontsize="small")
    return figure


def _table(
    n_classes: int,
    found: Mapping[tuple[Cell, str, str], Sequence[float]],
    rows: Sequence[Row],
) -> ResultTable:
    columns = list(product(METHODS, SCORES))
    lines = []
    for reading, n, weight in dict.fromkeys(cell for cell, *_ in found):
        cells = (found[(reading, n, weight), *column] for column in columns)
        texts = (values_text(values, digits=4) for values in cells)
        lines.append([reading, f"{n}", f"{weight}", *texts])
    head = ["reading", "features", "weight", *(f"{m} {s}" for m, s in columns)]
    notes = [
        "Mean ± deviation over draws of 1,000 rows; chance is 0.5 for triplets and "
        f"{1.0 / n_classes:g} for 1-NN. Pair accuracy is the share of pairs of test "
        "rows that a threshold on the distance, selected on validation rows, correctly "
        "assigns to one class or to two; assigning every pair to two classes gives "
        f"about {1.0 - 1.0 / n_classes:g}. Readings of the generator: raw adds the "
        "weight to uniform numbers, and classes may favour the same value; normalised "
        "adds it to probabilities, and classes favour distinct values as far as there "
        "are. "
        "Strength by 1-NN accuracy on validation rows.",
        provenance(rows),
    ]
    return ResultTable(f"Synthetic data, {n_classes} classes", head, lines, notes)
