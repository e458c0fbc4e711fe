"""Work in a process of its own, with a limit on its time and on its memory."""

import resource
import traceback
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

DONE, NO_MEMORY, TOO_SLOW, DIED = "done", "out of memory", "too slow", "died"
STATUS = Path("/proc/self/status")


class Outcome(NamedTuple):
    """How the work ended, what it returned, and the most memory it held (MB)."""

    ending: str
    value: Any = None
    peak: float = float("nan")


def in_child(
    work: Callable[..., Any],
    *arguments: Any,
    seconds: float | None = None,
    gigabytes: float | None = None,
) -> Outcome:
    """Run a function of a module in a fresh interpreter.

    Raises
    ------
    RuntimeError
        If the function raised anything but MemoryError; holds the traceback.
    """
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_run, args=(there, gigabytes, work, arguments))
    child.start()
    there.close()  # so that the end of the child is the end of the pipe
    try:
        outcome = here.recv() if here.poll(seconds) else Outcome(TOO_SLOW)
    except EOFError:
        outcome = Outcome(DIED)
    finally:
        child.kill()
        child.join()
    if isinstance(outcome, str):
        raise RuntimeError(f"{work.__name__} failed in its process:\n{outcome}")
    return outcome


def limit_memory(gigabytes: float) -> None:
    """Refuse this process more address space than that."""
    size = int(gigabytes * (1 << 30))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def peak_megabytes() -> float:
    """Return the most memory that this process has held.

    Where there is /proc, from there: ru_maxrss starts at what the parent held.
    """
    if not STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    lines = STATUS.read_text().splitlines()
    held = next(line for line in lines if line.startswith("VmHWM:"))
    return int(held.split()[1]) / 1024


def _run(
    answer: Connection,
    gigabytes: float | None,
    work: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    try:
        if gigabytes is not None:
            limit_memory(gigabytes)
        answer.send(Outcome(DONE, work(*arguments), peak_megabytes()))
    except MemoryError:
        answer.send(Outcome(NO_MEMORY, peak=peak_megabytes()))
    except Exception:
        answer.send(traceback.format_exc())
