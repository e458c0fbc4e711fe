"""Sources of batches that can be read more than once."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

Source = Iterable[Any] | Callable[[], Iterable[Any]]
"""Gives batches (X, y), the same ones in the same order each time it is read."""


class Batch(NamedTuple):
    """Rows of one batch with their labels, and its number in the source."""

    number: int
    X: Any
    y: Any


def check_source(source: object) -> None:
    """Raise TypeError for what can be read only once, or is no source of batches.

    Examples
    --------
    >>> check_source([([["red"]], ["a"])])
    >>> check_source(iter([]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    TypeError: These batches can be read only once, ...
    """
    if callable(source):
        return
    if isinstance(source, Iterator):
        raise TypeError(
            "These batches can be read only once, but learning reads them twice. Pass "
            "the function that makes them, without calling it; or a list of (X, y); or "
            "nearkind.batches(path, target=...)."
        )
    if not isinstance(source, Iterable) or isinstance(source, str):
        raise TypeError(
            "Batches are a list of (X, y), a function that returns an iterator of "
            f"them, or nearkind.batches(path, target=...); got {source!r:.60}."
        )


def read_batches(source: Source) -> Iterator[Batch]:
    """Yield the batches of a source, numbered from 0.

    Examples
    --------
    >>> [batch.number for batch in read_batches(lambda: [("X", "y"), ("X", "y")])]
    [0, 1]
    """
    for number, batch in enumerate(source() if callable(source) else source):
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise TypeError(
                f"Batch {number} must be a pair (X, y) of a table and its labels; got "
                f"{batch!r:.60}."
            )
        yield Batch(number, *batch)
