"""Examples in docstrings print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import nearkind

MODULES = [
    module.name
    for module in pkgutil.walk_packages(nearkind.__path__, "nearkind.")
    if module.name != "nearkind.__main__"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
