"""Imports go one way, and `import nearkind` loads nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nearkind

PACKAGE = Path(nearkind.__file__).parent
LAYERS = [
    ["errors", "protocols"],
    ["tables", "regularizers"],
    ["encoding"],
    ["projections"],
    ["metrics"],
    ["losses"],
    ["constraints"],
    ["solvers"],
    ["neighbors", "scoring", "theory", "datasets", "io"],
    ["streaming"],
    ["estimators", "baselines"],
    ["dask"],
    ["persistence"],
    ["export"],
    ["plot"],
    ["report"],
    ["experiments"],
    ["demo"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = [path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py"]
WITH_SCIKIT_LEARN = {"estimators", "dask", "baselines", "datasets", "demo"}


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


def test_every_package_imports_only_what_lies_below_it():
    offenders = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in MODULES
        for name in imported(path)
        if name.startswith("nearkind.") and name.split(".")[1] in RANK
        if RANK[name.split(".")[1]] > RANK[room(path)]
    }
    assert not offenders


def test_scikit_learn_enters_only_at_the_top():
    offenders = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in MODULES
        if room(path) not in WITH_SCIKIT_LEARN
        for name in imported(path)
        if name.split(".")[0] == "sklearn"
    }
    assert not offenders


def test_every_module_has_its_layer():
    assert {room(path) for path in MODULES} <= set(RANK)


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
