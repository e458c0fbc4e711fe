"""A user's table by name, so that a trial can read it where it runs."""

import json
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.io import Asked, Wanted, short_name

_NAME = re.compile(r"table\((.*)\)", re.DOTALL)


class UserTable(NamedTuple):
    """A table in a file, with all that it takes to read it.

    Attributes
    ----------
    wanted : path, target and how to read it; standard input cannot be read twice
    given_name : what people call it; None: the name of the file. The split of its rows
        depends on this, not on the folder that it is in

    Examples
    --------
    >>> table = UserTable(Wanted("folder/pets.csv", "kind"))
    >>> UserTable.from_name(table.name) == table
    True
    >>> table.called
    'pets.csv'
    """

    wanted: Wanted
    given_name: str | None = None

    @property
    def called(self) -> str:
        """Name for people."""
        return self.given_name or short_name(self.wanted.data)

    @property
    def name(self) -> str:
        """Name of the set."""
        return f"table({json.dumps([self.wanted, self.given_name])})"

    @classmethod
    def from_name(cls, name: str) -> "UserTable | None":
        """Return what a name says, None if it is no name of a user's table."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        (data, target, drop, text, asked), given_name = json.loads(found[1])
        wanted = Wanted(data, target, tuple(drop), tuple(text), Asked(*asked))
        return cls(wanted, given_name)

    def load(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return cells (n, D) and labels (n,)."""
        X, y, _ = self.wanted.read()
        cells = np.empty((len(y), len(X)), dtype=object)
        for d, column in enumerate(X.values()):
            cells[:, d] = column
        return cells, np.array(y)


def called(name: str) -> str:
    """Return what people call a set: the name, or that of the user's file.

    Examples
    --------
    >>> called("monks1")
    'monks1'
    """
    table = UserTable.from_name(name)
    return name if table is None else table.called
