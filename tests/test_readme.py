"""What README, CONTRIBUTING and docs show is what happens."""

import doctest
import re
from pathlib import Path

import pytest

from helpers.real_files import needed_files

ROOT = Path(__file__).parents[1]
AT_ROOT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*AT_ROOT, *sorted((ROOT / "docs").rglob("*.md"))]
SLOW = {
    "constraints.md",
    "density.md",
    "duckdb.md",
    "faq.md",
    "gallery.md",
    "how-to.md",
    "large-margin.md",
    "linkage.md",
    "medoids.md",
    "outliers.md",
    "probabilities.md",
    "scale.md",
    "structures.md",
    "tutorial-numbers.md",
    "tutorial.md",
}
"""Pages whose examples take more than a second."""
EXTRAS = {"umap.md": ["umap"], "postgresql.md": ["pgserver", "psycopg"]}
"""Packages that a page needs and tests do without; `make test-recipes` has them."""
FENCED = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)


def blocks(page):
    """Return the blocks of code of a page."""
    return FENCED.findall(page.read_text())


def name_of(page):
    return str(page.relative_to(ROOT))


def example(page):
    """Return a page as a case."""
    marks = [pytest.mark.slow] if page.name in SLOW else []
    return pytest.param(page, marks=marks, id=name_of(page))


with_examples = pytest.mark.parametrize(
    "page", [example(page) for page in PAGES if blocks(page)]
)


@with_examples
def test_examples_print_what_they_say(page, monkeypatch):
    for package in EXTRAS.get(page.name, []):
        pytest.importorskip(package)
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


def quoted_words():
    """Return each page with the words that it quotes, code blocks left out."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
        yield from ((name_of(page), word) for word in re.findall(r"`([^`\n]+)`", text))


def test_named_files_exist():
    offenders = [
        (page, word)
        for page, word in quoted_words()
        if word.startswith(("docs/", "tests/", "src/")) and "NAME" not in word
        if not (ROOT / word.split("::")[0]).exists()
    ]
    assert not offenders


def test_named_tests_exist():
    written = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    offenders = [
        (page, word)
        for page, word in quoted_words()
        if "::" in word and f"def {word.split('::')[1]}(" not in written
    ]
    assert not offenders


def test_links_between_files_lead_somewhere():
    linked = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
    offenders = [
        (name_of(page), target)
        for page in PAGES
        for target in linked.findall(page.read_text())
        if not (page.parent / target).exists()
    ]
    assert not offenders


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
