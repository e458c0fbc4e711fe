"""Where a set comes from: the first of a list of sources that offers it."""

import warnings
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

from nearkind.datasets import files, openml, reading, writing
from nearkind.datasets.checksums import CHECKSUMS
from nearkind.datasets.derived import DERIVED
from nearkind.datasets.led import SEED, led24
from nearkind.datasets.rules import RULES
from nearkind.datasets.table import Table


class Offer(NamedTuple):
    """A set that can be had: where from, in a word and in words, and how."""

    where: str  # rule, folder, cache or not here
    says: str
    table: Callable[[], Table]


class UnreachableError(OSError):
    """OpenML has the set and did not give it; the message says why."""


def find(name: str) -> Offer | None:
    """Return the offer of the first source that knows a set, or None.

    Parameters
    ----------
    name : str

    Returns
    -------
    Offer or None

    Examples
    --------
    >>> find("monks1").where
    'rule'
    >>> find("no_such_set") is None
    True
    """
    offers = (source(name) for source in SOURCES)
    return next((offer for offer in offers if offer), None)


def _by_rule(name: str) -> Offer | None:
    """Offer what is computed, whatever files there are."""
    if name not in RULES:
        return None
    return Offer("rule", "computed from its rule", RULES[name])


def _in_folder(name: str) -> Offer | None:
    """Offer a file of the folder that NEARKIND_DATA names."""
    return _kept(name, "folder", files.folder(), f"in {files.VARIABLE}")


def _in_cache(name: str) -> Offer | None:
    """Offer a file of the user's cache."""
    return _kept(name, "cache", files.cache(), "in the cache")


def _kept(name: str, where: str, home: Path | None, words: str) -> Offer | None:
    """Offer a file of a folder."""
    path = files.within(home, name)
    if path is None:
        return None
    table = partial(reading.read, path, CHECKSUMS.get(name))
    return Offer(where, f"file {path.name} {words}", table)


def _derived(name: str) -> Offer | None:
    """Offer a set made of another, wherever that one comes from."""
    if name not in DERIVED:
        return None
    parent, derive, about = DERIVED[name]
    offer = find(parent)
    if offer is None:
        return None
    says = f"derived from {parent} ({about}), {offer.says}"
    return Offer(offer.where, says, lambda: derive(offer.table()))


def _drawn(name: str) -> Offer | None:
    """Offer a draw of ours of the set that is a random draw."""
    if name != "led24":
        return None
    says = f"drawn by its rule with seed {SEED}, so not the rows of the published file"
    return Offer("rule", says, led24)


def _on_openml(name: str) -> Offer | None:
    """Offer to download a set and to keep it in the cache."""
    if name not in openml.RECIPES:
        return None
    says = f"OpenML data set {openml.RECIPES[name].data_id}"
    return Offer("not here", says, partial(_fetch, name))


SOURCES = (_by_rule, _in_folder, _in_cache, _derived, _drawn, _on_openml)
"""In the order in which they are asked."""


def _fetch(name: str) -> Table:
    """Download a set, compare it with the known copy, and keep it."""
    try:
        table = openml.fetch(name)
    except (OSError, ValueError, ImportError, EOFError, HTTPException) as error:
        raise UnreachableError(f"{error}".rstrip(".")) from error
    what = f"OpenML data set {openml.RECIPES[name].data_id} ({name})"
    reading.compare(what, CHECKSUMS.get(name), writing.digest(table))
    _keep(name, table)
    return table


def _keep(name: str, table: Table) -> None:
    """Write a set to the cache; failing that, say so and go on."""
    home = files.cache()
    try:
        home.mkdir(parents=True, exist_ok=True)
        writing.write(table, home / f"{name}{files.SUFFIX}")
    except OSError as error:
        warnings.warn(
            f"Data set {name!r} was downloaded and could not be kept in {str(home)!r} "
            f"({error}); it will be downloaded again next time.",
            stacklevel=2,
        )
