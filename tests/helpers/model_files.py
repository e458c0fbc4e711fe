"""Models to keep in files, files taken apart, and what makes two models the same."""

import dataclasses
import json
from io import BytesIO

import numpy as np
import pandas as pd

import nearkind as nk
from nearkind.persistence.container import pack_container, read_container
from nearkind.persistence.nodes import dump_json

LOST = {
    "_online", "_rng", "_reported", "_skl_callbacks", "_callback_context", "library_",
    "held_proba_", "held_rows_", "_voter", "_learner", "_chosen_temperature",
}  # fmt: skip
"""Attributes that a file does not keep, as ``save`` says."""


def saved(model):
    """Return the bytes of a model file."""
    file = BytesIO()
    nk.save(model, file)
    return file.getvalue()


def loaded(data, **limits):
    """Return the model of the bytes of a file."""
    return nk.load(BytesIO(data), **limits)


def taken_apart(data):
    """Return JSON and arrays of a file."""
    text, arrays = read_container(BytesIO(data), 1 << 30)
    return json.loads(text.decode("utf-8", "surrogatepass")), arrays


def put_together(tree, arrays):
    """Return a file of JSON and arrays, checksum and all."""
    return pack_container(dump_json(tree), arrays)


def mixed_table(n_rows=80, seed=0):
    """Bins or a coordinate, few numbers, bools, unicode, missing cells, and noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    signs = np.array(["赤", "青", "e\u0301", "🙂"], dtype=object)
    X = pd.DataFrame(
        {
            "höhe": np.round(rng.normal(10.0 * y, 8.0), 2),
            "count": rng.integers(0, 4, n_rows) + y,
            "flag": (y + (rng.random(n_rows) < 0.2)) % 2 == 0,
            "色": signs[(y + rng.integers(0, 2, n_rows)) % 4],
            "noise": rng.choice(["a", "b"], n_rows),
        }
    )
    X.loc[rng.choice(n_rows, 6, replace=False), ["höhe", "色"]] = None
    return X, np.array(["ham", "egg", "jam"])[y]


def known_of(value):
    """Return the attributes of an object that a file keeps, by name."""
    known = {name: part for name, part in vars(value).items() if name not in LOST}
    if isinstance(value, nk.CPMLClassifier) and hasattr(value, "classes_"):
        known |= {"committee_": value.committee_, "metric_": value.metric_}
    return known


def assert_same(a, b, where=""):
    """Equal in type, in every number to the last bit, and in every part."""
    if isinstance(a, np.generic):
        a = a.item()
    if isinstance(b, np.generic):
        b = b.item()
    assert type(a) is type(b) or where.endswith(".projection_"), where
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), where
        if a.dtype == object:
            assert_same(a.tolist(), b.tolist(), where)
        else:
            assert a.tobytes() == b.tobytes(), where
    elif isinstance(a, dict):
        assert_same(list(a), list(b), where)
        for key, left, right in zip(a, a.values(), b.values(), strict=True):  # or NaN
            assert_same(left, right, f"{where}.{key}")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), where
        for i, (left, right) in enumerate(zip(a, b, strict=True)):
            assert_same(left, right, f"{where}[{i}]")
    elif where.endswith(".projection_"):
        assert_same(a.tables, b.tables, f"{where}.tables")
    elif dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            parts = (getattr(x, field.name) for x in (a, b))
            assert_same(*parts, f"{where}.{field.name}")
    elif hasattr(a, "__dict__") and not isinstance(a, type):
        mine, theirs = (known_of(x) for x in (a, b))
        assert set(mine) == set(theirs), where
        for name in mine:
            assert_same(mine[name], theirs[name], f"{where}.{name}")
    else:
        assert a == b or (a != a and b != b), where


def assert_same_answers(a, b, X, y):
    """Every method that both have gives the same, bit for bit."""
    rows = X.iloc[:25]
    for ask in (
        lambda m: m.predict(X),
        lambda m: m.predict_proba(X),
        lambda m: m.kneighbors(rows, 4),
        lambda m: m.kneighbors(n_neighbors=3),
        lambda m: np.asarray(m.transform(X)),
        lambda m: m.pairwise_distances(rows),
        lambda m: m.triplet_accuracy(rows, y[:25]),
        lambda m: m.get_feature_names_out(),
        lambda m: m.explain(X.iloc[0], X.iloc[1]).to_dict("list"),
        lambda m: [m.value_distances(name).to_dict("list") for name in X],
        lambda m: m.difference_matrices(rows),
        lambda m: m.value_vectors_,
        lambda m: m.categories_,
        lambda m: m.similarities(rows),
    ):
        try:
            wanted = ask(a)
        except (AttributeError, TypeError, ValueError):  # it has no such method
            continue
        assert_same(wanted, ask(b))
