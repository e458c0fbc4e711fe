"""A set by its name, with what is known of it; or what to do to have it."""

from typing import NamedTuple

from nearkind.datasets import files, sources
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.derived import DERIVED
from nearkind.datasets.rules import RULES
from nearkind.datasets.table import Table
from nearkind.errors import did_you_mean

UNKNOWN = "unknown"


class Obtained(NamedTuple):
    """A set and the facts that go with it."""

    table: Table
    source: str
    licence: str
    citation: str


def names() -> list[str]:
    """Return the names of all sets: the known ones, and files in folder and cache.

    Returns
    -------
    list of str
        Sorted. A known set may still lack its file.

    Examples
    --------
    >>> from nearkind import datasets
    >>> "monks1" in datasets.names()
    True
    """
    homes = (files.folder(), files.cache())
    return sorted({*CATALOGUE, *(name for home in homes for name in files.found(home))})


def offered(name: str) -> sources.Offer:
    """Return how a set can be had.

    Parameters
    ----------
    name : str

    Returns
    -------
    Offer

    Raises
    ------
    ValueError
        If no set has that name; the message suggests some.

    Examples
    --------
    >>> offered("krkopt").says
    'computed from its rule'
    """
    offer = sources.find(files.check_name(name))
    if offer is None:
        hint = did_you_mean(name, names(), max_listed=50)
        raise ValueError(f"There is no data set {name!r}. {hint}")
    return offer


def obtain(name: str) -> Obtained:
    """Return a set and its facts.

    Parameters
    ----------
    name : str

    Returns
    -------
    Obtained

    Raises
    ------
    FileNotFoundError
        If the set is known but needs a file, and there is none.
    ValueError
        If no set has that name, or its file is damaged.

    Examples
    --------
    >>> obtain("balance").source
    'UCI Balance Scale, computed from its rule'
    """
    offer = offered(name)
    try:
        table = offer.table()
    except sources.UnreachableError as error:
        raise _absent(name, error) from error
    entry = CATALOGUE.get(name)
    if entry is None:
        return Obtained(table, offer.says, UNKNOWN, UNKNOWN)
    source = f"{entry.about}, {offer.says}"
    return Obtained(table, source, entry.licence, entry.citation)


def _absent(name: str, error: Exception) -> Exception:
    """Return the error for a known set without a file that cannot be downloaded."""
    needed = f"{name}{files.SUFFIX}"
    if name in DERIVED:
        needed += f" (or {DERIVED[name].parent}{files.SUFFIX}, which it is made of)"
    home = files.folder()
    state = f"names {str(home)!r}, which has none" if home else "is not set"
    return FileNotFoundError(
        f"Data set {name!r} needs the file {needed}: {files.VARIABLE} {state}, the "
        f"cache {str(files.cache())!r} has none, and OpenML did not give it ({error}). "
        f"Set {files.VARIABLE} to a folder that holds {name}{files.SUFFIX}, or use a "
        f"set that needs no file: {', '.join(sorted([*RULES, 'led24']))}."
    )
