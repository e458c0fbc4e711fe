"""Function calls in processes of their own, which can be limited and killed.

A call that fails, runs out of memory or kills its process ends nothing but itself.
"""

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from math import inf
from multiprocessing import (
    get_all_start_methods,
    get_context,
    parent_process,
    resource_tracker,
)
from multiprocessing.connection import Connection, wait
from threading import Thread
from time import monotonic
from types import ModuleType
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from nearkind.experiments.rows import DONE, FAILED, NO_MEMORY, TIMED_OUT

resource: ModuleType | None
try:
    import resource
except ImportError:  # not on Windows
    resource = None

PRELOAD = "nearkind.experiments.preload"
STATUS_FILE = "/proc/self/status"
LONGEST_REASON = 300
LONGEST_WAIT = 1.0
"""Seconds until Ctrl-C is heard where it does not interrupt a wait."""


class CallOutcome(NamedTuple):
    """How a call ended.

    Attributes
    ----------
    status : str
        "done", "failed", "out of memory" or "timed out".
    value : object, default=None
        What the function returned.
    reason : str or None, default=None
        Why the call failed, on one line.
    traceback : str or None, default=None
        Traceback of the exception that the function raised.
    peak_memory : float or None, default=None
        Peak memory of the process in MB; None if it died or if it is unknown.
    """

    status: str
    value: Any = None
    reason: str | None = None
    traceback: str | None = None
    peak_memory: float | None = None


class Limits(NamedTuple):
    """What a call in a sandbox may use; None sets no limit.

    Attributes
    ----------
    seconds : float or None, default=None
        Time after which the process is killed.
    megabytes : float or None, default=None
        Memory beyond what the loaded libraries take.
    n_threads : int or None, default=None
        Threads of nearkind; linear algebra then has one, so that no bit of a result
        depends on the number.

    Examples
    --------
    >>> Limits(seconds=60.0).megabytes is None
    True
    """

    seconds: float | None = None
    megabytes: float | None = None
    n_threads: int | None = None


NO_LIMITS = Limits()


class Sandbox:
    """A process that calls one function.

    Parameters
    ----------
    function : callable
        An importable function, as it goes to the process by name.
    arguments : sequence
        Its arguments, which can be pickled.
    limits : Limits, default=NO_LIMITS
        What the process may use.
    preload : bool, default=False
        Fork from a process that has loaded and compiled everything, where processes
        can be forked. False starts a fresh interpreter.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        limits: Limits = NO_LIMITS,
        preload: bool = False,
    ) -> None:
        context = _context(preload)
        self.pipe, there = context.Pipe(duplex=False)
        # A server that forks may have been started before variables were set.
        work = there, function, arguments, limits, preload, dict(os.environ)
        self._process = context.Process(target=_serve, args=work)
        self._limit = inf if limits.seconds is None else limits.seconds
        self._start = monotonic()
        with there, _hold_interrupts():  # with the process, the pipe ends
            self._process.start()

    @property
    def seconds(self) -> float:
        """Seconds since it was started."""
        return monotonic() - self._start

    @property
    def seconds_left(self) -> float:
        """Seconds until its time limit, at least zero."""
        return max(0.0, self._limit - self.seconds)

    def outcome(self) -> CallOutcome:
        """Wait for the end of the call or its time limit, and return how it ended."""
        while not wait_for_any([self]):
            pass
        outcome = CallOutcome(TIMED_OUT)
        try:
            if self.pipe.poll():
                outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.join()
            reason = _reason_of_death(self._process.exitcode)
            outcome = CallOutcome(FAILED, reason=reason)
        self.kill()
        return outcome

    def join(self) -> None:
        """Wait for the end of the process."""
        self._process.join()

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self.join()
        self.pipe.close()


def call(
    function: Callable[..., Any],
    *arguments: Any,
    limits: Limits = NO_LIMITS,
    preload: bool = False,
) -> CallOutcome:
    """Call a function in a sandbox and return how that ended.

    Parameters
    ----------
    function, *arguments, limits, preload
        As in ``Sandbox``.

    Raises
    ------
    RuntimeError
        If the function raised anything but MemoryError; holds the traceback.
    """
    sandbox = Sandbox(function, arguments, limits, preload)
    try:
        outcome = sandbox.outcome()
    finally:
        sandbox.kill()
    if outcome.traceback is not None:
        name = getattr(function, "__name__", repr(function))
        raise RuntimeError(f"{name} failed in its process:\n{outcome.traceback}")
    return outcome


def wait_for_any(sandboxes: Sequence[Sandbox]) -> list[Sandbox]:
    """Wait for a second or until a call ends; return those with an outcome by then."""
    most = min([LONGEST_WAIT, *(sandbox.seconds_left for sandbox in sandboxes)])
    ready = wait([sandbox.pipe for sandbox in sandboxes], most)
    return [each for each in sandboxes if each.pipe in ready or not each.seconds_left]


def peak_megabytes() -> float | None:
    """Return the most memory that this process has held, None if nobody knows."""
    peak = _status_megabytes("VmHWM")
    if not peak and resource is not None:
        # Bytes on macOS. Linux has the file: there this starts at the parent's peak.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    return peak or None


def _context(preload: bool) -> Any:
    if not preload or "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOAD])
    return context


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Make Ctrl-C wait; processes that are started meanwhile do not get it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    pipe: Connection,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    limits: Limits,
    preload: bool,
    environment: dict[str, str],
) -> None:
    """Call the function in the new process and send the outcome."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent kills its sandboxes
    Thread(target=_exit_with_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    if limits.n_threads is not None:
        os.environ["LOKY_MAX_CPU_COUNT"] = str(limits.n_threads)
    if preload:
        import_module(PRELOAD)
    _limit_memory(limits.megabytes)
    with nullcontext() if limits.n_threads is None else threadpool_limits(1):
        outcome = _attempt(function, arguments)
    with suppress(ConnectionError):  # who waited for it may be gone
        pipe.send(outcome._replace(peak_memory=peak_megabytes()))


def _attempt(function: Callable[..., Any], arguments: Sequence[Any]) -> CallOutcome:
    try:
        return CallOutcome(DONE, function(*arguments))
    except MemoryError:
        return CallOutcome(NO_MEMORY)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_REASON]
        return CallOutcome(FAILED, None, reason, traceback.format_exc())


def _reason_of_death(code: int | None) -> str:
    """Return why a process ended without an answer."""
    if code is None or code >= 0:
        return f"The process ended with code {code} and gave no reason."
    name = signal.Signals(-code).name
    hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"The process was ended by {name}{hint}."


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _limit_memory(megabytes: float | None) -> None:
    if megabytes is None or resource is None:
        return
    most = int((_status_megabytes("VmData") + megabytes) * (1 << 20))
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _status_megabytes(name: str) -> float:
    """Return a size that Linux keeps of this process, in MB; elsewhere zero."""
    with suppress(OSError), open(STATUS_FILE) as lines:
        return next(int(x.split()[1]) / 1024 for x in lines if x.startswith(name + ":"))
    return 0.0
