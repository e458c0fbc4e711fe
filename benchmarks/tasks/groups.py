"""Groups beside kmodes, k-prototypes, gower and HDBSCAN, judged by the labels.

    python -m benchmarks.tasks.groups --output FOLDER [--sets NAME ...] [--page]

groups the rows of each table, as many groups as classes, without the labels, runs what
FOLDER/groups.jsonl lacks, each in a process of its own, and with --page writes
docs/results/tasks-groups.md. It needs kmodes, kmedoids and gower, and the mixed tables
in the folder that NEARKIND_MORE names.
"""

from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage
from time import process_time

import gower
import kmedoids
import numpy as np
import pandas as pd
from kmodes.kmodes import KModes
from kmodes.kprototypes import KPrototypes
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import nearkind as nk
from benchmarks.harness import no_warnings
from benchmarks.tasks.imputation import FOLDER, table
from benchmarks.tasks.results import (
    arguments,
    chosen,
    markdown,
    rows_of,
    versions,
    write_page,
)
from nearkind.experiments.sets import BuiltIn

NOMINAL = (
    "audiology", "balance", "car", "connect4", "dna_nominal", "dna_promoter",
    "housevotes", "krvskp", "led24", "lymphography", "monks1", "monks3", "mushroom",
    "nursery", "soybean_large", "spect", "splice", "tic_tac_toe", "voting", "zoo",
)  # fmt: skip
MIXED = (
    "autos", "chess_games", "chile_vote", "cmc", "credit_data", "cylinder_bands",
    "dresses_sales", "esl_marketing", "eucalyptus", "heart_cleveland", "horse_colic",
    "hr_attrition", "kdd_internet_usage", "lending_club", "mammographic",
    "police_force", "sick", "stackoverflow", "telco_churn", "titanic",
)  # fmt: skip
MOST_ROWS = 1000


def load(name):
    """Return rows and labels of a set."""
    if name in NOMINAL:
        X, y = BuiltIn(name).load()
        X, y = pd.DataFrame(X), pd.Series(np.asarray(y))
    else:
        X = table(name)
        y = pd.read_csv(FOLDER / f"{name}.csv.gz", dtype=str).iloc[:, -1]
        y = y.sample(len(X), random_state=0).reset_index(drop=True)
    some = X.sample(min(len(X), MOST_ROWS), random_state=0).index
    return X.loc[some].reset_index(drop=True), y.loc[some].astype(str).to_numpy()


def words(X):
    """Return X as text, missing cells as a word of their own."""
    return X.astype(object).where(X.notna(), "missing").astype(str)


def is_number(X):
    return [pd.api.types.is_numeric_dtype(X[name]) for name in X]


def kmodes(X, k):
    return KModes(k, n_init=5, random_state=0).fit_predict(words(X))


def kprototypes(X, k):
    numbers = is_number(X)
    if not any(numbers) or all(numbers):
        return kmodes(X, k)
    Z = words(X)
    for name, number in zip(X, numbers, strict=True):
        if number:
            filled = X[name].fillna(X[name].median())
            Z[name] = (filled - filled.mean()) / (filled.std() or 1.0)
    categorical = [d for d, number in enumerate(numbers) if not number]
    model = KPrototypes(k, n_init=3, random_state=0)
    return model.fit_predict(Z.to_numpy(), categorical=categorical)


def hdbscan(X, k):
    Z = pd.get_dummies(X.where(X.notna(), np.nan).apply(as_columns)).astype(float)
    return HDBSCAN(min_cluster_size=max(5, len(X) // (10 * k)), copy=True).fit_predict(
        Z
    )


def gower_matrix(X, k):
    Z = words(X)
    for name, number in zip(X, is_number(X), strict=True):
        if number:
            Z[name] = X[name].fillna(X[name].median()).astype(float)
    D = gower.gower_matrix(Z)
    return kmedoids.fasterpam(D, k, random_state=0, n_cpu=1).labels


def as_columns(column):
    """Return numbers scaled to unit range, and words as they are."""
    if not pd.api.types.is_numeric_dtype(column):
        return column.astype(object).where(column.notna(), "missing").astype(str)
    filled = column.fillna(column.median())
    return (filled - filled.min()) / (np.ptp(filled) or 1.0)


def medoids(metric):
    return lambda X, k: nk.KMedoids(metric, k, random_state=0).fit_predict(X)


METHODS = {
    "kmodes": kmodes,
    "kprototypes": kprototypes,
    "HDBSCAN": hdbscan,
    "kmedoids on gower": gower_matrix,
    "KMedoids hamming": medoids("hamming"),
    "KMedoids gower": medoids("gower"),
    "KMedoids unbiased": medoids("unbiased"),
}


def measured(X, k, method, found):
    """Send the groups, processor seconds and megabytes of one method."""
    before, start = getrusage(RUSAGE_SELF).ru_maxrss, process_time()
    with no_warnings():
        labels = METHODS[method](X, k)
    seconds = process_time() - start
    found.send((labels, seconds, (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024))


def trial(name, method):
    """Return agreement with the labels, processor time and memory of one method."""
    X, y = load(name)
    k, processes = len(set(y)), get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)
    child = processes.Process(target=measured, args=(X, k, method, sender))
    child.start()
    sender.close()
    labels, seconds, megabytes = receiver.recv()
    child.join()
    return {
        "n_rows": len(X),
        "k": k,
        "seconds": seconds,
        "megabytes": megabytes,
        "rand": float(adjusted_rand_score(y, labels)),
        "information": float(normalized_mutual_info_score(y, labels)),
    }


def main() -> None:
    given = arguments(__doc__, 1)
    sets = given.sets or (*NOMINAL, *MIXED)
    keys = [(name, method) for name in sets for method in METHODS]
    rows = rows_of(given.output / "groups.jsonl", keys, trial)
    found = pd.DataFrame(
        [{"set": r["key"][0], "method": r["key"][1], **r} for r in rows]
    )
    scores = {
        what: found.pivot(index="set", columns="method", values=what)
        for what in ("rand", "information", "seconds", "megabytes")
    }
    times = scores["seconds"].div(scores["seconds"]["KMedoids gower"], axis=0)
    lines = []
    for method in METHODS:
        cells = [method]
        for what in ("rand", "information"):
            ranks = scores[what].rank(axis=1, ascending=False)[method]
            cells += [f"{scores[what][method].mean():.3f}", f"{ranks.mean():.1f}"]
        most = scores["megabytes"][method].max()
        lines.append((*cells, f"{times[method].median():.1f}", f"{most:.0f}"))
    head = "method", "Rand", "mean rank", "information", "mean rank", "time", "memory"
    used = versions("nearkind", "kmodes", "gower", "kmedoids", "scikit-learn")
    page = (
        "# Clustering compared with kmodes and gower\n\n`python -m "
        f"benchmarks.tasks.groups{chosen(rows, 40)}`, on {len(scores['rand'])} tables "
        f"of at most {MOST_ROWS:,} rows, half of them with categorical columns only. "
        "The number of clusters is the number of classes; HDBSCAN determines it "
        "itself. Rand is the adjusted Rand index with the labels, information the "
        "normalised mutual information. kmodes treats numbers as categories, "
        "k-prototypes standardises them, and HDBSCAN uses one-hot columns; kmedoids "
        "is FasterPAM on the matrix of the package gower. Time is the median CPU "
        "time relative to KMedoids with Gower's distance, on a busy machine. Memory "
        f"is the maximum over the tables, in MB.\n\n{markdown(head, lines)}\n{used}\n"
    )
    write_page(given, "tasks-groups.md", page)


if __name__ == "__main__":
    main()
