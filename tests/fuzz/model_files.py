"""Damaged model files, a seed each: refused in a sentence, or a model that answers."""

import copy
import warnings
from functools import cache
from io import BytesIO

import numpy as np

from helpers.model_files import loaded, put_together, taken_apart
from helpers.mutants import (
    FILES,
    NAMES,
    ODD,
    ROWS,
    Watch,
    assert_answers,
    changed,
    flipped,
    places,
    sentence_or_model,
)
from nearkind.persistence import container
from nearkind.persistence.container import pack_container, read_container


@cache
def parts(name):
    """Return text, arrays, tree and places of a file."""
    text, arrays = read_container(BytesIO(FILES[name]), 1 << 30)
    tree, _ = taken_apart(FILES[name])
    return text, arrays, tree, [*places(tree)]


@cache
def watch():
    for name in NAMES:  # a first load imports modules
        loaded(FILES[name])
    return Watch()


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def damaged(rng, name):
    """Change some bytes; the checksum tells."""
    return flipped(FILES[name], rng, int(rng.integers(1, 4)))


def cut(rng, name):
    """Cut the file, or go on after its end."""
    data = FILES[name]
    n = int(rng.integers(0, len(data) + 40))
    return data[:n] if n < len(data) else data + rng.bytes(n - len(data) + 1)


def other_numbers(rng, name):
    """Change bytes of arrays and seal the file again."""
    text, arrays, _, _ = parts(name)
    return pack_container(text, flipped(arrays, rng, int(rng.integers(1, 9))))


def other_text(rng, name):
    """Change bytes of the JSON and seal the file again."""
    text, arrays, _, _ = parts(name)
    return pack_container(flipped(text, rng, int(rng.integers(1, 4))), arrays)


def other_nodes(rng, name):
    """Edit the JSON in one to three places and seal the file again."""
    _, arrays, tree, _ = parts(name)
    for _ in range(int(rng.integers(1, 4))):
        paths = [*places(tree)]
        path = paths[rng.integers(len(paths))]
        how = ["odd", "odd", "drop", "double", "rename"][rng.integers(5)]
        tree = changed(tree, path, ODD[rng.integers(len(ODD))], how)
    return put_together(tree, arrays)


def grafted(rng, name):
    """Put a part of one model into the place of a part of another, or of its own."""
    _, arrays, tree, paths = parts(name)
    _, _, donor, donated = parts(NAMES[rng.integers(len(NAMES))])
    path, source = paths[rng.integers(len(paths))], donated[rng.integers(len(donated))]
    grafted_in = changed(tree, path, copy.deepcopy(at(donor, source)), "odd")
    return put_together(grafted_in, arrays)


def other_sizes(rng, name):
    """State other sizes in the header and seal the file again."""
    data, size = FILES[name], container._HEADER.size
    magic, number, *sizes = container._HEADER.unpack(data[:size])
    which = rng.integers(len(sizes))
    sizes[which] = [0, 1, sizes[which] + 1, 2**31, 2**63][rng.integers(5)]
    body = container._HEADER.pack(magic, number, *sizes) + data[size:-32]
    return body + container.sha256(body).digest()


KINDS = [damaged, cut, other_numbers, other_text, other_nodes, grafted, other_sizes]
SEALED = [other_numbers, other_text, other_nodes, grafted]


def load_or_refuse(seed):
    """A damaged file is refused in a sentence, or is a model that answers."""
    rng = np.random.default_rng(seed)
    kinds = SEALED if rng.random() < 0.8 else KINDS
    name, kind = NAMES[rng.integers(len(NAMES))], kinds[rng.integers(len(kinds))]
    data = kind(rng, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        model = sentence_or_model(data, watch())
        if model is None:
            return "refused"
        if set(model.codebook_.names_) != set(ROWS[name]):
            return "other columns"
        assert_answers(model, ROWS[name])
    return "answered"
