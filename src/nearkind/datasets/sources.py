"""Data sets by name, from the first source that has them.

A set that no source can give is refused with what to do to have it.
"""

import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from pathlib import Path
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
    offers = (source(name) for source in SOURCES)
    return next((offer for offer in offers if offer), None)


def _by_rule(name: str) -> Offer | None:
    """Return the offer of a set that a rule defines, whatever files there are."""
    if name not in RULES:
        return None
    return Offer("rule", "computed from its rule", RULES[name])


def _in_folder(name: str) -> Offer | None:
    """Return the offer of a file in the folder that NEARKIND_DATA names."""
    return _file_offer(name, "folder", files.folder(), f"in {files.VARIABLE}")


def _in_cache(name: str) -> Offer | None:
    """Return the offer of a file in the user's cache."""
    home = files.cache()
    advice = (
        f"Delete it from {str(home)!r} to have the set downloaded again, or move it to "
        f"the folder that {files.VARIABLE} names to use it as it is."
    )
    return _file_offer(name, "cache", home, "in the cache", advice)


def _file_offer(
    name: str, where: str, home: Path | None, words: str, advice: str | None = None
) -> Offer | None:
    """Return the offer of a file in a folder; advice is for a file that was changed."""
    path = files.file_in(home, name)
    if path is None:
        return None
    load = partial(files.read, path, CHECKSUMS.get(name), advice)
    return Offer(where, f"file {path.name} {words}", load)


def _derived(name: str) -> Offer | None:
    """Return the offer of a set made of another, wherever that one comes from."""
    if name not in DERIVED:
        return None
    parent, derive, about = DERIVED[name]
    offer = find_offer(parent)
    if offer is None:
        return None
    says = f"derived from {parent} ({about}), {offer.says}"
    return Offer(offer.where, says, lambda: derive(offer.load()))


def _drawn(name: str) -> Offer | None:
    """Return the offer of a draw of our own of ``led24``, which is a random draw."""
    if name != "led24":
        return None
    says = f"drawn by its rule with seed {SEED}, so not the rows of the published file"
    return Offer("rule", says, led24)


def _on_openml(name: str) -> Offer | None:
    """Return the offer of a set on OpenML, to be kept in the cache."""
    if name not in openml.RECIPES:
        return None
    says = f"OpenML data set {openml.RECIPES[name].data_id}"
    return Offer("not here", says, partial(_fetch, name))


SOURCES = (_by_rule, _in_folder, _in_cache, _derived, _drawn, _on_openml)
"""Sources in the order in which they are asked."""


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
