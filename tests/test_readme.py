"""What README and docs show is what happens."""

import doctest
import re
from pathlib import Path

import pytest

from helpers.real_files import needed_files

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MINUTES = {"gallery.md"}
FENCED = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)


def blocks(page):
    """Return the blocks of code of a page."""
    return FENCED.findall(page.read_text())


def name_of(page):
    return str(page.relative_to(ROOT))


def example(page):
    """Return a page as a case; one that fits large sets takes minutes."""
    marks = [pytest.mark.slow] if page.name in MINUTES else []
    return pytest.param(page, marks=marks, id=name_of(page))


every_page = pytest.mark.parametrize("page", PAGES, ids=name_of)
with_examples = pytest.mark.parametrize(
    "page", [example(page) for page in PAGES if blocks(page)]
)


@with_examples
def test_examples_print_what_they_say(page, monkeypatch):
    needed_files(page.read_text(), monkeypatch)
    failed, _ = doctest.testfile(str(page), module_relative=False, verbose=False)
    assert failed == 0


@with_examples
def test_code_without_output_runs(page, monkeypatch):
    needed_files(page.read_text(), monkeypatch)
    known = {}
    for code in blocks(page):
        if not code.startswith(">>>"):
            exec(compile(code, page.name, "exec"), known)


@every_page
def test_named_files_exist(page):
    for word in page.read_text().split("`")[1::2]:
        if word.startswith(("docs/", "tests/", "src/")):
            assert (ROOT / word.split("::")[0]).exists(), word


@every_page
def test_named_tests_exist(page):
    written = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    for word in page.read_text().split("`")[1::2]:
        if "::" in word:
            assert f"def {word.split('::')[1]}(" in written, word


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
