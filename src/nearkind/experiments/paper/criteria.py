"""Criteria by which claims on experiments are held or not, given their tables."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from nearkind.protocols import Array

LARGEST_PRINTED_SHARE = 0.017
MIN_CORRELATION = 0.5
ALIKE = 0.01
STABLE = 0.02
MOST_DEGRADED = 0.1
SAME_TIME = 1.5
Lines = list[dict[str, str]]
"""A table: a dict from column to text for each of its lines."""


class Verdict(NamedTuple):
    """Whether a claim holds, and the numbers that decide it."""

    held: bool
    numbers: str


class TooLittleError(Exception):
    """The tables lack what a claim is about."""


def grows_with(column: str, within: str, reading: str, table: Lines) -> Verdict:
    """Check whether all scores grow with a column at each value of another."""
    lines = _of_reading(table, reading)
    found = {}
    for score in _score_columns(lines):
        each = []
        for value in dict.fromkeys(line[within] for line in lines):
            part = [line for line in lines if line[within] == value]
            x = [float(line[column]) for line in part]
            y = [_number(line[score]) for line in part]
            if len(x) > 1 and np.ptp(y) > 0.0:
                each.append(float(stats.spearmanr(x, y).statistic))
        if not each:
            raise TooLittleError(f"the table has one value of {column!r}")
        found[score] = float(np.median(each))
    held = min(found.values()) >= MIN_CORRELATION
    return Verdict(held, f"median rank correlation: {_words(found, '+.2f')}")


def are_alike(reading: str, table: Lines) -> Verdict:
    """Check whether CPML-s and CPML-m are equally good."""
    lines = _of_reading(table, reading)
    words, means = [], []
    for score in ("accuracy", "triplet_accuracy"):
        single, multi = (
            np.array([_number(line[f"{m} {score}"]) for line in lines])
            for m in ("cpml-s", "cpml-m")
        )
        apart = single - multi
        mean, largest = apart.mean(), abs(apart).max()
        means.append(abs(mean))
        words.append(f"{score}: mean difference {mean:+.4f}, largest {largest:.3f}")
    return Verdict(max(means) < ALIKE, "; ".join(words))


def is_stable(reading: str, table: Lines) -> Verdict:
    """Check whether scores stay from 10 to 15 features on."""
    lines = _of_reading(table, reading)
    some = [n for n in _features(lines) if 10 <= n <= 15]
    more = [n for n in _features(lines) if n > 15]
    if not some or not more:
        raise TooLittleError("the table lacks 10 to 15 features, or more")
    gains = {
        score: _mean(lines, score, more) - _mean(lines, score, some)
        for score in _score_columns(lines)
    }
    held = max(gains.values()) < STABLE
    words = _words(gains, "+.3f")
    return Verdict(held, f"gain of {more} over {some} features: {words}")


def satisfies_at_least_weight(reading: str, n_classes: int, table: Lines) -> Verdict:
    """Check whether little information is enough with 10 to 15 features."""
    lines = _of_reading(table, reading)
    least = min(lines, key=lambda line: float(line["weight"]))["weight"]
    mine = [line for line in lines if line["weight"] == least]
    some = [n for n in _features(mine) if 10 <= n <= 15]
    if not some:
        raise TooLittleError("the table lacks 10 to 15 features")
    bars = {"accuracy": (1.0 / n_classes + 1.0) / 2.0, "triplet_accuracy": 0.75}
    found = {
        name: (_mean(mine, name, some), bars[name.split()[1]])
        for name in _score_columns(lines)
    }
    held = all(mean >= bar for mean, bar in found.values())
    words = ", ".join(
        f"{n} {mean:.3f} of {bar:.3f}" for n, (mean, bar) in found.items()
    )
    return Verdict(held, f"at weight {least}: {words}")


def is_a_bit_degraded(reading: str, few: Lines, many: Lines) -> Verdict:
    """Check whether many classes are somewhat harder than few."""
    few, many = _of_reading(few, reading), _of_reading(many, reading)
    losses = {
        score: _mean(few, score) - _mean(many, score) for score in _score_columns(few)
    }
    held = all(0.0 < loss <= MOST_DEGRADED for loss in losses.values())
    return Verdict(held, f"4 classes less 20: {_words(losses, '+.3f')}")


def noise_is_small(table: Lines) -> Verdict:
    """Check whether noisy features have as small a share of the metric as printed."""
    largest = {
        f"p = {p}": max(
            _number(line["cpml-s, metric"]) for line in table if line["p"] == p
        )
        for p in dict.fromkeys(line["p"] for line in table)
    }
    ours = max(_number(line["cross-fit, smoothed, distance"]) for line in table)
    return Verdict(
        max(largest.values()) <= LARGEST_PRINTED_SHARE,
        f"largest share of the metric, {_words(largest, '.1%')}; cross-fitted and "
        f"smoothed, of the distance {ours:.1%}",
    )


def is_faster(
    name: str, others: Sequence[str], table: Lines, at: Sequence[str] = ()
) -> Verdict:
    """Check whether a method is faster than others at every size.

    Parameters
    ----------
    name, others : str, sequence of str
        The methods.
    table : list of dict
        Times.
    at : sequence of str, default=()
        Numbers of classes that count; all if there is none.
    """
    lines = [line for line in table if not at or line["classes"] in at]
    mine = _times(lines, name)
    ratios = {other: _times(lines, other) / mine for other in others}
    words = ", ".join(
        f"{other} {np.nanmedian(r):.2g} ({np.nanmin(r):.2g} to {np.nanmax(r):.2g})"
        for other, r in ratios.items()
    )
    held = all((r > 1.0).all() for r in ratios.values())
    return Verdict(held, f"median time over that of {name} (range): {words}")


def are_slower(names: Sequence[str], other: str, table: Lines) -> Verdict:
    """Check whether methods are slower than another at most sizes and the largest."""
    ratios = {name: _times(table, name) / _times(table, other) for name in names}
    held = all(np.mean(r > 1.0) > 0.5 and r[-1] > 1.0 for r in ratios.values())
    words = ", ".join(
        f"{name} {' '.join(f'{x:.2g}' for x in r)}" for name, r in ratios.items()
    )
    return Verdict(held, f"time over that of {other}, size by size: {words}")


def times_depend_on_classes(
    names: Sequence[str], wanted: bool, table: Lines
) -> Verdict:
    """Check whether times change with the number of classes, or not."""
    classes = sorted({int(line["classes"]) for line in table})
    sizes = dict.fromkeys(line["rows"] for line in table)
    if len(classes) < 2:
        raise TooLittleError("the table has one number of classes")
    ratios = {}
    for name in names:
        each = []
        for size in sizes:
            lines = [line for line in table if line["rows"] == size]
            by_class = {int(line["classes"]): line for line in lines}
            times = _times([by_class[c] for c in classes], name)
            each.append(float(np.nanmax(times) / np.nanmin(times)))
        ratios[name] = float(np.median(each))
    held = all((ratio >= SAME_TIME) == wanted for ratio in ratios.values())
    words = _words(ratios, ".1f")
    return Verdict(held, f"longest over shortest time, median over sizes: {words}")


def is_best_on_most(table: Lines) -> Verdict:
    """Check whether CPML-s or CPML-m is best on more than half of the sets."""
    ours = [line for line in table if line[""] == "ours"]
    best = sum(
        any(line[name].endswith("*") for name in ("cpml-s", "cpml-m")) for line in ours
    )
    return Verdict(2 * best > len(ours), f"best or tied on {best} of {len(ours)} sets")


def is_close_elsewhere(table: Lines) -> Verdict:
    """Check whether CPML is near the best where it is not the best."""
    scores, names = _scores(table)
    mine = scores[:, [names.index("cpml-s"), names.index("cpml-m")]].max(axis=1)
    short = np.nanmax(scores, axis=1) - mine
    short = short[short > 5e-4]
    if not short.size:
        return Verdict(True, "best everywhere")
    held = bool(np.median(short) <= ALIKE)
    return Verdict(
        held,
        f"behind on {short.size} sets: median {np.median(short):.3f}, most "
        f"{short.max():.3f}",
    )


def are_better(names: Sequence[str], others: Sequence[str], table: Lines) -> Verdict:
    """Check whether methods have better mean ranks than others."""
    scores, methods = _scores(table)
    whole = scores[~np.isnan(scores).any(axis=1)]
    ranks = dict(zip(methods, stats.rankdata(-whole, axis=1).mean(axis=0), strict=True))
    held = max(ranks[n] for n in names) < min(ranks[n] for n in others)
    words = _words({name: ranks[name] for name in (*names, *others)}, ".2f")
    return Verdict(held, f"mean rank over {len(whole)} sets: {words}")


def none_dominates(table: Lines) -> Verdict:
    """Check whether no kind is best on more than half of the sets, for either score."""
    kinds = [name for name in table[0] if name not in ("set", "score")]
    sets = [line for line in table if not line["set"].startswith("mean")]
    words, held = [], True
    for score in dict.fromkeys(line["score"] for line in sets):
        mine = [line for line in sets if line["score"] == score]
        scores = np.array([[_number(line[kind]) for kind in kinds] for line in mine])
        alone = (scores >= scores.max(axis=1, keepdims=True) - 5e-4).sum(axis=1) == 1
        wins = np.bincount(scores[alone].argmax(axis=1), minlength=len(kinds)).tolist()
        held &= 2 * max(wins) <= len(scores)
        counts = ", ".join(f"{kind} {n}" for kind, n in zip(kinds, wins, strict=True))
        words.append(f"{score}: alone best on {counts} of {len(scores)} sets")
    return Verdict(held, "; ".join(words))


def _words(found: Mapping[str, float], form: str) -> str:
    """Return names with their numbers."""
    return ", ".join(f"{name} {value:{form}}" for name, value in found.items())


def _number(text: str) -> float:
    """Return the number at the start of a cell, NaN if there is none."""
    try:
        return float(text.split()[0].rstrip("!*"))
    except ValueError:
        return float("nan")


def _of_reading(table: Lines, reading: str) -> Lines:
    lines = [line for line in table if line["reading"] == reading]
    if not lines:
        raise TooLittleError(f"the table lacks the reading {reading!r}")
    return lines


def _features(lines: Lines) -> list[int]:
    return sorted({int(line["features"]) for line in lines})


def _score_columns(lines: Lines) -> list[str]:
    return [name for name in lines[0] if name.startswith("cpml-")]


def _mean(lines: Lines, score: str, features: Sequence[int] | None = None) -> float:
    found = [
        _number(line[score])
        for line in lines
        if features is None or int(line["features"]) in features
    ]
    return float(np.mean(found))


def _times(lines: Lines, name: str) -> Array:
    return np.array([_number(line[name]) for line in lines])


def _scores(table: Lines) -> tuple[Array, list[str]]:
    """Return our scores (sets, methods) and the methods."""
    methods = [name for name in table[0] if name not in ("set", "")]
    ours = [line for line in table if line[""] == "ours"]
    return np.array([[_number(line[m]) for m in methods] for line in ours]), methods
