"""What README shows runs with the core dependencies alone."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXTRAS = (
    *("pandas", "polars", "pyarrow", "matplotlib", "numba", "faiss", "onnx"),
    *("onnxruntime", "dask", "duckdb"),
)

WITHOUT_EXTRAS = f"""
from importlib.machinery import PathFinder

found = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.split(".")[0] in {EXTRAS} else found(name, path, target)

PathFinder.find_spec = find_spec
"""

RUN_LINES = """
import doctest, sys
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "README", None, 0)
sys.exit(doctest.DocTestRunner().run(test).failed)
"""

RUN_COMMAND = """
import sys
from nearkind.cli import main
sys.argv[0] = "nearkind"
main()
"""


def python_lines():
    """Return README's first block of Python, as a doctest."""
    return re.findall(r"^```python\n(.*?)^```$", README, re.S | re.M)[0]


def command_lines():
    """Return README's commands, as lists of arguments without the program's name."""
    return [
        line.split()[1:] for line in re.findall(r"^\$ (nearkind .*)$", README, re.M)
    ]


def run(command, folder, text=""):
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_readme_shows_python_and_two_commands():
    assert "nk.datasets.load" in python_lines()
    assert [arguments[0] for arguments in command_lines()] == ["fit", "neighbors"]


def test_python_lines_run_without_the_extras(tmp_path):
    code = WITHOUT_EXTRAS + RUN_LINES
    run([sys.executable, "-W", "error", "-c", code], tmp_path, python_lines())


@pytest.mark.slow
def test_commands_run_without_the_extras(tmp_path):
    code = WITHOUT_EXTRAS + RUN_COMMAND
    for arguments in command_lines():
        assert run([sys.executable, "-c", code, *arguments], tmp_path)


@pytest.mark.slow
def test_readme_runs_in_a_fresh_environment(tmp_path):
    """Build the wheel, install it without extras and run what README shows."""
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path)]
    run([*build, str(ROOT)], tmp_path)
    venv.create(tmp_path / "fresh", with_pip=True)
    programs = tmp_path / "fresh" / ("Scripts" if sys.platform == "win32" else "bin")
    (wheel,) = tmp_path.glob("*.whl")
    python = str(programs / "python")
    run([python, "-I", "-m", "pip", "install", "--quiet", str(wheel)], tmp_path)
    missing = f"import importlib.util as u; print(*filter(u.find_spec, {EXTRAS}))"
    assert run([python, "-I", "-c", missing], tmp_path).split() == []
    run([python, "-I", "-c", RUN_LINES], tmp_path, python_lines())
    for arguments in command_lines():
        assert run([python, "-I", "-c", RUN_COMMAND, *arguments], tmp_path)
        assert run([str(programs / "nearkind"), *arguments], tmp_path)
