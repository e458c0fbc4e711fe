"""Accuracy by number of answers of simulated persons, by how questions are chosen.

    python -m benchmarks.tasks.questions --output FOLDER [--sets NAME ...] [--page]

runs what FOLDER/questions.jsonl lacks, and writes questions.md. Sets are read from the
folder that NEARKIND_DATA names, or from the folder `more` beside it.
"""

import os
import warnings
from pathlib import Path
from time import process_time
from zlib import crc32

import numpy as np
import pandas as pd

import nearkind as nk
from benchmarks.tasks.results import (
    arguments,
    chosen,
    markdown,
    rows_of,
    versions,
    write_page,
)
from nearkind.io import read_columns
from nearkind.tasks.answers import majority
from nearkind.tasks.questions import N_CANDIDATES

SETS = (
    "car", "mushroom", "housevotes", "lymphography", "tic_tac_toe", "zoo", "nursery",
    "balance", "monks1", "spect", "heart_cleveland", "chile_vote", "krvskp",
    "voting", "soybean_large", "titanic", "mammographic", "cmc", "horse_colic",
)  # fmt: skip
TUNED_ON, FIRST_SEED = 13, 5
"""Most settings were chosen on the first so many sets, at seeds 0 and 1."""
PERSONS, NOISES = ("labels", "hidden metric"), (0.0, 0.1, 0.2)
STEPS = 5, 10, 20, 30, 40
MOST_ROWS, N_TEST, SIGHT = 1_000, 5_000, {1: "first", -1: "second", 0: "neither"}


def main() -> None:
    given = arguments(__doc__, repeats=1)
    wanted = [
        (name, person, noise, how, seed)
        for name in given.sets or SETS
        for person in PERSONS
        for noise in NOISES
        for how in HOW
        for seed in range(FIRST_SEED, FIRST_SEED + given.repeats)
    ]
    rows = rows_of(given.output / "questions.jsonl", wanted, trial)
    write_page(given, "questions.md", text_of(rows))


def trial(name, person, noise, how, seed):
    """Return triplet accuracy on unseen rows after so many answers."""
    X, y = table(name, seed)
    half = len(X) // 2
    says = PERSON[person](X, y, np.random.default_rng((seed, 1, crc32(name.encode()))))
    rng = np.random.default_rng((seed, 2, crc32(name.encode())))
    test = rng.integers(half, len(X), size=(N_TEST, 3))
    true = says(test)
    test, true = test[true != 0], true[true != 0]
    wrong, coin = rng.random(max(STEPS)) < noise, rng.choice([-1, 1], max(STEPS))
    questions, every = nk.Questions(X[:half], random_state=seed), nk.Questions(X)
    features = every.comparisons.features(test)
    accuracy, seconds, columns = [], [], []
    for number in range(max(STEPS)):
        start = process_time()
        rows = HOW[how](questions, rng)
        seconds.append(process_time() - start)
        said = int(says(np.array([rows]))[0])
        if wrong[number]:
            said = -said or int(coin[number])
        questions.answer(rows, SIGHT[said])
        columns.append(len(questions.question(rows).columns))
        if number + 1 in STEPS:
            every.answers = questions.answers
            accuracy.append(share_right(features @ every.posterior.weights, true))
    fitted = accuracy[-1]
    if len(majority(questions.answers)):
        fitted = share_right(fitted_margin(questions, X, test), true)
    return {
        "accuracy": accuracy,
        "fitted": fitted,
        "seconds": max(seconds),
        "columns": float(np.mean(columns)),
    }


