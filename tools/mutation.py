"""How many small changes of the source do the tests notice?

    python -m tools.mutation run --sample 600     changes drawn from the rooms below
    python -m tools.mutation run --again          those that survived, once more
    python -m tools.mutation report               what came of them, a room a line

Cosmic Ray makes the changes: another operator, another number, `not` before a
condition, a loop that never runs. Which tests run a line, and how long each takes, is
read from one run of all tests (`make mutation` makes it), so that a change meets the
fastest tests that reach it first. Each change lives in a forked process and never on
the disk. Results are lines of JSON, written as they come; what is there already is not
done again.
"""

import argparse
import ast
import difflib
import importlib.machinery
import importlib.util
import json
import os
import random
import re
import signal
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
ROOMS = {
    "projections": ["projections"],
    "structures": ["metrics"],
    "edges": ["losses/edges.py", "losses/hinge.py"],
    "constraints": ["constraints"],
    "regularizers": ["regularizers"],
    "solvers": ["solvers"],
    "neighbours": ["neighbors"],
    "model file": ["persistence"],
}
JUDGED = ROOT / "docs" / "results" / "mutation.json"
"""Changes that survive and may: "file: old line -> new line", and the reason."""
LOOKING = [
    "tests/contracts/test_settings_contract.py",
    "tests/test_docstrings.py::test_parameters_state_their_defaults",
]
"""Tests that look at classes, whose lines run on import."""
MOST_TESTS = 400
"""Node names that a command line may hold."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file, by Cosmic Ray's operator and its number there."""

    path: str
    operator: str
    arguments: tuple
    occurrence: int
    first_line: int
    last_line: int

    @property
    def key(self):
        """What names it in the file of results."""
        settings = "".join(str(value) for _, value in self.arguments)
        return f"{self.path}:{self.operator}{settings}:{self.occurrence}"


def files_of(room):
    """The source files of a room, without those that only list names."""
    for name in ROOMS[room]:
        place = SOURCE / "nearkind" / name
        found = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        yield from (file for file in found if file.name != "__init__.py")


def room_of(path):
    """The room that a file belongs to."""
    inside = path.removeprefix("src/nearkind/")
    return next(r for r, names in ROOMS.items() if inside.startswith(tuple(names)))


def mute_lines(text):
    """Lines of docstrings and places of annotations: no change there can matter."""
    lines, places = set(), []
    for node in ast.walk(ast.parse(text)):
        marks = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        places += [mark for mark in marks if mark is not None]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.update(range(node.lineno, node.end_lineno + 1))
    spans = [
        ((a.lineno, a.col_offset), (a.end_lineno, a.end_col_offset)) for a in places
    ]
    return lines, spans


def mutants_of(file):
    """Every change that Cosmic Ray knows for a file and that could be noticed."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    lines, spans = mute_lines(file.read_text())
    tree = get_ast_from_path(file)
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments():
            continue  # variables put in at places that must be named
        places = [
            p for node in ast_nodes(tree) for p in kind().mutation_positions(node)
        ]
        for occurrence, (start, end) in enumerate(places):
            annotation = any(first <= start <= last for first, last in spans)
            if start[0] not in lines and not annotation:
                yield Mutant(
                    str(file.relative_to(ROOT)), name, (), occurrence, start[0], end[0]
                )


@cache
def source_of(path):
    """The text of a file as it is."""
    return (ROOT / path).read_text()


def mutated(mutant):
    """The text of the file with the change in it."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    operator = get_operator(mutant.operator)(**dict(mutant.arguments))
    return mutate_code(source_of(mutant.path), operator, mutant.occurrence)


def drawn(sample, seed, only=""):
    """So many changes, one at most of each line and kind, of files with that name."""
    draw, places = random.Random(seed), defaultdict(list)
    for room in ROOMS:
        for file in (f for f in files_of(room) if only in str(f)):
            for mutant in mutants_of(file):
                family = re.sub(r"_.*", "", mutant.operator)
                places[mutant.path, mutant.first_line, family].append(mutant)
    chosen = [draw.choice(same) for _, same in sorted(places.items())]
    print(f"{sum(map(len, places.values())):,} changes at {len(chosen):,} places")
    return draw.sample(chosen, min(sample, len(chosen)))


