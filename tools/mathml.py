"""A hook of mkdocs that turns formulas into MathML.

Pages have ``$x$`` within a line and ``$$x$$`` on lines of their own, as on GitHub.
Browsers display MathML without scripts, fonts or the network.
"""

import re
from html import unescape

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</(?:span|div)>', re.S
)
DISPLAY = {"span": "inline", "div": "block"}


def on_page_content(html, **_):
    """Return the HTML of a page with its formulas replaced; called by mkdocs."""
    return FORMULA.sub(_formula, html)


def _formula(found):
    kind, latex = found.groups()
    made = convert(unescape(latex).strip(), display=DISPLAY[kind])
    if "\\" in made:
        raise ValueError(f"A LaTeX command in this formula is not known: {latex}")
    return made
