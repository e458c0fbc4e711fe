"""Data to try nearkind on: sets that a rule defines, files, and synthetic draws."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

from nearkind.datasets import files
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.rules import RULES
from nearkind.datasets.synthetic import make_synthetic

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["load", "make_synthetic", "names"]


def load(name: str, *, as_frame: bool = True) -> "Bunch":
    """Return a data set by name.

    Sets that a rule defines are always computed. The others are read from NAME.csv.gz
    in the folder that the environment variable NEARKIND_DATA names: UTF-8, comma
    separated, a header, the label in the last column ``class``, an empty field for a
    missing value. Any file of that form can be loaded, known set or not.

    Parameters
    ----------
    name : str
        One of ``names()``.
    as_frame : bool
        True: pandas DataFrame and Series; False: object arrays, None for a missing
        value, and pandas is not needed.

    Returns
    -------
    Bunch
        X (n, D) of strings, y (n,), name, source and feature_names.

    Raises
    ------
    FileNotFoundError
        If the set is known but needs a file, and there is none.
    ValueError
        If no set has that name, or its file is damaged.

    Examples
    --------
    >>> from nearkind import datasets
    >>> risk = datasets.load("credit_risk", as_frame=False)
    >>> print(*risk.X[2], risk.y[2])
    Plumber TAFE Single High
    """
    files.check_name(name)
    if name in RULES:
        table, source = RULES[name](), CATALOGUE[name].about
    else:
        path = files.locate(name)
        if path is None:
            raise _absent(name)
        table, source = files.read(path), _source(name, path.name)
    return table.bunch(as_frame=as_frame, name=name, source=source)


def names() -> list[str]:
    """Return the names of all sets: the known ones and the files in NEARKIND_DATA.

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
    return sorted({*CATALOGUE, *files.found()})


def _source(name: str, file_name: str) -> str:
    """Say where a set read from a file comes from."""
    about = f"{CATALOGUE[name].about}, " if name in CATALOGUE else ""
    return f"{about}file {file_name}"


def _absent(name: str) -> Exception:
    """Return the error for a set that cannot be had: no file, or no such name."""
    if name not in CATALOGUE:
        near = get_close_matches(name.lower().replace("-", "_"), names(), cutoff=0.5)
        listed = ", ".join(map(repr, near or names()))
        hint = f"Did you mean {listed}?" if near else f"Known are {listed}."
        return ValueError(f"There is no data set {name!r}. {hint}")
    home = files.folder()
    state = f"names {str(home)!r}, which has none" if home else "is not set"
    return FileNotFoundError(
        f"Data set {name!r} needs the file {name}{files.SUFFIX} and {files.VARIABLE} "
        f"{state}. Set {files.VARIABLE} to a folder that holds {name}{files.SUFFIX}, "
        f"or use a set that needs no file: {', '.join(sorted(RULES))}."
    )
