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

from benchmarks.harness import best_seconds
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
    print(
        f"{N_ROWS:,} rows, {N_COLUMNS} columns of {N_LEVELS} values, best of {N_RUNS}"
    )
    print(f"{'table':20}{'ms':>8}{'ratio':>8}")
    print(f"{'counting only':20}{floor * 1e3:8.2f}{1:8.2f}")
    for kind, X in tables(codes).items():
        book = Codebook()
        assert np.array_equal(book.fit_encode(X), codes), kind
        seconds = best_seconds(partial(book.encode, X), N_RUNS)
        note = f"  (aim: {AIM:g} or less)" if kind == "pandas category" else ""
        print(f"{kind:20}{seconds * 1e3:8.2f}{seconds / floor:8.2f}{note}")


if __name__ == "__main__":
    main()
