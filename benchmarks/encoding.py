"""How long it takes to encode a table, as a multiple of merely counting its codes.

``python -m benchmarks.encoding`` prints a row for each kind of table. Counting is one
``np.bincount`` a column, on codes that are ready made: the least that any method which
learns from counts must spend. The aim for pandas categories is 3 or less.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from benchmarks.harness import best_seconds, print_table
from nearkind.encoding.codebook import Codebook

N_ROWS, N_COLUMNS, N_LEVELS, N_RUNS = 200_000, 5, 12, 20
AIM = 3.0


def tables(codes: np.ndarray) -> dict[str, Any]:
    """Return the same table in every kind that is measured."""
    levels = np.array([f"value {i:02}" for i in range(N_LEVELS)], dtype=object)
    cells = levels[codes]
    text = pd.DataFrame(cells, columns=[f"c{d}" for d in range(N_COLUMNS)], dtype="str")
    strings = pl.DataFrame({name: text[name].tolist() for name in text})
    return {
        "pandas category": text.astype(pd.CategoricalDtype(levels)),
        "  in another order": text.astype(pd.CategoricalDtype(levels[::-1])),
        "pandas str": text,
        "polars Categorical": strings.with_columns(pl.all().cast(pl.Categorical)),
        "polars String": strings,
        "numpy object": cells,
    }


def count(columns: list[np.ndarray]) -> None:
    for column in columns:
        np.bincount(column)


def main() -> None:
    """Measure and print."""
    codes = np.random.default_rng(0).integers(N_LEVELS, size=(N_ROWS, N_COLUMNS))
    columns = [np.ascontiguousarray(column, dtype=np.intp) for column in codes.T]
    floor = best_seconds(lambda: count(columns), N_RUNS)
    lines = [["counting only", f"{floor * 1e3:.2f}", "1.00"]]
    for kind, X in tables(codes).items():
        book = Codebook()
        assert np.array_equal(book.fit_encode(X), codes), kind
        seconds = best_seconds(partial(book.encode, X), N_RUNS)
        lines.append([kind, f"{seconds * 1e3:.2f}", f"{seconds / floor:.2f}"])
    title = f"{N_ROWS:,} rows, {N_COLUMNS} columns of {N_LEVELS} values: "
    title += f"{AIM:g} or less for pandas category"
    print_table(title, ("table", "ms", "ratio"), lines)


if __name__ == "__main__":
    main()
