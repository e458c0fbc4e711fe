"""Work in a process of its own, which may be killed and takes nobody with it."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
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

resource: ModuleType | None
try:
    import resource
except ImportError:  # not on Windows
    resource = None

PRELOADED = "nearkind.experiments.warmed"
STATUS = "/proc/self/status"


class Ended(NamedTuple):
    """How a child ended: with a value, with a complaint, or, without both, by death."""

    value: Any = None
    complaint: str | None = None
    lacked_memory: bool = False
    peak_memory: float | None = None  # MB
    exit_code: int | None = None


class Room(NamedTuple):
    """What a child may use.

    Attributes
    ----------
    environment : variables to set
    threads : of nearkind; linear algebra has one, so that no bit depends on it
    megabytes : of memory beyond what the libraries take; None: no limit
    """

    environment: Mapping[str, str]
    threads: int = 1
    megabytes: float | None = None


class Child:
    """A process that does one piece of work."""

    def __init__(self, work: Callable[[Any], Any], given: Any, room: Room) -> None:
        context = _context()
        self.pipe, there = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(there, work, given, room))
        self.given, self._start = given, monotonic()
        with there, _interrupts_held():  # closed here, its end is the child's end
            self._process.start()

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return monotonic() - self._start

    def ended(self) -> Ended:
        """Return how it ended; waits for that."""
        try:
            ended = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            ended = Ended(exit_code=self._process.exitcode)
        self.kill()
        return ended

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def first_to_end(children: list[Child], seconds: float) -> list[Child]:
    """Return those that have ended, after at most so long a wait; perhaps none."""
    ready = wait([child.pipe for child in children], seconds)
    return [child for child in children if child.pipe in ready]


def peak_megabytes() -> float | None:
    """Return the most memory that this process has held, None where nobody says."""
    return _status("VmHWM") or None


def _context() -> Any:
    """Return how to start processes: copies of one that has loaded all, if they can."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C wait; processes started here never hear of it."""
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
    pipe: Connection, work: Callable[[Any], Any], given: Any, room: Room
) -> None:
    """Work in the child and send how it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    Thread(target=_die_with_parent, daemon=True).start()
    os.environ.update(room.environment, LOKY_MAX_CPU_COUNT=str(room.threads))
    import_module(PRELOADED)
    _limit_memory(room.megabytes)
    with threadpool_limits(1):
        ended = _attempt(work, given)
    pipe.send(ended._replace(peak_memory=peak_megabytes()))


def _attempt(work: Callable[[Any], Any], given: Any) -> Ended:
    try:
        return Ended(work(given))
    except Exception as error:
        complaint = f"{type(error).__name__}: {error}"
        return Ended(None, complaint, isinstance(error, MemoryError))


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _limit_memory(megabytes: float | None) -> None:
    if megabytes is None or resource is None:
        return
    most = int((_status("VmData") + megabytes) * (1 << 20))
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _status(name: str) -> float:
    """Return a figure that Linux keeps of this process, in MB; elsewhere zero."""
    with suppress(OSError), open(STATUS) as lines:
        return next(int(x.split()[1]) / 1024 for x in lines if x.startswith(name + ":"))
    return 0.0
