"""The site builds without a warning, needs no network, and leaves nothing out."""

import ast
import json
import os
import re
import subprocess
import sys
from html import unescape
from inspect import cleandoc, ismodule
from pathlib import Path

import pytest

import nearkind as nk

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LOADED = re.compile(r'<(?:script|img|link)[^>]*(?:src|href)="(?:https?:)?//[^"]*"')
mathml = pytest.importorskip("tools.mathml")
pictures = pytest.importorskip("tools.pictures")
docstrings = pytest.importorskip("tools.docstrings")
prompts = pytest.importorskip("tools.prompts")
notebooks = pytest.importorskip("tools.notebooks")


SMALL = r"""# A page

The distance is \(x^2\), as

```python
>>> 1 < 2
True
```

::: nearkind.baselines.Hamming
"""
BUILD = """
import sys
from mkdocs.commands.build import build
from mkdocs.config import load_config
site = load_config("mkdocs.yml", docs_dir=sys.argv[1], site_dir=sys.argv[2],
                   nav=["index.md"], strict=True)
site.plugins.on_startup(command="build", dirty=False)
build(site)
"""


def built(command):
    """Run a command that builds pages; it must say nothing."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_a_small_page_is_built(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(SMALL)
    built(["-c", BUILD, tmp_path / "docs", tmp_path / "site"])
    page = (tmp_path / "site" / "index.html").read_text()
    assert "<math" in page
    assert "data-copy=" in page
    assert re.search(r'id="nearkind\.[\w.]*\bHamming"', page)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    built(["-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder])
    return folder


@pytest.mark.slow
def test_every_page_is_built(site):
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix(".html")
        name = name.with_stem("index") if name.stem == "README" else name
        assert (site / name).is_file(), name


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert not LOADED.findall(page.read_text()), page.name


@pytest.mark.slow
def test_no_formula_is_left_as_text(site):
    for page in site.rglob("*.html"):
        assert "arithmatex" not in page.read_text(), page.name
    assert "<math" in (site / "theory.html").read_text()


def public_names():
    """Return what the package offers, and what its public modules do."""
    for name in set(nk.__all__) - {"__version__"}:
        thing = getattr(nk, name)
        yield from getattr(thing, "__all__", [] if ismodule(thing) else [name])


@pytest.mark.slow
def test_the_reference_has_every_public_name(site):
    text = "".join(page.read_text() for page in (site / "api").glob("*.html"))
    for name in {*public_names(), "rademacher_bound", "Regularizer"}:
        assert re.search(rf'id="nearkind\.[\w.]*\b{name}"', text), name


def test_every_baseline_has_its_place_among_the_methods():
    families = [
        page for page in (DOCS / "methods").glob("*.md") if page.stem != "index"
    ]
    text = "".join(page.read_text() for page in families)
    for name in nk.baselines.all():
        assert f"`{name}`" in text or f"## {name}\n" in text, name


def test_pictures_are_small_and_drawn_by_a_script():
    for name in pictures.PICTURES:
        assert (DOCS / "pictures" / f"{name}.png").stat().st_size < 80_000


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (r'a <span class="arithmatex">\(x^2\)</span> b', "inline"),
        ('<div class="arithmatex">\\[\nx &lt; y\n\\]</div>', "block"),
    ],
)
def test_formulas_become_mathml(html, wanted):
    found = mathml.on_page_content(html)
    assert f'display="{wanted}"' in found
    assert "arithmatex" not in found
    assert "<mi>x</mi>" in found


def test_an_unknown_command_ends_the_build():
    with pytest.raises(ValueError, match="not known"):
        mathml.on_page_content(r'<span class="arithmatex">\(\nonsense\)</span>')


def test_examples_are_copied_without_prompts_and_output():
    page = prompts.on_page_markdown("```python\n>>> 1 < 2\nTrue\n```\n")
    assert page.startswith("```pycon\n>>>")
    block = (
        '<div class="highlight"><pre><span></span><code>'
        '<span class="gp">&gt;&gt;&gt; </span><span class="k">def</span> f():\n'
        '<span class="gp">... </span>    <span class="k">return</span> &quot;a&quot;\n'
        '<span class="go">&#39;a&#39;</span>\n</code></pre></div>'
    )
    found = re.search('data-copy="(.*?)"', prompts.on_page_content(block), re.S)
    assert unescape(found[1]) == 'def f():\n    return "a"'
    plain = '<div class="highlight"><pre><code>a = 1</code></pre></div>'
    assert prompts.on_page_content(plain) == plain


@pytest.mark.slow
def test_every_session_of_the_site_can_be_copied_and_run(site):
    copied = re.compile('data-copy="(.*?)"', re.S)
    sessions = {
        page.name: copied.findall(page.read_text()) for page in site.rglob("*.html")
    }
    assert sessions["estimators.html"]
    assert "import nearkind as nk" in unescape(sessions["faq.html"][0])
    offenders = [
        (name, code)
        for name, found in sessions.items()
        for code in map(unescape, found)
        if "nearkind " not in code and not _is_python(code)
    ]
    assert not offenders


def _is_python(code):
    try:
        return bool(ast.parse(code))
    except SyntaxError:
        return False


def test_items_of_docstrings_become_lists():
    written = """Do it as :class:`nearkind.CPML` does.

    Parameters
    ----------
    a, b : two numbers, of which the second
        is the larger
    c : bool
        Whether it matters.

    Returns
    -------
    a sum that is written
    on two lines
    """
    assert (
        docstrings.with_lists(cleandoc(written))
        == cleandoc(
            """Do it as {} does.

    **Parameters**

    - `a`, `b`: two numbers, of which the second is the larger
    - `c`: *bool*. Whether it matters.

    **Returns**

    - a sum that is written on two lines
    """
        ).format(
            '<autoref identifier="nearkind.CPML" optional>`nearkind.CPML`</autoref>'
        )
        + "\n"
    )


@pytest.mark.parametrize("name", notebooks.TUTORIALS)
def test_notebooks_are_those_of_the_tutorials(name):
    made = notebooks.notebook((DOCS / f"{name}.md").read_text())
    assert made == (DOCS / "recipes" / f"{name}.ipynb").read_text()
    for cell in json.loads(made)["cells"]:
        if cell["cell_type"] == "code":
            ast.parse(cell["source"])
