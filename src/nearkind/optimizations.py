"""The switch between optimised code and the plain code that it must agree with.

Compiled sums, numbers in single precision, trees, early elimination and threads each
replace something slower and simpler. With the environment variable
``NEARKIND_PLAIN=1`` everything runs the simple way, so that the whole suite of tests
checks the plain code, and a wrong answer can be told from a wrong optimisation.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

VARIABLE = "NEARKIND_PLAIN"

_is_disabled = ContextVar("_is_disabled", default=False)


def enabled() -> bool:
    """Return whether fast code may run; the environment is asked at each call.

    Examples
    --------
    >>> with disabled():
    ...     enabled()
    False
    """
    return not _is_disabled.get() and os.environ.get(VARIABLE, "0") in {"", "0"}


@contextmanager
def disabled() -> Iterator[None]:
    """Run plain code inside the block, in this thread and its coroutines.

    Plain code starts no threads, so everything that the block calls is in this one.
    """
    token = _is_disabled.set(True)
    try:
        yield
    finally:
        _is_disabled.reset(token)