class Tests:
    """Which tests run a line, the fastest first."""

    def __init__(self, coverage_file, log):
        from coverage import CoverageData

        self.data = CoverageData(coverage_file)
        self.data.read()
        self.seconds = defaultdict(float)
        timed = re.compile(r"^([\d.]+)s (?:call|setup) +(tests/.+)$")
        for line in Path(log).read_text().splitlines():
            if found := timed.match(line):
                self.seconds[found[2].rstrip()] += float(found[1])

    @cache  # noqa: B019
    def by_line(self, path):
        """The tests that ran each line of a file."""
        measured = (f for f in self.data.measured_files() if f.endswith(f"/{path}"))
        return self.data.contexts_by_lineno(next(measured, str(ROOT / path)))

    def of(self, mutant, limit):
        """Tests for a change, so many seconds of them, and how long they should take.

        A line that runs on import is not of one test: all that reach the file count,
        after those that look at classes.
        """
        lines = self.by_line(mutant.path)
        changed = range(mutant.first_line, mutant.last_line + 1)
        found = {c for n in changed for c in lines.get(n, ()) if c}
        chosen, total = ([], 0.0) if found else (list(LOOKING), 20.0)
        found = found or {c for contexts in lines.values() for c in contexts if c}
        names = {c.rpartition("|")[0] for c in found} & self.seconds.keys()
        turns, order = Counter(), []
        for seconds, name in sorted((self.seconds[n], n) for n in names):
            function = name.partition("[")[0]
            order.append((turns[function], seconds, name))
            turns[function] += 1
        order.sort()  # every test function has its fastest case before any has another
        spent = 0.0
        for *_, name in order[:MOST_TESTS]:
            if not spent or spent + self.seconds[name] <= limit:
                chosen.append(name)
                spent += self.seconds[name]
        return chosen, total + spent


class ChangedSource(importlib.machinery.SourceFileLoader):
    """Loads one module from a text instead of its file."""

    def __init__(self, name, path, text):
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname):
        """The changed text, compiled."""
        return compile(self.text, self.path, "exec")


class ChangedModule:
    """A finder that knows one module."""

    def __init__(self, path, text):
        inside = Path(path).relative_to("src").with_suffix("")
        self.name, self.path, self.text = ".".join(inside.parts), str(ROOT / path), text

    def find_spec(self, fullname, path=None, target=None):
        """The changed module, or nothing."""
        if fullname == self.name:
            loader = ChangedSource(fullname, self.path, self.text)
            return importlib.util.spec_from_file_location(
                fullname, self.path, loader=loader
            )
        return None


def run_tests(path, text, names, also):
    """In the forked process: the changed module, and the tests until one fails."""
    import pytest

    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.meta_path.insert(0, ChangedModule(path, text))
    loaded = "ignore::pytest.PytestAssertRewriteWarning"
    how = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-W", loaded]
    os._exit(int(pytest.main([*how, *also, *names])))


class Trial:
    """Tests that run against a changed file in a process of their own."""

    def __init__(self, subject, path, text, names, seconds, also=()):
        self.subject, self.text, self.n_tests = subject, text, len(names)
        self.began = time.monotonic()
        self.end = self.began + 30 + 4 * seconds + (120 if also else 0)
        self.process = os.fork()
        if self.process == 0:
            try:
                run_tests(path, text, names, list(also))
            finally:
                os._exit(70)

    def verdict(self):
        """A word for how the tests ended, None while they run."""
        done, status = os.waitpid(self.process, os.WNOHANG)
        if done:
            return "killed" if os.waitstatus_to_exitcode(status) else "survived"
        if time.monotonic() < self.end:
            return None
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        return "out of time"


def outcomes(trials, jobs):
    """Run so many trials at a time; each with its verdict and seconds, as it ends."""
    trials, running, waiting = iter(trials), [], True
    while waiting or running:
        while waiting and len(running) < jobs:
            trial = next(trials, None)
            waiting = trial is not None
            running += [trial] if waiting else []
        for trial in list(running):
            if word := trial.verdict():
                running.remove(trial)
                yield trial, word, time.monotonic() - trial.began
        time.sleep(0.02)


def difference(mutant, text):
    """The lines that the change takes out and puts in."""
    old, new = source_of(mutant.path).splitlines(), text.splitlines()
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return [
        line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]


