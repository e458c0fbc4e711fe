"""Where files of sets are kept: NAME.csv.gz in NEARKIND_DATA, or in the cache."""

import os
import re
import sys
from pathlib import Path

VARIABLE = "NEARKIND_DATA"
SUFFIX = ".csv.gz"
_NAME = re.compile(r"\w[\w.-]*")  # no separator and no leading dot: no way out
_CACHES = {
    "win32": ("LOCALAPPDATA", "~/AppData/Local"),
    "darwin": ("XDG_CACHE_HOME", "~/Library/Caches"),
}


def check_name(name: str) -> str:
    """Return ``name`` if it can only be a file inside a folder.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    Examples
    --------
    >>> check_name("adult")
    'adult'
    """
    if not isinstance(name, str):
        raise TypeError(f"The name of a data set is a string, got {name!r}.")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"The name of a data set has only letters, digits, '_', '-' and '.', "
            f"got {name!r}; to read from another folder, set {VARIABLE} to it."
        )
    return name


def folder() -> Path | None:
    """Return the folder that NEARKIND_DATA names now, or None.

    Returns
    -------
    Path or None
        The folder need not exist.

    Examples
    --------
    >>> folder() is None or isinstance(folder(), Path)
    True
    """
    value = os.environ.get(VARIABLE)
    return Path(value).expanduser() if value else None


def cache() -> Path:
    """Return the user's cache folder of nearkind, where downloads are kept.

    Returns
    -------
    Path
        The folder need not exist.

    Examples
    --------
    >>> cache().name
    'nearkind'
    """
    variable, default = _CACHES.get(sys.platform, ("XDG_CACHE_HOME", "~/.cache"))
    return Path(os.environ.get(variable) or default).expanduser() / "nearkind"


def found(home: Path | None) -> list[str]:
    """Return the names of the sets in a folder, sorted.

    Parameters
    ----------
    home : Path or None

    Returns
    -------
    list of str

    Examples
    --------
    >>> found(None)
    []
    """
    paths = home.glob(f"*{SUFFIX}") if home else []
    names = (path.name.removesuffix(SUFFIX) for path in paths if path.is_file())
    return sorted(name for name in names if _NAME.fullmatch(name))


def within(home: Path | None, name: str) -> Path | None:
    """Return the file of a set in a folder, or None where there is none.

    Parameters
    ----------
    home : Path or None
    name : str

    Returns
    -------
    Path or None

    Examples
    --------
    >>> within(None, "adult") is None
    True
    """
    path = home / f"{check_name(name)}{SUFFIX}" if home else None
    return path if path and path.is_file() else None


def locate(name: str) -> Path | None:
    """Return the file of a set, in NEARKIND_DATA or else in the cache, or None.

    Parameters
    ----------
    name : str

    Returns
    -------
    Path or None

    Examples
    --------
    >>> locate("no_such_set") is None
    True
    """
    return within(folder(), name) or within(cache(), name)
