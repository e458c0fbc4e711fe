"""The two tables of accuracies over the paper's 23 sets, ours beside the printed."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nearkind.datasets import obtaining
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments import Row, Scores, score_table, statistics
from nearkind.experiments.paper import printed
from nearkind.experiments.paper.critical_difference import draw_differences
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import CUT, LARGE, MOST_OF_LARGE, Workshop

METHODS = printed.METHODS
SCORES = {"triplets": "triplet_accuracy", "classification": "accuracy"}
TITLES = {"triplets": "Triplet accuracy", "classification": "Accuracy of 1-NN"}


class Sets(NamedTuple):
    """The paper's sets: to be run (two sizes), not at hand, left out as too large."""

    small: list[str]
    large: list[str]
    absent: list[str]
    left_out: list[str]


def make(workshop: Workshop, kind: str) -> list[Path]:
    """Run what is missing, and write table, ranks and their figure."""
    sets, rows = run(workshop)
    scores = score_table(rows, SCORES[kind], sets.small + sets.large, METHODS)
    written = workshop.write(_table(kind, scores, rows, sets), kind)
    whole = scores.complete()
    if len(whole.datasets) < 2:
        return written
    written += workshop.write(ranks_table(kind, whole), f"{kind}-ranks")
    figure = draw_differences(whole.methods, whole.mean)
    return written + workshop.save(figure, f"{kind}-ranks")


def run(workshop: Workshop) -> tuple[Sets, list[Row]]:
    """Return the rows of all sets at hand, of one design as far as tables care."""
    sets = at_hand(workshop.largest)
    rows = workshop.rows(sets.small, METHODS)
    rows += workshop.rows(sets.large, METHODS, CUT)
    return sets, [row._replace(design="") for row in rows]


def at_hand(largest: int | None = None) -> Sets:
    """Sort the paper's sets by what can be had without the network, and by size."""
    parts = Sets([], [], [], [])
    for name in sorted(printed.sets()):
        n_rows = CATALOGUE[name].n_samples
        if obtaining.offered(name).where == "not here":
            parts.absent.append(name)
        elif largest is not None and n_rows > largest:
            parts.left_out.append(name)
        else:
            (parts.large if n_rows > LARGE else parts.small).append(name)
    return parts


def _table(kind: str, scores: Scores, rows: Sequence[Row], sets: Sets) -> Table:
    paper = printed.accuracies(kind)
    lines = []
    for i, name in enumerate(scores.datasets):
        ours = [_cell(scores, i, j, rows) for j in range(len(scores.methods))]
        theirs = [f"{paper[name, method].mean:.3f}" for method in scores.methods]
        lines += [[name, "ours", *ours], ["", "printed", *theirs]]
    notes = ["Mean ± deviation; the best of ours is marked *."]
    if sets.large:
        cut = f"Cut to {CUT.rows:,} rows, for all methods: {', '.join(sets.large)}."
        notes += [cut, f"These in {MOST_OF_LARGE} repetitions at most."]
    notes += _learned_from_some(rows)
    if sets.absent:
        notes.append(f"Not here, so not run: {', '.join(sets.absent)}.")
    if sets.left_out:
        notes.append(f"Left out as too large: {', '.join(sets.left_out)}.")
    return Table(TITLES[kind], ["set", "", *scores.methods], lines, notes)


def _learned_from_some(rows: Sequence[Row]) -> list[str]:
    """Say which methods learned from some of the training rows only."""
    cut = {
        row.method: row.n_training_used
        for row in rows
        if row.n_training_used is not None
        and row.n_train is not None
        and row.n_training_used < row.n_train
    }
    return [
        f"{method} learns from at most {most:,} training rows; all of them vote."
        for method, most in sorted(cut.items())
    ]


def _cell(scores: Scores, i: int, j: int, rows: Sequence[Row]) -> str:
    mean = scores.mean[i, j]
    if np.isnan(mean):
        return _why(rows, scores.datasets[i], scores.methods[j])
    best = "*" if mean >= np.nanmax(scores.mean[i]) - 5e-4 else ""
    return f"{mean:.3f} ± {scores.deviation[i, j]:.3f}{best}"


def _why(rows: Sequence[Row], dataset: str, method: str) -> str:
    """Say why a cell is empty."""
    reasons = [
        row.status if row.is_done is False else "no triplets"
        for row in rows
        if (row.dataset, row.method) == (dataset, method)
    ]
    return reasons[0] if reasons else "not run"


def ranks_table(kind: str, scores: Scores) -> Table:
    """Return mean ranks, and every pair of methods compared."""
    means = statistics.mean_ranks(scores.mean)
    n_sets, n_methods = scores.mean.shape
    test = statistics.friedman(scores.mean)
    apart = statistics.critical_difference(n_sets, n_methods)
    order = np.argsort(means, kind="stable")
    lines = [[scores.methods[j], f"{means[j]:.2f}", "", ""] for j in order]
    for pair in statistics.pairs(scores.mean):
        names = f"{scores.methods[pair.a]} against {scores.methods[pair.b]}"
        counts = f"{pair.wins} / {pair.ties} / {pair.losses}"
        lines.append([names, "", counts, f"{pair.adjusted:.3g}"])
    notes = [
        f"{n_sets} sets. Friedman: chi2 = {test.chi2:.2f}, p = {test.p_value:.2g}. "
        f"Iman and Davenport: F = {test.F:.2f}, p = {test.F_p_value:.2g}.",
        f"Nemenyi: mean ranks differ beyond {apart:.2f} at 5 %. Pairs: Wilcoxon, "
        "adjusted by Holm.",
    ]
    head = ["method", "mean rank", "wins / ties / losses", "p"]
    return Table(f"{TITLES[kind]}: ranks", head, lines, notes)


triplets = partial(make, kind="triplets")
classification = partial(make, kind="classification")
