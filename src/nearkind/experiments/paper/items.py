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
    """Return the expected seconds of one item."""
    trials = _trial_rows(reproduction)
    if name not in trials:
        return OF_A_SMALL_ITEM
    seconds = _of_trials(trials[name], reproduction)
    # A timed trial has one fit instead of one for each strength, and runs alone.
    return seconds / (len(SHARES) if name.startswith("time-") else CORES)


def _trial_rows(reproduction: Reproduction) -> dict[str, list[float]]:
    """Return the numbers of rows of all trials of each item that has trials."""
    protocol = reproduction.protocol
    n_cells = len(synthetic.READINGS) * len(protocol.features) * len(protocol.weights)
    n_draws = n_cells * len(synthetic.METHODS) * protocol.synthetic_repeats
    n_shares = len(noise.NOISY) * len(noise.EXPONENTS) * len(noise.NOISE_METHODS)
    by_classes = len(protocol.classes_timed) * len(running_time.BY_CLASSES)
    by_rows = len(running_time.TIMED)
    here = accuracies.available_sets(reproduction.largest).here
    sizes = [CATALOGUE[each].n_samples for each in here]
    most = protocol.design.rows or inf
    variant_sizes = [min(n, protocol.variant_design.rows or inf) for n in sizes]
    variant_sizes *= protocol.variant_repeats
    return {
        "synthetic-4": [1_000] * n_draws,
        "synthetic-20": [1_000] * n_draws,
        "noise": [1_000] * (n_shares * protocol.noise_repeats),
        "time-rows": [*protocol.rows_timed] * (by_rows * protocol.timed_repeats),
        "time-classes": [*running_time.rows_by_classes(protocol)]
        * (by_classes * protocol.timed_repeats),
        "triplets": [
            min(n, most)
            for n in sizes
            for _ in range(len(accuracies.METHODS) * protocol.repeats_on(n))
        ],
        "norms": variant_sizes * len(variants.EXPONENTS),
        "constraints": variant_sizes * len(variants.KINDS),
    }


def _of_trials(rows: Sequence[float], reproduction: Reproduction) -> float:
    """Return the seconds of trials of so many rows each, one after another."""
    n_strengths = len(reproduction.protocol.design.path(1.0))
    each = OF_1000_ROWS * n_strengths / len(SHARES)
    return sum(OF_A_TRIAL + each * (n / 1_000) ** 2 for n in rows)
