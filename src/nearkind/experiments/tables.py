"""The paper's tables: class histograms, data sets, noise and accuracies."""

import warnings
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nearkind import datasets
from nearkind.baselines import Euclidean
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.sources import require_offer
from nearkind.estimators.cpml import CPML
from nearkind.experiments import printed, statistics
from nearkind.experiments.design import Design
from nearkind.experiments.figures import draw_mean_ranks
from nearkind.experiments.methods import EARLY_STOP, StrengthPath
from nearkind.experiments.reproduction import Reproduction, ResultTable
from nearkind.experiments.rows import Row
from nearkind.experiments.scores import Scores, score_table
from nearkind.experiments.sets import NUMERIC, Synthetic, load, seed_of
from nearkind.experiments.splits import split
from nearkind.metrics.spectrum import decompose
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array

SET_NOTES = {
    "monks1": "repeats the row of Voting",
    "monks2": "is Nursery without its class of two rows",
    "tic_tac_toe": "nine squares, two outcomes",
    "nursery": "a fifth class has two rows",
    "krkopt": "draw and zero to sixteen are eighteen",
    "adult": "complete rows only; counted are all rows, categorical columns",
    "census": "33 columns are nominal",
}

INFORMATIVE = 8
NOISY = (1, 4, 7, 10, 13)
EXPONENTS = (1, 2, 3)
LARGEST_PRINTED_SHARE = 0.017

METHODS = printed.METHODS
SCORES = {"triplets": "triplet_accuracy", "classification": "accuracy"}
TITLES = {"triplets": "Triplet accuracy", "classification": "Accuracy of 1-NN"}
LARGE = 4_000
"""Sets of more rows are cut to so many, for all methods."""
LARGE_DESIGN = Design(rows=LARGE)
LARGE_REPEATS = 3
"""Most repetitions on a large set."""


def histograms(reproduction: Reproduction) -> list[Path]:
    """Make the tables of the paper's example: histograms of values, and distances."""
    data = datasets.load("credit_risk", as_frame=False)
    model = Euclidean().fit(data.X, data.y)
    distances = model.pairwise_distances(data.X, squared=True)
    rows = [
        [f"person {i + 1}", *map(_fraction, line)] for i, line in enumerate(distances)
    ]
    head = ["", *(str(i + 1) for i in range(len(rows)))]
    table = ResultTable("Squared distances on class histograms", head, rows)
    written = reproduction.write_table(_histogram_table(data, model), "vdm-histograms")
    return written + reproduction.write_table(table, "vdm-distances")


def _histogram_table(data: Any, model: Euclidean) -> ResultTable:
    """Return the class histogram of each value, classes in the order of the paper."""
    book = model.codebook_
    codes, y = book.encode(data.X), np.searchsorted(model.classes_, data.y)
    vdm = VDM().fit(codes, book.n_values, y, np.ones(len(y)))
    order = ["Low", "Middle", "High"]
    columns = [model.classes_.tolist().index(name) for name in order]
    rows = [
        [name, str(value), *(_fraction(table[code, 0, c]) for c in columns)]
        for d, (name, table) in enumerate(
            zip(data.feature_names, vdm.tables, strict=True)
        )
        for code, value in enumerate(book.values(d))
    ]
    head = ["feature", "value", *order]
    return ResultTable("Class histograms of all values", head, rows)


def _fraction(x: float) -> str:
    return str(Fraction(float(x)).limit_denominator(100))


def set_sizes(reproduction: Reproduction) -> list[Path]:
    """Make the table of data sets, as counted and as printed."""
    head = ["set", "rows", "printed", "features", "printed", "classes", "printed", ""]
    rows = [_set_row(name, size) for name, size in printed.set_sizes().items()]
    table = ResultTable("Data sets, counted and printed", head, rows)
    return reproduction.write_table(table, "sets")


def _set_row(name: str, size: printed.SetSize) -> list[str]:
    entry = CATALOGUE[name]
    features = entry.n_features - len(NUMERIC.get(name, ()))
    counted = (entry.n_samples, features, entry.n_classes)
    texts = [f"{n:,}" for pair in zip(counted, size, strict=True) for n in pair]
    differs = counted != tuple(size)
    return [name, *texts, SET_NOTES.get(name, "differs" if differs else "")]


def noise(reproduction: Reproduction) -> list[Path]:
    """Make the table of the share of the metric on features that are noise."""
    head = ["noisy", *(f"{w}p = {p}" for p, w in product(EXPONENTS, ("", "printed, ")))]
    rows = [_noise_row(n_noisy, reproduction.repeats) for n_noisy in NOISY]
    notes = [
        "Tr(N^p) / Tr(M^p), N the rows and columns of noisy features of M. CPML-s with "
        f"the Schatten p-norm, {INFORMATIVE} informative features of weight 0.3, 4 "
        "classes, 1,000 rows, strength by validation; mean ± deviation over "
        f"{reproduction.repeats} draws."
    ]
    table = ResultTable("Share of the metric on noisy features", head, rows, notes)
    return reproduction.write_table(table, "noise")


