"""Search for input that breaks a property, for as long as there is time.

    FUZZ_SECONDS=600 FUZZ_EXAMPLES=100000 python -m fuzz [property ...]

Runs from the folder of the tests. Prints each new kind of failure when it is found, the
counts every few rounds, and at the end the smallest input of every kind of failure.
"""

import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter, deque
from contextlib import suppress
from copy import copy

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from fuzz.search import CROSSED, PROPERTIES

SECONDS = float(os.environ.get("FUZZ_SECONDS", "600"))
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "100000"))
FIRST_SEED = int(os.environ.get("FUZZ_SEED", str(int(time.time()))))
MOST_SECONDS, MOST_BYTES = 60, 4 << 30
A_ROUND = 100
"""Examples before the next property has its turn."""
N_CROSSED = 6
"""Earlier settings that each new table is tried with too: drawing takes longest."""
ROUNDS_PER_LINE = 2
LONG = settings(
    max_examples=A_ROUND,
    deadline=None,
    database=None,
    derandomize=False,
    phases=[Phase.generate],
    suppress_health_check=[*HealthCheck],
    verbosity=Verbosity.quiet,
)


class TooSlowError(Exception):
    """An example takes longer than any should."""


class OutOfTime(KeyboardInterrupt):
    """The search is over; hypothesis lets an interrupt through at once."""


def out_of_time(*_):
    raise OutOfTime


def too_slow(*_):
    raise TooSlowError(f"longer than {MOST_SECONDS} s")


class Search:
    """One property, how its examples went, and the smallest of every failure."""

    def __init__(self, name, strategy, check):
        self.name, self.strategy, self.check = name, strategy, check
        self.counts, self.failures, self.seconds = Counter(), {}, 0.0
        self.recent = deque(maxlen=N_CROSSED if name in CROSSED else 0)

    def round(self, number, end):
        """Try some examples."""
        start = time.process_time()

        def one(case):
            if time.monotonic() > end:
                raise OutOfTime
            table, *others = case
            for rest in (others, *self.recent):
                self.try_one((table, *map(copy, rest)))
            self.recent.append(others)

        if self.strategy is None:
            for k in range(A_ROUND):
                one((number * A_ROUND + k,))
        else:
            seed(number)(LONG(given(self.strategy)(one)))()
        self.seconds += time.process_time() - start

    def try_one(self, case):
        signal.alarm(MOST_SECONDS)
        try:
            self.counts[self.check(*case)] += 1
        except Exception as error:
            self.counts["FAILED"] += 1
            self.keep(case, error)
        finally:
            signal.alarm(0)

    def keep(self, case, error):
        """Keep the shortest example of each kind and place of failure."""
        frames = traceback.extract_tb(error.__traceback__)
        where = [f for f in frames if "/nearkind/" in f.filename] or frames
        at = f"{where[-1].filename.split('/src/')[-1]}:{where[-1].lineno}"
        kind = type(case[1]).__name__ if len(case) > 1 else ""
        key = type(error).__name__, f"{at} {kind}"
        told = f"{str(error)[:300]}\n    {case!r}"[:3000]
        if key not in self.failures:
            print(f"{self.name}: {key[0]} at {key[1]}: {told}", flush=True)
        n, known = self.failures.get(key, (0, told))
        self.failures[key] = n + 1, min(known, told, key=len)

    def summary(self):
        n = sum(self.counts.values())
        each = 1000.0 * self.seconds / max(n, 1)
        return f"{self.name}: {n} examples of {each:.0f} ms, {dict(self.counts)}"

    def report(self):
        print(self.summary())
        for (kind, at), (n, told) in sorted(self.failures.items()):
            print(f"  {n} x {kind} at {at}: {told}")


def main(names):
    signal.signal(signal.SIGALRM, too_slow)
    signal.signal(signal.SIGTERM, out_of_time)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    searches = [Search(n, *PROPERTIES[n]) for n in names or PROPERTIES]
    end, number = time.monotonic() + SECONDS, FIRST_SEED
    print(f"first seed {FIRST_SEED}, {SECONDS:g} s", flush=True)
    open_ones = searches
    with suppress(KeyboardInterrupt):
        while open_ones:
            for search in open_ones:
                search.round(number, end)
            number += 1
            if (number - FIRST_SEED) % ROUNDS_PER_LINE == 0:
                print("; ".join(search.summary() for search in searches), flush=True)
            open_ones = [s for s in open_ones if sum(s.counts.values()) < EXAMPLES]
    for search in searches:
        search.report()
    return int(any(search.failures for search in searches))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
