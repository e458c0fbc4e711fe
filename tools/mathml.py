"""Formulas as MathML, made while the pages are built.

A page writes ``$x$`` within a line and ``$$x$$`` on lines of their own, as GitHub reads
them too. Browsers show MathML themselves: no script, no font and no network is needed.
"""

import re
from html import unescape

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</(?:span|div)>', re.S
)
DISPLAY = {"span": "inline", "div": "block"}


def on_page_content(html, **_):
    """Replace every formula of a page; mkdocs calls this for each."""
    return FORMULA.sub(_formula, html)


def _formula(found):
    kind, latex = found.groups()
    made = convert(unescape(latex).strip(), display=DISPLAY[kind])
    if "\\" in made:
        raise ValueError(f"A command of this formula is not known: {latex}")
    return made