def import_what_tests_need():
    """Load the libraries once, so that each fork has them; nothing of nearkind's."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(SOURCE)]
    os.chdir(ROOT)
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    names = (
        "hypothesis numba pandas polars pyarrow pytest scipy.optimize sklearn.ensemble"
    )
    for name in [*names.split(), "sklearn.utils.estimator_checks", "rich.console"]:
        importlib.import_module(name)


def read(results):
    """What is known, by the name of the change; the last line counts."""
    if not results.exists():
        return {}
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    return {row["key"]: row for row in rows}


def found_again(known):
    """The survivors in the source as it is now, and what is known of all."""
    chosen, rows = [], {}
    for row in (r for r in known.values() if r["is"] == "survived"):
        path, operator, _ = row["key"].split(":")
        same = (m for m in mutants_of(ROOT / path) if m.operator == operator)
        alike = (m for m in same if difference(m, mutated(m)) == row["change"])
        if mutant := next(alike, None):
            chosen.append(mutant)
            rows[mutant.key] = row
        else:
            rows[row["key"]] = {**row, "is": "deleted"}
    return chosen, rows


def run(args):
    """Try the changes that were drawn and are not known yet."""
    known = read(args.results)
    if args.again:
        chosen, known = found_again(known)
    else:
        chosen = drawn(args.sample, args.seed, args.only)
        chosen = [m for m in chosen if m.key not in known]
    tests = Tests(args.coverage, args.log)
    import_what_tests_need()
    if not args.again:
        print("control:", controls(chosen, tests, args))

    def started():
        for mutant in chosen:
            names, seconds = tests.of(mutant, args.seconds)
            text = mutated(mutant)
            yield Trial(mutant, mutant.path, text, names, seconds, args.also)

    with args.results.open("a") as out:
        for row in (r for r in known.values() if args.again and r["is"] == "deleted"):
            print(json.dumps(row), file=out, flush=True)
        ends = enumerate(outcomes(started(), args.jobs), 1)
        for n, (trial, word, seconds) in ends:
            mutant = trial.subject
            row = {
                "key": known.get(mutant.key, {}).get("key", mutant.key),
                "room": room_of(mutant.path),
                "line": mutant.first_line,
                "is": word,
                "seconds": round(seconds, 1),
                "tests": trial.n_tests,
                "change": difference(mutant, trial.text),
                "first": known.get(mutant.key, {}).get("first", word),
            }
            print(json.dumps(row), file=out, flush=True)
            print(f"{n}/{len(chosen)} {word:12} {mutant.key}", flush=True)


def controls(mutants, tests, args):
    """The files as they are must survive; otherwise a kill would mean nothing."""
    words = Counter()
    one_each = {m.path: m for m in mutants}.values()
    trials = (
        Trial(m.path, m.path, source_of(m.path), *tests.of(m, args.seconds))
        for m in one_each
    )
    for trial, word, _ in outcomes(trials, args.jobs):
        if word != "survived":
            print("  not left alone:", trial.subject, word)
        words[word] += 1
    return dict(words)


def change_of(row):
    """A change as people name it, which holds while other lines come and go."""
    path = row["key"].partition(":")[0].removeprefix("src/nearkind/")
    old, new = ([x[1:].strip() for x in row["change"] if x[0] == s] for s in "-+")
    return f"{path}: {' '.join(old)} -> {' '.join(new)}"


def report(args):
    """A table of Markdown, and what survived."""
    rows = read(args.results).values()
    judged = json.loads(args.judged.read_text()) if args.judged.exists() else {}
    print("| room | changes | noticed at first | noticed now | may survive | left |")
    print("|---|---|---|---|---|---|")
    for room in [*ROOMS, "all"]:
        some = [r for r in rows if room in (r["room"], "all")]
        first = sum(r["first"] != "survived" for r in some)
        alive = [r for r in some if r["is"] == "survived"]
        same = sum(change_of(r) in judged for r in alive)
        n, left = len(some), len(alive) - same
        parts = [share(first, n), share(n - len(alive), n), same, share(left, n - same)]
        print(f"| {room} | {n} | {' | '.join(map(str, parts))} |")
    for row in sorted(rows, key=lambda r: r["key"]):
        if row["is"] == "survived" and (change := change_of(row)) not in judged:
            print(f"\nline {row['line']}, {row['tests']} tests\n{change}")


def share(part, whole):
    """A count and its share."""
    return f"{part} ({part / max(whole, 1):.0%})"


def main():
    """Read the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build = ROOT / "build"
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--sample", type=int, default=600, help="changes to draw")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--seconds", type=float, default=20, help="of tests a change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    parser.add_argument("--again", action="store_true", help="only what survived")
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--also", nargs="*", default=[], help="tests to run first")
    parser.add_argument("--coverage", default=build / "mutation.coverage")
    parser.add_argument("--log", default=build / "mutation.log")
    parser.add_argument("--results", type=Path, default=build / "mutation.jsonl")
    parser.add_argument("--judged", type=Path, default=JUDGED)
    args = parser.parse_args()
    {"run": run, "report": report}[args.what](args)


if __name__ == "__main__":
    main()
