"""How few rows classify nearly as well as all, and what that saves.

    python -m benchmarks.tasks.prototypes --output FOLDER [--page]

On every set of the paper, at most ``MOST_ROWS`` rows of each: four fifths to learn
from, one fifth to test on. ``condensed()`` may lose one point of accuracy as it
estimates; the real loss is counted on the test rows.
"""

import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.model_selection import train_test_split

import nearkind as nk
from benchmarks.harness import no_warnings
from benchmarks.tasks.results import (
    arguments,
    chosen,
    markdown,
    rows_of,
    versions,
    write_page,
)
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.estimators.classifier import classifier_of, hold
from nearkind.experiments.paper import reference
from nearkind.voting.condensation import Condensation, condensed_rows

MOST_ROWS = 5_000
N_TIMED = 7
"""Times that all rows and the prototypes predict in turn; the least counts."""
MODELS = {
    "5 votes": lambda: nk.CPMLClassifier(nk.CPML(n_jobs=1)),
    "soft votes": lambda: nk.CPMLClassifier(nk.CPML(n_jobs=1), weights="soft"),
}


def run(name, model, repetition):
    """Return what one split of one set gives."""
    data = nk.datasets.load(name)
    n = min(len(data.y), MOST_ROWS)
    drawn = np.random.default_rng(repetition).permutation(len(data.y))[:n]
    X, y = data.X.iloc[drawn], data.y.iloc[drawn]
    parts = train_test_split(X, y, test_size=0.2, random_state=repetition)
    X, X_test, y, y_test = parts
    with no_warnings():
        whole = MODELS[model]().fit(X, y)
        start = perf_counter()
        voter = whole.committee_.voters[0]
        found = Condensation(voter)
        kept = condensed_rows(found, None, 0.01)
        seconds = perf_counter() - start
        # In the last, each row counts for the rows equal to it alone.
        own = kept.take(np.arange(len(kept)), _own_counts(voter.rows, kept))
        classes, n_given = whole.classes_, whole.n_samples_fit_
        few, alone = (
            hold(classifier_of(voter, classes), voter.with_rows(some), classes, n_given)
            for some in (kept, own)
        )
        scores = [m.score(X_test, y_test) for m in (whole, few)]
        predict = _seconds(whole, few, X_test)
    return {
        "n_rows": len(voter.rows),
        "n_few": len(kept),
        "estimated": found.full_score - found.score(len(kept)),
        "accuracy": scores[0],
        "lost": scores[0] - scores[1],
        "lost_unweighted": scores[0] - alone.score(X_test, y_test),
        "size": _bytes(few) / _bytes(whole),
        "time": predict[1] / predict[0],
        "seconds": seconds,
    }


def _own_counts(whole, few):
    place = {row.tobytes(): i for i, row in enumerate(whole.codes)}
    return whole.counts[[place[row.tobytes()] for row in few.codes]]


def _bytes(model):
    with tempfile.TemporaryDirectory() as folder:
        nk.save(model, Path(folder) / "model")
        return (Path(folder) / "model").stat().st_size


def _seconds(whole, few, X):
    times = [[], []]
    for _ in range(N_TIMED):
        for model, found in zip((whole, few), times, strict=True):
            start = perf_counter()
            model.predict(X)
            found.append(perf_counter() - start)
    return [min(found) for found in times]


def page(rows):
    """Return the page of results."""
    text = (
        "# Prototypes\n\nNumber of rows that classify nearly as well as all: "
        "`CPMLClassifier().condensed()`, which may lose one point of accuracy as "
        f"estimated on training rows. At most {MOST_ROWS:,} rows of a data set, four "
        "fifths for training, one fifth for testing; mean over splits. *Kept* is the "
        "number of rows kept, *share* that of the unique rows, *unweighted* the loss "
        "if a prototype represents only the rows equal to it. *File*, the size of "
        "the model file, and *time*, that of `predict` for all test rows, are "
        "relative to the model with all rows; the last line has the median of the "
        "times. The machine was busy, so a single time is not reliable.\n"
    )
    for model in MODELS:
        of_model = [row for row in rows if row["key"][1] == model]
        names = list(dict.fromkeys(row["key"][0] for row in of_model))
        lines = []
        for name in [*names, "mean"]:
            found = [r for r in of_model if name in ("mean", r["key"][0])]

            def mean(what, found=found):
                return float(np.mean([row[what] for row in found]))

            kept = np.mean([row["n_few"] / row["n_rows"] for row in found])
            lost = [
                f"{100 * mean(what):.1f}"
                for what in ("estimated", "lost", "lost_unweighted")
            ]
            lines.append(
                [
                    name,
                    f"{mean('n_rows'):,.0f}",
                    f"{mean('n_few'):,.0f}",
                    f"{100 * kept:.1f} %",
                    f"{100 * mean('accuracy'):.1f}",
                    *lost,
                    f"{mean('size'):.2f}",
                    f"{np.median([row['time'] for row in found]):.2f}",
                ]
            )
        head = [
            "set", "rows", "kept", "share", "accuracy of all", "points lost: estimated",
            "on test rows", "unweighted", "file", "time",
        ]  # fmt: skip
        text += f"\n## {model.capitalize()}\n\n" + markdown(head, lines)
    repeats = 1 + max(row["key"][2] for row in rows)
    sets = chosen(rows, len(reference.set_sizes()))
    used = versions("nearkind", "numpy", "scikit-learn")
    return text + (
        f"\n`python -m benchmarks.tasks.prototypes --output FOLDER --repeats {repeats} "
        f"--page{sets}`; seeds of the splits 0 to {repeats - 1}. {used}\n"
    )


def _n_rows(name):
    return CATALOGUE[name].n_samples


def main():
    """Run what the folder lacks, and write the page."""
    given = arguments(__doc__, repeats=3)
    names = given.sets or sorted(reference.set_sizes(), key=_n_rows)
    keys = [(s, m, r) for r in range(given.repeats) for s in names for m in MODELS]
    text = page(rows_of(given.output / "prototypes.jsonl", keys, run))
    write_page(given, "tasks-prototypes.md", text)


if __name__ == "__main__":
    main()
