"""Answers per CPU second: ours, a random forest's and LightGBM's, in one run.

Default fits of ``CPMLClassifierCV`` are compared with a forest of 300 trees on ordinal
codes and, if it is installed, with LightGBM. Ratios above 1 mean that ours is faster.
The aim is 1 against the forest, and 5,000 answers per CPU second on the generated
tables, in which two of 12 columns decide and every tenth label is wrong; no peer is
fitted to more than 200,000 rows. The column *error* is the largest difference between
shares of votes and a plain sum over all rows that vote.

``python -m benchmarks.prediction [--sets NAME:ROWS ...]``.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import nearkind as nk
from benchmarks.harness import growth_exponent, no_warnings, print_status, print_table
from benchmarks.latency import words_and_numbers
from nearkind.experiments.splits import Part
from nearkind.voting import Voter

SETS = ("nursery:10000", "adult:10000", "adult:40000", "connect4:10000")
SETS += ("connect4:40000", "census:10000", "census:40000", "census:200000")
SETS += ("rule:30000", "rule:300000", "rule:1000000")
N_ASKED = 5_000
N_COMPARED = 100
"""Rows for which the plain sum is taken."""
MOST_ROWS = 200_000
"""Rows that peers learn from."""
COLUMNS = ("set", "rows", "vote", "directions", "fit s", "answers/s", "forest", "ratio")
COLUMNS += ("LightGBM", "ratio", "log loss", "forest", "error")


class Answers(NamedTuple):
    """What a model says, and how many rows it answers per CPU second."""

    fit_seconds: float
    per_second: float
    log_loss: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME:ROWS")
    wanted = parser.parse_args(arguments)
    print_table("Answers per CPU second", COLUMNS, measure(wanted.sets))


def measure(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield a line for each table, and one for the growth with its rows."""
    found: dict[str, list[tuple[int, float]]] = {}
    for line in names:
        name, _, n_rows = line.partition(":")
        print_status(f"prediction: {line}")
        train, asked = table(name, int(n_rows))
        model = nk.CPMLClassifierCV()
        ours = measured(model, train, asked)
        print_status(f"{ours.per_second:,.0f} answers per CPU second")
        has_peers = len(train.X) <= MOST_ROWS
        forest = measured(peer_forest(), train, asked) if has_peers else None
        has_peers &= find_spec("lightgbm") is not None
        trees = measured(lightgbm(), train, asked) if has_peers else None
        voters = model.committee_.voters
        yield [
            name,
            f"{len(train.X):,}",
            " ".join(f"{len(voter.rows):,}" for voter in voters),
            " ".join(str(voter.distance.cost) for voter in voters),
            f"{ours.fit_seconds:.0f}",
            f"{ours.per_second:,.0f}",
            *compared(ours, forest),
            *compared(ours, trees),
            f"{ours.log_loss:.4f}",
            f"{forest.log_loss:.4f}" if forest else "",
            f"{max(error(voter, asked.X[:N_COMPARED]) for voter in voters):.0e}",
        ]
        found.setdefault(name, []).append((len(train.X), 1.0 / ours.per_second))
    for name, points in found.items():
        if len(points) > 1:
            power = growth_exponent(*zip(*points, strict=True))
            yield [f"{name}: cost ~ rows^{power:.2f}", *[""] * (len(COLUMNS) - 1)]


def table(name: str, n_rows: int) -> tuple[Part, Part]:
    """Return rows to learn from, four fifths of a set at most, and rows to answer."""
    if name == "rule":
        whole = by_rule(n_rows + N_ASKED)
    else:
        whole = words_and_numbers(name)
        n_rows = min(n_rows, len(whole.y) * 4 // 5)
    ends = n_rows, n_rows + N_ASKED
    rest = whole.X[ends[0] : ends[1]], whole.y[ends[0] : ends[1]]
    return Part(whole.X[: ends[0]], whole.y[: ends[0]]), Part(*rest)


def by_rule(n_rows: int) -> Part:
    """Return 12 columns of six values, of which two decide."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, size=(n_rows, 12))
    is_wrong = rng.random(n_rows) < 0.1
    y = ((codes[:, 0] + codes[:, 1]) % 3 == 0) ^ is_wrong
    return Part(pd.DataFrame(np.array(list("abcdef"))[codes]), y.astype(int))


def peer_forest() -> Any:
    return on_codes(RandomForestClassifier(300, random_state=0, n_jobs=1))


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return on_codes(LGBMClassifier(n_jobs=1, random_state=0, verbose=-1))


def on_codes(model: Any) -> Any:
    """Return a model of the ordinal codes of values."""
    unseen: dict[str, Any] = {"handle_unknown": "use_encoded_value"}
    return make_pipeline(OrdinalEncoder(**unseen, unknown_value=-1), model)


def measured(model: Any, train: Part, asked: Part) -> Answers:
    """Fit a model and let it answer."""
    with no_warnings():
        seconds = cpu_seconds(partial(model.fit, train.X, train.y))
        p = model.predict_proba(asked.X)  # what is built once
        runs = [cpu_seconds(partial(model.predict_proba, asked.X)) for _ in range(3)]
    loss = log_loss(asked.y, p, labels=model.classes_)
    return Answers(seconds, len(asked.y) / min(runs), loss)


def cpu_seconds(run: Callable[[], Any]) -> float:
    start = process_time()
    run()
    return process_time() - start


def compared(ours: Answers, peer: Answers | None) -> tuple[str, str]:
    """Return the answers per second of a peer, and the ratio of ours to it."""
    if peer is None:
        return "", ""
    return f"{peer.per_second:,.0f}", f"{ours.per_second / peer.per_second:.2f}"


def error(voter: Voter, X: Any) -> float:
    """Return the largest difference of shares of votes from those of a plain sum."""
    codes, rows = voter.encode(X), voter.rows
    queries = voter.distance.represent(codes)
    most = 0.0
    for query, shares in zip(queries, voter.shares(codes), strict=True):
        d2 = np.square(query - voter.represented).sum(axis=1)
        votes = rows.weights * np.exp((d2.min() - d2) / voter.rule.temperature)
        most = max(most, np.abs(votes @ rows.shares / votes.sum() - shares).max())
    return most


if __name__ == "__main__":
    main()
