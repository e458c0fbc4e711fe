"""Methods by name: the same names for ``fit``, ``evaluate`` and ``compare``."""

import re
from collections.abc import Iterator
from typing import Any

import typer

SEARCH = "cv"
STRUCTURES = {
    "single": "CPML with one matrix for all classes",
    "multi": "CPML with one matrix per class",
    "diagonal": "CPML with one weight per feature",
    "full": "CPML with one matrix over features and classes",
}
"""Names of metrics that are learned, and what they are."""
TRIALS = {SEARCH: "cpml-cv", "single": "cpml-s", "multi": "cpml-m"}
"""Names of methods in results of experiments, where these differ."""
SYNONYMS = {trial: name for name, trial in TRIALS.items()}


def name_of(name: str) -> str:
    """Return the name of a method in ``fit``; other names of it are understood.

    Examples
    --------
    >>> name_of("cpml-s"), name_of("hamming")
    ('single', 'hamming')
    """
    return SYNONYMS.get(name, name)


def trial_name(name: str) -> str:
    """Return the name of a method in results of experiments.

    Examples
    --------
    >>> trial_name("single"), trial_name("cpml-s")
    ('cpml-s', 'cpml-s')
    """
    return TRIALS.get(name, name)


def names() -> list[str]:
    """Return the names of all methods."""
    from nearkind import baselines

    return [SEARCH, *STRUCTURES, *baselines.all()]


def metric_of(name: str) -> Any:
    """Return the unfitted distance of a method with its default settings."""
    from nearkind.estimators.distance_names import named_distances

    return named_distances()[name]()


def needs_classes(name: str) -> bool:
    """Return whether a method learns from classes.

    Examples
    --------
    >>> needs_classes("single"), needs_classes("dilca")
    (True, False)
    """
    return name == SEARCH or metric_of(name).__sklearn_tags__().target_tags.required


def describe() -> Iterator[tuple[str, str]]:
    """Yield the name of each method and what it is."""
    yield SEARCH, "the best of several distances, chosen by cross-validation"
    yield from STRUCTURES.items()
    for name in names()[1 + len(STRUCTURES) :]:
        first = (type(metric_of(name)).__doc__ or "").strip().splitlines()[0]
        yield name, re.sub(r":class:`(\w+)`", r"\1", first).rstrip(".")


def print_all(wanted: bool) -> None:
    """Print the methods and leave, if that is wanted."""
    if not wanted:
        return
    for name, what in describe():
        note = "" if needs_classes(name) else " (needs no classes)"
        note += " (only for fit)" if name in STRUCTURES and name not in TRIALS else ""
        typer.echo(f"{name:14}{what}{note}")
    raise typer.Exit
