"""Trace which files and functions of nearkind a call passes through.

    python -m tools.walk             write the walks into docs/architecture.md
    python -m tools.walk --counts [MODULE.FUNCTION ...]
                                     print the number of files on each walk, and how
                                     often each of these functions is called

A step of a walk is a file with the functions by which other files enter it, in the
order of their first calls. A file's own functions, which a pool of threads or compiled
code may call, are none of them. Every walk is made twice and only the second is traced,
so that modules are loaded and caches filled, whatever ran before.
"""

import contextlib
import io
import re
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import nearkind as nk

PACKAGE = Path(nk.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
SECTION = re.compile(
    r"(?P<start><!-- walk: (?P<name>[\w.]+) -->\n)(?P<list>.*?)(?=<!-- end -->)", re.S
)


class Trace:
    """Records calls of nearkind's functions while it is active.

    Attributes
    ----------
    steps : dict of str to list of str
        File, relative to the package -> functions by which other files enter it.
    calls : Counter
        ``module.function`` -> number of calls.
    """

    def __init__(self) -> None:
        self.steps: dict[str, list[str]] = {}
        self.calls: Counter[str] = Counter()

    def __enter__(self) -> "Trace":
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _on_event(self, frame, event, _) -> None:
        code = frame.f_code
        if event != "call" or code.co_name.startswith("<"):
            return  # a return, C code, a comprehension, or a module that is loaded
        file = _file(code)
        if file is None:
            return
        self.calls[f"{_module(file)}.{code.co_qualname}"] += 1
        if _caller(frame) != file and not code.co_qualname.startswith("_"):
            functions = self.steps.setdefault(file, [])
            if code.co_qualname not in functions:
                functions.append(code.co_qualname)


@cache
def _file(code) -> str | None:
    """Return the path of some code below the package, or None if it is elsewhere."""
    path = Path(code.co_filename)
    return path.relative_to(PACKAGE).as_posix() if PACKAGE in path.parents else None


def _module(file: str) -> str:
    """Return the dotted name of a file of the package."""
    return f"nearkind.{file.removesuffix('.py').replace('/', '.')}"


def _caller(frame) -> str | None:
    """Return the file of the nearest caller inside the package."""
    while (frame := frame.f_back) is not None:
        if file := _file(frame.f_code):
            return file
    return None


def traced(call: Callable[[], object]) -> Trace:
    """Return the trace of a call, made once before it is traced.

    Parameters
    ----------
    call : callable
        Called twice without arguments; what it prints is dropped.
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        call()
        with Trace() as trace:
            call()
    return trace


def walks(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the calls that are traced, by name.

    Parameters
    ----------
    folder : Path
        Where tables and models are written.
    """
    from nearkind.cli import app

    data = nk.datasets.load("monks1", as_frame=False)
    table, model_file = folder / "table.csv", folder / "model.nk"
    rows = [[f"c{d}" for d in range(6)] + ["y"]]
    rows += [[*x, label] for x, label in zip(data.X, data.y, strict=True)]
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))

    # one thread, so that calls have one order
    model = nk.CPMLClassifier(nk.CPML(n_jobs=1)).fit(data.X, data.y)
    search = nk.CPMLClassifierCV(random_state=0, n_jobs=1)
    nk.save(model, model_file)

    def command(*words: object) -> None:
        app([str(word) for word in words], standalone_mode=False)

    learned, told = folder / "learned.nk", folder / "told.csv"
    return {
        "CPMLClassifier.fit": lambda: model.fit(data.X, data.y),
        "CPMLClassifier.predict": lambda: model.predict(data.X),
        "CPMLClassifierCV.fit": lambda: search.fit(data.X, data.y),
        "nearkind fit": lambda: command(
            "fit", table, "--target", "y", "-m", "single", "-o", learned
        ),
        "nearkind predict": lambda: command("predict", model_file, table, "-o", told),
        "save": lambda: nk.save(model, folder / "again.nk"),
        "load": lambda: nk.load(model_file),
    }


def search_of_a_larger_table() -> object:
    """Search over 1,000 rows and 20 columns of four values each."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (1000, 20)).astype(str)
    y = (X[:, 0] == X[:, 1]).astype(int) + (X[:, 2] == "0")
    return nk.CPMLClassifierCV(random_state=0, n_jobs=1).fit(X, y)


def written(steps: dict[str, list[str]]) -> str:
    """Return the steps of a walk as a numbered list in Markdown."""
    lines = (
        f"{number}. `{file}`: " + ", ".join(f"`{function}`" for function in functions)
        for number, (file, functions) in enumerate(steps.items(), 1)
    )
    return "\n" + "\n".join(lines) + "\n\n"


def read(text: str) -> dict[str, dict[str, list[str]]]:
    """Return the walks that a page shows: name -> file -> functions."""
    shown = {}
    for section in SECTION.finditer(text):
        lines = (line.split("`")[1::2] for line in section["list"].strip().splitlines())
        shown[section["name"]] = {file: functions for file, *functions in lines}
    return shown


def filled(text: str, folder: Path) -> str:
    """Return a page with its walks made anew."""
    calls = walks(folder)

    def made(section: re.Match[str]) -> str:
        return section["start"] + written(traced(calls[section["name"]]).steps)

    return SECTION.sub(made, text)


def counts(names: list[str], folder: Path) -> Iterator[str]:
    """Yield a line a walk: its number of files, and of calls of each function."""
    calls = walks(folder)
    if names:
        calls["CPMLClassifierCV.fit, 1,000 x 20"] = search_of_a_larger_table
    for walk, call in calls.items():
        trace = traced(call)
        numbers = [f"{walk}: {len(trace.steps)} files"]
        yield ", ".join([*numbers, *(f"{n} {trace.calls[n]} times" for n in names)])


def main(arguments: list[str]) -> None:
    with TemporaryDirectory() as folder:
        if arguments[:1] == ["--counts"]:
            for line in counts(arguments[1:], Path(folder)):
                print(line, flush=True)
        else:
            PAGE.write_text(filled(PAGE.read_text(), Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
