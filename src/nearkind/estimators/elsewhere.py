"""Tables that live elsewhere: methods hand them to the module that works there."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def home_of(X: Any) -> Any:
    """Return the module with a function for each method; None if a table is here.

    A library that has not been loaded has no tables, so none is loaded to find out.

    Examples
    --------
    >>> home_of([["red"]])
    """
    homes = (home for lives_there, home in DOORS if lives_there(X))
    home = next(homes, None)
    return None if home is None else import_module(home)


def _is_of_dask(X: Any) -> bool:
    dask = sys.modules.get("dask")
    return dask is not None and dask.is_dask_collection(X)


DOORS: list[tuple[Callable[[Any], bool], str]] = [(_is_of_dask, "nearkind.dask")]
