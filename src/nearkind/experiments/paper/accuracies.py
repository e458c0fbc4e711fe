"""The paper's tables of accuracies over 23 sets, with ranks and pairs of methods."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.sources import require_offer
from nearkind.experiments import statistics
from nearkind.experiments.paper import reference
from nearkind.experiments.paper.figures import draw_mean_ranks
from nearkind.experiments.paper.provenance import is_converged, provenance
from nearkind.experiments.paper.reproduction import Reproduction, TrialGroup
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.rows import Row
from nearkind.experiments.scores import Scores, mean_text, score_table
from nearkind.experiments.sets import BuiltIn

METHODS = reference.METHODS
SCORES = {"triplets": "triplet_accuracy", "classification": "accuracy"}
TITLES = {"triplets": "Triplet accuracy", "classification": "Accuracy of 1-NN"}
CRITERION = (
    "All settings, for triplets too, are those with the best 1-NN accuracy on the "
    "validation rows."
)


class PaperSets(NamedTuple):
    """The names of the paper's sets.

    Attributes
    ----------
    here : list of str
        Sets to run.
    absent : list of str
        Sets that are not on this machine.
    left_out : list of str
        Sets of more rows than wanted.
    """

    here: list[str]
    absent: list[str]
    left_out: list[str]


def accuracies(reproduction: Reproduction, kind: str) -> list[Path]:
    """Make the table of accuracies over 23 sets, of mean ranks, and their figure.

    Parameters
    ----------
    reproduction : Reproduction
        Settings and output folder.
    kind : {"triplets", "classification"}
        Which accuracy.
    """
    sets = available_sets(reproduction.largest)
    rows = reproduction.rows(trials(reproduction))
    scores = score_table(rows, SCORES[kind], sets.here, METHODS)
    table = _accuracy_table(kind, scores, rows, sets, reproduction)
    written = reproduction.write(kind, table)
    whole = scores.complete()
    if len(whole.datasets) < 2:
        return written
    ranks = rank_table(kind, whole), draw_mean_ranks(whole.methods, whole.mean)
    return written + reproduction.write(f"{kind}-ranks", *ranks)


def trials(reproduction: Reproduction) -> list[TrialGroup]:
    """Return the trials on all sets, each repeated as often as the protocol has it."""
    protocol = reproduction.protocol
    by_repeats: dict[int, list[BuiltIn]] = {}
    for dataset in map(BuiltIn, available_sets(reproduction.largest).here):
        repeats = protocol.repeats_on(dataset.n_samples)
        by_repeats.setdefault(repeats, []).append(dataset)
    return [
        TrialGroup(sets, METHODS, repeats, protocol.design)
        for repeats, sets in by_repeats.items()
    ]


def available_sets(largest: int | None = None) -> PaperSets:
    """Return the paper's sets by size and by whether they are on this machine."""
    sets = PaperSets([], [], [])
    for name in sorted(reference.set_sizes()):
        n_rows = CATALOGUE[name].n_samples
        if require_offer(name).where == "not here":
            sets.absent.append(name)
        elif largest is not None and n_rows > largest:
            sets.left_out.append(name)
        else:
            sets.here.append(name)
    return sets


def _accuracy_table(
    kind: str,
    scores: Scores,
    rows: Sequence[Row],
    sets: PaperSets,
    reproduction: Reproduction,
) -> ResultTable:
    paper = reference.accuracies(kind)
    lines = []
    for i, name in enumerate(scores.datasets):
        ours = [_accuracy_text(scores, i, j, rows) for j in range(len(scores.methods))]
        theirs = [f"{paper[name, method].mean:.3f}" for method in scores.methods]
        lines += [[name, "ours", *ours], ["", "printed", *theirs]]
    notes = [
        "Mean ± deviation; the best of ours is marked *. A cell marked ! has "
        f"repetitions whose chosen fit did not reach the tolerance. {CRITERION}",
        *_size_notes(scores, reproduction),
        *_subsampling_notes(rows),
    ]
    if sets.absent:
        notes.append(f"Not here, so not run: {', '.join(sets.absent)}.")
    if sets.left_out:
        notes.append(f"Left out as too large: {', '.join(sets.left_out)}.")
    notes.append(provenance(rows))
    return ResultTable(TITLES[kind], ["set", "", *scores.methods], lines, notes)


def _size_notes(scores: Scores, reproduction: Reproduction) -> list[str]:
    """Return notes on sets that are cut, and on the repetitions of each set."""
    notes = []
    most = reproduction.protocol.design.rows
    cut = [n for n in scores.datasets if most and CATALOGUE[n].n_samples > most]
    if cut:
        notes.append(f"Cut to {most:,} rows, for all methods: {', '.join(cut)}.")
    counts: dict[int, list[str]] = {}
    for name, done in zip(scores.datasets, scores.n_repetitions, strict=True):
        counts.setdefault(int(done.max()), []).append(name)
    each = (f"{count}: {', '.join(names)}" for count, names in sorted(counts.items()))
    return [*notes, f"Repetitions of each set: {'; '.join(each)}."]


def _subsampling_notes(rows: Sequence[Row]) -> list[str]:
    """Return a note on each method that learns from some of the training rows only."""
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


def _accuracy_text(scores: Scores, i: int, j: int, rows: Sequence[Row]) -> str:
    """Return mean and deviation, or the reason why there is none."""
    mean = scores.mean[i, j]
    key = scores.datasets[i], scores.methods[j]
    mine = [row for row in rows if (row.dataset, row.method) == key]
    if np.isnan(mean):
        reasons = ["no triplets" if row.is_done else row.status for row in mine]
        return reasons[0] if reasons else "not run"
    best = "*" if mean >= np.nanmax(scores.mean[i]) - 5e-4 else ""
    early = "" if all(map(is_converged, mine)) else "!"
    n_repetitions = int(scores.n_repetitions[i, j])
    text = mean_text(mean, scores.deviation[i, j], n_repetitions)
    return f"{text}{early}{best}"


def rank_table(kind: str, scores: Scores) -> ResultTable:
    """Return the table of mean ranks, and of every pair of methods compared."""
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
    return ResultTable(f"{TITLES[kind]}: ranks", head, lines, notes)
