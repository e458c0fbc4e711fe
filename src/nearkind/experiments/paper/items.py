"""Every table and figure of the paper, by name, and how long it is expected to take."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import NamedTuple

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.errors import did_you_mean
from nearkind.experiments.design import SHARES
from nearkind.experiments.paper import (
    accuracies,
    claims,
    figures,
    noise,
    running_time,
    small_tables,
    synthetic,
    variants,
)
from nearkind.experiments.paper.reproduction import Reproduction

HOURS = 2 * 3600.0
"""What is expected to take longer is started only on request."""
CORES = 2
OF_A_SMALL_ITEM = 2.0
OF_A_TRIAL = 0.4
"""Seconds to start a process and to read a set."""
OF_1000_ROWS = 3.0
"""Seconds of one trial of 1,000 rows with five strengths, on one core."""
SAME_TRIALS = {"classification": "triplets"}
"""Items made from the trials of another one."""


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
    "vdm": Item("the worked example of class histograms", small_tables.histograms),
    "sets": Item("the table of data sets, counted", small_tables.set_sizes),
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


def expected_seconds(names: Iterable[str], reproduction: Reproduction) -> float:
    """Return the seconds that items take on two cores, if nothing is done yet.

    The time of a trial is taken to grow with the square of its rows, as the number of
    distances does, and with the number of strengths.

    Examples
    --------
    >>> from pathlib import Path
    >>> quick = Reproduction(Path("somewhere"))
    >>> both = expected_seconds(["triplets", "classification"], quick)
    >>> both == expected_seconds(["triplets"], quick)
    True
    """
    different = {SAME_TRIALS.get(name, name) for name in names}
    return sum(_seconds(name, reproduction) for name in different)


def in_words(seconds: float) -> str:
    """Return a duration as people say it.

    Examples
    --------
    >>> in_words(2.0), in_words(600.0), in_words(7200.0), in_words(1e6)
    ('seconds', '10 minutes', '2 hours', '12 days')
    """
    for unit, length in (("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= length:
            count = round(seconds / length)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "seconds"


def _seconds(name: str, reproduction: Reproduction) -> float:
    protocol = reproduction.protocol
    cells = len(synthetic.READINGS) * len(protocol.features) * len(protocol.weights)
    shares = len(noise.NOISY) * len(noise.EXPONENTS) * len(noise.NOISE_METHODS)
    n_curves = cells * len(synthetic.METHODS) * protocol.synthetic_repeats
    draws = {
        "synthetic-4": n_curves,
        "synthetic-20": n_curves,
        "noise": shares * protocol.noise_repeats,
    }
    if name in draws:
        return _of_trials([1_000] * draws[name], reproduction) / CORES
    timed = {
        "time-rows": list(protocol.rows_timed) * len(running_time.TIMED),
        "time-classes": running_time.rows_by_classes(protocol)
        * (len(protocol.classes_timed) * len(running_time.BY_CLASSES)),
    }
    if name in timed:  # one fit instead of one for each strength, and one at a time
        whole = _of_trials(timed[name] * protocol.timed_repeats, reproduction)
        return whole / len(SHARES)
    here = accuracies.available_sets(reproduction.largest).here
    sizes = [CATALOGUE[each].n_samples for each in here]
    if name == "triplets":
        whole = protocol.design.rows or inf
        counts = [len(accuracies.METHODS) * protocol.repeats_on(n) for n in sizes]
        return _of_sets(sizes, counts, whole, reproduction)
    tries = {"norms": len(variants.EXPONENTS), "constraints": len(variants.KINDS)}
    if name in tries:
        whole = protocol.variant_design.rows or inf
        counts = [tries[name] * protocol.variant_repeats] * len(sizes)
        return _of_sets(sizes, counts, whole, reproduction)
    return OF_A_SMALL_ITEM


def _of_sets(
    sizes: Sequence[int], counts: Sequence[int], cut: float, reproduction: Reproduction
) -> float:
    """Return the seconds of so many trials on each set, several at once."""
    both = zip(sizes, counts, strict=True)
    rows = [min(size, cut) for size, count in both for _ in range(count)]
    return _of_trials(rows, reproduction) / CORES


def _of_trials(rows: Sequence[float], reproduction: Reproduction) -> float:
    """Return the seconds of trials of so many rows each, one after another."""
    n_strengths = len(reproduction.protocol.design.path(1.0))
    each = OF_1000_ROWS * n_strengths / len(SHARES)
    return sum(OF_A_TRIAL + each * (n / 1_000) ** 2 for n in rows)
