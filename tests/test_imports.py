"""Imports go one way, and `import nearkind` loads nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nearkind

PACKAGE = Path(nearkind.__file__).parent
LAYERS = [
    ["typing", "errors"],
    ["sums", "spectral", "structures", "prox", "lanes", "tables", "cells"],
    ["losses", "metric", "regularizers", "projections", "features", "compression"],
    ["edges", "value_tables", "complaints"],
    ["codebook", "constraints"],
    ["objective"],
    ["solvers"],
    ["neighbors", "scoring", "theory", "datasets", "files"],
    ["scale"],
    ["estimators"],
    ["dask"],
    ["baselines"],
    ["search"],
    ["persistence"],
    ["export"],
    ["report"],
    ["plot"],
    ["experiments"],
    ["paper"],
    ["demo"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = [path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py"]
WITH_SCIKIT_LEARN = {"estimators", "dask", "baselines", "datasets", "demo", "search"}


def room(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path):
    """Names of modules that a file imports, at its top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_imports_only_what_lies_below_it(path):
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "nearkind" and len(parts) > 1 and parts[1] in RANK:
            assert RANK[parts[1]] <= RANK[room(path)], f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_scikit_learn_enters_only_at_the_top(path):
    if room(path) not in WITH_SCIKIT_LEARN:
        assert not [name for name in imported(path) if name.startswith("sklearn")]


def test_every_module_has_its_layer():
    assert {room(path) for path in MODULES} <= set(RANK)


def test_the_engine_calls_eigh_in_one_file():
    callers = {path.name for path in MODULES if "linalg.eig" in path.read_text()}
    assert callers == {"spectral.py", "theory.py"}  # theory stands alone


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
