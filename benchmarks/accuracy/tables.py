"""Tables of the rows, and the page that shows them."""

import re
from collections import defaultdict

import numpy as np

from benchmarks.accuracy.classifiers import OURS
from benchmarks.accuracy.scores import NOTHING, SMALLEST
from benchmarks.accuracy.sets import MOST_TABLE_ROWS, N_ROWS, PAPER
from benchmarks.accuracy.trial import (
    DEVELOPMENT,
    LARGE,
    METHODS,
    MOST_ROWS,
    REPEATS,
    SLOW,
    SMALL,
    size_of,
)
from nearkind.experiments import score_table, statistics
from nearkind.experiments.paper import reference
from nearkind.experiments.paper.provenance import known_versions
from nearkind.experiments.result_table import ResultTable

BELOW_MAJORITY = {"connect4", "census", "spect"}
"""Printed below the share of the largest class: compared with that instead."""
SCORES = {"accuracy": "Accuracy", "log_loss": "Log loss", "brier": "Brier score"}
IS_LOSS = {"log_loss", "brier"}
ANCHORS = "logistic regression", "random forest"
USUAL = (OURS, *ANCHORS, "hist boosting", "lightgbm")
PACKAGES = (
    "nearkind", "scikit-learn", "lightgbm", "catboost", "interpret", "pytabkit", "xrfm",
    "torch",
)  # fmt: skip
SECTION = re.compile(r"(?<=<!-- tables -->\n).*?(?=<!-- end -->)", re.S)


def tables(rows):
    """Return the tables of some rows that judge: means, and scores by set."""
    rows = [row for row in rows if row.repetition < DEVELOPMENT]
    usual, with_catboost = shared(rows, USUAL), shared(rows, (*USUAL, "catboost"))
    start = first(rows)
    of_first = shared(start, (*USUAL, *SLOW))
    made = [
        overview("All repetitions", *usual),
        overview("Beside CatBoost", *with_catboost),
    ]
    if of_first[1] != with_catboost[1]:
        made.append(overview("First repetition", *of_first))
    every = usual if usual[0] else shared(rows, METHODS)
    made += [by_set(title, *every, score) for score, title in SCORES.items()]
    made += [
        by_set(f"{title} in the first repetition", start, of_first[1], score)
        for score, title in SCORES.items()
        if score != "brier" and of_first[1] != usual[1]
    ]
    made += [two_classes(*with_catboost), beside_anchors(rows), paper_sets(rows)]
    return [table for table in made if table.rows]


def first(rows):
    """Return the rows of the first repetition."""
    return [row for row in rows if row.repetition == 0]


def shared(rows, methods):
    """Return the rows of repetitions that all methods have done, and the methods.

    Methods that have done fewer than half of the sets are left out.
    """
    sets_of, by_split = defaultdict(set), defaultdict(list)
    for row in rows:
        if row.is_done:
            sets_of[row.method].add(row.dataset)
    least = max(map(len, sets_of.values()), default=0) / 2
    methods = [name for name in methods if len(sets_of[name]) >= max(least, 1)]
    for row in rows:
        if row.is_done and row.method in methods:
            by_split[row.dataset, row.repetition].append(row)
    whole = [found for found in by_split.values() if len(found) == len(methods)]
    return [row for found in whole for row in found], methods


def markdown(rows):
    """Return the tables as the page shows them."""
    made = "\n".join(table.markdown() for table in tables(rows))
    return f"{PROTOCOL}\n\n{made}\n"


def write_page(rows, path):
    """Put the tables into the page, between its marks."""
    page = path.read_text()
    if not SECTION.search(page):
        raise ValueError(f"{path.name} has no lines <!-- tables --> and <!-- end -->.")
    made = markdown(rows)
    path.write_text(SECTION.sub(lambda _: made, page))


def overview(title, rows, methods):
    """Return means over sets, and mean ranks with the distance of each from ours."""
    head = ["method"]
    for name in SCORES.values():
        head += [name, "rank", "behind"]
    head += ["no chance", "CPU s of a fit", "s to predict"]
    lines = [[name] for name in methods] if rows and len(methods) > 1 else []
    notes = []
    for score in SCORES if lines else ():
        scores = _scores(rows, methods, score)
        sign = -1.0 if score in IS_LOSS else 1.0
        ranks = statistics.ranks(sign * scores.mean)
        cells = zip(scores.mean.mean(axis=0), ranks.T, strict=True)
        for line, (mean, rank) in zip(lines, cells, strict=True):
            line += [f"{mean:.4f}", f"{rank.mean():.2f}", _behind(rank, ranks[:, 0])]
        notes.append(_friedman(SCORES[score], sign * scores.mean))
    for field, form in (
        ("zero_share", ".2%"), ("fit_cpu_seconds", ".1f"), ("predict_seconds", ".2f"),
    ) if lines else ():  # fmt: skip
        means = _scores(rows, methods, field).mean.mean(axis=0)
        for line, mean in zip(lines, means, strict=True):
            line.append(f"{mean:{form}}")
    splits = {(row.dataset, row.repetition) for row in rows}
    told = (
        f"{len({name for name, _ in splits})} sets, {len(splits)} splits that all of "
        "these methods have done; each set weighs the same. Behind: the mean rank less "
        f"that of {methods[0]}, with its standard error over sets. {' '.join(notes)} "
        f"{_versions(rows)}"
    ) if lines else ""  # fmt: skip
    return ResultTable(title, head, lines, [told])


