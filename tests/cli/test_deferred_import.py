"""A deferred package runs when something of it is used, and is then as any other."""

import subprocess
import sys

import pytest

PACKAGE = {
    "__init__.py": "print('runs'); from . import part; colour = part.colour",
    "part.py": "colour = 'red'",
}


def output_of(code, tmp_path):
    """Run code in a process that defers a package."""
    for name, text in PACKAGE.items():
        (tmp_path / "deferred").mkdir(exist_ok=True)
        (tmp_path / "deferred" / name).write_text(text)
    head = "from nearkind.cli.deferred_import import defer; defer('deferred', 'none')\n"
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.append({str(tmp_path)!r})\n{head}{code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.split()


def test_an_import_runs_nothing(tmp_path):
    assert output_of("import deferred; import deferred as d", tmp_path) == []


@pytest.mark.parametrize(
    "use",
    [
        "import deferred; print(deferred.colour)",
        "from deferred import colour; print(colour)",
        "import deferred.part; print(deferred.part.colour)",
        "import deferred; from deferred.part import colour; print(deferred.colour)",
    ],
)
def test_use_runs_it_once(use, tmp_path):
    assert output_of(f"{use}; {use}", tmp_path) == ["runs", "red", "red"]


def test_then_it_is_a_module_as_any_other(tmp_path):
    code = "import deferred; deferred.colour; print(type(deferred).__name__)"
    assert output_of(code, tmp_path) == ["runs", "module"]
    code = "import deferred; deferred.colour; print(type(deferred.__loader__).__name__)"
    assert output_of(code, tmp_path) == ["runs", "SourceFileLoader"]
    code = "import deferred; print(hasattr(deferred, 'size'))"
    assert output_of(code, tmp_path) == ["runs", "False"]


def test_threads_wait_for_it(tmp_path):
    code = """
import deferred
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(set(pool.map(lambda _: deferred.colour, range(64))))
"""
    assert output_of(code, tmp_path) == ["runs", "{'red'}"]


def test_a_package_that_is_not_there_is_not_found(tmp_path):
    code = """
try:
    import none
except ImportError as error:
    print(error.name)
"""
    assert output_of(code, tmp_path) == ["none"]
