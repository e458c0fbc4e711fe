"""The claims of the paper, judged by the tables that were made here.

Each claim has a criterion and a number that says how large the effect is. Criteria were
fixed before the fits were run to their tolerance; earlier tables were known by then.
"""

import csv
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from scipy import stats

from nearkind.experiments.paper.reproduction import Reproduction
from nearkind.experiments.paper.synthetic import chances
from nearkind.experiments.result_table import ResultTable
from nearkind.protocols import Array

LARGEST_PRINTED_SHARE = 0.017
MIN_CORRELATION = 0.5
ALIKE = 0.01
STABLE = 0.02
MOST_DEGRADED = 0.1
SAME_TIME = 1.5
SOME_FEATURES = "10", "11", "12", "13", "14", "15"
OURS = "cpml-s", "cpml-m"


class Verdict(NamedTuple):
    """Whether a claim holds, and the numbers that decide it."""

    held: bool
    numbers: str


class TooLittleError(Exception):
    """The tables lack what a claim is about."""


@dataclass(frozen=True)
class ClaimTable:
    """A table of results as it was written.

    Parameters
    ----------
    lines : list of dict
        The text of each column, for each line.
    """

    lines: list[dict[str, str]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the table of a CSV file."""
        with path.open(encoding="utf-8") as file:
            return cls(list(csv.DictReader(file)))

    @property
    def scores(self) -> list[str]:
        """Columns of scores of CPML."""
        return [name for name in self.lines[0] if name.startswith("cpml-")]

    def distinct(self, column: str) -> list[str]:
        """Return the different texts of a column."""
        return list(dict.fromkeys(line[column] for line in self.lines))

    def where(self, column: str, *texts: str) -> Self:
        """Return the lines that have one of some texts in a column."""
        found = [line for line in self.lines if line[column] in texts]
        if not found:
            raise TooLittleError(f"the table lacks the {column} {', '.join(texts)!r}")
        return type(self)(found)

    def numbers(self, column: str) -> Array:
        """Return the number at the start of each cell, NaN where there is none."""
        return np.array([_number(line[column]) for line in self.lines])

    def mean(self, column: str) -> float:
        """Return the mean of a column."""
        return float(np.mean(self.numbers(column)))

    def table(self, columns: Sequence[str]) -> Array:
        """Return the numbers of some columns (lines, columns)."""
        return np.stack([self.numbers(column) for column in columns], axis=1)


def grows_with(column: str, within: str, table: ClaimTable) -> Verdict:
    """Check whether all scores grow with a column at each value of another."""
    parts = [table.where(within, value) for value in table.distinct(within)]
    found = {score: _correlation(parts, column, score) for score in table.scores}
    held = min(found.values()) >= MIN_CORRELATION
    return Verdict(held, f"median rank correlation: {_words(found, '+.2f')}")


def _correlation(parts: Sequence[ClaimTable], column: str, score: str) -> float:
    """Return the median rank correlation of two columns over parts of a table."""
    found = []
    for part in parts:
        x, y = part.numbers(column), part.numbers(score)
        if len(x) > 1:  # a score that stays the same does not grow
            grows = np.ptp(y) > 0.0
            found.append(stats.spearmanr(x, y).statistic if grows else 0.0)
    if not found:
        raise TooLittleError(f"the table has one value of {column!r}")
    return float(np.median(found))


def are_alike(table: ClaimTable) -> Verdict:
    """Check whether CPML-s and CPML-m are equally good."""
    words, means = [], []
    for score in ("accuracy", "triplet_accuracy", "pair_accuracy"):
        single, multi = (table.numbers(f"{name} {score}") for name in OURS)
        apart = single - multi
        mean, largest = apart.mean(), abs(apart).max()
        means.append(abs(mean))
        words.append(f"{score}: mean difference {mean:+.4f}, largest {largest:.3f}")
    return Verdict(max(means) < ALIKE, "; ".join(words))


def is_stable(table: ClaimTable) -> Verdict:
    """Check whether scores stay from 10 to 15 features on."""
    some = table.where("features", *SOME_FEATURES)
    more = [n for n in table.distinct("features") if int(n) > int(SOME_FEATURES[-1])]
    beyond = table.where("features", *(more or ["beyond 15"]))
    gains = {name: beyond.mean(name) - some.mean(name) for name in table.scores}
    few, many = (sorted(map(int, part.distinct("features"))) for part in (some, beyond))
    words = f"gain of {many} over {few} features: {_words(gains, '+.3f')}"
    return Verdict(max(gains.values()) < STABLE, words)


def satisfies_at_least_weight(n_classes: str, table: ClaimTable) -> Verdict:
    """Check whether little information is enough with 10 to 15 features."""
    least = min(table.distinct("weight"), key=float)
    some = table.where("weight", least).where("features", *SOME_FEATURES)
    bars = {
        name: (chance + 1.0) / 2.0 for name, chance in chances(int(n_classes)).items()
    }
    found = {name: (some.mean(name), bars[name.split()[1]]) for name in table.scores}
    held = all(mean >= bar for mean, bar in found.values())
    words = ", ".join(
        f"{n} {mean:.3f} of {bar:.3f}" for n, (mean, bar) in found.items()
    )
    return Verdict(held, f"at weight {least}: {words}")


def is_a_bit_degraded(few: ClaimTable, many: ClaimTable) -> Verdict:
    """Check whether many classes are somewhat harder than few."""
    losses = {score: few.mean(score) - many.mean(score) for score in few.scores}
    held = all(0.0 < loss <= MOST_DEGRADED for loss in losses.values())
    return Verdict(held, f"4 classes less 20: {_words(losses, '+.3f')}")


def noise_is_small(table: ClaimTable) -> Verdict:
    """Check whether noisy features have as small a share of the metric as printed."""
    largest = {
        f"p = {p}": table.where("p", p).numbers("cpml-s, metric").max()
        for p in table.distinct("p")
    }
    ours = table.numbers("cross-fit, smoothed, distance").max()
    return Verdict(
        max(largest.values()) <= LARGEST_PRINTED_SHARE,
        f"largest share of the metric, {_words(largest, '.1%')}; cross-fitted and "
        f"smoothed, of the distance {ours:.1%}",
    )


def is_faster(
    name: str, others: Sequence[str], table: ClaimTable, at: Sequence[str] = ()
) -> Verdict:
    """Check whether a method is faster than others at every size.

    Parameters
    ----------
    name, others : str, sequence of str
        The methods.
    table : ClaimTable
        Times.
    at : sequence of str, default=()
        Numbers of classes that count; all if there is none.
    """
    table = table.where("classes", *at) if at else table
    mine = table.numbers(name)
    ratios = {other: table.numbers(other) / mine for other in others}
    words = ", ".join(
        f"{other} {np.nanmedian(r):.2g} ({np.nanmin(r):.2g} to {np.nanmax(r):.2g})"
        for other, r in ratios.items()
    )
    held = all((r > 1.0).all() for r in ratios.values())
    return Verdict(held, f"median time over that of {name} (range): {words}")


def are_slower(names: Sequence[str], other: str, table: ClaimTable) -> Verdict:
    """Check whether methods are slower than another at most sizes and the largest."""
    ratios = {name: table.numbers(name) / table.numbers(other) for name in names}
    held = all(np.mean(r > 1.0) > 0.5 and r[-1] > 1.0 for r in ratios.values())
    words = ", ".join(
        f"{name} {' '.join(f'{x:.2g}' for x in r)}" for name, r in ratios.items()
    )
    return Verdict(held, f"time over that of {other}, size by size: {words}")


def times_depend_on_classes(
    names: Sequence[str], wanted: bool, table: ClaimTable
) -> Verdict:
    """Check whether times change with the number of classes, or not."""
    if len(table.distinct("classes")) < 2:
        raise TooLittleError("the table has one number of classes")
    times = [
        table.where("rows", size).table(names) for size in table.distinct("rows")
    ]  # (classes, methods) for each size
    ratios = [np.nanmax(each, axis=0) / np.nanmin(each, axis=0) for each in times]
    found = dict(zip(names, np.median(ratios, axis=0).tolist(), strict=True))
    held = all((ratio >= SAME_TIME) == wanted for ratio in found.values())
    words = _words(found, ".1f")
    return Verdict(held, f"longest over shortest time, median over sizes: {words}")


def is_best_on_most(table: ClaimTable) -> Verdict:
    """Check whether CPML-s or CPML-m is best on more than half of the sets."""
    ours = table.where("", "ours").lines
    best = sum(any(line[name].endswith("*") for name in OURS) for line in ours)
    return Verdict(2 * best > len(ours), f"best or tied on {best} of {len(ours)} sets")


def is_close_elsewhere(table: ClaimTable) -> Verdict:
    """Check whether CPML is near the best where it is not the best."""
    ours = table.where("", "ours")
    best = np.nanmax(ours.table(_methods(table)), axis=1)
    short = best - ours.table(OURS).max(axis=1)
    short = short[short > 5e-4]
    if not short.size:
        return Verdict(True, "best everywhere")
    return Verdict(
        bool(np.median(short) <= ALIKE),
        f"behind on {short.size} sets: median {np.median(short):.3f}, most "
        f"{short.max():.3f}",
    )


def are_better(
    names: Sequence[str], others: Sequence[str], table: ClaimTable
) -> Verdict:
    """Check whether methods have better mean ranks than others."""
    methods = _methods(table)
    scores = table.where("", "ours").table(methods)
    whole = scores[~np.isnan(scores).any(axis=1)]
    ranks = dict(zip(methods, stats.rankdata(-whole, axis=1).mean(axis=0), strict=True))
    held = max(ranks[n] for n in names) < min(ranks[n] for n in others)
    words = _words({name: ranks[name] for name in (*names, *others)}, ".2f")
    return Verdict(held, f"mean rank over {len(whole)} sets: {words}")


def none_dominates(table: ClaimTable) -> Verdict:
    """Check whether no kind is best on more than half of the sets, for either score."""
    kinds = _methods(table)
    sets = ClaimTable([x for x in table.lines if not x["set"].startswith("mean")])
    words, held = [], True
    for score in sets.distinct("score"):
        scores = sets.where("score", score).table(kinds)
        alone = (scores >= scores.max(axis=1, keepdims=True) - 5e-4).sum(axis=1) == 1
        wins = np.bincount(scores[alone].argmax(axis=1), minlength=len(kinds)).tolist()
        held &= 2 * max(wins) <= len(scores)
        counts = ", ".join(f"{kind} {n}" for kind, n in zip(kinds, wins, strict=True))
        words.append(f"{score}: alone best on {counts} of {len(scores)} sets")
    return Verdict(held, "; ".join(words))


def _methods(table: ClaimTable) -> list[str]:
    """Return the columns that are methods, in a table of sets."""
    return [name for name in table.lines[0] if name not in ("set", "score", "")]


def _words(found: Mapping[str, float], form: str) -> str:
    """Return names with their numbers."""
    return ", ".join(f"{name} {value:{form}}" for name, value in found.items())


def _number(text: str) -> float:
    try:
        return float(text.split()[0].rstrip("!*"))
    except (ValueError, IndexError):
        return float("nan")


VERDICTS = HELD, NOT_HELD, UNJUDGED = "held", "did not hold", "cannot be judged"


class Claim(NamedTuple):
    """A claim of the paper.

    Attributes
    ----------
    text : str
        What is claimed.
    criterion : str
        When it is held, here.
    sources : tuple of str
        Items whose tables decide it.
    check : callable
        From these tables to the verdict.
    reading : str or None, default=None
        Reading of the paper's generator that it is about.
    """

    text: str
    criterion: str
    sources: tuple[str, ...]
    check: Callable[..., Verdict]
    reading: str | None = None

    def judge(self, folder: Path) -> list[str]:
        """Return its line: claim, criterion, verdict, numbers."""
        paths = [folder / f"{name}.csv" for name in self.sources]
        missing = [repr(path.stem) for path in paths if not path.exists()]
        verdict, numbers = UNJUDGED, f"make {' and '.join(missing)} first"
        if not missing:
            try:
                held, numbers = self.check(*map(self._table, paths))
                verdict = HELD if held else NOT_HELD
            except TooLittleError as reason:
                numbers = str(reason)
        return [self.text, self.criterion, verdict, numbers]

    def _table(self, path: Path) -> ClaimTable:
        whole = ClaimTable.read(path)
        return whole if self.reading is None else whole.where("reading", self.reading)


def verdicts(reproduction: Reproduction) -> list[Path]:
    """Make the table of the claims and whether they held, from tables in the folder."""
    rows = [claim.judge(reproduction.folder) for claim in CLAIMS]
    counts = {word: sum(row[2] == word for row in rows) for word in VERDICTS}
    summary = ", ".join(f"{count} {word}" for word, count in counts.items())
    notes = [
        f"{summary}. The claim that results are consistent among data sets has no "
        "number, and is not judged."
    ]
    head = ["claim", "held if", "verdict", "numbers"]
    table = ResultTable("Claims of the paper", head, rows, notes)
    return reproduction.write("claims", table)


CHECKS: dict[str, Callable[..., Verdict]] = {
    check.__name__: check
    for check in (
        *(grows_with, are_alike, is_stable, satisfies_at_least_weight),
        *(is_a_bit_degraded, noise_is_small, is_faster, are_slower),
        *(times_depend_on_classes, is_best_on_most, is_close_elsewhere),
        *(are_better, none_dominates),
    )
}
LIMITS = {
    "min_correlation": MIN_CORRELATION,
    "alike": ALIKE,
    "stable": STABLE,
    "most_degraded": MOST_DEGRADED,
    "same_time": SAME_TIME,
}
"""Numbers that the texts of claims name."""


def _claims() -> Iterator[Claim]:
    """Yield the claims of ``claims.toml``."""
    folder = files("nearkind.experiments.paper")
    text = folder.joinpath("claims.toml").read_text("utf-8")
    for group in tomllib.loads(text)["group"]:
        claims = group.pop("claim")
        for values in product(*group.values()):
            known = {**LIMITS, **dict(zip(group, values, strict=True))}
            for claim in claims:
                given = [
                    each.format(**known) if isinstance(each, str) else each
                    for each in claim.get("arguments", ())
                ]
                named = claim.get("named", {})
                yield Claim(
                    claim["text"].format(**known),
                    claim["held_if"].format(**known),
                    tuple(each.format(**known) for each in claim["sources"]),
                    partial(CHECKS[claim["check"]], *given, **named),
                    known.get("reading"),
                )


CLAIMS = list(_claims())
"""What the paper says of its experiments, in its order."""
