"""What README and docs show is what happens."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_what_they_say(page):
    failed, _ = doctest.testfile(str(page), module_relative=False, verbose=False)
    assert failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_exist(page):
    for word in page.read_text().split("`")[1::2]:
        if word.startswith(("docs/", "tests/", "src/")):
            assert (ROOT / word.split("::")[0]).exists(), word


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_tests_exist(page):
    written = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    for word in page.read_text().split("`")[1::2]:
        if "::" in word:
            assert f"def {word.split('::')[1]}(" in written, word


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
