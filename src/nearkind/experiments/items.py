"""Every table and figure of the paper, by name."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from nearkind.errors import did_you_mean
from nearkind.experiments import (
    accuracies,
    claims,
    figures,
    noise,
    running_time,
    synthetic,
    tables,
    variants,
)
from nearkind.experiments.reproduction import Reproduction


class Item(NamedTuple):
    """A table or figure.

    Attributes
    ----------
    title : str
        What it shows.
    make : callable
        Makes and writes it; returns the paths.
    """

    title: str
    make: Callable[[Reproduction], list[Path]]


ITEMS: dict[str, Item] = {
    "vdm": Item("the worked example of class histograms", tables.histograms),
    "sets": Item("the table of data sets, counted", tables.set_sizes),
    "structures": Item("the figure of the four structures", figures.structures),
    "synthetic-4": Item(
        "synthetic data with 4 classes", partial(synthetic.synthetic, n_classes=4)
    ),
    "synthetic-20": Item(
        "synthetic data with 20 classes", partial(synthetic.synthetic, n_classes=20)
    ),
    "noise": Item("the share of noisy features", noise.noise),
    "time-classes": Item("running time by classes", running_time.time_by_classes),
    "time-rows": Item("running time by rows", running_time.time_by_rows),
    "triplets": Item(
        "triplet accuracy on 23 sets", partial(accuracies.accuracies, kind="triplets")
    ),
    "classification": Item(
        "accuracy on 23 sets", partial(accuracies.accuracies, kind="classification")
    ),
    "norms": Item("accuracy by the exponent of the norm", variants.norms),
    "constraints": Item("accuracy by the kind of constraints", variants.constraints),
    "claims": Item("what the paper claims, held or not", claims.verdicts),
}


def items_named(names: Iterable[str]) -> dict[str, Item]:
    """Return the items of these names, all if there is no name.

    Examples
    --------
    >>> [*items_named(["noise", "vdm"])]
    ['noise', 'vdm']
    """
    names = list(names) or list(ITEMS)
    for name in names:
        if name not in ITEMS:
            hint = did_you_mean(name, ITEMS, max_listed=50)
            raise ValueError(f"The paper has no item {name!r} here. {hint}")
    return {name: ITEMS[name] for name in names}
