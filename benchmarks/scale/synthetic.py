"""A synthetic table of any length, written to a Parquet file batch by batch."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BATCH = 1 << 18
N_VALUES = (2, 3, 3, 4, 4, 5, 6, 8, 10, 12, 16, 20, 30, 50, 100, 1_000)
"""Number of values of each column of words."""
N_CODES = 7, 15
"""Number of values of the columns of integers; with two of floats there are twenty."""
CLASSES = np.array(["no", "maybe", "yes"])
NOISE = 0.2


def write(path: Path, n_rows: int, seed: int = 0) -> None:
    """Write a Parquet file of 20 features and a class, a row group for each batch."""
    writer = None
    for number, at in enumerate(range(0, n_rows, BATCH)):
        table = draw(min(BATCH, n_rows - at), np.random.default_rng([seed, number]))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def draw(n_rows: int, rng: np.random.Generator) -> pa.Table:
    """Return a batch of rows; the class depends on four columns, and on noise."""
    codes = [rng.integers(size, size=n_rows, dtype=np.int32) for size in N_VALUES]
    words = {f"word {d}": _words(code, N_VALUES[d]) for d, code in enumerate(codes)}
    whole = {f"whole {d}": rng.integers(n, size=n_rows) for d, n in enumerate(N_CODES)}
    wide = {f"number {d}": rng.normal(size=n_rows) for d in range(2)}
    score = codes[3] % 2 + (codes[5] > 2) + (whole["whole 0"] > 3) + codes[8] % 3 / 2
    y = np.digitize(score, [1.0, 2.5])
    y = np.where(rng.random(n_rows) < NOISE, rng.integers(3, size=n_rows), y)
    return pa.table({**words, **whole, **wide, "class": _coded(y, CLASSES.tolist())})


def _words(code: Any, size: int) -> pa.DictionaryArray:
    return _coded(code, [f"value {i}" for i in range(size)])


def _coded(code: Any, values: list[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(code), values).cast(pa.string())
