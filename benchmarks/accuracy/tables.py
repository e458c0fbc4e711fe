"""Tables of the rows, and the page that shows them."""

import re
from collections import Counter

import numpy as np

from benchmarks.accuracy.classifiers import OURS
from benchmarks.accuracy.scores import NOTHING, SMALLEST
from benchmarks.accuracy.trial import (
    LARGE,
    METHODS,
    MOST_ROWS,
    REPEATS,
    SMALL,
    size_of,
)
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments import score_table, statistics
from nearkind.experiments.paper import reference
from nearkind.experiments.paper.provenance import known_versions
from nearkind.experiments.result_table import ResultTable

BELOW_MAJORITY = {"connect4", "census", "spect"}
"""Printed below the share of the largest class: compared with that instead."""
SCORES = {"accuracy": "Accuracy", "log_loss": "Log loss", "brier": "Brier score"}
IS_LOSS = {"log_loss", "brier"}
ANCHORS = "logistic regression", "random forest"
HALF_A_POINT = 0.005
SECTION = re.compile(r"(?<=<!-- tables -->\n).*?(?=<!-- end -->)", re.S)


def tables(rows):
    """Return the tables of some rows: means, a table for each score, small sets."""
    every, rows = list(rows), repeated(rows)
    names = {row.method for row in rows}
    seldom = {row.method for row in every} - names
    methods = [name for name in METHODS if name in names]
    made = [means(rows, methods)]
    made += [by_set(rows, methods, score) for score in SCORES]
    if {OURS, *ANCHORS} <= names:
        made.append(beside_anchors(rows))
    if seldom:
        made.append(first_repetition(every, seldom))
    return made


def repeated(rows):
    """Return the rows of methods that were repeated about as often as any other."""
    counts = Counter(row.method for row in rows)
    least = max(counts.values(), default=0) / 2
    return [row for row in rows if counts[row.method] >= least]


def markdown(rows):
    """Return the tables as the page shows them."""
    return "\n".join(table.markdown() for table in tables(rows)) + "\n"


def write_page(rows, path):
    """Put the tables into the page, between its marks."""
    page = path.read_text()
    if not SECTION.search(page):
        raise ValueError(f"{path.name} has no lines <!-- tables --> and <!-- end -->.")
    made = markdown(rows)
    path.write_text(SECTION.sub(lambda _: made, page))


def mean(rows, methods, score):
    """Return the mean of a score over the sets that all methods have done."""
    return _scores(rows, methods, score).complete().mean.mean(axis=0)


def rank(rows, methods, score):
    """Return the mean rank by a score over the sets that all methods have done."""
    sign = -1.0 if score in IS_LOSS else 1.0
    return statistics.mean_ranks(sign * _scores(rows, methods, score).complete().mean)


COLUMNS = {
    "accuracy": (mean, "accuracy", ".4f"),
    "rank": (rank, "accuracy", ".2f"),
    "balanced": (mean, "balanced_accuracy", ".4f"),
    "log loss": (mean, "log_loss", ".3f"),
    "log loss rank": (rank, "log_loss", ".2f"),
    "Brier": (mean, "brier", ".4f"),
    "Brier rank": (rank, "brier", ".2f"),
    "no chance": (mean, "zero_share", ".2%"),
    "fit s": (mean, "fit_seconds", ".1f"),
    "of CPU": (mean, "fit_cpu_seconds", ".1f"),
    "predict s": (mean, "predict_seconds", ".2f"),
}
"""Columns of the table of means: over sets of what, and how it is written."""
LAST_LINES = {
    "mean": (mean, "accuracy", ".4f"),
    "rank": (rank, "accuracy", ".2f"),
    "log loss": (mean, "log_loss", ".3f"),
    "CPU s of a fit": (mean, "fit_cpu_seconds", ".0f"),
}
"""Lines below the table of the first repetition."""


def summary(rows, methods, columns):
    """Return the name of each column and its text for each method."""
    return [
        [name, *(f"{value:{form}}" for value in of(rows, methods, score))]
        for name, (of, score, form) in columns.items()
    ]


def means(rows, methods):
    """Return means over the sets that all methods have done."""
    head, *lines = zip(["", *methods], *summary(rows, methods, COLUMNS), strict=True)
    scores = _scores(rows, methods, "accuracy")
    notes = [
        f"Means over the {len(scores.complete().datasets)} sets that all methods have "
        "done, each the mean of its repetitions. Balanced accuracy is the mean over "
        "classes. Log loss takes no probability for less than "
        f"{SMALLEST:g}; no chance is the share of test rows whose true class was given "
        f"less than {NOTHING:g}. The Brier score is summed over classes, 0 to 2. "
        "Seconds by the clock, of CPU in a fit, and by the clock for the probabilities "
        "of all test rows.",
        "One fifth of the rows for testing, the same for all; the rest for fitting and "
        f"choosing. {REPEATS['small']} repetitions up to {SMALL:,} rows, "
        f"{REPEATS['medium']} up to {LARGE:,}, {REPEATS['large']} beyond, there of at "
        f"most {MOST_ROWS:,} rows. Columns of numbers are kept. {_versions(rows)}",
    ]
    if uneven := _uneven(scores):
        notes.append(f"Not all repetitions are done: {'; '.join(uneven)}.")
    return ResultTable("Means", head, lines, notes)


