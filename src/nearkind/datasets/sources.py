"""Data sets by name, from the first source that has them.

A set that no source can give is refused with what to do to have it.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException
from typing import Any, NamedTuple

from nearkind.datasets import files, openml
from nearkind.datasets.catalogue import CATALOGUE, CHECKSUMS
from nearkind.datasets.dataset import Dataset
from nearkind.datasets.derivation import DERIVED
from nearkind.datasets.rules import RULES, SEED, led24
from nearkind.errors import did_you_mean
from nearkind.io import write_columns

UNKNOWN = "unknown"


class Offer(NamedTuple):
    """A set that a source can give.

    Attributes
    ----------
    where : {"rule", "folder", "cache", "not here"}
    says : str
        Where the set comes from, in words.
    load : callable
        Returns the set.
    """

    where: str
    says: str
    load: Callable[[], Dataset]


class Obtained(NamedTuple):
    """A set and the facts that go with it."""

    data: Dataset
    source: str
    licence: str
    citation: str


class UnreachableError(OSError):
    """OpenML has the set and did not give it; the message says why."""


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
    return sorted(
        {*CATALOGUE, *(name for home in homes for name in files.names_in(home))}
    )


def require_offer(name: str) -> Offer:
    """Return the offer of a set that must exist.

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
    >>> require_offer("krkopt").says
    'computed from its rule'
    """
    offer = find_offer(files.check_name(name))
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
    offer = require_offer(name)
    try:
        data = offer.load()
    except UnreachableError as error:
        raise _absent(name, error) from None  # its traceback is of the network
    entry = CATALOGUE.get(name)
    if entry is None:
        return Obtained(data, offer.says, UNKNOWN, UNKNOWN)
    source = f"{entry.about}, {offer.says}"
    return Obtained(data, source, entry.licence, entry.citation)


def _absent(name: str, error: Exception) -> Exception:
    """Return the error for a known set without a file that cannot be downloaded."""
    needed = f"{name}{files.SUFFIX}"
    if name in DERIVED:
        needed += f" (or {DERIVED[name].parent}{files.SUFFIX}, from which it is made)"
    home = files.folder()
    state = f"names {str(home)!r}, which has none" if home else "is not set"
    return FileNotFoundError(
        f"Data set {name!r} needs the file {needed}: {files.VARIABLE} {state}, the "
        f"cache {str(files.cache())!r} has none, and OpenML did not give it ({error}). "
        f"Set {files.VARIABLE} to a folder that holds {name}{files.SUFFIX}, or use a "
        f"set that needs no file: {', '.join(sorted([*RULES, 'led24']))}."
    )


def find_offer(name: str) -> Offer | None:
    """Return the offer of the first source that knows a set, or None.

    Parameters
    ----------
    name : str

    Returns
    -------
    Offer or None

    Examples
    --------
    >>> find_offer("monks1").where
    'rule'
    >>> find_offer("no_such_set") is None
    True
    """
    return next(_offers(name), None)


def _offers(name: str) -> Iterator[Offer]:
    """Yield the offers of a set: a rule, whatever files there are, comes first."""
    if name in RULES:
        yield Offer("rule", "computed from its rule", RULES[name])
    cache, variable, checksum = files.cache(), files.VARIABLE, CHECKSUMS.get(name)
    if path := files.file_in(files.folder(), name):
        load = partial(files.read, path, checksum)
        yield Offer("folder", f"file {path.name} in {variable}", load)
    if path := files.file_in(cache, name):
        advice = (
            f"Delete it from {str(cache)!r} to have the set downloaded again, or move "
            f"it to the folder that {variable} names to use it as it is."
        )
        load = partial(files.read, path, checksum, advice)
        yield Offer("cache", f"file {path.name} in the cache", load)
    if name in DERIVED:
        parent, derive, about = DERIVED[name]
        for where, says, load_parent in _offers(parent):
            made = partial(_derived, derive, load_parent)
            yield Offer(where, f"derived from {parent} ({about}), {says}", made)
    if name == "led24":
        seeded = f"drawn by its rule with seed {SEED}"
        yield Offer("rule", f"{seeded}, so not the rows of the published file", led24)
    if name in openml.RECIPES:
        says = f"OpenML data set {openml.RECIPES[name].data_id}"
        yield Offer("not here", says, partial(_fetch, name))


def _derived(
    derive: Callable[[Dataset], Dataset], load: Callable[[], Dataset]
) -> Dataset:
    return derive(load())


def _fetch(name: str) -> Dataset:
    """Download a set, compare it with the known copy, and keep it."""
    try:
        data = openml.fetch(name)
    except (OSError, ValueError, ImportError, EOFError, HTTPException) as error:
        raise UnreachableError(f"{error}".rstrip(".")) from error
    what = f"OpenML data set {openml.RECIPES[name].data_id} ({name})"
    advice = (
        "It is not kept. Try again later, or set "
        f"{files.VARIABLE} to a folder that holds {name}{files.SUFFIX}."
    )
    files.check_digest(what, CHECKSUMS.get(name), files.text_digest(data), advice)
    _keep(name, data)
    return data


def _keep(name: str, data: Dataset) -> None:
    """Write a set to the cache; warn if that fails."""
    home = files.cache()
    try:
        home.mkdir(parents=True, exist_ok=True)
        write_columns(data.columns(), home / f"{name}{files.SUFFIX}")
    except OSError as error:
        warnings.warn(
            f"Data set {name!r} was downloaded and could not be kept in {str(home)!r} "
            f"({error}); it will be downloaded again next time.",
            stacklevel=2,
        )


def overview() -> list[dict[str, Any]]:
    """Return one dictionary a set: its size, and where it would come from.

    Returns
    -------
    list of dict
        With name, rows, features, classes, where ("rule", "folder", "cache" or "not
        here"), openml (its number there, or that of the
        set it is made of) and about; None for what is not known before reading a file.

    Examples
    --------
    >>> [row["rows"] for row in overview() if row["name"] == "balance"]
    [625]
    """
    return [_facts(name) for name in names()]


def _facts(name: str) -> dict[str, Any]:
    """Return the facts known without reading the set."""
    entry = CATALOGUE.get(name)
    recipe = openml.RECIPES.get(DERIVED[name].parent if name in DERIVED else name)
    rows, features, classes, about = entry[:4] if entry else (None,) * 4
    return {
        "name": name,
        "rows": rows,
        "features": features,
        "classes": classes,
        "where": require_offer(name).where,
        "openml": recipe.data_id if recipe else None,
        "about": about,
    }


def description(name: str, obtained: Obtained) -> dict[str, Any]:
    """Return what a set holds.

    Parameters
    ----------
    name : str
    obtained : Obtained

    Returns
    -------
    dict
        With name, source, licence, citation, rows, ``columns`` (a dictionary each:
        name, values, missing), ``target`` and ``classes`` (label to rows, the most
        frequent first).

    Examples
    --------
    >>> description("credit_risk", obtain("credit_risk"))["classes"]
    {'Low': 2, 'High': 2, 'Middle': 2}
    """
    data, source, licence, citation = obtained
    columns = zip(data.feature_names, data.X.T, strict=True)
    return {
        "name": name,
        "source": source,
        "licence": licence,
        "citation": citation,
        "rows": len(data.y),
        "columns": [_column(column, list(values)) for column, values in columns],
        "target": data.target,
        "classes": dict(Counter(data.y.tolist()).most_common()),
    }


def _column(name: str, values: list[str | None]) -> dict[str, Any]:
    """Return the number of values of a column, missing ones apart."""
    present = set(values) - {None}
    return {"name": name, "values": len(present), "missing": values.count(None)}