def _noise_row(n_noisy: int, repeats: int) -> list[str]:
    texts = [str(n_noisy)]
    for p in EXPONENTS:
        found = [fitted_noise_share(n_noisy, p, r) for r in range(repeats)]
        deviation = np.std(found, ddof=1) if repeats > 1 else 0.0
        ours = printed.MeanAndDeviation(float(np.mean(found)), float(deviation))
        texts += [str(ours), str(printed.noise()[n_noisy, p])]
    return texts


def fitted_noise_share(n_noisy: int, p: float, repetition: int) -> float:
    """Return the share in one draw, at the strength that validation selects."""
    name = Synthetic(n_features=INFORMATIVE, n_noisy=n_noisy).name
    method = StrengthPath(partial(CPML, p=p, warm_start=True, **EARLY_STOP))
    seed = seed_of(name, repetition)
    parts = split(load(name, seed), seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # at some strengths nothing is learned
        model = method.select(parts, seed, Design()).distance.model
    return noise_share(model.metric_[0], p)


def noise_share(M: Array, p: float) -> float:
    """Return Tr(N^p) / Tr(M^p), N the rows and columns of noisy features of M."""
    whole, part = (
        decompose(each[None]).positive().values ** p
        for each in (M, M[INFORMATIVE:, INFORMATIVE:])
    )
    return float(part.sum() / whole.sum()) if whole.any() else 0.0


class PaperSets(NamedTuple):
    """The names of the paper's sets.

    Attributes
    ----------
    small, large : list of str
        Sets to run; the large ones are cut.
    absent : list of str
        Sets that are not on this machine.
    left_out : list of str
        Sets of more rows than wanted.
    """

    small: list[str]
    large: list[str]
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
    rows = reproduction.rows(sets.small, METHODS)
    rows += reproduction.rows(sets.large, METHODS, LARGE_DESIGN, LARGE_REPEATS)
    rows = [row._replace(design="") for row in rows]  # one table for both designs
    scores = score_table(rows, SCORES[kind], sets.small + sets.large, METHODS)
    written = reproduction.write_table(_accuracy_table(kind, scores, rows, sets), kind)
    whole = scores.complete()
    if len(whole.datasets) < 2:
        return written
    written += reproduction.write_table(rank_table(kind, whole), f"{kind}-ranks")
    figure = draw_mean_ranks(whole.methods, whole.mean)
    return written + reproduction.write_figure(figure, f"{kind}-ranks")


def available_sets(largest: int | None = None) -> PaperSets:
    """Return the paper's sets by size and by whether they are on this machine."""
    sets = PaperSets([], [], [], [])
    for name in sorted(printed.set_sizes()):
        n_rows = CATALOGUE[name].n_samples
        if require_offer(name).where == "not here":
            sets.absent.append(name)
        elif largest is not None and n_rows > largest:
            sets.left_out.append(name)
        else:
            (sets.large if n_rows > LARGE else sets.small).append(name)
    return sets


def _accuracy_table(
    kind: str, scores: Scores, rows: Sequence[Row], sets: PaperSets
) -> ResultTable:
    paper = printed.accuracies(kind)
    lines = []
    for i, name in enumerate(scores.datasets):
        ours = [_accuracy_text(scores, i, j, rows) for j in range(len(scores.methods))]
        theirs = [f"{paper[name, method].mean:.3f}" for method in scores.methods]
        lines += [[name, "ours", *ours], ["", "printed", *theirs]]
    notes = ["Mean ± deviation; the best of ours is marked *."]
    if sets.large:
        notes += [
            f"Cut to {LARGE:,} rows, for all methods: {', '.join(sets.large)}.",
            f"These in {LARGE_REPEATS} repetitions at most.",
        ]
    notes += _subsampling_notes(rows)
    if sets.absent:
        notes.append(f"Not here, so not run: {', '.join(sets.absent)}.")
    if sets.left_out:
        notes.append(f"Left out as too large: {', '.join(sets.left_out)}.")
    return ResultTable(TITLES[kind], ["set", "", *scores.methods], lines, notes)


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
    if np.isnan(mean):
        key = scores.datasets[i], scores.methods[j]
        mine = [row for row in rows if (row.dataset, row.method) == key]
        reasons = ["no triplets" if row.is_done else row.status for row in mine]
        return reasons[0] if reasons else "not run"
    best = "*" if mean >= np.nanmax(scores.mean[i]) - 5e-4 else ""
    return f"{mean:.3f} ± {scores.deviation[i, j]:.3f}{best}"


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
