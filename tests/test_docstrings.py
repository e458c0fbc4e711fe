"""Docstrings: examples print what they say, and parameters state their defaults."""

import ast
import doctest
import importlib
import inspect
import io
import pkgutil
import re
from contextlib import redirect_stdout
from itertools import zip_longest

import pytest

import nearkind

MODULES = [
    module.name
    for module in pkgutil.walk_packages(nearkind.__path__, "nearkind.")
    if module.name != "nearkind.__main__"
]
N_PARTS = 4  # so that parallel runs can share the work


def failures(name):
    """Return what doctest says of a module, "" if every example holds."""
    report = io.StringIO()
    with redirect_stdout(report):
        result = doctest.testmod(importlib.import_module(name))
    return report.getvalue() if result.failed else ""


@pytest.mark.parametrize("part", range(N_PARTS))
def test_examples_print_what_they_say(part):
    offenders = list(filter(None, map(failures, MODULES[part::N_PARTS])))
    assert not offenders, "\n".join(offenders)


SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", re.S | re.M)
ITEM = re.compile(r"^([\w*][\w*, ]*) : (.+)$", re.M)
ELSEWHERE = "as in"


def public_objects():
    """Return the public classes and functions by name, and the methods of classes."""
    modules = [nearkind]
    modules += [
        module
        for name in nearkind.__all__
        if inspect.ismodule(module := getattr(nearkind, name))
    ]
    found = {}
    for module in modules:
        for name in getattr(module, "__all__", vars(module)):
            thing = getattr(module, name)
            home = getattr(thing, "__module__", "")
            if callable(thing) and home.startswith("nearkind") and name[0] != "_":
                found[f"{home}.{name}"] = thing
    for path, owner in list(found.items()):
        if inspect.isclass(owner):
            methods = inspect.getmembers(owner, inspect.isfunction)
            found |= {
                f"{path}.{name}": method
                for name, method in methods
                if name[0] != "_" and method.__module__.startswith("nearkind")
            }
    return found


SETTINGS = (
    "constraints",
    "losses",
    "neighbors",
    "projections",
    "regularizers",
    "solvers",
)


def objects_of_settings():
    """Return the classes by name that hold the settings of a method."""
    found = {}
    for name in MODULES:
        if name.split(".")[1] in SETTINGS:
            classes = inspect.getmembers(importlib.import_module(name), inspect.isclass)
            own = {w: c for w, c in classes if c.__module__ == name}
            found |= {f"{name}.{word}": thing for word, thing in own.items()}
    return found


def stated_defaults(thing):
    """Return the default that a docstring has for each parameter, None: no list.

    Several parameters on a line have as many defaults after ``default=``.
    """
    found = SECTION.search(inspect.getdoc(thing) or "")
    if not found:
        return None
    stated = {}
    for names, said in ITEM.findall(found[1]):
        names = [name.strip("* ") for name in names.split(",")]
        before, _, written = said.partition("default=")
        written = ELSEWHERE if before.startswith(ELSEWHERE) else written
        several = written.split(", ") if len(names) > 1 else [written]
        stated |= zip_longest(names, several[: len(names)], fillvalue=written)
    return stated


def is_stated(written, default):
    """Return whether this is the default; one that is no literal may be any."""
    try:
        return ast.literal_eval(written) == default
    except (SyntaxError, ValueError):
        is_any = bool(written) and not isinstance(default, float | str | tuple)
        return is_any or written == str(default)


def lacking(path, thing):
    """Yield the parameters of a class or function whose default is not stated."""
    stated = stated_defaults(thing)
    if stated is None:
        return
    for name, parameter in inspect.signature(thing).parameters.items():
        written, default = stated.get(name, ""), parameter.default
        if default is inspect.Parameter.empty or written == ELSEWHERE:
            continue
        if not is_stated(written, default):
            yield f"{path}: {name} = {default!r}, not {written!r}"


def test_parameters_state_their_defaults():
    offenders = [
        line
        for path, thing in (public_objects() | objects_of_settings()).items()
        for line in lacking(path, thing)
    ]
    assert not offenders, f"{len(offenders)} lines:\n" + "\n".join(offenders)


def test_a_default_that_is_not_stated_is_found():
    def draw(n, seed=0, kind="a", *, colour=None, width=1, height=2):
        """Draw.

        Parameters
        ----------
        n : int
        seed : int, default=1
        kind : str
            Of what.
        colour : str, default=None
        width, height : float, default=1, 3

        Returns
        -------
        kind : str
        """

    assert list(lacking("draw", draw)) == [
        "draw: seed = 0, not '1'",
        "draw: kind = 'a', not ''",
        "draw: height = 2, not '3'",
    ]
