"""More features and larger weights: CPML-s and CPML-m on synthetic data."""

from functools import partial
from itertools import product
from pathlib import Path

from nearkind.experiments import Row
from nearkind.experiments.generated import Synthetic
from nearkind.experiments.paper.drawing import curves, panels
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import Workshop

FEATURES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25)
WEIGHTS = (0.1, 0.3, 0.5, 0.7, 0.9)
METHODS = ("cpml-s", "cpml-m")
SCORES = {"triplet_accuracy": "triplet accuracy", "accuracy": "accuracy of 1-NN"}


def make(workshop: Workshop, n_classes: int) -> list[Path]:
    """Draw the figure of so many classes, and write its numbers."""
    sets = {
        (n, w): Synthetic(n_features=n, n_classes=n_classes, weight=w).name
        for n, w in product(FEATURES, WEIGHTS)
    }
    rows = workshop.rows(sets.values(), METHODS)
    figure, axes = panels(2, 2, (4.2, 3.0))
    for (i, method), (j, score) in product(enumerate(METHODS), enumerate(SCORES)):
        named = {
            f"weight {w}": [mean(rows, sets[n, w], method, score) for n in FEATURES]
            for w in WEIGHTS
        }
        words = {"title": method, "xlabel": "features", "ylabel": SCORES[score]}
        curves(axes[i, j], FEATURES, named, **words)
    axes[0, 0].legend(fontsize="small")
    name = f"synthetic-{n_classes}"
    head = ["features", "weight", *(f"{m} {s}" for m, s in product(METHODS, SCORES))]
    lines = [
        [f"{n}", f"{w}"]
        + [f"{mean(rows, sets[n, w], m, s):.4f}" for m, s in product(METHODS, SCORES)]
        for n, w in sets
    ]
    table = Table(f"Synthetic data, {n_classes} classes", head, lines)
    return workshop.save(figure, name) + workshop.write(table, name)


def mean(rows: list[Row], dataset: str, method: str, score: str) -> float:
    """Return the mean of a score over repetitions that are done."""
    found = [
        getattr(row, score)
        for row in rows
        if (row.dataset, row.method) == (dataset, method) and row.is_done
    ]
    return sum(found) / len(found) if found else float("nan")


four_classes = partial(make, n_classes=4)
twenty_classes = partial(make, n_classes=20)
