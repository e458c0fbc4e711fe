"""Names of columns."""

from collections import Counter
from collections.abc import Sequence
from warnings import warn

from nearkind.errors import did_you_mean
from nearkind.io.asked import Columns, ReadingWarning

MOST_LISTED = 12


def named(header: Sequence[str]) -> list[str]:
    """Return the names of a header, trimmed; one without is called by its number.

    Examples
    --------
    >>> named(["size ", "colour"])
    ['size', 'colour']
    """
    names = [name.strip() for name in header]
    unnamed = [d for d, name in enumerate(names) if not name]
    for d in unnamed:
        names[d] = f"column {d + 1}"
    if unnamed:
        listed = ", ".join(repr(names[d]) for d in unnamed)
        warn(
            f"A column without a name is called {listed} here; if it numbers the rows, "
            "drop it.",
            ReadingWarning,
            stacklevel=2,
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(map(repr, twice[:MOST_LISTED]))
        raise ValueError(f"column {listed} occurs more than once; rename the copies")
    return names


def pick(name: str, columns: Columns, where: str) -> str:
    """Return a name if there is such a column.

    Raises
    ------
    ValueError
        If there is none; says which there are.

    Examples
    --------
    >>> pick("size", {"size": [1]}, "a.csv")
    'size'
    """
    if name in columns:
        return name
    raise ValueError(
        f"There is no column {name!r} in {where}. {did_you_mean(name, columns)}"
    )
