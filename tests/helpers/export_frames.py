"""Tables whose values are hard to write down."""

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.real_files import real_file
from nearkind.estimators.base import keep_codebook
from nearkind.voting import Committee

NUMBERS = [
    "age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week",
]  # fmt: skip
ODD = [
    "O'Hara", '5" nail', "a; DROP TABLE x; --", "Zoë", "🙂", "two\nlines",
    "back\\slash", "%s {} $1", " ", "NULL", "NaN", "1", "true", "x" * 200,
]  # fmt: skip


def odd_frame(n_rows=90, seed=0):
    """Odd texts and names, whole numbers, fractions, booleans, gaps, many numbers."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    at = (5 * y + rng.integers(0, 6, n_rows)) % len(ODD)
    X = pd.DataFrame(
        {
            'what "is" it; --': pd.Series([ODD[i] for i in at], dtype=object),
            "größe 🙂": (y + rng.integers(0, 2, n_rows)).astype(np.int64),
            "vector": pd.Series(rng.random(n_rows) < 0.3 + 0.2 * y, dtype=object),
            "share": (rng.integers(0, 4, n_rows) / 3.0),
            "many": rng.normal(size=n_rows) + y,
            "y" * 60: pd.Series(np.array(["p", "q"])[rng.integers(0, 2, n_rows)]),
        }
    )
    gaps = rng.choice(n_rows, 8, replace=False)
    X.loc[gaps[:4], 'what "is" it; --'] = None
    X.loc[gaps[4:], ["share", "many"]] = np.nan
    return X, np.array(["ham", "egg 'n' \"spam\"", "🍓"])[y]


def strangers(X):
    """Return rows of which some values were never seen, and some lie far out."""
    other = X.iloc[:12].copy()
    other.iloc[0, 0] = "never seen"
    other.iloc[1, 1] = 99
    other.iloc[2, 3] = 0.123
    other.iloc[3:6, 4] = [np.inf, -np.inf, np.nan]
    other.iloc[6, 5] = "P"
    other.iloc[7, 0] = None
    return other


def real(name, n_rows=None):
    """Return a real set, its gaps as None; the test is skipped where there is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEARKIND_DATA", str(real_file(name).parent))
        data = nk.datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(data.X))[:n_rows]
    cells = data.X.iloc[rows].reset_index(drop=True).astype(object)
    return cells.where(cells.notna(), None), data.y.to_numpy(object)[rows]


def mixed_adult(n_rows=3_000):
    """Return adult with its columns of numbers as numbers."""
    X, y = real("adult", n_rows)
    return X.assign(**{name: X[name].astype(float) for name in NUMBERS}), y


def committee(members, calibration=None, weights=None):
    """Return a search that chose these fitted classifiers."""
    model, first = nk.CPMLClassifierCV(), members[0]
    voters = tuple(member.committee_.voters[0] for member in members)
    model.committee_ = Committee(voters, first.classes_, calibration, weights=weights)
    model.classes_ = first.classes_
    keep_codebook(model, first.codebook_)
    return model
