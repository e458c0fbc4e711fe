"""Real data for benchmarks: whole sets, their categorical columns, and splits."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Bunch

import nearkind as nk
from nearkind.experiments.splits import Part, Split
from nearkind.protocols import Array

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


def load(name: str) -> Bunch:
    """Load a set from NEARKIND_DATA, or from the folder beside this repository."""
    os.environ.setdefault("NEARKIND_DATA", str(SHARED_DATA))
    return nk.datasets.load(name)


def load_categorical(name: str) -> Bunch:
    """Load a set without its columns of numbers, which datasets.json names."""
    data = load(name)
    facts = json.loads(Path(os.environ["NEARKIND_DATA"], "datasets.json").read_text())
    columns = next(entry["categorical"] for entry in facts if entry["name"] == name)
    data.X = data.X[columns]
    return data


def split(name: str, seed: int = 0) -> Split:
    """Return a split of a set, 6 : 2 : 2, stratified if each class has two rows."""
    data = load(name)
    y = pd.factorize(data.y, sort=True)[0]
    train, rest = _cut(Part(data.X, y), 0.4, seed)
    return Split(train, *_cut(rest, 0.5, seed))


def two_parts(data: Bunch, seed: int = 0) -> tuple[Part, Part]:
    """Return a split of a set, 8 : 2."""
    return _cut(Part(data.X, pd.factorize(data.y, sort=True)[0]), 0.2, seed)


def one_hot(parts: Split) -> Split:
    """Return the same split, its rows as indicators; unseen values have none."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encoder.fit(parts.train.X)
    return Split(*(Part(encoder.transform(part.X), part.y) for part in parts))


def indicators(X: pd.DataFrame) -> Array:
    """Return a table as indicators (n, number of values)."""
    return OneHotEncoder(sparse_output=False).fit_transform(X)


def _cut(part: Part, share: float, seed: int) -> tuple[Part, Part]:
    counts = np.unique(part.y, return_counts=True)[1]
    X, X_rest, y, y_rest = train_test_split(
        part.X,
        part.y,
        test_size=share,
        random_state=seed,
        stratify=part.y if counts.min() >= 2 else None,
    )
    return Part(X, y), Part(X_rest, y_rest)
