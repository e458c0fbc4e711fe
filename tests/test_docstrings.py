"""Examples in docstrings print what they say."""

import doctest
import importlib
import io
import pkgutil
from contextlib import redirect_stdout

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
