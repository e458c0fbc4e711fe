"""Every table and figure of the paper, by name, and how long it is expected to take."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from nearkind.errors import did_you_mean
from nearkind.experiments.design import SHARES
from nearkind.experiments.paper import (
    accuracies,
    claims,
    figures,
    fit_time,
    noise,
    small_tables,
    synthetic,
    variants,
)
from nearkind.experiments.paper.reproduction import Reproduction, TrialGroup

HOURS = 2 * 3600.0
"""What is expected to take longer is started only on request."""
CORES = 2
OF_A_SMALL_ITEM = 2.0
OF_A_TRIAL = 0.4
"""Seconds to start a process and to read a set."""
OF_1000_ROWS = 3.0
"""Seconds of one trial of 1,000 rows with five strengths, on one core."""


def no_trials(reproduction: Reproduction) -> list[TrialGroup]:
    """Return no trials: the item is made from other tables, or from sets alone."""
    return []


class Item(NamedTuple):
    """A table or figure.

    Attributes
    ----------
    title : str
        What it shows.
    make : callable
        Makes and writes it; returns the paths.
    trials : callable, default=no_trials
        Returns the trials that it is made from.
    """

    title: str
    make: Callable[[Reproduction], list[Path]]
    trials: Callable[[Reproduction], list[TrialGroup]] = no_trials


def _synthetic(n_classes: int) -> Item:
    return Item(
        f"synthetic data with {n_classes} classes",
        partial(synthetic.synthetic, n_classes=n_classes),
        partial(synthetic.trials, n_classes=n_classes),
    )


def _accuracies(title: str, kind: str) -> Item:
    make = partial(accuracies.accuracies, kind=kind)
    return Item(f"{title} on 23 sets", make, accuracies.trials)


def _variants(name: str, by_what: str, designs: variants.Designs) -> Item:
    make = partial(variants.compare, designs=designs, name=name, by_what=by_what)
    trials = partial(variants.trials, designs=designs)
    return Item(f"accuracy by {by_what}", make, trials)


ITEMS: dict[str, Item] = {
    "vdm": Item("the worked example of class histograms", small_tables.histograms),
    "sets": Item("the table of data sets, counted", small_tables.set_sizes),
    "structures": Item("the figure of the four structures", figures.structures),
    "synthetic-4": _synthetic(4),
    "synthetic-20": _synthetic(20),
    "noise": Item("the share of noisy features", noise.noise, noise.trials),
    "time-classes": Item(
        "running time by classes", fit_time.time_by_classes, fit_time.by_classes
    ),
    "time-rows": Item("running time by rows", fit_time.time_by_rows, fit_time.by_rows),
    "triplets": _accuracies("triplet accuracy", "triplets"),
    "classification": _accuracies("accuracy", "classification"),
    "norms": _variants("norms", "the exponent of the norm", variants.exponents),
    "constraints": _variants("constraints", "the kind of constraints", variants.kinds),
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
    groups: list[TrialGroup] = []
    seconds = 0.0
    for name in names:
        mine = ITEMS[name].trials(reproduction)
        seconds += 0.0 if mine else OF_A_SMALL_ITEM
        groups += [group for group in mine if group not in groups]
    return seconds + sum(map(_seconds, groups))


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


def _seconds(group: TrialGroup) -> float:
    """Return the expected seconds of some trials."""
    n_strengths = len(group.design.path(1.0))
    each = OF_1000_ROWS * n_strengths / len(SHARES)
    seconds = sum(OF_A_TRIAL + each * (n / 1_000) ** 2 for n in group.n_rows)
    # A timed trial has one fit instead of one for each strength, and runs alone.
    return seconds / (len(SHARES) if group.is_timed else CORES)
