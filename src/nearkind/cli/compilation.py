"""Compiling before the first fit, which is said if it takes long."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import typer

from nearkind.estimators.progress import is_watched
from nearkind.losses.pair_sums import WORTH_COMPILING, has_compiler

PATIENCE = 1.0
"""Seconds before it is said; code that is on disk is mostly loaded sooner."""


def compile_ahead(n_rows: int | None = None) -> None:
    """Compile the sums of a fit, or load them from disk, before its time is taken.

    Parameters
    ----------
    n_rows : int, default=None
        Rows to learn from; of few of them no sum is compiled. None: many.
    """
    is_worth_it = n_rows is None or n_rows**2 >= WORTH_COMPILING
    if not is_worth_it or not has_compiler():
        return
    from nearkind.losses.compiled_sums import compile_sums  # loads the compiler

    with said_if_long("nearkind: compiling for this machine, once ..."):
        compile_sums()


@contextmanager
def said_if_long(message: str) -> Iterator[None]:
    """Print a message on the terminal, if there is one, when the block takes long."""
    if not is_watched():
        yield
        return
    timer = Timer(PATIENCE, lambda: typer.echo(message, err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
