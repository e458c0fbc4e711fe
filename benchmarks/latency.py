"""One row at a time: how long a prediction and an embedding take.

The 50th and 99th percentile over 2,000 calls, for a row as an array of objects, a list
and a DataFrame; beside them scikit-learn's k nearest neighbours on a row that is
encoded one-hot already. Aims, for arrays: predict below 5 ms and embed below 0.5 ms at
the 99th percentile.

``python -m benchmarks.latency [SET ...] [--calls N]`` measures other sets.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table, seconds_of
from benchmarks.sets import indicators, load_categorical

SETS = ["car", "adult"]
KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "array": lambda row: row.to_numpy(dtype=object),
    "list": lambda row: row.to_numpy(dtype=object).tolist(),
    "DataFrame": lambda row: row,
}
COLUMNS = ("set", "training rows", "from", "predict p50", "p99", "ratios")
COLUMNS += ("embed p50", "p99")


class Milliseconds(NamedTuple):
    """Percentiles of many calls."""

    half: float
    most: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--calls", type=int, default=2_000)
    wanted = parser.parse_args(arguments)
    lines = [
        line for name in wanted.sets or SETS for line in measure(name, wanted.calls)
    ]
    title = "One row, in ms: for arrays predict p99 below 5, embed p99 below 0.5"
    print_table(title, COLUMNS, lines)


def measure(name: str, n_calls: int) -> Iterator[list[str]]:
    """Yield the lines of one set."""
    data = load_categorical(name)
    print_status(f"latency: {name}")
    with no_warnings():
        model = nk.CPMLClassifier(nk.CPML(random_state=0)).fit(data.X, data.y)
    at = np.random.default_rng(0).integers(len(data.X), size=n_calls)
    peer = neighbors(data.X, data.y, at)
    head = [name, f"{len(data.X):,}"]
    yield [*head, "one-hot array, scikit-learn", *cells(peer), "1.0 1.0", "", ""]
    for kind, convert in KINDS.items():
        rows = [convert(data.X.iloc[[i]]) for i in at]
        predict = percentiles(model.predict, rows)
        embed = percentiles(model.metric_.transform, rows)
        ratios = f"{predict.half / peer.half:.1f} {predict.most / peer.most:.1f}"
        yield [*head, kind, *cells(predict), ratios, *cells(embed)]


def neighbors(X: pd.DataFrame, y: Any, at: np.ndarray) -> Milliseconds:
    """Time scikit-learn on the same rows."""
    U = indicators(X)
    peer = KNeighborsClassifier().fit(U, y)
    return percentiles(peer.predict, [U[[i]] for i in at])


def percentiles(call: Callable[[Any], Any], rows: list[Any]) -> Milliseconds:
    """Return the percentiles of a call for each row, after some that do not count."""
    for row in rows[:20]:
        call(row)
    times = [1e3 * seconds_of(partial(call, row)) for row in rows]
    return Milliseconds(*np.percentile(times, [50, 99]))


def cells(times: Milliseconds) -> list[str]:
    return [f"{value:.2f}" for value in times]


if __name__ == "__main__":
    main()
