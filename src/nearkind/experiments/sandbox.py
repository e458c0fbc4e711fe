"""Function calls in processes of their own, which can be limited and killed.

A call that fails, runs out of memory or kills its process ends nothing but itself.
"""

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
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


class Outcome(NamedTuple):
    """How a call ended.

    Attributes
    ----------
    status : str
        "done", "failed", "out of memory" or "timed out".
    value : object, default=None
        What the function returned.
    error : str or None, default=None
        Type and message of the exception that it raised.
    traceback : str or None, default=None
        Traceback of that exception.
    peak_memory : float or None, default=None
        Most memory that the process held, in MB; None if it died or nobody knows.
    exit_code : int or None, default=None
        Of a process that died without an answer; negative is the number of a signal.
    """

    status: str
    value: Any = None
    error: str | None = None
    traceback: str | None = None
    peak_memory: float | None = None
    exit_code: int | None = None


class Resources(NamedTuple):
    """What a sandbox may use.

    Attributes
    ----------
    environment : mapping of str to str, default={}
        Environment variables to set.
    n_threads : int or None, default=None
        Threads of nearkind; linear algebra then has one, so that no bit of a result
        depends on the number. None sets no limit.
    megabytes : float or None, default=None
        Memory beyond what the loaded libraries take; None sets no limit.
    preload : bool, default=False
        Fork from a process that has loaded and compiled everything, where processes
        can be forked. False starts a fresh interpreter.
    """

    environment: Mapping[str, str] = {}
    n_threads: int | None = None
    megabytes: float | None = None
    preload: bool = False


class Sandbox:
    """A process that calls one function.

    Parameters
    ----------
    function : callable
        An importable function, as it goes to the process by name.
    arguments : sequence
        Its arguments, which can be pickled.
    resources : Resources, default=Resources()
        What the process may use.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        resources: Resources = Resources(),  # noqa: B008 - a constant
    ) -> None:
        context = _context(resources.preload)
        self.pipe, there = context.Pipe(duplex=False)
        work = there, function, arguments, resources
        self._process = context.Process(target=_serve, args=work)
        self._start = monotonic()
        with there, _hold_interrupts():  # with the process, the pipe ends
            self._process.start()

    @property
    def seconds(self) -> float:
        """Seconds since it was started."""
        return monotonic() - self._start

    def outcome(self) -> Outcome:
        """Wait for the end of the call and return how it ended."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.join()
            outcome = Outcome(FAILED, exit_code=self._process.exitcode)
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
    seconds: float | None = None,
    resources: Resources = Resources(),  # noqa: B008 - a constant
) -> Outcome:
    """Call a function in a sandbox and return how that ended.

    Parameters
    ----------
    function, *arguments
        As in ``Sandbox``.
    seconds : float or None, default=None
        Time after which the process is killed; None waits for its end.
    resources : Resources, default=Resources()
        What the process may use.

    Raises
    ------
    RuntimeError
        If the function raised anything but MemoryError; holds the traceback.
    """
    sandbox = Sandbox(function, arguments, resources)
    try:
        if not wait_for_any([sandbox], seconds):
            return Outcome(TIMED_OUT)
        outcome = sandbox.outcome()
    finally:
        sandbox.kill()
    if outcome.status == FAILED and outcome.traceback is not None:
        name = getattr(function, "__name__", repr(function))
        raise RuntimeError(f"{name} failed in its process:\n{outcome.traceback}")
    return outcome


def wait_for_any(sandboxes: Sequence[Sandbox], seconds: float | None) -> list[Sandbox]:
    """Wait until a call ends, at most so many seconds; return those that have ended."""
    ready = wait([sandbox.pipe for sandbox in sandboxes], seconds)
    return [sandbox for sandbox in sandboxes if sandbox.pipe in ready]


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
    resources: Resources,
) -> None:
    """Call the function in the new process and send the outcome."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent kills its sandboxes
    Thread(target=_exit_with_parent, daemon=True).start()
    os.environ.update(resources.environment)
    n_threads = resources.n_threads
    if n_threads is not None:
        os.environ["LOKY_MAX_CPU_COUNT"] = str(n_threads)
    if resources.preload:
        import_module(PRELOAD)
    _limit_memory(resources.megabytes)
    with nullcontext() if n_threads is None else threadpool_limits(1):
        outcome = _attempt(function, arguments)
    with suppress(ConnectionError):  # who waited for it may be gone
        pipe.send(outcome._replace(peak_memory=peak_megabytes()))


def _attempt(function: Callable[..., Any], arguments: Sequence[Any]) -> Outcome:
    try:
        return Outcome(DONE, function(*arguments))
    except MemoryError:
        return Outcome(NO_MEMORY)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return Outcome(FAILED, None, message, traceback.format_exc())


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
