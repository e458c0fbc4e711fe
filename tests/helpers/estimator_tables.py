"""Small labelled tables for estimator tests."""

import numpy as np
import pandas as pd


def labelled_table(n_rows=60, seed=0, n_classes=3):
    """Three informative columns and one of noise, with some missing cells."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    noisy = np.where(rng.random(n_rows) < 0.2, rng.integers(0, n_classes, n_rows), y)
    columns = {
        "shape": np.array(["round", "square", "flat"])[noisy % 3],
        "size": np.array(["s", "m", "l", "xl"])[(y + rng.integers(0, 2, n_rows)) % 4],
        "tone": np.array(["high", "low"])[(y + (rng.random(n_rows) < 0.3)) % 2],
        "noise": np.array(["a", "b", "c"])[rng.integers(0, 3, n_rows)],
    }
    X = pd.DataFrame(columns, dtype=object)
    X.loc[rng.choice(n_rows, 4, replace=False), "size"] = None
    return X, np.array(["ham", "egg", "jam", "tea"])[y]
