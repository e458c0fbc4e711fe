"""Model files, ways to damage them, and what must come of a damaged one."""

import copy
import sys
from pathlib import Path

import numpy as np

import nearkind as nk
from helpers.model_files import loaded, mixed_table
from nearkind.errors import ModelFileError

FOLDER = Path(__file__).parents[1] / "persistence" / "files"
MIXED = [
    "searched", "mixed_bins", "mixed_scale", "mixed_crosses", "calibrated", "boosted",
    "kernels",
]  # fmt: skip
NAMES = ["six_persons", "monks", *MIXED]
FILES = {name: (FOLDER / f"{name}.nearkind").read_bytes() for name in NAMES}
ODD = [
    None, True, -1, 0, 2**63, 10**400, 1e308, -0.0, "", "x", "../../etc/passwd", [], {},
    [[[[]]]], {"float": "nan"}, {"float": "inf"}, {"float": "1e5"}, {"tuple": []},
    {"os.system": "true"}, {"__class__": "object"}, {"CPML": {}},
    {"CPML": {"settings": {}}}, {"Hamming": {"settings": {"unseen": 3}}},
    {"array": ["<f8", "C", [10**12, 10**12], 0]}, {"array": ["|O", "C", [1], 0]},
    {"array": ["<f8", "C", [-1], 0]}, {"array": ["<f8", "C", [1], 0]},
    {"array": ["<V8", "C", [1], 0]}, {"array": [["<f8"], "C", [1], 0]},
    {"texts": ["<U999999999", ["a", "b"]]}, {"texts": ["<U1", "a"]}, {"objects": 7},
    {"decimal": "nan"}, {"decimal": "1" * 9000}, {"fraction": [1, 0]},
    {"range": [0, 10**15, 1]}, {"range": [0, 5, 0]}, {"bytes": "zz"},
    {"dict": [[[], 1]]},
    {"Levels": {"levels": ["a", "a"], "missing": False}},
]  # fmt: skip
FORBIDDEN = (
    "compile", "exec", "import", "open", "os.", "pickle.", "shutil.", "socket.",
    "subprocess.", "ctypes.", "marshal.",
)  # fmt: skip
ROWS = {
    "six_persons": nk.datasets.load("credit_risk").X,
    "monks": nk.datasets.load("monks1").X[:20],
    **dict.fromkeys(MIXED, mixed_table(20)[0]),
}


class Watch:
    """Hears of everything that Python does outside itself, while it is switched on."""

    def __init__(self):
        self.heard, self.is_on = [], False
        sys.addaudithook(self)

    def __call__(self, event, args):
        if self.is_on and event.startswith(FORBIDDEN):
            self.heard.append((event, args))


def sentence_or_model(data, watch, **limits):
    """Return the model, or None once the refusal has been found to be a sentence."""
    watch.is_on = True
    try:
        model = loaded(data, **limits)
    except ModelFileError as error:
        text = str(error)
        assert text.startswith("Cannot load a file: "), text
        assert text.endswith("."), text
        assert "\n" not in text, text
        assert len(text) < 500, text
        return None
    finally:
        watch.is_on = False
        assert watch.heard == []
    return model


def assert_answers(model, rows):
    """What was let through can be used: finite distances, shares that add up."""
    if not hasattr(model, "predict_proba"):
        assert np.isfinite(model.pairwise_distances(rows)).all()
        return
    shares = model.predict_proba(rows)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert set(model.predict(rows)) <= set(model.classes_)


def flipped(data, rng, n_bytes=1):
    data = bytearray(data)
    for at in rng.integers(0, len(data), n_bytes):
        data[at] ^= rng.integers(1, 256)
    return bytes(data)


def places(tree, path=()):
    """Give the path of every node of a tree."""
    yield path
    if isinstance(tree, dict | list):
        keys = tree if isinstance(tree, dict) else range(len(tree))
        for key in keys:
            yield from places(tree[key], (*path, key))


def changed(tree, path, odd, how):
    """Return a tree in which one node was replaced, dropped or doubled."""
    if not path:
        return odd
    tree = copy.deepcopy(tree)
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    if how == "drop":
        del parent[path[-1]]
    elif how == "double" and isinstance(parent, list):
        parent.insert(path[-1], copy.deepcopy(parent[path[-1]]))
    elif how == "rename" and isinstance(parent, dict):
        parent[f"{path[-1]}x"] = parent.pop(path[-1])
    else:
        parent[path[-1]] = odd
    return tree
