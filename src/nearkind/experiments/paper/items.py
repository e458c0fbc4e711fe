"""Every table and figure of the paper, by name."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from nearkind.errors import did_you_mean
from nearkind.experiments.paper import (
    accuracy_tables,
    claims,
    example,
    noise_table,
    running_time,
    sets_table,
    structures_figure,
    synthetic_figures,
)
from nearkind.experiments.paper.workshop import Workshop


class Item(NamedTuple):
    """One table or figure, and who makes it."""

    title: str
    make: Callable[[Workshop], list[Path]]


ITEMS: dict[str, Item] = {
    "vdm": Item("the worked example of class histograms", example.make),
    "sets": Item("the table of data sets, counted", sets_table.make),
    "structures": Item("the figure of the four structures", structures_figure.make),
    "synthetic-4": Item(
        "synthetic data with 4 classes", synthetic_figures.four_classes
    ),
    "synthetic-20": Item(
        "synthetic data with 20 classes", synthetic_figures.twenty_classes
    ),
    "noise": Item("the share of the metric on noisy features", noise_table.make),
    "time-classes": Item("running time by classes", running_time.against_classes),
    "time-rows": Item("running time by rows", running_time.against_rows),
    "triplets": Item("triplet accuracy on 23 sets", accuracy_tables.triplets),
    "classification": Item("accuracy on 23 sets", accuracy_tables.classification),
    "claims": Item("what the paper claims, held or not", claims.make),
}


def chosen(names: Iterable[str]) -> dict[str, Item]:
    """Return the items of these names, all if there is none.

    Examples
    --------
    >>> [*chosen(["noise", "vdm"])]
    ['noise', 'vdm']
    """
    names = list(names) or list(ITEMS)
    for name in names:
        if name not in ITEMS:
            hint = did_you_mean(name, ITEMS, max_listed=50)
            raise ValueError(f"The paper has no item {name!r} here. {hint}")
    return {name: ITEMS[name] for name in names}