def by_set(rows, methods, score):
    """Return the table of one score, sets down; of accuracy with the printed best."""
    scores = _scores(rows, methods, score)
    best_of = np.nanmin if score in IS_LOSS else np.nanmax
    lines = []
    for name, means in zip(scores.datasets, scores.mean, strict=True):
        best = f"{best_of(means):.3f}" if np.isfinite(means).any() else ""
        cells = [
            _cell(mean, best) if np.isfinite(mean) else _status(rows, name, method)
            for mean, method in zip(means, methods, strict=True)
        ]
        lines.append([name, *cells])
    head, notes = ["set", *methods], []
    if score == "accuracy":
        best = printed_best(rows)
        for line in lines:
            line.append(f"{best[line[0]]:.3f}")
        head.append("printed best")
        if OURS in methods:
            ours = scores.mean[:, methods.index(OURS)]
            above = sum(ours > [best[name] for name in scores.datasets])
            notes = [
                f"{OURS} is above the printed best on {above} of {len(best)}; "
                f"{', '.join(sorted(BELOW_MAJORITY))} are printed below the largest "
                "class's share and compared with that."
            ]
    return ResultTable(SCORES[score], head, lines, notes)


def printed_best(rows):
    """Return the best printed accuracy of each set of the rows."""
    majority = score_table(rows, "majority_share")
    paper = reference.accuracies("classification")
    best = {}
    for name, shares in zip(majority.datasets, majority.mean, strict=True):
        figures = [
            figure.mean for (dataset, _), figure in paper.items() if dataset == name
        ]
        best[name] = np.nanmean(shares) if name in BELOW_MAJORITY else max(figures)
    return best


def beside_anchors(rows):
    """Return ours beside the better of logistic regression and forest, small sets."""
    small = [row for row in rows if size_of(row.dataset) == "small"]
    scores = _scores(small, [OURS, *ANCHORS], "accuracy").complete()
    lines = []
    for name, (ours, *anchors) in zip(scores.datasets, scores.mean, strict=True):
        points = 100.0 * (ours - max(anchors))
        is_within = points >= -100.0 * HALF_A_POINT - 1e-9
        figures = [f"{mean:.3f}" for mean in (ours, *anchors)]
        lines.append([name, *figures, f"{points:+.1f}", "yes" if is_within else "no"])
    n_within = sum(line[-1] == "yes" for line in lines)
    note = (
        f"Within half a point of the better one, or above: {n_within} of {len(lines)}."
    )
    head = ["set", OURS, *ANCHORS, "points", "within half a point"]
    return ResultTable(f"Sets of at most {SMALL:,} rows", head, lines, [note])


def first_repetition(rows, seldom):
    """Return accuracies in the first repetition alone, all that some methods have."""
    shown = {OURS, ANCHORS[1], "lightgbm", *seldom}
    methods = [name for name in METHODS if name in shown]
    first = [row for row in rows if row.repetition == 0 and row.method in methods]
    lines = [line[:-1] for line in by_set(first, methods, "accuracy").rows]
    lines += summary(first, methods, LAST_LINES)
    scores = _scores(first, methods, "accuracy").complete()
    note = (
        f"The last lines are of the {len(scores.datasets)} sets that all have done. "
        "One split a set is little: a difference of one set says nothing."
    )
    return ResultTable("First repetition", ["set", *methods], lines, [note])


def _scores(rows, methods, score):
    names = sorted(
        {row.dataset for row in rows}, key=lambda s: (CATALOGUE[s].n_samples, s)
    )
    return score_table(rows, score, names, methods)


def _cell(mean, best):
    text = f"{mean:.3f}"
    return text + "*" if text == best else text


def _status(rows, dataset, method):
    found = [r.status for r in rows if (r.dataset, r.method) == (dataset, method)]
    return found[0].split(":")[0] if found else "not run"


def _uneven(scores):
    """Return the sets whose methods have not equally many repetitions."""
    wanted = [REPEATS[size_of(name)] for name in scores.datasets]
    return [
        f"{name} {counts.min()} to {counts.max()} of {n}"
        for name, counts, n in zip(
            scores.datasets, scores.n_repetitions, wanted, strict=True
        )
        if counts.min() < n
    ]


def _versions(rows):
    """Return the versions of everything that was compared, in a sentence."""
    packages = ("nearkind", "scikit-learn", "lightgbm", "catboost", "xrfm", "torch")
    known = known_versions(rows)
    told = [f"{p} {', '.join(sorted(known[p]))}" for p in packages if p in known]
    return f"Versions: {'; '.join(told)}."
