"""Names of columns: none twice, and the nearest to one that is not there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from warnings import warn

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
        f"There is no column {name!r} in {where}. {nearest(name, columns)}"
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question for what may have been meant, or what there is.

    Examples
    --------
    >>> nearest("Colour", ["size", "colour"])
    "Did you mean 'colour'?"
    """
    names = list(known)
    by_lower = {each.lower(): each for each in reversed(names)}
    lower = name.lower()
    near = [lower] if lower in by_lower else get_close_matches(lower, by_lower)
    if near:
        return f"Did you mean {', '.join(repr(by_lower[each]) for each in near)}?"
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"There are {', '.join(map(repr, names[:MOST_LISTED]))}{more}."