def fitted_margin(questions, X, rows):
    """Return by how much the second row is farther than the first, once fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        i, j, k = questions.fit().transform(X)[rows.T]
    return np.square(i - k).sum(axis=1) - np.square(i - j).sum(axis=1)


def share_right(margin, true):
    return float(np.mean((np.sign(margin) * true + 1.0) / 2.0))


def table(name, seed):
    """Return at most 1,000 rows of a set, and their classes as numbers."""
    data = Path(os.environ["NEARKIND_DATA"])
    paths = [folder / f"{name}.csv.gz" for folder in (data, data.parent / "more")]
    read = pd.DataFrame(read_columns(str(next(filter(Path.exists, paths)))))
    read = read.sample(min(MOST_ROWS, len(read)), random_state=seed)
    read = read.reset_index(drop=True)
    return read.iloc[:, :-1], pd.factorize(read.iloc[:, -1])[0]


def by_labels(X, y, rng):
    """Return a person to whom rows of one class are alike."""

    def says(rows):
        i, j, k = y[rows.T]
        return (i == j).astype(int) - (i == k)

    return says


def by_metric(X, y, rng):
    """Return a person who sees about half of the columns, each value at a place."""
    weights = rng.exponential(1.0, X.shape[1]) * (rng.random(X.shape[1]) < 0.5)
    weights[rng.integers(X.shape[1])] += 1.0
    vectors = []
    for weight, name in zip(weights, X, strict=True):
        numbers = pd.to_numeric(X[name], errors="coerce")
        if numbers.notna().any() and numbers.nunique() > 20:
            places = ((numbers - numbers.mean()) / numbers.std()).fillna(0.0)
            vectors.append(np.sqrt(weight) * places.to_numpy()[:, None])
        else:
            codes, values = pd.factorize(X[name].astype(str))
            vectors.append(np.sqrt(weight) * rng.normal(size=(len(values), 2))[codes])
    V = np.hstack(vectors)

    def says(rows):
        i, j, k = V[rows.T]
        gap = np.square(i - k).sum(axis=1) - np.square(i - j).sum(axis=1)
        return np.sign(gap).astype(int)

    return says


def ours(questions, rng):
    return questions.ask().rows


def random(questions, rng):
    """Return three different rows."""
    return tuple(map(int, rng.choice(len(questions.X), 3, replace=False)))


def uncertain(questions, rng):
    """Return the question whose answer is least certain."""
    drawn = np.array([random(questions, rng) for _ in range(N_CANDIDATES // 3)])
    features = questions.comparisons.features(drawn)
    mean = np.abs(questions.posterior.predict(features)[0])
    return tuple(map(int, drawn[mean.argmin()]))


HOW = {"ours": ours, "random": random, "uncertain": uncertain}
PERSON = {"labels": by_labels, "hidden metric": by_metric}


def text_of(rows):
    """Return the page."""
    frame = pd.DataFrame([r | dict(zip(NAMES, r["key"], strict=True)) for r in rows])
    n_sets = frame["set"].nunique()
    lines, saved = [], []
    for (person, noise, how), some in frame.groupby(["person", "noise", "how"]):
        curve = np.mean(some["accuracy"].tolist(), axis=0)
        lines.append([person, f"{noise:.0%}", how, *(f"{x:.3f}" for x in curve)])
        lines[-1].append(f"{some['fitted'].mean():.3f}")
    for (person, noise), some in frame.groupby(["person", "noise"]):
        curves = {
            how: np.mean(each["accuracy"].tolist(), axis=0)
            for how, each in some.groupby("how")
        }
        n_random = needed(curves["random"], curves["random"][-1])
        n_ours = needed(curves["ours"], curves["random"][-1])
        told = f"{n_ours:.0f}" if n_ours < np.inf else f"more than {STEPS[-1]}"
        saved.append([person, f"{noise:.0%}", f"{n_random:.0f}", told])
    wide = frame.groupby("how")["columns"].mean()
    seeds = " and ".join(f"seed {seed}" for seed in sorted(frame["seed"].unique()))
    head = ["person", "wrong answers", "questions", *(f"{n} answers" for n in STEPS)]
    head.append(f"`fit`, {STEPS[-1]}")
    repeats = f" --repeats {frame['seed'].nunique()}"
    command = f"python -m benchmarks.tasks.questions{chosen(rows, len(SETS))}{repeats}"
    return (
        "# Learning from comparisons\n\n### Triplet accuracy on unseen rows\n\n"
        + markdown(head, lines)
        + "\n### Answers needed for the accuracy of random questions\n\n"
        + markdown(["person", "wrong answers", "random", "ours"], saved)
        + (
            f"\n`{command}`. Mean of {n_sets} data sets of at most {MOST_ROWS:,} "
            f"rows, at {seeds}: {', '.join(frame['set'].unique())}. They are "
            "mostly categorical tables with different numbers of columns and "
            "classes, chosen before the run. The settings of nearkind were tuned "
            "at seeds 0 and 1, the prior and the share of wrong answers on the "
            f"first {TUNED_ON} of these data sets, the number of columns that may "
            "differ on all. Seed 5 had been run before, with an earlier rule for "
            "that number. Questions use one half of the rows, and the posterior "
            "mean of the weights is tested on triplets of the other half; the "
            "last column is the fitted `CPML`. One simulated person prefers the "
            "row of the same class and answers *neither* if both or none have "
            "it; the other follows a hidden metric on about half of the columns. "
            "A wrong answer is the opposite one. *Random* asks about random "
            f"rows, *uncertain* asks the least certain of {N_CANDIDATES // 3} "
            "such questions; both learn in the same way as ours. On average "
            f"{wide['ours']:.1f} columns differ in our questions, "
            f"{wide['random']:.1f} in random ones. The number of answers needed "
            "is interpolated between the columns of the first table, where the "
            "mean curve first reaches the last value of random questions. "
            "Differences below about 0.01 may be chance, and single data sets "
            "vary more than the mean.\n\nThe slowest question took "
            f"{frame['seconds'].max():.2f} CPU seconds. "
            f"{versions('nearkind', 'numpy')}\n"
        )
    )


NAMES = "set", "person", "noise", "how", "seed"


def needed(curve, accuracy):
    """Return how many answers reach an accuracy first, interpolated."""
    n, below = (0, *STEPS), (0.5, *curve)
    for at in range(1, len(n)):
        if below[at] >= accuracy:
            share = (accuracy - below[at - 1]) / (below[at] - below[at - 1])
            return n[at - 1] + share * (n[at] - n[at - 1])
    return float("inf")


if __name__ == "__main__":
    main()
