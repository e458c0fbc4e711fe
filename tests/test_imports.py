"""Imports go one way, and `import nearkind` loads nothing heavy."""

import ast
import subprocess
import sys
from functools import cache

import pytest

import nearkind
from tools.house import (
    PACKAGE,
    RANK,
    WITH_SCIKIT_LEARN,
    imported_modules,
    package_of,
    source_files,
)

MODULES = source_files()
imports_of = cache(lambda path: [*imported_modules(path)])


def test_every_package_imports_only_what_lies_below_it():
    offenders = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in MODULES
        for name in imports_of(path)
        if name.startswith("nearkind.") and name.split(".")[1] in RANK
        if RANK[name.split(".")[1]] > RANK[package_of(path)]
    }
    assert not offenders


def test_scikit_learn_enters_only_at_the_top():
    offenders = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in MODULES
        if package_of(path) not in WITH_SCIKIT_LEARN
        for name in imports_of(path)
        if name.split(".")[0] == "sklearn"
    }
    assert not offenders


def test_every_module_has_its_layer():
    assert {package_of(path) for path in MODULES} <= set(RANK)


PUBLIC_BY_CONVENTION = {"_asdict", "_fields", "_make", "_replace"}  # of named tuples
OF_SCIKIT_LEARN = {"_get_param_names", "_init_callback_context", "_skl_callbacks"}

BY_NAME = {"getattr", "setattr", "hasattr", "delattr"}


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def defined_names(tree):
    """Names that a module defines, and attributes that its classes set on self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            yield from [node.attr] if isinstance(node.ctx, ast.Store) else []


def foreign_modules(tree):
    """Names under which a file knows modules of others, as os for os._exit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.asname or alias.name for alias in node.names)


def names_used(node, owners):
    """Names that a node takes from another object or module than these owners."""
    if isinstance(node, ast.ImportFrom):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.Attribute):
        return [] if ast.unparse(node.value) in owners else [node.attr]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in BY_NAME:
        owner, name, *_ = [ast.unparse(argument) for argument in node.args]
        return [] if owner in owners else [name.strip("'")]
    return []


def private_reaches(text):
    """Underscore names of other modules' objects that a module uses, with lines."""
    tree = ast.parse(text)
    known = {*defined_names(tree), *PUBLIC_BY_CONVENTION, *OF_SCIKIT_LEARN}
    owners = {"self", "cls", "super()", *foreign_modules(tree)}
    for node in ast.walk(tree):
        for name in names_used(node, owners):
            if is_private(name) and name not in known:
                yield f"{node.lineno}: {ast.unparse(node)}"


def test_no_module_reaches_into_another_by_underscore_names():
    offenders = [
        f"{path.relative_to(PACKAGE)}:{reach}"
        for path in MODULES
        for reach in private_reaches(path.read_text())
    ]
    assert not offenders, f"{len(offenders)} reaches:\n" + "\n".join(offenders)


def test_reaches_into_private_names_are_found():
    text = """
import os
from nearkind.tables import _hidden
class Mine:
    def __init__(self, model):
        self._own = model._secret
        self._own._inner = getattr(model, "_named")
    def same(self, other):
        os._exit(super()._replace(other._own)._asdict())
"""
    assert sorted(private_reaches(text)) == [
        "3: from nearkind.tables import _hidden",
        "6: model._secret",
        "7: getattr(model, '_named')",
        "7: self._own._inner",
    ]


def test_the_engine_calls_eigh_in_one_file():
    callers = {path.name for path in MODULES if "linalg.eig" in path.read_text()}
    assert callers == {"spectrum.py", "theory.py"}  # theory stands alone


def test_importing_nearkind_loads_nothing_heavy():
    heavy = "numpy scipy sklearn pandas polars pyarrow matplotlib dask rich typer"
    code = (
        "import sys, nearkind; "
        f"print([name for name in {heavy.split()} if name in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "[]"


def test_every_public_name_resolves():
    for name in nearkind.__all__:
        assert getattr(nearkind, name) is not None
    assert set(nearkind.__all__) <= set(dir(nearkind))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = nearkind.nothing
