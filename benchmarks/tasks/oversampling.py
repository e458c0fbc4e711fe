"""Balanced accuracy after new rows of small classes, and the memory that they take.

    python -m benchmarks.tasks.oversampling --output FOLDER [--page]

Beside none, RandomOverSampler and SMOTEN of imbalanced-learn. The sets are those of the
paper with a class of a tenth of the largest or less, and others in which one class is
thinned to a twentieth of the largest.
"""

import resource
import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
from imblearn.over_sampling import SMOTE, SMOTEN, SMOTENC, RandomOverSampler
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

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

MOST_ROWS = 3_000
FEWEST = 6
"""Rows of the smallest class to learn from: SMOTEN needs one more than neighbours."""
IMBALANCED = ["balance", "car", "nursery", "connect4", "adult", "census", "dna_nominal"]
THINNED = ["krvskp", "mushroom", "splice", "tic_tac_toe", "voting", "spect"]
SAMPLERS = {
    "none": lambda seed: None,
    "repeated": lambda seed: RandomOverSampler(random_state=seed),
    "SMOTEN": lambda seed: SMOTEN(random_state=seed),
    "Oversampler": lambda seed: nk.Oversampler(nk.CPML(n_jobs=1), random_state=seed),
    "Oversampler, Hamming": lambda seed: nk.Oversampler("hamming", random_state=seed),
}
CLASSIFIERS = {
    "forest": lambda: one_hot(RandomForestClassifier(100, random_state=0)),
    "logistic regression": lambda: one_hot(LogisticRegression(max_iter=1000)),
    "CPMLClassifier": lambda: nk.CPMLClassifier(nk.CPML(n_jobs=1)),
}
MEMORY = {
    "Oversampler": lambda: nk.Oversampler("hamming", random_state=0),
    "SMOTENC": lambda: SMOTENC(["level", "kind"], random_state=0),
    "SMOTEN": lambda: SMOTEN(random_state=0),
    "SMOTE, one-hot": lambda: DenseSMOTE(),
}
N_LEVELS = 20_000
GIBIBYTES = 8
"""Memory that a sampler may take."""


class DenseSMOTE:
    """SMOTE over a one-hot matrix, as one makes it who has nothing else."""

    def fit_resample(self, X, y):
        made = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(X)
        return SMOTE(random_state=0).fit_resample(made, y)


def one_hot(model):
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), model)


def rows_to_learn(name, seed):
    """Return training and test rows, of text, the classes in shares as they are."""
    data = nk.datasets.load(name)
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(data.y))
    if name in THINNED:
        small = data.y.value_counts().index[-1]
        of_small = data.y.iloc[drawn].eq(small).to_numpy()
        most = data.y.value_counts().iloc[0] // 20
        drawn = np.concatenate([drawn[~of_small], drawn[of_small][: max(most, 10)]])
        drawn = rng.permutation(drawn)
    drawn = drawn[:MOST_ROWS]
    X = data.X.iloc[drawn].astype(object).fillna("missing").astype(str)
    y = data.y.iloc[drawn].astype(str)
    large = y.map(y.value_counts()) > FEWEST / 0.7
    X, y = X[large], y[large]
    return train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)


def run(name, sampler, repetition):
    """Return the balanced accuracy of each classifier after one sampler."""
    if name == "memory":
        return {"peak": peak_of(sampler)}
    X, X_test, y, y_test = rows_to_learn(name, repetition)
    chosen = SAMPLERS[sampler](repetition)
    with no_warnings():
        made = (X, y) if chosen is None else chosen.fit_resample(X, y)
        scores = {
            kind: balanced_accuracy_score(y_test, make().fit(*made).predict(X_test))
            for kind, make in CLASSIFIERS.items()
        }
    return {
        "scores": scores,
        "ratio": max(Counter(y).values()) / min(Counter(y).values()),
    }


def peak_of(sampler):
    """Return the largest memory, in MiB, for a column of many levels."""
    level = [f"v{i}" for i in range(N_LEVELS)]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"level": level, "kind": rng.choice(["a", "b", "c"], N_LEVELS)})
    if sampler == "SMOTENC":  # wants a column of numbers too
        X["size"] = rng.normal(size=N_LEVELS)
    y = np.array(["rare"] * 200 + ["many"] * (N_LEVELS - 200))
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES << 30, limits[1]))
    tracemalloc.start()
    try:
        with no_warnings():
            MEMORY[sampler]().fit_resample(X, y)
        return tracemalloc.get_traced_memory()[1] / 2**20
    except MemoryError:
        return None
    finally:
        tracemalloc.stop()
        resource.setrlimit(resource.RLIMIT_AS, limits)


def page(rows):
    """Return the page of results."""
    text = (
        "# Oversampling compared with imbalanced-learn\n\nBalanced accuracy, in "
        "percent, of classifiers fitted after oversampling all classes to the size "
        f"of the largest. At most {MOST_ROWS:,} rows of a data set, seven tenths for "
        "training; mean over splits. In data sets marked * one class was reduced to "
        "a twentieth of the largest. *Ratio* is that of the largest class to the "
        "smallest.\n"
    )
    scored = [row for row in rows if row["key"][0] != "memory"]
    names = list(dict.fromkeys(row["key"][0] for row in scored))
    for kind in CLASSIFIERS:
        lines = []
        for name in [*names, "mean"]:
            found = [r for r in scored if name in ("mean", r["key"][0])]
            ratio = np.mean([row["ratio"] for row in found])
            means = [
                np.mean([r["scores"][kind] for r in found if r["key"][1] == sampler])
                for sampler in SAMPLERS
            ]
            shown = f"{name}*" if name in THINNED else name
            figures = [f"{100 * mean:.1f}" for mean in means]
            lines.append([shown, f"{ratio:.0f}", *figures])
        text += f"\n## {kind[0].upper()}{kind[1:]}\n\n"
        text += markdown(["set", "ratio", *SAMPLERS], lines)
    peaks = {r["key"][1]: r["peak"] for r in rows if r["key"][0] == "memory"}
    lines = [
        [name, f"{peak:,.0f}" if peak is not None else f"more than {GIBIBYTES} GiB"]
        for name, peak in peaks.items()
    ]
    text += (
        f"\n## Memory\n\nPeak memory in MiB for {N_LEVELS:,} rows with a column of "
        f"{N_LEVELS:,} levels and 200 rows in the small class.\n\n"
    )
    text += markdown(["sampler", "MiB"], lines)
    repeats = 1 + max(row["key"][2] for row in rows)
    sets = chosen(scored, len(IMBALANCED) + len(THINNED))
    used = versions("nearkind", "imbalanced-learn", "scikit-learn", "pandas")
    return text + (
        "\n`python -m benchmarks.tasks.oversampling --output FOLDER --repeats "
        f"{repeats} --page{sets}`; seeds 0 to {repeats - 1}. {used}\n"
    )


def main():
    """Run what the folder lacks, and write the page."""
    given = arguments(__doc__, repeats=3)
    names = given.sets or [*IMBALANCED, *THINNED]
    keys = [(s, m, r) for r in range(given.repeats) for s in names for m in SAMPLERS]
    keys += [("memory", sampler, 0) for sampler in MEMORY]
    text = page(rows_of(given.output / "oversampling.jsonl", keys, run))
    write_page(given, "tasks-oversampling.md", text)


if __name__ == "__main__":
    main()
