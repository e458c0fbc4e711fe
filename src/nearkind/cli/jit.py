"""Compilation before the first fit."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

from nearkind.losses.pair_sums import WORTH_COMPILING, has_compiler


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

    compile_sums(signals_held)


@contextmanager
def signals_held() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait for the end of the block.

    What their handlers raise would be lost in callbacks of the compiler, which would
    then fail for reasons of its own.
    """
    if current_thread() is not main_thread():  # no other receives them
        yield
        return
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(n, lambda number, _: came.append(number)) for n in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
