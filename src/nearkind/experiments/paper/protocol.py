"""Protocols: how often and on how much data the paper's experiments are run."""

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from nearkind.experiments.design import Design

PAPER_FEATURES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25)
PAPER_WEIGHTS = (0.1, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True)
class Protocol:
    """How the paper's experiments are run.

    Parameters
    ----------
    name : str
        Its name.
    design : Design
        What is common to all trials.
    repeats : tuple of (int, int), default=((inf, 1),)
        Pairs of a number of rows and the repetitions on real sets of at most so many
        rows, in rising order; on larger sets the last pair counts.
    synthetic_repeats : int, default=1
        Draws of a synthetic set.
    noise_repeats : int, default=1
        Draws of a set with noisy features.
    timed_repeats : int, default=1
        Draws of a set whose fits are timed.
    variant_repeats : int, default=1
        Repetitions of each variant of CPML.
    variant_rows : int or None, default=None
        Cut larger sets to so many rows where variants are compared.
    features, weights : tuple of int, tuple of float
        Numbers of features and weights of the synthetic sets.
    classes_timed, rows_timed : tuple of int
        Sizes whose fits are timed.

    Examples
    --------
    >>> PROTOCOLS["long"].repeats_on(700), PROTOCOLS["long"].repeats_on(10**6)
    (10, 2)
    """

    name: str
    design: Design
    repeats: tuple[tuple[float, int], ...] = ((inf, 1),)
    synthetic_repeats: int = 1
    noise_repeats: int = 1
    timed_repeats: int = 1
    variant_repeats: int = 1
    variant_rows: int | None = None
    features: tuple[int, ...] = PAPER_FEATURES
    weights: tuple[float, ...] = PAPER_WEIGHTS
    classes_timed: tuple[int, ...] = (2, 4, 8, 12, 16, 20)
    rows_timed: tuple[int, ...] = (500, 1000, 2000, 4000)

    def repeats_on(self, n_rows: int) -> int:
        """Return the number of repetitions on a set of so many rows."""
        fitting = (count for most, count in self.repeats if n_rows <= most)
        return next(fitting, self.repeats[-1][1])

    @property
    def variant_design(self) -> Design:
        """What is common to all trials of variants, on the fewer rows of the two."""
        caps = [rows for rows in (self.design.rows, self.variant_rows) if rows]
        return replace(self.design, rows=min(caps, default=None))

    def altered(self, repeats: int | None = None, **design: Any) -> "Protocol":
        """Return it with other settings; what is None stays.

        Parameters
        ----------
        repeats : int or None, default=None
            Repetitions of every trial.
        **design
            Settings of the design.
        """
        given = {name: value for name, value in design.items() if value is not None}
        changed = replace(self, design=replace(self.design, **given))
        if repeats is None:
            return changed
        return replace(
            changed,
            repeats=((inf, repeats),),
            synthetic_repeats=repeats,
            noise_repeats=repeats,
            timed_repeats=repeats,
            variant_repeats=repeats,
        )


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "quick",
            Design(rows=500, tol=1e-2),
            variant_rows=500,
            features=(1, 3, 6, 10, 15, 25),
            weights=(0.1, 0.5, 0.9),
            classes_timed=(2, 4, 12, 20),
            rows_timed=(500, 1000, 2000),
        ),
        Protocol(
            "long",
            Design(rows=2_000),
            repeats=((700, 10), (inf, 2)),
            noise_repeats=2,
            timed_repeats=2,
            variant_rows=2_000,
            features=(1, 2, 4, 6, 8, 10, 14, 25),
        ),
        Protocol("paper", Design(strengths="paper")).altered(repeats=50),
    )
}
"""Protocols by name: everything in minutes, what docs/results has, and the paper's."""
