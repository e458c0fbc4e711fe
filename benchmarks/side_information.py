"""Accuracy with side information: triplets alone, some labels, rare values.

Three tables, each over a few splits of 8 : 2, one nearest neighbour, ties sharing the
vote; sets of more than 2,000 rows are cut to so many.

triplets  learn from 5 % of the triplets that the training labels imply (at most
          100,000) and from no label, then let the training labels vote. Aim: better
          than Hamming distance on two sets of three.
labels    10 % of the training labels are known, two a class where it has them; only
          these rows vote. Learning from them alone, and from all rows. Aim: all rows
          are better in the mean.
rare      a column of random, nearly unique ids beside car: its share of the distance.
          Then accuracy of five neighbours on sets that have rare values; adult and
          census as they are read, every number a category. Aim: a share below 1 % with
          cross_fit.

``python -m benchmarks.side_information [triplets] [labels] [rare] [--splits N]``
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table
from benchmarks.sets import load, load_categorical, two_parts
from nearkind.experiments.splits import Part
from nearkind.protocols import Array

SETS = (
    "monks1", "monks2", "monks3", "balance", "tic_tac_toe", "car", "krvskp", "led24",
    "splice", "dna_nominal", "dna_promoter", "mushroom", "housevotes", "voting",
    "lymphography", "spect", "zoo", "soybean_large", "audiology",
)  # fmt: skip
MOST_ROWS, SHARE, MOST_TRIPLETS, KNOWN = 2_000, 0.05, 100_000, 0.1
EARLY_STOP: dict[str, Any] = {"tol": 1e-2, "max_iter": 50}
RARE = {"audiology": 2_000, "adult": 6_000, "census": 6_000}
"""Sets with rare values, and the rows they are cut to."""
COUNTED: dict[str, dict[str, Any]] = {
    "as the paper counts": {},
    'smoothing="auto"': {"smoothing": "auto"},
    "cross_fit=True": {"cross_fit": True},
    "both": {"cross_fit": True, "smoothing": "auto"},
}
N_IDS, N_CARS = 1_000, 900


class FromTriplets(nk.CPML):
    """CPML that learns from some of the triplets that labels imply, not from labels."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from triplets of row numbers."""
        triplets = implied_triplets(y, np.random.default_rng(self.random_state))
        return self.fit_constraints(X, triplets=triplets)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", choices=[*TABLES, []])
    parser.add_argument("--splits", type=int, default=2)
    wanted = parser.parse_args(arguments)
    with no_warnings():
        for name in wanted.tables or TABLES:
            TABLES[name](wanted.splits)


def triplets_alone(n_splits: int) -> None:
    """Compare a distance from triplets with Hamming distance."""
    methods = {
        "Hamming": nk.baselines.Hamming(),
        "triplets": FromTriplets(
            projection="onehot", p=2.0, random_state=0, **EARLY_STOP
        ),
    }

    def accuracies(train: Part, test: Part, seed: int) -> list[float]:
        return [score(metric, train, test) for metric in methods.values()]

    compare("From triplets alone", [*methods], accuracies, n_splits)


def partly_labelled(n_splits: int) -> None:
    """Compare learning from labelled rows with learning from all."""
    columns = "Hamming", "labelled rows", "all rows"
    alone = nk.CPML(**EARLY_STOP)
    together = nk.CPML(projection="vdm+cooccurrence", **EARLY_STOP)

    def accuracies(train: Part, test: Part, seed: int) -> list[float]:
        known = some_known(train.y, np.random.default_rng(seed))
        some = Part(train.X[known], train.y[known])
        partly = Part(train.X, np.where(known, train.y.astype(object), None))
        return [
            score(nk.baselines.Hamming(), some, test),
            score(alone, some, test),
            score(together, partly, test),
        ]

    compare("One label in ten", columns, accuracies, n_splits)


def rare_values(n_splits: int) -> None:
    """Show the share of a column of ids, and accuracy where values are rare."""
    shares = np.array([list(id_shares(seed)) for seed in range(3 * n_splits)])  # (S, 4)
    rows = [
        [name, f"{each.mean():.1%}", f"{each.min():.1%}", f"{each.max():.1%}"]
        for name, each in zip(COUNTED, shares.T, strict=True)
    ]
    title = f"Share of a column of {N_IDS:,} random ids beside {N_CARS} rows of car"
    print_table(title, ("histograms", "mean", "least", "most"), rows)
    lines = [line for name in RARE for line in rare_lines(name, n_splits)]
    columns = ("set", "histograms", "accuracy", "native-country's share")
    print_table("Sets with rare values", columns, lines)


