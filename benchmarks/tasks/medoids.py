"""Loss, time and memory of KMedoids beside the package kmedoids.

    python -m benchmarks.tasks.medoids --output FOLDER [--sets NAME ...]

runs what FOLDER/medoids.jsonl lacks, and writes docs/results/tasks-medoids.md. It needs
kmedoids.
"""

from time import perf_counter

import kmedoids
import numpy as np

import nearkind as nk
from benchmarks.harness import no_warnings, print_status
from benchmarks.tasks.results import PAGES, append_rows, arguments, read_rows, versions
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.sandbox import call, peak_megabytes
from nearkind.experiments.sets import BuiltIn

KEY = "dataset", "n_clusters", "seed"
SETS = "voting", "car", "krvskp", "led24", "splice", "mushroom"
NUMBERS = 5, 20
SEEDS = 3
STARTS = 3
LARGE = "census"


def main() -> None:
    given = arguments(__doc__)
    path = given.output / "medoids.jsonl"
    rows = {tuple(row[name] for name in KEY): row for row in read_rows(path)}
    wanted = [
        (name, k, seed)
        for name in given.sets or SETS
        for k in NUMBERS
        for seed in range(SEEDS)
    ]
    for key in [(LARGE, 8, 0), *wanted]:
        if key not in rows:
            known = dict(zip(KEY, key, strict=True))
            found = call(large_table).value if key[0] == LARGE else trial(*key)
            rows[key] = known | found
            append_rows([rows[key]], path)
            print_status(str(rows[key]))
    write_page(list(rows.values()))


def trial(dataset, n_clusters, seed):
    """Return loss and time of ours and theirs on all rows, one after the other."""
    X, _ = BuiltIn(dataset).load()
    start = perf_counter()
    with no_warnings():
        model = nk.KMedoids("hamming", n_clusters, n_init=STARTS, random_state=seed)
        model.fit(X)
    middle = perf_counter()
    square = nk.baselines.Hamming().fit(X).pairwise_distances(X)
    compared = perf_counter()
    seeds = range(STARTS * seed, STARTS * (seed + 1))
    theirs = min(
        kmedoids.fasterpam(square, n_clusters, random_state=s).loss for s in seeds
    )
    return {
        "n_rows": len(X),
        "loss": model.inertia_,
        "seconds": middle - start,
        "peer_loss": float(theirs),
        "peer_seconds": perf_counter() - compared,
        "square_seconds": compared - middle,
    }


def large_table():
    """Return what a large table takes, of memory too: in a process of its own."""
    X, _ = BuiltIn(LARGE).load()
    before, start = peak_megabytes(), perf_counter()
    model = nk.KMedoids("hamming", random_state=0).fit(X)
    return {
        "n_rows": len(X),
        "n_features": X.shape[1],
        "inertia": model.inertia_,
        "seconds": perf_counter() - start,
        "before_gib": before / 1024,
        "peak_gib": peak_megabytes() / 1024,
    }


HEAD = (
    "set", "rows", "groups", "seeds", "loss", "theirs", "loss ratio", "time ratio",
)  # fmt: skip


MEASURED = (
    "n_rows", "loss", "seconds", "peer_loss", "peer_seconds", "square_seconds",
)  # fmt: skip


def line(name, n_clusters, found):
    """Return the cells of a set and a number of groups, means over seeds."""
    n_rows, loss, seconds, peer_loss, peer_seconds, square_seconds = np.array(
        [[row[key] for key in MEASURED] for row in found]
    ).T
    return [
        name,
        f"{n_rows.mean():,.0f}",
        str(n_clusters),
        str(len(found)),
        f"{loss.mean():.1f}",
        f"{peer_loss.mean():.1f}",
        f"{np.mean(loss / peer_loss):.4f}",
        f"{np.median(seconds / (peer_seconds + square_seconds)):.2f}",
    ]


def write_page(rows):
    """Write the table of the rows."""
    groups = {}
    for row in rows:
        if row["dataset"] != LARGE:
            key = row["dataset"], row["n_clusters"]
            groups.setdefault(key, []).append(row)
    lines = [line(*key, found) for key, found in groups.items()]
    [large] = [row for row in rows if row["dataset"] == LARGE]
    notes = [
        "`python -m benchmarks.tasks.medoids`. Hamming distance, all rows of a data "
        f"set. Loss is the sum of distances to the medoids, the best of {STARTS} "
        "starts, mean over seeds. Theirs is `kmedoids.fasterpam` with random starts "
        "on the full distance matrix. Loss ratio and time ratio (median, including "
        "the computation of distances) are ours divided by theirs: below 1 ours is "
        f"better. Up to {nk.KMedoids().max_rows:,} distinct rows ours uses all "
        "distances; mushroom has more, so samples are used.",
        f"{LARGE}, {large['n_rows']:,} rows of {large['n_features']} columns in "
        f"{large['n_clusters']} groups, takes {large['peak_gib']:.2f} GiB at most, "
        f"{large['before_gib']:.2f} of them before `fit` for the table itself. The "
        f"full distance matrix would take {8 * large['n_rows'] ** 2 / 2**30:,.0f} "
        "GiB.",
        versions("nearkind", "kmedoids", "numpy"),
    ]
    table = ResultTable("Loss and time", HEAD, lines, notes)
    page = f"# k-medoids compared with the package kmedoids\n\n{table.markdown()}"
    (PAGES / "tasks-medoids.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
