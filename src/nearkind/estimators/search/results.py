"""What was tried, as columns of a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearkind.estimators.search.committee import Seat
from nearkind.estimators.search.race import Race


def results_table(race: Race, seats: Sequence[Seat]) -> dict[str, Any]:
    """Return a row for every runner and way to vote, best accuracy first.

    Columns: candidate, strength, n_neighbors, weights, accuracy, n_held (rows it was
    judged on: fewer if it fell behind), member (place among the members, -1: none),
    rank, seconds (of the fits; shared by the ways to vote).
    """
    places = {(id(race.runners[s.runner]), s.way): at for at, s in enumerate(seats)}
    ways = [(w, k) for w in race.votes for k in race.n_neighbors]
    lines = []
    for runner in (*race.runners, *race.dropped):
        table = runner.table()
        held = np.concatenate(race.held[: len(runner.shares)])
        right = table.argmax(axis=2) == race.y[held]
        means = np.average(right, axis=1, weights=race.weights[held])
        lines += [
            (
                runner.candidate.name,
                runner.strength,
                k,
                weights,
                float(mean),
                len(held),
                places.get((id(runner), way), -1),
                runner.rank,
                runner.seconds,
            )
            for way, ((weights, k), mean) in enumerate(zip(ways, means, strict=True))
        ]
    lines.sort(key=lambda line: (-line[5], -line[4]))
    names = (
        "candidate", "strength", "n_neighbors", "weights", "accuracy", "n_held",
        "member", "rank", "seconds",
    )  # fmt: skip
    columns = zip(*lines, strict=True)
    return {name: _column(cells) for name, cells in zip(names, columns, strict=True)}


def _column(cells: Sequence[Any]) -> Any:
    plain = all(isinstance(cell, int | float) for cell in cells)
    column = np.empty(len(cells), dtype=float if plain else object)
    column[:] = cells
    whole = plain and all(isinstance(cell, int) for cell in cells)
    return column.astype(int) if whole else column