def compare(
    title: str,
    columns: Sequence[str],
    accuracies: Callable[[Part, Part, int], Iterable[float]],
    n_splits: int,
) -> None:
    """Print the mean accuracy of each method on each set."""
    means = {}
    for name in SETS:
        print_status(f"{title}: {name}")
        parts = [(*two_parts(cut(load_categorical(name), seed), seed), seed)
                 for seed in range(n_splits)]  # fmt: skip
        means[name] = np.mean([list(accuracies(*part)) for part in parts], axis=0)
    table = np.array(list(means.values()))  # (sets, methods)
    rows = [[name, *(f"{x:.3f}" for x in row)] for name, row in means.items()]
    rows.append(["mean", *(f"{x:.4f}" for x in table.mean(axis=0))])
    better, level = table[:, -1] > table[:, -2], table[:, -1] == table[:, -2]
    note = f"{columns[-1]} better than {columns[-2]} on {better.sum()} of {len(SETS)}"
    print_table(title, ("set", *columns), rows, [f"{note}, level on {level.sum()}"])


def score(metric: Any, train: Part, test: Part) -> float:
    """Return the accuracy of one nearest neighbour."""
    model = nk.CPMLClassifier(metric, n_neighbors=1).fit(train.X, train.y)
    return model.score(test.X, test.y)


def cut(data: Any, seed: int, size: int = MOST_ROWS) -> Any:
    """Keep at most so many rows."""
    at = np.random.default_rng(seed).permutation(len(data.y))[:size]
    data.X, data.y = data.X.iloc[at], data.y.iloc[at]
    return data


def implied_triplets(y: Any, rng: np.random.Generator) -> np.ndarray:
    """Draw triplets (T, 3) evenly from those that labels imply."""
    y = np.unique(np.asarray(y), return_inverse=True)[1]
    sizes = np.bincount(y)
    same, other = sizes[y] - 1, len(y) - sizes[y]
    mass = (same * other).astype(float)
    T = min(int(SHARE * mass.sum()) + 1, MOST_TRIPLETS)
    i = rng.choice(len(y), T, p=mass / mass.sum())
    order = np.argsort(y, kind="stable")
    place = np.argsort(order)
    start = np.cumsum(sizes)[y[i]] - sizes[y[i]]
    j = start + (rng.random(T) * same[i]).astype(int)
    k = (rng.random(T) * other[i]).astype(int)
    j += j >= place[i]  # not i itself
    k += np.where(k >= start, sizes[y[i]], 0)  # nobody of its class
    return np.column_stack([i, order[j], order[k]])


def some_known(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return which labels are known: one in ten, two in each class that has them."""
    order = rng.permutation(len(y))
    known = np.zeros(len(y), dtype=bool)
    known[order[: round(KNOWN * len(y))]] = True
    for label in np.unique(y):
        mine = order[y[order] == label]
        lacking = 2 - int(known[mine].sum())
        known[mine[~known[mine]][: max(lacking, 0)]] = True
    return known


def id_shares(seed: int) -> Iterable[float]:
    """Yield the ids' share of the distance, for each way of counting."""
    data = cut(load("car"), seed, N_CARS)
    ids = np.random.default_rng((seed, 1)).integers(0, N_IDS, N_CARS)
    X = data.X.assign(id=ids.astype(str))
    for settings in COUNTED.values():
        yield nk.CPML(**settings).fit(X, data.y).feature_relevance_[-1]


def rare_lines(name: str, n_splits: int) -> Iterable[list[str]]:
    """Yield a line for each way of counting."""
    for title, settings in COUNTED.items():
        print_status(f"rare values: {name}, {title}")
        found = [rare_score(name, settings, seed) for seed in range(n_splits)]
        accuracy, share = np.mean(found, axis=0)
        yield [
            name,
            title,
            f"{accuracy:.3f}",
            "" if np.isnan(share) else f"{share:.1%}",
        ]


def rare_score(name: str, settings: dict[str, Any], seed: int) -> tuple[float, float]:
    """Return accuracy, and the share of native-country where there is one."""
    train, test = two_parts(cut(load(name), seed, RARE[name]), seed)
    model = nk.CPMLClassifier(nk.CPML(**settings, **EARLY_STOP, random_state=0))
    model.fit(train.X, train.y)
    shares: Array = model.feature_relevance_
    named = pd.Series(shares, train.X.columns)
    return model.score(test.X, test.y), named.get("native-country", np.nan)


TABLES: dict[str, Callable[[int], None]] = {
    "triplets": triplets_alone,
    "labels": partly_labelled,
    "rare": rare_values,
}


if __name__ == "__main__":
    main()