PROTOCOL = (
    "One fifth of the rows of a split are for testing, the rest for fitting and "
    f"choosing, the same for all methods. At most {REPEATS['small']} splits of sets up "
    f"to {SMALL:,} rows, {REPEATS['medium']} up to {LARGE:,} and {REPEATS['large']} "
    f"beyond; of a set of the paper at most {MOST_ROWS:,} rows, of other tables "
    f"{MOST_TABLE_ROWS:,}. Log loss takes no probability for less than {SMALLEST:g}; "
    "no chance is the share of test rows whose true class was given less than "
    f"{NOTHING:g}. The Brier score is summed over classes, 0 to 2."
)


def _behind(rank, ours):
    difference = rank - ours
    if not difference.any():
        return ""
    error = difference.std(ddof=1) / np.sqrt(len(rank)) if len(rank) > 1 else np.nan
    return f"{difference.mean():+.2f} ± {error:.2f}"


def _friedman(title, scores):
    """Return a sentence on the tests of Friedman and Nemenyi."""
    n_sets, n_methods = scores.shape
    p_value = statistics.friedman(scores).F_p_value
    difference = statistics.critical_difference(n_sets, n_methods)
    told = f"p = {p_value:.1g}" if p_value >= 1e-9 else "p < 1e-9"
    return f"{title}: Friedman {told}, critical difference {difference:.2f} (0.05)."


def by_set(title, rows, methods, score="accuracy"):
    """Return the table of one score, sets down."""
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
    return ResultTable(title, ["set", *methods], lines)


def two_classes(rows, methods):
    """Return means of AUC and average precision over sets of two classes."""
    rows = [row for row in rows if row.auc is not None]
    rows, methods = shared(rows, methods)
    fields = {"AUC": "auc", "average precision": "average_precision"}
    lines = [[name] for name in methods] if len(methods) > 1 else []
    for field in fields.values() if lines else ():
        scores = _scores(rows, methods, field)
        ranks = statistics.ranks(scores.mean)
        cells = zip(scores.mean.mean(axis=0), ranks.T, strict=True)
        for line, (mean, rank) in zip(lines, cells, strict=True):
            line += [f"{mean:.4f}", f"{rank.mean():.2f}", _behind(rank, ranks[:, 0])]
    head = ["method", *(h for name in fields for h in (name, "rank", "behind"))]
    names = sorted({row.dataset for row in rows})
    note = f"Of the rarer class, on {len(names)} sets: {', '.join(names)}."
    return ResultTable("Two classes", head, lines, [note])


def beside_anchors(rows):
    """Return ours beside the better of logistic regression and forest, small sets."""
    small = [row for row in rows if size_of(row.dataset) == "small"]
    small, methods = shared(small, (OURS, *ANCHORS))
    lines, n_behind = [], 0
    if methods == [OURS, *ANCHORS]:
        scores = _scores(small, methods, "accuracy")
        for name, means in zip(scores.datasets, scores.mean, strict=True):
            points, error = _paired(small, name, methods[1 + int(means[1:].argmax())])
            is_behind = points < -error - 1e-9
            n_behind += is_behind
            figures = [f"{mean:.3f}" for mean in means]
            told = "yes" if is_behind else "no"
            lines.append([name, *figures, f"{points:+.1f} ± {error:.1f}", told])
    note = (
        f"Behind by more than one standard error: {n_behind} of {len(lines)}. The "
        "error is that of the mean difference over repetitions, taken as independent."
    )
    head = ["set", OURS, *ANCHORS, "points", "behind"]
    return ResultTable(f"Sets of at most {SMALL:,} rows", head, lines, [note])


def _paired(rows, dataset, other):
    """Return how many points ours is above another method, and the standard error."""
    found = defaultdict(dict)
    for row in rows:
        if row.dataset == dataset:
            found[row.repetition][row.method] = row.accuracy
    points = 100.0 * np.array([each[OURS] - each[other] for each in found.values()])
    error = points.std(ddof=1) / np.sqrt(len(points)) if len(points) > 1 else 0.0
    return points.mean(), error


def paper_sets(rows):
    """Return accuracies on the sets of the paper, with the best that it prints."""
    rows = [row for row in rows if row.dataset in PAPER]
    methods = (*USUAL, "nca one-hot", "target encoding", "hamming knn")
    rows, methods = shared(rows, methods)
    table = by_set("The paper's sets", rows, methods)
    best = printed_best(rows)
    lines = [[*line, f"{best[line[0]]:.3f}"] for line in table.rows]
    notes = []
    if OURS in methods and lines:
        scores = _scores(rows, methods, "accuracy")
        means = scores.mean.mean(axis=0)
        lines.append(["mean", *(f"{mean:.4f}" for mean in means), ""])
        ours = scores.mean[:, methods.index(OURS)]
        above = sum(ours > [best[name] for name in scores.datasets])
        notes = [
            f"{OURS} is above the printed best on {above} of {len(best)}; "
            f"{', '.join(sorted(BELOW_MAJORITY))} are printed below the largest "
            "class's share and compared with that."
        ]
    return ResultTable(table.title, [*table.head, "printed best"], lines, notes)


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


def _scores(rows, methods, score):
    names = sorted({row.dataset for row in rows}, key=lambda s: (N_ROWS[s], s))
    return score_table(rows, score, names, methods)


def _cell(mean, best):
    text = f"{mean:.3f}"
    return text + "*" if text == best else text


def _status(rows, dataset, method):
    found = [r.status for r in rows if (r.dataset, r.method) == (dataset, method)]
    return found[0].split(":")[0] if found else "not run"


def _versions(rows):
    """Return the versions of everything that was compared, in a sentence."""
    known = known_versions(rows)
    told = [f"{p} {', '.join(sorted(known[p]))}" for p in PACKAGES if p in known]
    return f"Versions: {'; '.join(told)}."
