"""The catalogue of built-in data sets: descriptions, citations, columns, checksums.

It is read from ``catalogue.toml``, which says what its fields mean.
"""

import tomllib
from importlib.resources import files
from typing import Any, NamedTuple

UNCHECKED = "terms of the UCI Machine Learning Repository; not checked by nearkind"


class Entry(NamedTuple):
    """Size of a set, one line on what it is, and whose it is."""

    n_samples: int
    n_features: int
    n_classes: int
    about: str
    citation: str
    licence: str = UNCHECKED


_WORDS = "about", "citation", "licence"
_FILE = files("nearkind.datasets").joinpath("catalogue.toml")
_KNOWN: dict[str, dict[str, Any]] = tomllib.loads(_FILE.read_text("utf-8"))


def _field(key: str) -> dict[str, Any]:
    return {name: facts[key] for name, facts in _KNOWN.items() if key in facts}


CATALOGUE = {
    name: Entry(
        *size, **{key: _KNOWN[name][key] for key in _WORDS if key in _KNOWN[name]}
    )
    for name, size in _field("size").items()
}
"""The sets that nearkind knows by name."""
COLUMNS = {name: words.split() for name, words in _field("columns").items()}
"""Name of a set that OpenML has to its features, as the files name them, in order."""
NUMERIC = {name: set(words.split()) for name, words in _field("numeric").items()}
"""Columns of numbers of a set, which the paper leaves out."""
CHECKSUMS: dict[str, str] = _field("sha256")
"""Name of a file without its ending to the sha256 of the copy that was tested."""
OPENML: dict[str, dict[str, Any]] = _field("openml")
"""Name of a set that OpenML has to how it is had from there."""
